import { parseVenue } from '../../model/exchange.js';
import { assert } from '../../model/assert.js';
import { CLOSING_KEPT_MS } from '../../model/limits.js';
import type { PositionSide } from '../../model/position.js';
import type { EpochMs } from '../../model/time.js';
import type { Row, VenueStore } from '../port.js';
import { decodeRow, encodeRow } from '../store/json-row.js';
import type { AccountRegistry, TermsLookup } from './account-registry.js';
import { accountOfKey, type AccountChange, type VenueAccount } from './venue-account.js';

/** A position that is not there any more. */
interface Closing {
  readonly symbol: string;
  readonly side: PositionSide;
  readonly isShort: boolean;
  readonly atMs: number;
}

const PREFIX = 'closed/';

/**
 * Positions that were closed a while ago at most. An open one is told again when the venue starts, for its last change
 * may not have been heard; of a closed one there would be nothing left to tell.
 *
 *     closed/<account>/<venue>/<symbol>/<side>     which way it was held, and when it was closed
 */
export class Closings {
  readonly #store: VenueStore;
  /** By key, the oldest first. */
  readonly #kept = new Map<string, Closing>();
  #fresh: Row[] = [];

  constructor(store: VenueStore) {
    this.#store = store;
  }

  /** Has every stored one told again, unless the position has been opened anew, which is told anyway. */
  load(accounts: AccountRegistry, terms: TermsLookup): void {
    for (const { key, value } of this.#store.range(PREFIX)) {
      const [, name = '', venueName = ''] = key.split('/');
      const venue = parseVenue(venueName);
      assert(venue !== null, `the key ${key} names an account`);
      const closing = decodeRow(value) as Closing;
      this.#kept.set(key, closing);
      const account = accounts.account(accountOfKey(name), venue);
      const contract = account.contract(terms(venue, closing.symbol));
      const position = contract.positions[closing.side];
      if (position.isOpen) continue;
      position.recall(closing.isShort);
      account.notePosition(contract, position);
      accounts.touch(account);
    }
  }

  /** Takes in what is being told of an account. */
  note(account: VenueAccount, { positions }: AccountChange, nowMs: EpochMs): void {
    for (const [position, contract] of positions) {
      if (position.isOpen) continue;
      const { symbol } = contract.terms.instrument;
      const side = contract.sideOf(position);
      const closing: Closing = { symbol, side, isShort: position.isShort, atMs: nowMs };
      const key = `${PREFIX}${account.key}/${encodeURIComponent(symbol)}/${side}`;
      this.#kept.delete(key);
      this.#kept.set(key, closing);
      this.#fresh.push({ key, value: encodeRow(closing) });
    }
  }

  /** The rows of what was noted, and the end of those that were heard long ago. */
  takeRows(rows: Row[], nowMs: EpochMs): void {
    rows.push(...this.#fresh);
    this.#fresh = [];
    for (const [key, { atMs }] of this.#kept) {
      if (nowMs - atMs < CLOSING_KEPT_MS) return;
      this.#kept.delete(key);
      rows.push({ key, value: null });
    }
  }
}
