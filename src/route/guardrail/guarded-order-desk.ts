import { ZERO_AMOUNT, type Amount } from '../../model/amount.js';
import type { Bounds, GuardrailCounts } from '../../model/guardrail.js';
import type { AccountId, ApiKeyId, OrderId } from '../../model/ids.js';
import type { Instrument, InstrumentCatalogue } from '../../model/instrument.js';
import { isTerminal, type ParentOrder, type ParentState } from '../../model/order.js';
import { isRejected, type OrRejection, type Rejection } from '../../model/rejection.js';
import type { ChangeOutcome, CreateOutcome, OrderChange, OrderDesk, ParentOrderDraft } from '../order-desk.js';
import type { AccountBooks, CountedAccount } from './account-books.js';
import { breachesOf, haltRefusal, type Breach } from './breach.js';
import { claimOf, filledOf, unvalued } from './claim.js';
import type { AccountStanding, Asked } from './grounds.js';
import type { MidsDesk } from './mids-desk.js';
import { addUnpriced, partsOf, type Mids } from './order-worth.js';
import { isPriced } from './price-collar.js';

export interface GuardedOrderDeskParts {
  readonly desk: Pick<OrderDesk, 'create' | 'change'>;
  /** Asked before every order: cheap. null: nothing holds it. */
  readonly boundsOf: (account: AccountId, apiKey: ApiKeyId) => Bounds | null;
  readonly books: AccountBooks;
  readonly mids: MidsDesk;
  readonly catalogue: InstrumentCatalogue;
  readonly storedState: (orderId: OrderId) => ParentState | null;
  readonly counts: GuardrailCounts;
}

/** What an order is judged by once everything is known that it takes. */
interface Judged {
  readonly breaches: readonly Breach[];
  readonly mids: Mids;
  readonly counted: CountedAccount | null;
}

type JudgedAnswer = (judged: OrRejection<Judged>) => void;

const NO_MIDS: Mids = new Map();
const UNBOUND: Judged = { breaches: [], mids: NO_MIDS, counted: null };

/** What an account's orders and positions come to. */
export interface AccountUsage {
  readonly openOrderCount: number;
  /** In USD; null: nothing is bound by it. */
  readonly grossExposure: Amount | null;
}

/**
 * The order desk behind the guardrails: what they refuse goes no further. Mids, open orders and positions are gathered
 * first where the guardrails need them; then judging, sending and counting are one step, so that of two orders that come
 * at once the second is judged by the first.
 */
export class GuardedOrderDesk {
  readonly #parts: GuardedOrderDeskParts;

  constructor(parts: GuardedOrderDeskParts) {
    this.#parts = parts;
  }

  create(draft: ParentOrderDraft, answer: (outcome: CreateOutcome) => void, by: ApiKeyId): void {
    const { desk, boundsOf } = this.#parts;
    if (boundsOf(draft.account, by) === null) return desk.create(draft, answer);
    this.#judge({ order: draft, before: null }, by, NO_MIDS, (judged) => {
      const refusal = this.#refusalOf(judged);
      if (refusal !== null || isRejected(judged)) return answer({ kind: 'refused', rejection: refusal as Rejection });
      this.#create(draft, judged, answer);
    });
  }

  change(change: OrderChange, answer: (outcome: ChangeOutcome) => void, by: ApiKeyId): void {
    const { desk, boundsOf } = this.#parts;
    if (change.kind === 'CancelParent' || change.kind === 'PauseParent') return desk.change(change, answer);
    const { account } = change.kind === 'AmendParent' ? change.order : change;
    const bounds = boundsOf(account, by);
    if (bounds === null) return desk.change(change, answer);
    if (change.kind === 'AmendParent') return this.#amend(change.order, answer, by);
    if (bounds.halt === null) return desk.change(change, answer);
    this.#parts.counts.kill_switch += 1;
    answer({ kind: 'refused', rejection: haltRefusal(bounds.halt, { account }) });
  }

  /** Every refusal that the order would meet now; places nothing. Answers once. */
  review(draft: ParentOrderDraft, by: ApiKeyId, answer: (refusals: readonly Rejection[]) => void): void {
    this.#judge({ order: draft, before: null }, by, NO_MIDS, (judged) =>
      answer(isRejected(judged) ? [judged.rejection] : judged.breaches.map(({ rejection }) => rejection)),
    );
  }

  /** What the account has used of what its guardrails leave it; null when none of them counts, or it is not known now. */
  usageOf(account: AccountId, by: ApiKeyId, answer: (usage: AccountUsage | null) => void): void {
    const bounds = this.#parts.boundsOf(account, by);
    if (bounds === null || !bounds.isCounted) return answer(null);
    this.#count(account, bounds, (counted) => {
      if (isRejected(counted)) return answer(null);
      const { openOrderCount, grossExposure } = standingOf(counted);
      answer({ openOrderCount, grossExposure: counted.positions === null ? null : grossExposure });
    });
  }

  #create(draft: ParentOrderDraft, { counted, mids }: Judged, answer: (outcome: CreateOutcome) => void): void {
    let isSurelyNotPlaced = false;
    this.#parts.desk.create(draft, (outcome) => {
      isSurelyNotPlaced = outcome.kind === 'refused' && outcome.unresolvedOrderId === undefined;
      if (isSurelyNotPlaced) counted?.book.remove(draft.orderId);
      answer(outcome);
    });
    if (counted !== null && !isSurelyNotPlaced) counted.book.add(this.#claimOf(draft, counted, mids));
  }

  #amend(order: ParentOrder, answer: (outcome: ChangeOutcome) => void, by: ApiKeyId): void {
    const { desk, storedState } = this.#parts;
    const state = storedState(order.orderId);
    // Its shard says what is wrong with it.
    if (state === null || isTerminal(state.status)) return desk.change({ kind: 'AmendParent', order }, answer);
    const { amendment, startedAtMs } = state;
    const before = { order: amendment ?? state.order, filled: filledOf(state), hasStarted: startedAtMs !== null };
    this.#judge({ order, before }, by, NO_MIDS, (judged) => {
      const refusal = this.#refusalOf(judged);
      if (refusal !== null || isRejected(judged)) return answer({ kind: 'refused', rejection: refusal as Rejection });
      const { counted, mids } = judged;
      let isRefused = false;
      desk.change({ kind: 'AmendParent', order }, (outcome) => {
        isRefused = outcome.kind === 'refused';
        if (isRefused) counted?.book.unwant(order);
        answer(outcome);
      });
      if (counted !== null && !isRefused) counted.book.want(this.#claimOf(order, counted, mids));
    });
  }

  /** Gathers one thing after the other and looks at the bounds anew each time: they may have changed meanwhile. */
  #judge(asked: Asked, by: ApiKeyId, mids: Mids, answer: JudgedAnswer): void {
    const { boundsOf, catalogue } = this.#parts;
    const bounds = boundsOf(asked.order.account, by);
    if (bounds === null) return answer(UNBOUND);
    if (bounds.halt !== null) {
      const rejection = haltRefusal(bounds.halt, asked.order);
      return answer({ ...UNBOUND, breaches: [{ guardrail: 'kill_switch', rejection }] });
    }
    const missing = unpricedOf(asked, bounds, mids, catalogue);
    if (missing.length > 0) {
      return this.#parts.mids.ask(missing, mids, (found) =>
        isRejected(found) ? answer(found) : this.#judge(asked, by, found, answer),
      );
    }
    if (!bounds.isCounted) {
      return answer({
        breaches: breachesOf(asked, { bounds, mids, catalogue, standing: NOTHING }),
        mids,
        counted: null,
      });
    }
    if (this.#counted(asked.order.account, bounds) === null) {
      return this.#count(asked.order.account, bounds, (counted) =>
        isRejected(counted) ? answer(counted) : this.#judge(asked, by, mids, answer),
      );
    }
    const counted = this.#counted(asked.order.account, bounds) as CountedAccount;
    answer({ breaches: breachesOf(asked, { bounds, mids, catalogue, standing: standingOf(counted) }), mids, counted });
  }

  /** null: something of it must be asked for. */
  #counted(account: AccountId, { isValued }: Bounds): CountedAccount | null {
    const counted = this.#parts.books.of(account, isValued);
    const isKnown = counted !== null && (!isValued || counted.positions === null || counted.positions.isFresh);
    return isKnown ? counted : null;
  }

  #count(account: AccountId, bounds: Bounds, answer: (counted: OrRejection<CountedAccount>) => void): void {
    const { books } = this.#parts;
    const { isValued } = bounds;
    const known = books.of(account, isValued);
    const next = (rejection: Rejection | null): void =>
      rejection === null ? this.#count(account, bounds, answer) : answer({ rejection });
    if (known === null) return books.begin(account, isValued, next);
    const { positions } = known;
    if (!isValued || positions === null || positions.isFresh) return answer(known);
    positions.freshen(next);
  }

  #claimOf(order: ParentOrder, { positions }: CountedAccount, mids: Mids): ReturnType<typeof claimOf> {
    return positions === null ? unvalued(order) : claimOf(order, mids, this.#parts.catalogue);
  }

  /** Counts what refuses. */
  #refusalOf(judged: OrRejection<Judged>): Rejection | null {
    if (isRejected(judged)) return judged.rejection;
    const [breach] = judged.breaches;
    if (breach === undefined) return null;
    this.#parts.counts[breach.guardrail] += 1;
    return breach.rejection;
  }
}

const NOTHING: AccountStanding = { openOrderCount: 0, grossExposure: ZERO_AMOUNT, opposite: () => null };

function standingOf({ book, positions }: CountedAccount): AccountStanding {
  return {
    openOrderCount: book.openOrderCount,
    grossExposure: (book.openWorth + (positions?.worth ?? ZERO_AMOUNT)) as Amount,
    opposite: (part) => book.quotes.opposite(part),
  };
}

/** The instruments whose mid the guardrails need to judge the order, and to count it afterwards, and that is not known. */
function unpricedOf(
  { order, before }: Asked,
  bounds: Bounds,
  mids: Mids,
  catalogue: InstrumentCatalogue,
): Instrument[] {
  const { bindings, isValued } = bounds;
  const isWorthNeeded = isValued || bindings.some(({ rules }) => rules.maxOrderNotional !== null);
  const isCollared = bindings.some(({ rules }) => rules.priceCollarBps !== null);
  const unpriced: Instrument[] = [];
  for (const part of partsOf(order)) {
    if (isWorthNeeded) addUnpriced(part, mids, catalogue, unpriced);
    if (isCollared && isPriced(part) && !mids.has(part.instrument)) unpriced.push(catalogue.at(part.instrument));
  }
  if (isWorthNeeded && before !== null) {
    for (const part of partsOf(before.order)) addUnpriced(part, mids, catalogue, unpriced);
  }
  return unpriced;
}
