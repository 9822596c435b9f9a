import { parseVenue, VENUE_ENVIRONMENTS, VENUES } from '../domain/exchange.js';
import {
  VENUE_API_KEY_CHARACTERS_MAX,
  VENUE_KEY_LABEL_CHARACTERS_MAX,
  VENUE_KEYS_MAX,
} from '../domain/limits/process.js';
import { asciiLower } from '../domain/letter-case.js';
import { SUBACCOUNT_CHARACTERS_MAX } from '../domain/limits/trading.js';
import { isRejected, type OrRejection, reject, type Rejected } from '../domain/rejection.js';
import type { KeyTable } from './database.js';
import { parseAccount, parseExpiry } from './key-store.js';
import type { VenueKeyPlace } from './port.js';
import type { Vault } from './vault.js';
import { checkApiKeyForm, textProblem, type VenueSecret } from './venue-key-form.js';
import {
  describePlace,
  GENERATION,
  headerOf,
  isLabel,
  placeOf,
  rowKeyOf,
  sealRow,
  type VenueKeyHeader,
  type VenueKeyRequest,
} from './venue-key-row.js';

/** Texts that name a place. */
export interface VenueKeyPlaceNames {
  readonly account: string;
  readonly subaccount?: string | undefined;
  readonly exchange: string;
  readonly environment: string;
}

/** A stored key without its secret. */
export interface ListedVenueKey {
  readonly place: VenueKeyPlace;
  /** null: the row cannot be read. */
  readonly header: VenueKeyHeader | null;
}

const SUBACCOUNT = new RegExp(String.raw`^[^\p{C}\p{Zl}\p{Zp},]{1,${SUBACCOUNT_CHARACTERS_MAX}}$`, 'u');

/** Reads a place. A sub-account has the form that the API allows for it. */
export function parseVenueKeyPlace(names: VenueKeyPlaceNames): OrRejection<VenueKeyPlace> {
  const { subaccount = null } = names;
  const account = parseAccount(names.account);
  if (isRejected(account)) return account;
  if (subaccount !== null && !SUBACCOUNT.test(subaccount)) {
    const rule = `1 to ${SUBACCOUNT_CHARACTERS_MAX} printable characters without a comma`;
    return reject('INVALID_PARAM', `subaccount ${JSON.stringify(subaccount)} is not ${rule}`);
  }
  const venue = parseVenue(names.exchange);
  if (venue === null) {
    const rule = `one of ${VENUES.join(', ')}`;
    return reject('INVALID_EXCHANGE', `exchange ${JSON.stringify(names.exchange)} is not ${rule}`);
  }
  const environment = VENUE_ENVIRONMENTS.find((one) => one === asciiLower(names.environment));
  if (environment !== undefined) return { account, subaccount, venue, environment };
  const rule = VENUE_ENVIRONMENTS.join(' or ');
  return reject('INVALID_PARAM', `environment ${JSON.stringify(names.environment)} is not ${rule}`);
}

/** Checks the public part of a new key. Returns warnings about its form. No message contains the API key. */
export function checkVenueKeyRequest(request: VenueKeyRequest, nowRealMs: number): OrRejection<readonly string[]> {
  const { place, apiKey, label, expiresAtMs } = request;
  const wrong = textProblem(Buffer.from(apiKey), VENUE_API_KEY_CHARACTERS_MAX);
  if (wrong !== null) return reject('INVALID_PARAM', `the API key ${wrong}`);
  if (label !== null && !isLabel(label)) {
    const rule = `1 to ${VENUE_KEY_LABEL_CHARACTERS_MAX} printable characters`;
    return reject('INVALID_PARAM', `label ${JSON.stringify(label)} is not ${rule}`);
  }
  const expiry = parseExpiry(expiresAtMs, nowRealMs);
  return isRejected(expiry) ? expiry : checkApiKeyForm(place.venue, apiKey);
}

/**
 * Adds, lists and removes keys of exchanges. It seals secrets and opens none. Changes are on disk when a call returns.
 */
export class VenueKeyStore {
  readonly #table: KeyTable;
  readonly #vault: Vault;

  constructor(table: KeyTable, vault: Vault) {
    this.#table = table;
    this.#vault = vault;
  }

  /** The reason for which `add` would refuse the key; null: none. */
  refusalOf({ place, apiKey }: VenueKeyRequest, isReplacing: boolean): Rejected | null {
    const keys = this.list();
    const found = keys.find((key) => rowKeyOf(key.place) === rowKeyOf(place));
    if (found !== undefined && !isReplacing) {
      const since = found.header === null ? 'damaged' : `since ${new Date(found.header.createdAtMs).toISOString()}`;
      const shown = found.header === null ? 'a key' : `the key ${maskedApiKey(found.header.apiKey)}`;
      return reject('INVALID_REQUEST', `${describePlace(place)} has ${shown} (${since}); replace it with --replace`);
    }
    if (found === undefined && isReplacing) {
      return reject('INVALID_REQUEST', `${describePlace(place)} has no key to replace; add it without --replace`);
    }
    // Two accounts at one exchange account would cancel the orders of each other as unknown.
    const taken = keys.find(
      (key) =>
        key.header?.apiKey === apiKey &&
        key.place.venue === place.venue &&
        key.place.environment === place.environment &&
        key.place.account !== place.account,
    );
    if (taken !== undefined) return reject('INVALID_REQUEST', `the API key is in use by ${describePlace(taken.place)}`);
    if (found !== undefined || keys.length < VENUE_KEYS_MAX) return null;
    return reject('INVALID_REQUEST', `the data directory has ${VENUE_KEYS_MAX} keys of exchanges, the maximum`);
  }

  /**
   * Stores a key whose parts were checked. Refuses a second key for a place unless `isReplacing`, which needs a first
   * one, and an API key that another account has at the same exchange.
   */
  add(
    request: VenueKeyRequest,
    secret: VenueSecret,
    { isReplacing, nowRealMs }: { readonly isReplacing: boolean; readonly nowRealMs: number },
  ): OrRejection<ListedVenueKey> {
    return this.addSealed(request, sealVenueKey(this.#vault, request, secret, nowRealMs), isReplacing);
  }

  /** The same for a row that `sealVenueKey` has made of the request with the same master key. */
  addSealed(request: VenueKeyRequest, row: Buffer, isReplacing: boolean): OrRejection<ListedVenueKey> {
    return this.#table.transactionSync(() => {
      const refusal = this.refusalOf(request, isReplacing);
      if (refusal !== null) return refusal;
      const { place } = request;
      this.#table.putSync(rowKeyOf(place), row);
      this.#countGeneration();
      return { place, header: headerOf(row) };
    });
  }

  /** All keys, in the order of account, sub-account, exchange and environment. */
  list(): ListedVenueKey[] {
    this.#table.resetReadTxn();
    return [...this.#table.getRange()]
      .filter(({ key }) => key !== GENERATION)
      .map(({ key, value }) => ({ place: placeOf(key), header: headerOf(value) }))
      .sort((a, b) => (orderOf(a.place) < orderOf(b.place) ? -1 : 1));
  }

  /** Refuses a place without key. */
  remove(place: VenueKeyPlace): OrRejection<ListedVenueKey> {
    return this.#table.transactionSync(() => {
      const row = this.#table.get(rowKeyOf(place));
      if (row === undefined) return reject('INVALID_REQUEST', `${describePlace(place)} has no key`);
      this.#table.removeSync(rowKeyOf(place));
      this.#countGeneration();
      return { place, header: headerOf(row) };
    });
  }

  /** Call within a transaction. */
  #countGeneration(): void {
    const generation = Number(this.#table.get(GENERATION)?.toString() ?? 0);
    this.#table.putSync(GENERATION, Buffer.from(String(generation + 1)));
  }
}

/** The row of a new key, which only the master key opens. */
export function sealVenueKey(vault: Vault, request: VenueKeyRequest, secret: VenueSecret, nowRealMs: number): Buffer {
  const { place, ...open } = request;
  const header: VenueKeyHeader = { ...open, kind: secret.kind, createdAtMs: nowRealMs };
  return sealRow(vault, rowKeyOf(place), header, secret);
}

/** The first and last characters of an API key: enough to recognize it, not enough to use it. */
export function maskedApiKey(apiKey: string): string {
  const shown = apiKey.length >= 16 ? 4 : Math.floor(apiKey.length / 4);
  return `${apiKey.slice(0, shown)}…${shown === 0 ? '' : apiKey.slice(-shown)}`;
}

function orderOf({ account, subaccount, venue, environment }: VenueKeyPlace): string {
  return [account, subaccount ?? '', venue, environment].join('\0');
}
