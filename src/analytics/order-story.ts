import type { Amount } from '../model/amount.js';
import { assert } from '../model/assert.js';
import { isOrderEvent, type EventEnvelope, type Fill } from '../model/event.js';
import type { ChildNumber } from '../model/ids.js';
import { endOf, isTerminal, type FeeTotal, type ParentOrder, type RestingStatus } from '../model/order.js';
import { ZERO_LOTS, type Lots } from '../model/quantity.js';
import type { EpochMs } from '../model/time.js';
import { plannedCurve } from '../strategy/planned-curve.js';
import { rateOf } from '../strategy/pov.js';
import type { ExecutedFill } from './execution.js';
import { feeInQuote } from './fee-value.js';
import type { ChildCounts, WorkedLeg, WorkedPlan } from './worked-leg.js';

type Changing<Record> = { -readonly [Key in keyof Record]: Record[Key] };

/**
 * The course of an order as its journal tells it, event by event: what its cost depends on, and no more. A second,
 * smaller fold beside `order/evolve`, which forgets children and fills that are over.
 */
export class OrderStory {
  #order: ParentOrder | null = null;
  #status: RestingStatus = 'PENDING_NEW';
  #startedAtMs: EpochMs | null = null;
  #arrivalTwiceMid: number | null = null;
  #endedAtMs: EpochMs | null = null;
  #filled = 0;
  #areFeesValued = true;
  readonly #fills: ExecutedFill[] = [];
  readonly #fees: Changing<FeeTotal>[] = [];
  readonly #plans: Changing<WorkedPlan>[] = [];
  readonly #filledChildren = new Set<ChildNumber>();
  readonly #children: Changing<ChildCounts> = {
    sent: 0,
    sentQuantity: ZERO_LOTS,
    filled: 0,
    rejected: 0,
    cancelled: 0,
    cancelRequests: 0,
  };

  /** In journal order, from the order's first event. */
  append({ event, eventAtMs, parent }: EventEnvelope): void {
    assert(isOrderEvent(event) && parent !== null, 'a story is of an order');
    this.#status = parent.status;
    switch (event.kind) {
      case 'ParentCreated':
      case 'ParentAmended':
        this.#order = event.order;
        break;
      case 'ParentStarted':
        [this.#startedAtMs, this.#arrivalTwiceMid] = [eventAtMs, event.arrivalTwiceMid];
        this.#plan(event.memory, eventAtMs);
        break;
      case 'ParentPlanned':
        this.#plan(event.memory, eventAtMs);
        break;
      case 'ParentPauseRequested':
      case 'ParentAmendRequested':
      case 'ParentCancelRequested':
        this.#interrupt(eventAtMs);
        break;
      case 'ChildSubmitted':
        this.#children.sent += 1;
        this.#children.sentQuantity = (this.#children.sentQuantity + event.order.quantity) as Lots;
        break;
      case 'ChildFilled':
        this.#fill(event.child, event.fill, eventAtMs);
        break;
      case 'ChildRejected':
        this.#children.rejected += 1;
        break;
      case 'ChildCancelled':
        this.#children.cancelled += 1;
        break;
      case 'ChildCancelRequested':
        this.#children.cancelRequests += 1;
        break;
      case 'ParentAccepted':
      case 'ParentRejected':
      case 'ParentCancelled':
      case 'ParentExpired':
      case 'ParentPaused':
      case 'ParentResumeRequested':
      case 'ParentResumed':
      case 'StrategyNoted':
      case 'ChildAccepted':
      case 'ChildCancelRefused':
      case 'ChildUnknown':
      case 'ChildNeverPlaced':
        break;
      default:
        event satisfies never;
    }
    if (this.#endedAtMs === null && isTerminal(parent.status)) {
      this.#endedAtMs = eventAtMs;
      this.#interrupt(eventAtMs);
    }
  }

  /** null: not even its first event has come. */
  get order(): ParentOrder | null {
    return this.#order;
  }

  /** The legs as they stand after the last event. */
  legs(): readonly WorkedLeg[] {
    const order = this.#order;
    if (order === null) return [];
    const { venue, instrument, symbol, side, strategy, quantity, quantityPrecision, pricePrecision } = order;
    return [
      {
        venue,
        instrument,
        symbol,
        side,
        strategy,
        quantity,
        quantityPrecision,
        pricePrecision,
        status: this.#status,
        startedAtMs: this.#startedAtMs,
        arrivalTwiceMid: this.#arrivalTwiceMid,
        endedAtMs: this.#endedAtMs,
        dueAtMs: this.#dueAtMs(order),
        wantedParticipation: strategy === 'POV' ? rateOf(order.clip) : null,
        // Reports of two children may come in another order than their fills.
        fills: this.#fills.toSorted((one, other) => one.atMs - other.atMs),
        fees: this.#fees,
        areFeesValued: this.#areFeesValued,
        children: { ...this.#children, filled: this.#filledChildren.size },
        plans: this.#plans,
      },
    ];
  }

  #plan(memory: WorkedPlan['memory'], atMs: EpochMs): void {
    assert(this.#order !== null, 'an order is created before it is worked');
    this.#interrupt(atMs);
    this.#plans.push({ order: this.#order, atMs, filled: this.#filled as Lots, memory, untilMs: null });
  }

  #interrupt(atMs: EpochMs): void {
    const plan = this.#plans.at(-1);
    if (plan !== undefined) plan.untilMs ??= atMs;
  }

  #fill(child: ChildNumber, fill: Fill, atMs: EpochMs): void {
    assert(this.#order !== null, 'an order is created before it is filled');
    const { quantity, price, liquidity, feeCurrency } = fill;
    this.#filled += quantity;
    this.#filledChildren.add(child);
    const fee = feeInQuote(fill, this.#order);
    if (fee === null) this.#areFeesValued = false;
    this.#fills.push({ atMs, quantity, price, liquidity, fee: fee ?? (0n as Amount) });
    const total = this.#fees.find(({ currency }) => currency === feeCurrency);
    if (total === undefined) this.#fees.push({ currency: feeCurrency, amount: fill.fee });
    else total.amount = (total.amount + fill.fee) as Amount;
  }

  /** An IS without an end time has chosen one when it began. */
  #dueAtMs(order: ParentOrder): EpochMs | null {
    const plan = this.#plans.at(-1);
    const planned = plan === undefined ? null : plannedCurve(plan.order, plan.memory, plan.atMs);
    return endOf(order, this.#startedAtMs) ?? planned?.endMs ?? null;
  }
}
