import { isRejected, type OrRejection } from '../domain/rejection.js';
import type { CreatedKey, KeyRequest, ListedKey, NewKey } from '../runtime/identity.js';
import { type AdminSite, audit } from './admin-site.js';

/** Creates a key. The service accepts it at its next request. */
export function createKey(site: AdminSite, request: KeyRequest): OrRejection<CreatedKey> {
  return site.identity.keys.createKey(request, Date.now(), (key) => auditCreation(site, key));
}

function auditCreation(site: AdminSite, key: NewKey): void {
  const { apiKey, account, permissions } = key;
  audit(site, 'keys.create', { account, key: apiKey, permissions, ...boundsText(key) });
}

/** Restrictions of the key that are set, as commands print them. */
export function boundsText({ expiresAtMs, allowedNetworks, needsSignV2 }: NewKey | ListedKey): Record<string, unknown> {
  return {
    ...(expiresAtMs === null ? {} : { expires_at: new Date(expiresAtMs).toISOString() }),
    ...(allowedNetworks.length === 0 ? {} : { allowed_ips: allowedNetworks }),
    ...(needsSignV2 ? { require_sign_v2: true } : {}),
  };
}

/** Lists all keys, oldest first. */
export function listKeys({ identity }: AdminSite): readonly ListedKey[] {
  return identity.keys.list();
}

/** Ends the suspension of a key after a restore. null: of all suspended keys. */
export function confirmKeys(
  site: AdminSite,
  { apiKey }: { readonly apiKey: string | null },
): OrRejection<readonly ListedKey[]> {
  const { keys } = site.identity;
  const held = keys
    .list()
    .filter(
      (key) => key.revokedAtMs === null && (apiKey === null ? key.suspendedAtMs !== null : key.apiKey === apiKey),
    );
  for (const { account, apiKey: key } of held) audit(site, 'keys.confirm', { account, key });
  if (apiKey !== null) {
    const key = keys.confirm(apiKey);
    return isRejected(key) ? key : [key];
  }
  return held.map((key) => keys.confirm(key.apiKey)).filter((key): key is ListedKey => !isRejected(key));
}

/** Revokes a key. The service refuses it from its next request on. */
export function revokeKey(site: AdminSite, { apiKey }: { readonly apiKey: string }): OrRejection<ListedKey> {
  const { keys } = site.identity;
  const held = keys.list().find((key) => key.apiKey === apiKey);
  if (held !== undefined) audit(site, 'keys.revoke', { account: held.account, key: apiKey });
  return keys.revoke(apiKey, Date.now());
}
