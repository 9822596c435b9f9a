import { ZERO_AMOUNT } from '../../model/amount.js';
import type { EventEnvelope } from '../../model/event.js';
import type { Venue } from '../../model/exchange.js';
import type { AccountId, Seq } from '../../model/ids.js';
import type { Instrument, InstrumentCatalogue } from '../../model/instrument.js';
import { GUARDRAIL_WAITERS_MAX } from '../../model/limits.js';
import type { ParentOrder, ParentState } from '../../model/order.js';
import type { OrRejection, Rejection } from '../../model/rejection.js';
import type { PositionsReport } from '../../model/venue-message.js';
import type { PendingOrder } from '../order-desk.js';
import { AccountBook } from './account-book.js';
import { claimOf, filledOf, type Claim } from './claim.js';
import type { MidsDesk } from './mids-desk.js';
import { addUnpriced, partsOf, type Mids } from './order-worth.js';
import { PositionsWorth } from './positions-worth.js';

export interface AccountBooksParts {
  readonly catalogue: InstrumentCatalogue;
  readonly mids: MidsDesk;
  /** Read anew: what is open, and the last event that is in it. */
  readonly openOrders: (account: AccountId) => { readonly states: readonly ParentState[]; readonly asOfSeq: Seq | 0 };
  /** An order that was acknowledged may be missing in the store, and waits for no answer any more. */
  readonly isStoreBehind: () => boolean;
  readonly pendingOrders: (account: AccountId) => Iterable<PendingOrder>;
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

const NO_MIDS: Mids = new Map();
const STORE_BEHIND: Rejection = {
  code: 'SYSTEM_BUSY',
  message: 'the open orders of the account are still being stored; nothing was placed, ask again',
};
const TOO_MANY: Rejection = { code: 'SYSTEM_BUSY', message: 'too many orders wait for the open ones to be counted' };

/**
 * The books of the accounts whose guardrails count open orders. A book is begun when the first order needs it, from what
 * is stored and what is on its way; from then on every event of the account is followed. Whenever that may have had a
 * gap, books are thrown away and begun anew.
 */
export class AccountBooks {
  readonly #parts: AccountBooksParts;
  readonly #books = new Map<AccountId, CountedAccount>();
  #waiterCount = 0;

  constructor(parts: AccountBooksParts) {
    this.#parts = parts;
  }

  /** True while the account's events must come here. */
  isCounted(account: AccountId): boolean {
    return this.#books.size > 0 && this.#books.has(account);
  }

  /** null: it must be begun first. */
  of(account: AccountId, isValued: boolean): CountedAccount | null {
    const found = this.#books.get(account) ?? null;
    return found !== null && isValued && found.positions === null ? null : found;
  }

  /** Answers once the book may be asked for, or with why it cannot be begun. */
  begin(account: AccountId, isValued: boolean, answer: Answer): void {
    if (this.#waiterCount >= GUARDRAIL_WAITERS_MAX) return answer(TOO_MANY);
    if (this.#parts.isStoreBehind()) return answer(STORE_BEHIND);
    if (!isValued) {
      this.#open(account, false, NO_MIDS);
      return answer(null);
    }
    const orders = [...this.#stored(account), ...this.#pending(account)].map(({ order }) => order);
    this.#beginValued(account, orders, NO_MIDS, answer);
  }

  /** Of any account. */
  onEvent(envelope: EventEnvelope): void {
    const found = this.#books.get(envelope.account);
    if (found?.book.onEvent(envelope) === 'behind') this.#books.delete(envelope.account);
  }

  /** Events may have been missed, or other guardrails hold: every book is begun anew when it is needed next. */
  forget(): void {
    this.#books.clear();
  }

  /** Orders may come while mids are asked for: the book is begun once those of all that are open by then are known. */
  #beginValued(account: AccountId, orders: readonly ParentOrder[], known: Mids, answer: Answer): void {
    const { catalogue, mids } = this.#parts;
    const missing: Instrument[] = [];
    for (const order of orders) for (const part of partsOf(order)) addUnpriced(part, known, catalogue, missing);
    if (missing.length === 0) {
      this.#open(account, true, known);
      return answer(null);
    }
    this.#waiterCount += 1;
    mids.ask(missing, known, (found) => {
      this.#waiterCount -= 1;
      if ('rejection' in found) return answer(found.rejection);
      if (this.of(account, true) !== null) return answer(null);
      if (this.#parts.isStoreBehind()) return answer(STORE_BEHIND);
      const now = [...this.#stored(account), ...this.#pending(account)].map(({ order }) => order);
      return this.#beginValued(account, now, found, answer);
    });
  }

  #open(account: AccountId, isValued: boolean, mids: Mids): void {
    const { openOrders, positions, catalogue, nowRealMs } = this.#parts;
    const { states, asOfSeq } = openOrders(account);
    const book = new AccountBook(asOfSeq);
    const claim = (order: ParentOrder): Claim => (isValued ? claimOf(order, mids, catalogue) : unvalued(order));
    const pending = [...this.#pending(account)];
    for (const { kind, order } of pending) if (kind === 'CreateParent') book.add(claim(order));
    for (const state of states) {
      const { order, amendment } = state;
      book.add(claim(order), filledOf(state));
      if (amendment !== null) book.want(claim(amendment));
    }
    for (const { kind, order } of pending) if (kind === 'AmendParent') book.want(claim(order));
    const worth = new PositionsWorth({
      ask: (venue, answer) => positions(account, venue, answer),
      futuresFilled: () => book.futuresFilled,
      catalogue,
      nowRealMs,
    });
    this.#books.set(account, { book, positions: isValued ? worth : null });
  }

  *#stored(account: AccountId): Iterable<{ readonly order: ParentOrder }> {
    for (const { order, amendment } of this.#parts.openOrders(account).states) {
      yield { order };
      if (amendment !== null) yield { order: amendment };
    }
  }

  #pending(account: AccountId): Iterable<PendingOrder> {
    return this.#parts.pendingOrders(account);
  }
}

/** Counted, whatever it is worth. */
export function unvalued(order: ParentOrder): Claim {
  return { order, lotWorths: partsOf(order).map(() => ZERO_AMOUNT) };
}
