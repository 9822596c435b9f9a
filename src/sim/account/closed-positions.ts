import { parseVenue } from '../../domain/exchange.js';
import { assert } from '../../domain/rejection.js';
import { CLOSING_KEPT_MS } from '../../domain/limits/trading.js';
import type { EpochMs } from '../../domain/time.js';
import type { VenueRow, VenueStore } from '../../venue/port.js';
import { decodeRow, encodeRow } from '../store/row-codec.js';
import type { AccountRegistry, TermsLookup } from './account-registry.js';
import type { FuturesPosition } from './futures-position.js';
import { accountOfKey, type VenueAccount } from './venue-account.js';

interface ClosedPosition {
  readonly symbol: string;
  readonly isShort: boolean;
  readonly atMs: number;
}

const PREFIX = 'closed/';

/**
 * Positions that were closed in the last CLOSING_KEPT_MS. The venue reports every open position again when it starts,
 * because the last report may be lost. A closed position has no row of its own, so its end is kept here.
 *
 *     closed/<account>/<venue>/<symbol>     direction, and the time of the end
 */
export class ClosedPositions {
  readonly #store: VenueStore;
  /** By key, the oldest first. */
  readonly #kept = new Map<string, ClosedPosition>();
  #fresh: VenueRow[] = [];

  constructor(store: VenueStore) {
    this.#store = store;
  }

  /** Marks every stored end to be reported again. Skips positions that are open again: they are reported anyway. */
  load(accounts: AccountRegistry, terms: TermsLookup): void {
    for (const { key, value } of this.#store.range(PREFIX)) {
      const [, name = '', venueName = ''] = key.split('/');
      const venue = parseVenue(venueName);
      assert(venue !== null, `the key ${key} names an account`);
      const closed = decodeRow(value) as ClosedPosition;
      this.#kept.set(key, closed);
      const account = accounts.account(accountOfKey(name), venue);
      const position = account.position(terms(venue, closed.symbol));
      if (position.isOpen) continue;
      position.restoreDirection(closed.isShort);
      account.notePosition(position);
      accounts.touch(account);
    }
  }

  /** Records the ends among the positions that are being reported. */
  note(account: VenueAccount, positions: readonly FuturesPosition[], nowMs: EpochMs): void {
    for (const { isOpen, isShort, terms } of positions) {
      if (isOpen) continue;
      const { symbol } = terms.instrument;
      const closed: ClosedPosition = { symbol, isShort, atMs: nowMs };
      const key = `${PREFIX}${account.key}/${encodeURIComponent(symbol)}`;
      this.#kept.delete(key);
      this.#kept.set(key, closed);
      this.#fresh.push({ key, value: encodeRow(closed) });
    }
  }

  /** Adds the new rows, and removes the rows that are older than CLOSING_KEPT_MS. */
  takeRows(rows: VenueRow[], nowMs: EpochMs): void {
    rows.push(...this.#fresh);
    this.#fresh = [];
    for (const [key, { atMs }] of this.#kept) {
      if (nowMs - atMs < CLOSING_KEPT_MS) return;
      this.#kept.delete(key);
      rows.push({ key, value: null });
    }
  }
}
