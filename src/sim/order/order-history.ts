import type { Venue } from '../../domain/exchange.js';
import { FORGET_BATCH_ROWS, FORGET_PAUSE_MS } from '../../domain/limits/trading.js';
import { assert } from '../../domain/rejection.js';
import type { DurationMs, EpochMs } from '../../domain/time.js';
import type { VenueRow, VenueStore } from '../../venue/port.js';
import type { VenueOrder } from './venue-order.js';

const INDEX = 'forget/';
/** Digits of a time in a key: enough until the year 33658. */
const TIME_DIGITS = 15;
const MARK = new Uint8Array(1);

/**
 * Forgets ended orders after the time that their exchange keeps them. An index in time order finds them, so a removal
 * costs only what it removes:
 *
 *     forget/<time>/<account>/<venue>/<client id>   an ended order, and when its exchange forgets it
 *
 * A batch removes an order first, then its fills, then its index row. After a crash the index row continues the
 * removal.
 */
export class OrderHistory {
  readonly #store: VenueStore;
  readonly #historyMs: (venue: Venue) => DurationMs;
  /** Time of the next batch; Infinity: there is no ended order. */
  #nextMs = 0;

  constructor(store: VenueStore, historyMs: (venue: Venue) => DurationMs) {
    this.#store = store;
    this.#historyMs = historyMs;
  }

  /** The venue knows every order that was open at or after this time. */
  knownSinceMs(venue: Venue, nowMs: EpochMs): EpochMs {
    return Math.max(0, nowMs - this.#historyMs(venue)) as EpochMs;
  }

  /** True for an order that its venue no longer knows. Its rows may still be there. */
  isForgotten({ isOpen, changedAtMs, submission }: VenueOrder, nowMs: EpochMs): boolean {
    return !isOpen && changedAtMs < this.knownSinceMs(submission.venue, nowMs);
  }

  /** Adds the index row of an order that has ended. */
  note({ key, changedAtMs, submission }: VenueOrder, rows: VenueRow[]): void {
    const forgottenAtMs = changedAtMs + this.#historyMs(submission.venue) + 1;
    rows.push({ key: `${INDEX}${String(forgottenAtMs).padStart(TIME_DIGITS, '0')}/${key}`, value: MARK });
    this.#nextMs = Math.min(this.#nextMs, forgottenAtMs);
  }

  /**
   * Adds the removals that are due, at most FORGET_BATCH_ROWS every FORGET_PAUSE_MS. Comes before the `note` calls of a
   * commit: it does not find their rows yet.
   */
  takeRows(rows: VenueRow[], nowMs: EpochMs): void {
    if (nowMs < this.#nextMs) return;
    const end = rows.length + FORGET_BATCH_ROWS;
    for (const { key: indexKey } of this.#store.range(INDEX)) {
      const { forgottenAtMs, orderKey } = parse(indexKey);
      if (forgottenAtMs > nowMs) {
        this.#nextMs = forgottenAtMs;
        return;
      }
      for (const key of this.#rowsOf(orderKey, indexKey)) {
        if (rows.length === end) {
          this.#nextMs = nowMs + FORGET_PAUSE_MS;
          return;
        }
        rows.push({ key, value: null });
      }
    }
    this.#nextMs = Infinity;
  }

  /** Keys of an ended order, in the order of their removal. */
  *#rowsOf(orderKey: string, indexKey: string): Iterable<string> {
    yield `done/${orderKey}`;
    for (const { key } of this.#store.range(`fill/${orderKey}/`)) yield key;
    yield indexKey;
  }
}

function parse(key: string): { readonly forgottenAtMs: number; readonly orderKey: string } {
  const end = INDEX.length + TIME_DIGITS;
  const forgottenAtMs = Number(key.slice(INDEX.length, end));
  assert(Number.isSafeInteger(forgottenAtMs) && key[end] === '/', `the key ${key} names a time and an order`);
  return { forgottenAtMs, orderKey: key.slice(end + 1) };
}
