import type { CreatedKey, KeyRequest, ListedKey } from '../journal/identity/index.js';
import { isRejected, type OrRejection } from '../model/rejection.js';
import { withExisting, withIdentity, type DataDirectory } from './data-directory.js';

/** Works beside a running service, which accepts the key with its next request. Makes the directory if need be. */
export function createKey(data: DataDirectory, request: KeyRequest): Promise<OrRejection<CreatedKey>> {
  return withIdentity(data, (identity) => identity.keys.createKey(request, Date.now()));
}

/** Every key ever made, the oldest first. */
export function listKeys(data: DataDirectory): Promise<OrRejection<readonly ListedKey[]>> {
  return withExisting(data, (identity) => identity.keys.list());
}

/** Keys that a restore has suspended are good again: one of them, or all when none is named. */
export function confirmKeys(data: DataDirectory, apiKey: string | null): Promise<OrRejection<readonly ListedKey[]>> {
  return withExisting(data, ({ keys }) => {
    if (apiKey !== null) {
      const key = keys.confirm(apiKey);
      return isRejected(key) ? key : [key];
    }
    const suspended = keys.list().filter((key) => key.suspendedAtMs !== null && key.revokedAtMs === null);
    return suspended.map((key) => keys.confirm(key.apiKey)).filter((key): key is ListedKey => !isRejected(key));
  });
}

/** The running service refuses the key from its next request on. */
export function revokeKey(data: DataDirectory, apiKey: string): Promise<OrRejection<ListedKey>> {
  return withExisting(data, (identity) => identity.keys.revoke(apiKey, Date.now()));
}
