import { assert } from '../model/assert.js';
import { isOrderEvent, type EventEnvelope } from '../model/event.js';
import type { ChildNumber } from '../model/ids.js';
import { endOf, isTerminal, type ParentOrder, type RestingStatus } from '../model/order.js';
import { followingLeg, isFollowers, tradedBy, type Traded } from '../model/pair.js';
import type { EpochMs } from '../model/time.js';
import { plannedCurve } from '../strategy/planned-curve.js';
import { rateOf } from '../strategy/pov.js';
import { LegStory } from './leg-story.js';
import type { WorkedLeg, WorkedPlan } from './worked-leg.js';

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
  readonly #plans: Changing<WorkedPlan>[] = [];
  /** The leading leg, or the only one, and the other. */
  readonly #lead = new LegStory();
  readonly #follower = new LegStory();

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
        this.#storyOf(event.order.child).submitted(event.order);
        break;
      case 'ChildFilled':
        this.#storyOf(event.child).fill(event.child, event.fill, tradedBy(this.#known, event.child), eventAtMs);
        break;
      case 'ChildRejected':
        this.#storyOf(event.child).count('rejected');
        break;
      case 'ChildCancelled':
        this.#storyOf(event.child).count('cancelled');
        break;
      case 'ChildCancelRequested':
        this.#storyOf(event.child).count('cancelRequests');
        break;
      case 'ParentAccepted':
      case 'ParentRestored':
      case 'ParentReconciled':
      case 'ChildAdopted':
      case 'ParentRejected':
      case 'ParentCancelled':
      case 'ParentExpired':
      case 'ParentPaused':
      case 'ParentResumeRequested':
      case 'ParentResumed':
      case 'StrategyNoted':
      case 'ParentQuarantined':
      case 'ParentReleased':
      case 'ReportContradicted':
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

  /** The legs as they stand after the last event, in the order of the request. */
  legs(): readonly WorkedLeg[] {
    const order = this.#order;
    if (order === null) return [];
    const leading: WorkedLeg = {
      ...this.#standingOf(order),
      arrivalTwiceMid: this.#arrivalTwiceMid,
      wantedParticipation: order.strategy === 'POV' ? rateOf(order.clip) : null,
      plans: this.#plans,
      ...this.#lead.work,
    };
    if (order.pair === null) return [leading];
    const following: WorkedLeg = {
      ...this.#standingOf(followingLeg(order.pair)),
      // It arrives when the order does; what its market was worth then, the tape says.
      arrivalTwiceMid: null,
      wantedParticipation: null,
      plans: [],
      ...this.#follower.work,
    };
    return order.pair.leadingIndex === 0 ? [leading, following] : [following, leading];
  }

  get #known(): ParentOrder {
    assert(this.#order !== null, 'an order is created before anything else happens to it');
    return this.#order;
  }

  #standingOf(traded: Traded) {
    const { venue, instrument, symbol, side, strategy, quantity, quantityPrecision, pricePrecision } = traded;
    return {
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
      endedAtMs: this.#endedAtMs,
      dueAtMs: this.#dueAtMs(this.#known),
    };
  }

  #storyOf(child: ChildNumber): LegStory {
    return isFollowers(this.#known, child) ? this.#follower : this.#lead;
  }

  #plan(memory: WorkedPlan['memory'], atMs: EpochMs): void {
    this.#interrupt(atMs);
    this.#plans.push({ order: this.#known, atMs, filled: this.#lead.filled, memory, untilMs: null });
  }

  #interrupt(atMs: EpochMs): void {
    const plan = this.#plans.at(-1);
    if (plan !== undefined) plan.untilMs ??= atMs;
  }

  /** An IS without an end time has chosen one when it began. */
  #dueAtMs(order: ParentOrder): EpochMs | null {
    const plan = this.#plans.at(-1);
    const planned = plan === undefined ? null : plannedCurve(plan.order, plan.memory, plan.atMs);
    return endOf(order, this.#startedAtMs) ?? planned?.endMs ?? null;
  }
}
