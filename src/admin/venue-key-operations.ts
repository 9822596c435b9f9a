import { isRejected, type OrRejection, reject } from '../domain/rejection.js';
import type { VenueKeyPlace } from '../keys/port.js';
import { rowKeyOf, type VenueKeyRequest } from '../keys/venue-key-row.js';
import { type ListedVenueKey, maskedApiKey } from '../keys/venue-key-store.js';
import { type AdminSite, audit } from './admin-site.js';

interface NewVenueKey {
  readonly request: VenueKeyRequest;
  readonly isReplacing: boolean;
}

/** Refuses a key that `addVenueKey` would refuse. */
export function checkNewVenueKey({ identity }: AdminSite, { request, isReplacing }: NewVenueKey): OrRejection<object> {
  return identity.venueKeys.refusalOf(request, isReplacing) ?? {};
}

/** `row`: the sealed key, Base64. The command seals it, so that no secret of an exchange passes through the socket. */
export function addVenueKey(
  site: AdminSite,
  { request, isReplacing, row }: NewVenueKey & { readonly row: string },
): OrRejection<{ readonly key: ListedVenueKey; readonly hasServiceKey: boolean }> {
  const { keys, venueKeys, venueKeyDirectory } = site.identity;
  const { place, apiKey } = request;
  const refusal = venueKeys.refusalOf(request, isReplacing);
  if (refusal !== null) return refusal;
  const sealed = Buffer.from(row, 'base64');
  if (!venueKeyDirectory.opens(place, sealed)) {
    return reject('INVALID_REQUEST', 'the command has another master key than the secrets in the directory');
  }
  const replaced = isReplacing ? { replaced: true } : {};
  audit(site, 'venue-keys.add', { ...placeTexts(place), api_key: maskedApiKey(apiKey), ...replaced });
  const key = venueKeys.addSealed(request, sealed, isReplacing);
  if (isRejected(key)) return key;
  const hasServiceKey = keys
    .list()
    .some(({ account, revokedAtMs }) => account === place.account && revokedAtMs === null);
  return { key, hasServiceKey };
}

export function listVenueKeys({ identity }: AdminSite): readonly ListedVenueKey[] {
  return identity.venueKeys.list();
}

export function removeVenueKey(
  site: AdminSite,
  { place }: { readonly place: VenueKeyPlace },
): OrRejection<ListedVenueKey> {
  const { venueKeys } = site.identity;
  const held = venueKeys.list().find((one) => rowKeyOf(one.place) === rowKeyOf(place));
  if (held !== undefined) audit(site, 'venue-keys.remove', { ...placeTexts(place), api_key: shownApiKey(held) });
  return venueKeys.remove(place);
}

/** Opens each stored key. `problem`: why it does not open; null: it opens. */
export function checkVenueKeys({ identity }: AdminSite): readonly {
  readonly place: VenueKeyPlace;
  readonly problem: string | null;
}[] {
  return identity.venueKeyDirectory.check();
}

/** A place as commands print it. */
export function placeTexts({ account, subaccount, venue, environment }: VenueKeyPlace): Record<string, unknown> {
  return { account, ...(subaccount === null ? {} : { subaccount }), exchange: venue, environment };
}

export function shownApiKey({ header }: ListedVenueKey): string {
  return header === null ? '' : maskedApiKey(header.apiKey);
}
