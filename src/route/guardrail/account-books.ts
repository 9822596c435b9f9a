import type { EventEnvelope } from '../../model/event.js';
import type { Venue } from '../../model/exchange.js';
import type { AccountId } from '../../model/ids.js';
import { GUARDRAIL_WAITERS_MAX } from '../../model/limits.js';
import type { OrRejection, Rejection } from '../../model/rejection.js';
import type { PositionsReport } from '../../model/venue-message.js';
import type { AccountBook } from './account-book.js';
import { BookReading, type BookSources } from './book-reading.js';
import { PositionsWorth } from './positions-worth.js';

export interface AccountBooksParts extends BookSources {
  readonly positions: (
    account: AccountId,
    venue: Venue,
    answer: (result: OrRejection<PositionsReport>) => void,
  ) => void;
  readonly nowRealMs: () => number;
}

/** An account whose open orders are counted. */
export interface CountedAccount {
  readonly book: AccountBook;
  /** null: nobody needs to know what they are worth. */
  readonly positions: PositionsWorth | null;
}

type Answer = (rejection: Rejection | null) => void;

const TOO_MANY: Rejection = { code: 'SYSTEM_BUSY', message: 'too many orders wait for the open ones to be counted' };

/**
 * The books of the accounts whose guardrails count open orders. A book is begun when the first order needs it, from what
 * is stored and what is on its way; from then on every event of the account is followed. Whenever that may have had a
 * gap, books are thrown away and begun anew.
 */
export class AccountBooks {
  readonly #parts: AccountBooksParts;
  readonly #books = new Map<AccountId, CountedAccount>();
  readonly #readings = new Map<AccountId, { readonly reading: BookReading; readonly waiters: Answer[] }>();
  #waiterCount = 0;

  constructor(parts: AccountBooksParts) {
    this.#parts = parts;
  }

  /** True while the account's events must come here. */
  isCounted(account: AccountId): boolean {
    return this.#books.has(account) || this.#readings.has(account);
  }

  /** null: it must be begun first. */
  of(account: AccountId, isValued: boolean): CountedAccount | null {
    const found = this.#books.get(account) ?? null;
    return found !== null && isValued && found.positions === null ? null : found;
  }

  /** Answers once the book may be asked for, or with why it cannot be begun. */
  begin(account: AccountId, isValued: boolean, answer: Answer): void {
    if (this.#waiterCount >= GUARDRAIL_WAITERS_MAX) return answer(TOO_MANY);
    this.#waiterCount += 1;
    const underWay = this.#readings.get(account);
    if (underWay !== undefined && (underWay.reading.isValued || !isValued)) {
      underWay.waiters.push(answer);
      return;
    }
    underWay?.reading.stop();
    this.#start(account, isValued, [...(underWay?.waiters ?? []), answer]);
  }

  /** Of any account. */
  onEvent(envelope: EventEnvelope): void {
    const { account } = envelope;
    this.#readings.get(account)?.reading.onEvent(envelope);
    if (this.#books.get(account)?.book.onEvent(envelope) === 'behind') this.#books.delete(account);
  }

  /** Events may have been missed, or other guardrails hold: every book is begun anew, now or when it is needed next. */
  forget(): void {
    this.#books.clear();
    const underWay = Array.from(this.#readings);
    for (const [account, { reading, waiters }] of underWay) {
      reading.stop();
      this.#start(account, reading.isValued, waiters);
    }
  }

  #start(account: AccountId, isValued: boolean, waiters: Answer[]): void {
    const onEnd = (rejection: Rejection | null): void => {
      this.#readings.delete(account);
      if (rejection === null) this.#open(account, reading.book, isValued);
      this.#waiterCount -= waiters.length;
      for (const answer of waiters) answer(rejection);
    };
    const reading = new BookReading({ ...this.#parts, account, isValued, onEnd });
    this.#readings.set(account, { reading, waiters });
    reading.start();
  }

  #open(account: AccountId, book: AccountBook, isValued: boolean): void {
    const { positions, catalogue, nowRealMs } = this.#parts;
    const worth = new PositionsWorth({
      ask: (venue, answer) => positions(account, venue, answer),
      futuresFilled: () => book.futuresFilled,
      catalogue,
      nowRealMs,
    });
    this.#books.set(account, { book, positions: isValued ? worth : null });
  }
}
