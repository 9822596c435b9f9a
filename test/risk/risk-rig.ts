import type { ChangeOutcome, CreateOutcome, OrderChange } from '../../src/domain/command.js';
import type { ParentOrderDraft } from '../../src/domain/order.js';
import type { EventEnvelope, OrderSnapshot } from '../../src/domain/event.js';
import { isCounting, noRiskLimitCounts, NO_RISK_LIMITS } from '../../src/domain/risk-limit.js';
import type { AppliedLimits, RiskLimits, EngagedKillSwitch } from '../../src/domain/risk-limit.js';
import type { AccountId, ApiKeyId, CorrelationId, OrderId, Seq } from '../../src/domain/ids.js';
import { leadingOf, type ParentState, wantedTerms } from '../../src/domain/order-state.js';
import { isTerminal, type ParentOrder, type SettledStatus } from '../../src/domain/order.js';
import { type Amount, amountOf, type Lots, type Ticks, ZERO_LOTS } from '../../src/domain/quantity.js';
import { reject, type Rejection } from '../../src/domain/rejection.js';
import { areSameTerms } from '../../src/order/amendment.js';
import { AccountExposures } from '../../src/risk/account-exposures.js';
import { RiskGate } from '../../src/risk/risk-gate.js';
import { MidQuery } from '../../src/risk/order-worth.js';
import type { PendingOrder } from '../../src/risk/exposure-reading.js';
import { CATALOGUE, DEMO, NOW_MS, parentOrder, parentState } from '../http/orders.js';
import { positionsAt } from '../http/positions.js';
import { HeldReads } from '../journal/held-reads.js';
import { legAt, mapLegs } from '../../src/domain/pair.js';
import { leadingIndexOf, leadingLeg } from '../../src/domain/order-legs.js';
import { type FlatTerms, withTerms } from '../domain/plain-order.js';

export const KEY = 'TRADER' as ApiKeyId;
/** Every mid is 60000 quote units, so a lot of 0.00001 BTC is worth 60 cents. */
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

const NO_ANSWER: Rejection = { code: 'SYSTEM_BUSY', message: 'no answer; the outcome is unknown' };

type CreateAnswer = (outcome: CreateOutcome) => void;

/** A risk gate over a store in memory, shards that answer when the test says so, and one price for all instruments. */
export class RiskRig {
  bindings: readonly AppliedLimits[];
  killSwitch: EngagedKillSwitch | null = null;
  /** True when another key of the account has a limit that needs a count. */
  isCounted = false;
  /** null: no market has a price. */
  twiceMid: number | null = TWICE_MID;
  arePricesLate = false;
  /** Lots of the future that the account holds; null: the exchanges do not answer. */
  positionLots: number | null = 0;
  nowRealMs = 0;
  /** True while an acknowledged order is not committed. */
  isStoreBehind = false;
  readonly counts = noRiskLimitCounts();
  /**
   * The bound of open orders of an account without a limit of its own; 0: none. Orders of the store and under way
   * count.
   */
  readonly #openOrdersMax: number;
  readonly stored = new Map<OrderId, ParentState>();
  readonly #pending = new Set<PendingOrder>();
  /** True while events wait in the rings. */
  areEventsLate = false;
  readonly #held: EventEnvelope[] = [];
  readonly reads = new HeldReads({
    complete: () => (this.isStoreBehind ? null : this.#snapshot()),
    recent: () => this.#snapshot(),
  });
  /** Work for a later turn of the event loop. */
  readonly later: (() => void)[] = [];
  readonly #waiting: (() => void)[] = [];
  /** Ends of the waits for the answers to amendments. */
  readonly #waits: (() => void)[] = [];
  /** True while children must end before the terms of an amendment take effect. */
  areChildrenOpen = false;
  readonly #priceWaiters: (() => void)[] = [];
  #lastOrderId = 0;
  #lastSeq = 0;
  /** The answer of the shards; null: they accept. */
  refusal: Rejection | null = null;
  readonly exposures: AccountExposures;
  readonly gate: RiskGate;

  constructor(rules: Partial<RiskLimits> = {}, catalogue = CATALOGUE, openOrdersMax = 0) {
    this.#openOrdersMax = openOrdersMax;
    this.bindings = [{ holder: 'account', rules: { ...NO_RISK_LIMITS, ...rules } }];
    const mids = new MidQuery((_instrument, answer) => {
      const answerOne = (): void => answer(this.twiceMid ?? reject('EXCHANGE_NOT_AVAILABLE', 'no price'));
      if (this.arePricesLate) this.#priceWaiters.push(answerOne);
      else answerOne();
    });
    this.exposures = new AccountExposures({
      followed: { add: () => undefined, remove: () => undefined },
      catalogue,
      mids,
      whenComplete: this.reads.when,
      soon: (run) => this.later.push(run),
      pendingOrders: () => this.#pending,
      positions: (_account, venue, answer) => {
        const lots = this.positionLots;
        if (lots === null) return answer(reject('EXCHANGE_NOT_AVAILABLE', `exchange ${venue} is down`));
        const report = positionsAt(venue);
        const position = { ...(report.positions[0] as (typeof report.positions)[number]), net: lots };
        answer({ ...report, positions: [{ ...position, markPrice: price(60_000) }] });
      },
      nowRealMs: () => this.nowRealMs,
    });
    this.gate = new RiskGate({
      commands: {
        create: (draft, answer) => this.#take(draft, answer),
        change: (change, answer) => this.#change(change, answer),
      },
      boundsOf: () =>
        this.bindings.length === 0 && this.killSwitch === null && !this.isCounted
          ? null
          : {
              killSwitch: this.killSwitch,
              bindings: this.bindings,
              isCounted: this.isCounted || this.bindings.some(({ rules: one }) => isCounting(one)),
              isValued: this.bindings.some(({ rules: one }) => one.maxGrossExposure !== null),
            },
      exposures: this.exposures,
      mids,
      catalogue,
      storedState: (orderId) => this.stored.get(orderId) ?? null,
      counts: this.counts,
      openOrders: {
        of: () => {
          const open = new Set([...this.stored].flatMap(([id, { status }]) => (isTerminal(status) ? [] : [id])));
          for (const { kind, order } of this.#pending) if (kind === 'CreateParent') open.add(order.orderId);
          return open.size;
        },
      },
      openOrdersMax: this.#openOrdersMax,
    });
  }

  /** Sets the limits of the account. */
  setLimits(rules: Partial<RiskLimits>): void {
    this.bindings = [{ holder: 'account', rules: { ...NO_RISK_LIMITS, ...rules } }];
    this.exposures.forget();
  }

  /** Sends an order. Its outcome is added to the returned list. */
  create(fields: Partial<FlatTerms> = {}): CreateOutcome[] {
    const outcomes: CreateOutcome[] = [];
    const draft: ParentOrderDraft = { ...parentOrder(fields), orderId: 0 as OrderId };
    this.gate.create(draft, (outcome) => outcomes.push(outcome), KEY);
    return outcomes;
  }

  /** Sends an order of a key without limits, which needs no count of the account. */
  createUncounted(fields: Partial<FlatTerms> = {}): void {
    this.#take({ ...parentOrder(fields), orderId: 0 as OrderId }, () => undefined);
  }

  /** Sends an order that its shard answers at once. Returns the refusal, or null. */
  refusalOf(fields: Partial<FlatTerms> = {}): Rejection | null {
    const [outcome] = this.settled(() => this.create(fields));
    if (outcome === undefined) throw new Error('there is no answer');
    return outcome.kind === 'refused' ? outcome.rejection : null;
  }

  /** Places an order that must be accepted. Returns its id. */
  open(fields: Partial<FlatTerms> = {}): OrderId {
    const [outcome] = this.settled(() => this.create(fields));
    if (outcome?.kind !== 'created') throw new Error(`the order was refused: ${JSON.stringify(outcome)}`);
    return outcome.orderId;
  }

  amend(orderId: OrderId, terms: Partial<FlatTerms>): ChangeOutcome[] {
    const { order } = this.stateOf(orderId);
    const outcomes: ChangeOutcome[] = [];
    const amended = withTerms(order, { ...terms, revision: order.revision + 1 });
    this.gate.change({ kind: 'AmendParent', order: amended }, (outcome) => outcomes.push(outcome), KEY);
    return outcomes;
  }

  amendRefusal(orderId: OrderId, terms: Partial<FlatTerms>): Rejection | null {
    const [outcome] = this.settled(() => this.amend(orderId, terms));
    if (outcome === undefined) throw new Error('there is no answer');
    return outcome.kind === 'refused' ? outcome.rejection : null;
  }

  /** Answers all commands that wait for shards. */
  settle(): void {
    for (const act of this.#waiting.splice(0)) act();
  }

  /** Answers the oldest command that waits for a shard. */
  settleNext(): void {
    this.#waiting.shift()?.();
  }

  /** Answers the amendments that wait for shards with an unknown outcome. The shards still decide them. */
  giveUp(): void {
    for (const giveUp of this.#waits.splice(0)) giveUp();
  }

  /** Ends the children that the pending terms of an order exclude, so that the terms take effect. */
  endChildren(orderId: OrderId): void {
    const { amendment: order, ...state } = this.stateOf(orderId);
    if (order === null) throw new Error(`order ${orderId} has no pending terms`);
    this.#lastSeq += 1;
    this.stored.set(orderId, { ...state, order, amendment: null });
    this.#post(this.eventOf(orderId, { kind: 'ParentAmended', order }));
  }

  /** Answers all requests for prices. */
  answerPrices(): void {
    for (let answerOne = this.#priceWaiters.shift(); answerOne !== undefined; answerOne = this.#priceWaiters.shift())
      answerOne();
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

  /** Sets the state of an order and sends its event. */
  setState(
    orderId: OrderId,
    status: SettledStatus,
    filled = leadingOf(this.stateOf(orderId)).progress.filled,
    followed: Lots = ZERO_LOTS,
  ): void {
    this.#lastSeq += 1;
    const before = this.stateOf(orderId);
    const legs = mapLegs(before.legs, (leg, index) => {
      const isLeading = index === leadingIndexOf(before.order);
      return { ...leg, progress: { ...leg.progress, filled: isLeading ? filled : followed } };
    });
    this.stored.set(orderId, { ...before, status, legs });
    this.#post(this.eventOf(orderId, { kind: 'ChildUnknown', child: 1 as never }));
  }

  /** Delivers the events in the rings. */
  deliver(): void {
    for (const envelope of this.#held.splice(0)) this.exposures.onEvent(envelope);
  }

  #post(envelope: EventEnvelope): void {
    this.#held.push(envelope);
    if (!this.areEventsLate) this.deliver();
  }

  eventOf(orderId: OrderId, event: EventEnvelope['event']): EventEnvelope {
    const { order, status, legs } = this.stateOf(orderId);
    return {
      seq: this.#lastSeq as Seq,
      slot: 0,
      account: DEMO,
      venue: leadingLeg(order).venue,
      otherVenue: null,
      orderId,
      eventAtMs: NOW_MS,
      recordedAtMs: NOW_MS,
      correlationId: 0 as CorrelationId,
      causationSeq: 0,
      event,
      parent: {
        status,
        revision: order.revision,
        legs: mapLegs(legs, ({ progress }, leg) => ({ ...progress, quantity: legAt(order.legs, leg).quantity })),
        quoteRate: 1,
        outcome: null,
        quarantine: null,
        cancelCause: null,
      } satisfies OrderSnapshot,
      child: null,
    };
  }

  get usage(): { readonly orders: number; readonly exposure: Amount | null } {
    let usage: { readonly orders: number; readonly exposure: Amount | null } | null = null;
    this.gate.usageOf(DEMO, KEY, (shown) => {
      if (shown !== null) usage = { orders: shown.openOrderCount, exposure: shown.grossExposure };
    });
    if (usage === null) throw new Error('there is no count');
    return usage;
  }

  /** The store as it is now. */
  #snapshot() {
    const lastSeq = this.#lastSeq as Seq;
    const stored = new Map(this.stored);
    return {
      lastSeq: () => lastSeq,
      openOrderIds: (_account: AccountId, partKeys: number) => partsOfIds(openIdsIn(stored), partKeys),
      order: (orderId: OrderId) => stored.get(orderId) ?? null,
    };
  }

  #take(draft: ParentOrderDraft, answer: CreateAnswer): void {
    this.#lastOrderId += 1;
    draft.orderId = this.#lastOrderId as OrderId;
    const { orderId } = draft;
    const pending: PendingOrder = { kind: 'CreateParent', order: draft };
    this.#pending.add(pending);
    this.#waiting.push(() => {
      this.#pending.delete(pending);
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
    const pending: PendingOrder = { kind: 'AmendParent', order };
    this.#pending.add(pending);
    let isAnswered = false;
    const answerOnce = (outcome: ChangeOutcome): void => {
      if (!isAnswered) answer(outcome);
      isAnswered = true;
    };
    this.#waits.push(() => answerOnce({ kind: 'refused', rejection: NO_ANSWER, isUnresolved: true }));
    this.#waiting.push(() => {
      this.#pending.delete(pending);
      const state = this.stateOf(orderId);
      const isSame = areSameTerms(order, wantedTerms(state));
      const refusal = this.refusal ?? (isSame ? null : this.#stalenessOf(order));
      if (isAnswered && (isSame || refusal !== null)) return this.exposures.forget();
      if (refusal !== null) return answerOnce({ kind: 'refused', rejection: refusal });
      if (isSame) return answerOnce({ kind: 'pending', orderId });
      this.#lastSeq += 1;
      this.stored.set(orderId, { ...state, ...(this.areChildrenOpen ? { amendment: order } : { order }) });
      answerOnce({ kind: 'pending', orderId });
      const kind = this.areChildrenOpen ? 'ParentAmendRequested' : 'ParentAmended';
      this.#post(this.eventOf(orderId, { kind, order }));
    });
  }

  /** Refuses terms of an open order as a shard does: of a revision that is not the next one, or while others wait. */
  #stalenessOf({ orderId, revision }: ParentOrder): Rejection | null {
    const { order, amendment, status } = this.stateOf(orderId);
    const isTaken = amendment === null && revision === order.revision + 1;
    return isTaken || isTerminal(status)
      ? null
      : { code: 'INVALID_ORDER', message: 'the order is being amended by an earlier request' };
  }
}

function* partsOfIds(orderIds: readonly OrderId[], partKeys: number): Iterable<readonly OrderId[]> {
  for (let start = 0; start <= orderIds.length; start += partKeys) yield orderIds.slice(start, start + partKeys);
}

function openIdsIn(stored: ReadonlyMap<OrderId, ParentState>): OrderId[] {
  return [...stored].filter(([, { status }]) => !isTerminal(status)).map(([orderId]) => orderId);
}
