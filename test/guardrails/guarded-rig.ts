import type { ChangeOutcome, CreateOutcome, OrderChange, ParentOrderDraft } from '../../src/http/port.js';
import type { EventEnvelope, ParentStanding } from '../../src/model/event.js';
import { isCounting, noGuardrailCounts, NO_GUARDRAILS } from '../../src/model/guardrail.js';
import type { Binding, Guardrails, Halt } from '../../src/model/guardrail.js';
import type { ApiKeyId, CorrelationId, OrderId, Seq } from '../../src/model/ids.js';
import { isTerminal } from '../../src/model/order.js';
import type { ParentOrder, ParentState, RestingStatus } from '../../src/model/order.js';
import type { Lots, Notional, Ticks } from '../../src/model/quantity.js';
import { reject, type Rejection } from '../../src/model/rejection.js';
import { amountOf, type Amount } from '../../src/model/amount.js';
import { AccountBooks } from '../../src/route/guardrail/account-books.js';
import { GuardedOrderDesk } from '../../src/route/guardrail/guarded-order-desk.js';
import { MidsDesk } from '../../src/route/guardrail/mids-desk.js';
import type { PendingOrder } from '../../src/route/order-desk.js';
import { CATALOGUE, DEMO, NOW_MS, parentOrder, parentState } from '../http/orders.js';
import { positionsAt } from '../http/positions.js';

export const KEY = 'TRADER' as ApiKeyId;
/** Everything is worth 60000 quote units, so that one of 0.00001 BTC is worth 60 cents. */
export const TWICE_MID = 12_000_000;

export function usd(units: number): Amount {
  return amountOf(units, 0);
}

export function price(units: number): Ticks {
  return (units * 100) as Ticks;
}

export function btc(units: number): Lots {
  return Math.round(units * 100_000) as Lots;
}

type CreateAnswer = (outcome: CreateOutcome) => void;

/** The desk with its guardrails, over a store that the rig keeps, shards that answer when told, and one price for all. */
export class GuardedRig {
  bindings: readonly Binding[];
  halt: Halt | null = null;
  /** An account's other key has such rules. */
  isCounted = false;
  /** null: no market tells one. */
  twiceMid: number | null = TWICE_MID;
  arePricesLate = false;
  /** Lots of the future that the account holds; null: its venues do not tell. */
  positionLots: number | null = 0;
  nowRealMs = 0;
  /** An order that was answered is not committed yet. */
  isStoreBehind = false;
  readonly counts = noGuardrailCounts();
  readonly stored = new Map<OrderId, ParentState>();
  readonly #pending = new Map<OrderId, PendingOrder>();
  /** Events wait in the rings until they are delivered. */
  areEventsLate = false;
  readonly #held: EventEnvelope[] = [];
  /** What waits for a later turn of the loop. */
  readonly later: (() => void)[] = [];
  readonly #waiting: (() => void)[] = [];
  readonly #askers: (() => void)[] = [];
  #lastOrderId = 0;
  #lastSeq = 0;
  /** What the shards answer; null: they take it. */
  refusal: Rejection | null = null;
  readonly books: AccountBooks;
  readonly desk: GuardedOrderDesk;

  constructor(rules: Partial<Guardrails> = {}) {
    this.bindings = [{ holder: 'account', rules: { ...NO_GUARDRAILS, ...rules } }];
    const mids = new MidsDesk((_instrument, answer) => {
      const tell = (): void => answer(this.twiceMid ?? reject('EXCHANGE_NOT_AVAILABLE', 'no price'));
      if (this.arePricesLate) this.#askers.push(tell);
      else tell();
    });
    this.books = new AccountBooks({
      catalogue: CATALOGUE,
      mids,
      reader: {
        refresh: () => !this.isStoreBehind,
        lastSeq: () => this.#lastSeq as Seq,
        openOrderIds: (_account, partKeys) => partsOfIds(this.#openIds(), partKeys),
        order: (orderId) => this.stored.get(orderId) ?? null,
      },
      soon: (run) => this.later.push(run),
      pendingOrders: () => this.#pending.values(),
      positions: (_account, venue, answer) => {
        const lots = this.positionLots;
        if (lots === null) return answer(reject('EXCHANGE_NOT_AVAILABLE', `exchange ${venue} is down`));
        const report = positionsAt(venue);
        const position = { ...(report.positions[0] as (typeof report.positions)[number]), net: lots };
        answer({ ...report, positions: [{ ...position, markPrice: price(60_000) }] });
      },
      nowRealMs: () => this.nowRealMs,
    });
    this.desk = new GuardedOrderDesk({
      desk: {
        create: (draft, answer) => this.#take(draft, answer),
        change: (change, answer) => this.#change(change, answer),
      },
      boundsOf: () => ({
        halt: this.halt,
        bindings: this.bindings,
        isCounted: this.isCounted || this.bindings.some(({ rules: one }) => isCounting(one)),
        isValued: this.bindings.some(({ rules: one }) => one.maxGrossExposure !== null),
      }),
      books: this.books,
      mids,
      catalogue: CATALOGUE,
      storedState: (orderId) => this.stored.get(orderId) ?? null,
      counts: this.counts,
    });
  }

  /** The rules of the account from now on. */
  hold(rules: Partial<Guardrails>): void {
    this.bindings = [{ holder: 'account', rules: { ...NO_GUARDRAILS, ...rules } }];
    this.books.forget();
  }

  /** Sends an order; what comes of it is added to the list when it is known. */
  create(fields: Partial<ParentOrder> = {}): CreateOutcome[] {
    const outcomes: CreateOutcome[] = [];
    const draft: ParentOrderDraft = { ...parentOrder(fields), orderId: 0 as OrderId };
    this.desk.create(draft, (outcome) => outcomes.push(outcome), KEY);
    return outcomes;
  }

  /** Sends an order of a key without guardrails: nothing of the account needs to be counted first. */
  createUncounted(fields: Partial<ParentOrder> = {}): void {
    this.#take({ ...parentOrder(fields), orderId: 0 as OrderId }, () => undefined);
  }

  /** Sends an order that its shard answers at once; why it is refused, or null. */
  refusalOf(fields: Partial<ParentOrder> = {}): Rejection | null {
    const [outcome] = this.settled(() => this.create(fields));
    if (outcome === undefined) throw new Error('answers once');
    return outcome.kind === 'refused' ? outcome.rejection : null;
  }

  /** An order that is taken. */
  open(fields: Partial<ParentOrder> = {}): OrderId {
    const [outcome] = this.settled(() => this.create(fields));
    if (outcome?.kind !== 'created') throw new Error(`not taken: ${JSON.stringify(outcome)}`);
    return outcome.orderId;
  }

  amend(orderId: OrderId, terms: Partial<ParentOrder>): ChangeOutcome[] {
    const { order } = this.stateOf(orderId);
    const outcomes: ChangeOutcome[] = [];
    const amended = { ...order, ...terms, revision: order.revision + 1 };
    this.desk.change({ kind: 'AmendParent', order: amended }, (outcome) => outcomes.push(outcome), KEY);
    return outcomes;
  }

  amendRefusal(orderId: OrderId, terms: Partial<ParentOrder>): Rejection | null {
    const [outcome] = this.settled(() => this.amend(orderId, terms));
    if (outcome === undefined) throw new Error('answers once');
    return outcome.kind === 'refused' ? outcome.rejection : null;
  }

  /** Answers all that waits for shards. */
  settle(): void {
    for (const act of this.#waiting.splice(0)) act();
  }

  /** Tells all prices that are waited for. */
  tellPrices(): void {
    for (let tell = this.#askers.shift(); tell !== undefined; tell = this.#askers.shift()) tell();
  }

  settled<Result>(work: () => Result): Result {
    const result = work();
    this.settle();
    return result;
  }

  stateOf(orderId: OrderId): ParentState {
    const state = this.stored.get(orderId);
    if (state === undefined) throw new Error(`no order ${orderId}`);
    return state;
  }

  /** An order stands so from now on; its event comes. */
  stand(orderId: OrderId, status: RestingStatus, filled = this.stateOf(orderId).progress.filled, followed = 0): void {
    this.#lastSeq += 1;
    const before = this.stateOf(orderId);
    const follower =
      followed === 0 ? null : ({ progress: { filled: followed, notional: 0n } } as ParentState['follower']);
    this.stored.set(orderId, { ...before, status, progress: { ...before.progress, filled }, follower });
    this.#post(this.eventOf(orderId, { kind: 'ChildUnknown', child: 1 as never }));
  }

  /** The events that the rings hold come in. */
  deliver(): void {
    for (const envelope of this.#held.splice(0)) this.books.onEvent(envelope);
  }

  #post(envelope: EventEnvelope): void {
    this.#held.push(envelope);
    if (!this.areEventsLate) this.deliver();
  }

  eventOf(orderId: OrderId, event: EventEnvelope['event']): EventEnvelope {
    const { order, status, progress, follower } = this.stateOf(orderId);
    const { quantity, revision } = order;
    const standing = { status, revision, quantity, filled: progress.filled, notional: 0n as Notional, outcome: null };
    return {
      seq: this.#lastSeq as Seq,
      slot: 0,
      account: DEMO,
      venue: order.venue,
      otherVenue: null,
      orderId,
      eventAtMs: NOW_MS,
      recordedAtMs: NOW_MS,
      correlationId: 0 as CorrelationId,
      causationSeq: 0,
      event,
      parent: {
        ...standing,
        follower: follower === null ? null : { ...follower.progress, quoteRate: 1 },
        quarantine: null,
      } satisfies ParentStanding,
      child: null,
    };
  }

  get usage(): { readonly orders: number; readonly exposure: Amount | null } {
    let usage: { readonly orders: number; readonly exposure: Amount | null } | null = null;
    this.desk.usageOf(DEMO, KEY, (told) => {
      if (told !== null) usage = { orders: told.openOrderCount, exposure: told.grossExposure };
    });
    if (usage === null) throw new Error('nothing is counted');
    return usage;
  }

  #openIds(): OrderId[] {
    return [...this.stored].filter(([, { status }]) => !isTerminal(status)).map(([orderId]) => orderId);
  }

  #take(draft: ParentOrderDraft, answer: CreateAnswer): void {
    this.#lastOrderId += 1;
    draft.orderId = this.#lastOrderId as OrderId;
    const { orderId } = draft;
    this.#pending.set(orderId, { kind: 'CreateParent', order: draft });
    this.#waiting.push(() => {
      this.#pending.delete(orderId);
      if (this.refusal !== null) return answer({ kind: 'refused', rejection: this.refusal });
      this.#lastSeq += 1;
      this.stored.set(orderId, parentState(draft));
      answer({ kind: 'created', orderId, createdAtMs: NOW_MS });
      this.#post(this.eventOf(orderId, { kind: 'ParentCreated', order: draft }));
    });
  }

  #change(change: OrderChange, answer: (outcome: ChangeOutcome) => void): void {
    if (change.kind !== 'AmendParent') return answer({ kind: 'pending', orderId: change.orderId });
    const { order } = change;
    const { orderId } = order;
    this.#pending.set(orderId, { kind: 'AmendParent', order });
    this.#waiting.push(() => {
      this.#pending.delete(orderId);
      if (this.refusal !== null) return answer({ kind: 'refused', rejection: this.refusal });
      this.#lastSeq += 1;
      this.stored.set(orderId, { ...this.stateOf(orderId), order });
      answer({ kind: 'pending', orderId });
      this.#post(this.eventOf(orderId, { kind: 'ParentAmended', order }));
    });
  }
}

function* partsOfIds(orderIds: readonly OrderId[], partKeys: number): Iterable<readonly OrderId[]> {
  for (let start = 0; start <= orderIds.length; start += partKeys) yield orderIds.slice(start, start + partKeys);
}
