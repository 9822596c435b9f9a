import { createPrivateKey, createSecretKey, type KeyObject } from 'node:crypto';
import type { Venue, VenueEnvironment } from '../domain/exchange.js';
import { IDENTITY_READ_MS } from '../domain/limits/trading.js';
import { isRejected, type OrRejection, reject } from '../domain/rejection.js';
import type { KeyTable } from './database.js';
import type { VenueCredentials, VenueKeyDirectory, VenueKeyKind, VenueKeyPlace } from './port.js';
import type { Vault } from './vault.js';
import {
  describePlace,
  GENERATION,
  headerOf,
  openRow,
  placeOf,
  rowKeyOf,
  type VenueKeyHeader,
} from './venue-key-row.js';

interface StoredKey {
  readonly place: VenueKeyPlace;
  readonly row: Buffer;
  readonly header: VenueKeyHeader | null;
}

/**
 * The keys of exchanges, sealed in memory. A change of any thread is read within IDENTITY_READ_MS of the next call. It
 * keeps no opened key.
 */
export class StoredVenueKeys implements VenueKeyDirectory {
  readonly #table: KeyTable;
  readonly #vault: Vault;
  readonly #realNowMs: () => number;
  readonly #listeners: ((place: VenueKeyPlace) => void)[] = [];
  /** Keys that have not expired, by row key. */
  #keys = new Map<string, StoredKey>();
  #generation = '';
  #readAtMs = -Infinity;
  #nextExpiryMs = Infinity;

  /** `realNowMs`: real time, epoch milliseconds. */
  constructor(table: KeyTable, vault: Vault, realNowMs: () => number) {
    this.#table = table;
    this.#vault = vault;
    this.#realNowMs = realNowMs;
    this.refresh();
  }

  find(place: VenueKeyPlace): OrRejection<VenueCredentials> | null {
    this.refresh();
    const stored = this.#keys.get(rowKeyOf(place));
    return stored === undefined ? null : openVenueKey(this.#vault, stored.place, stored.row);
  }

  accounts(venue: Venue, environment: VenueEnvironment): readonly VenueKeyPlace[] {
    this.refresh();
    return [...this.#keys.values()]
      .map(({ place }) => place)
      .filter((place) => place.venue === venue && place.environment === environment);
  }

  onChange(listener: (place: VenueKeyPlace) => void): void {
    this.#listeners.push(listener);
  }

  refresh(): void {
    const nowMs = performance.now();
    if (nowMs - this.#readAtMs < IDENTITY_READ_MS) return;
    this.#readAtMs = nowMs;
    this.#table.resetReadTxn();
    const generation = this.#table.get(GENERATION)?.toString() ?? '';
    if (generation === this.#generation && this.#realNowMs() < this.#nextExpiryMs) return;
    this.#generation = generation;
    const before = this.#keys;
    this.#keys = this.#load();
    const rowKeys = new Set([...before.keys(), ...this.#keys.keys()]);
    for (const rowKey of rowKeys) {
      const [old, now] = [before.get(rowKey), this.#keys.get(rowKey)];
      if (old !== undefined && now !== undefined && old.row.equals(now.row)) continue;
      for (const listener of this.#listeners) listener(placeOf(rowKey));
    }
  }

  /** True for a row of the place that was sealed with the master key. */
  opens(place: VenueKeyPlace, row: Buffer): boolean {
    return !isRejected(openVenueKey(this.#vault, place, row));
  }

  /** The sealed row of a place with a key that has not expired. null: it has none. */
  rowOf(place: VenueKeyPlace): Buffer | null {
    this.refresh();
    return this.#keys.get(rowKeyOf(place))?.row ?? null;
  }

  /** Opens each stored key, also expired ones. Returns the reason why a key does not open; null: it opens. */
  check(): { readonly place: VenueKeyPlace; readonly problem: string | null }[] {
    this.#table.resetReadTxn();
    return this.#stored().map((stored) => {
      const opened = openVenueKey(this.#vault, stored.place, stored.row);
      return { place: stored.place, problem: isRejected(opened) ? opened.rejection.message : null };
    });
  }

  #stored(): StoredKey[] {
    return [...this.#table.getRange()]
      .filter(({ key }) => key !== GENERATION)
      .map(({ key, value }) => ({ place: placeOf(key), row: Buffer.from(value), header: headerOf(value) }));
  }

  #load(): Map<string, StoredKey> {
    const nowMs = this.#realNowMs();
    const keys = new Map<string, StoredKey>();
    this.#nextExpiryMs = Infinity;
    for (const stored of this.#stored()) {
      const expiresAtMs = stored.header?.expiresAtMs ?? Infinity;
      if (expiresAtMs <= nowMs) continue;
      this.#nextExpiryMs = Math.min(this.#nextExpiryMs, expiresAtMs);
      keys.set(rowKeyOf(stored.place), stored);
    }
    return keys;
  }
}

/** Opens the row of a place. Rejected: it was changed, or sealed for another place or by another master key. */
export function openVenueKey(vault: Vault, place: VenueKeyPlace, row: Buffer): OrRejection<VenueCredentials> {
  const header = headerOf(row);
  const opened = openRow(vault, rowKeyOf(place), row);
  if (header === null || opened === null) {
    opened?.plain.fill(0);
    const reason = 'it was changed, copied from another place, or sealed by another master key';
    return reject('INVALID_API_KEY', `the key of ${describePlace(place)} does not open: ${reason}`);
  }
  try {
    const { secret, passphrase } = opened;
    return new OpenedVenueKey({
      place,
      header,
      secret: keyObjectOf(header.kind, secret),
      passphrase: passphrase.length === 0 ? null : createSecretKey(passphrase),
    });
  } finally {
    opened.plain.fill(0);
  }
}

/** Copies the bytes into memory of the crypto library, which overwrites it when the object is collected. */
function keyObjectOf(kind: VenueKeyKind, secret: Buffer): KeyObject {
  switch (kind) {
    case 'RSA':
    case 'ED25519':
      return createPrivateKey({ key: secret, format: 'der', type: 'pkcs8' });
    case 'HMAC':
    case 'WALLET':
    case 'TOKEN':
      return createSecretKey(secret);
  }
}

interface OpenedParts {
  readonly place: VenueKeyPlace;
  readonly header: VenueKeyHeader;
  readonly secret: KeyObject;
  readonly passphrase: KeyObject | null;
}

const HIDDEN = '[key of an exchange]';

class OpenedVenueKey implements VenueCredentials {
  readonly #parts: OpenedParts;

  constructor(parts: OpenedParts) {
    this.#parts = parts;
  }

  get place(): VenueKeyPlace {
    return this.#parts.place;
  }

  get kind(): VenueKeyKind {
    return this.#parts.header.kind;
  }

  get apiKey(): string {
    return this.#parts.header.apiKey;
  }

  get secret(): KeyObject {
    return this.#parts.secret;
  }

  get passphrase(): KeyObject | null {
    return this.#parts.passphrase;
  }

  get expiresAtMs(): number | null {
    return this.#parts.header.expiresAtMs;
  }

  toJSON(): string {
    return HIDDEN;
  }

  toString(): string {
    return HIDDEN;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return HIDDEN;
  }
}
