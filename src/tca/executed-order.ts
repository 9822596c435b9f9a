import { assert } from '../domain/rejection.js';
import { isOrderEvent, type EventEnvelope, type LegStart } from '../domain/event.js';
import { isTerminal, type Leg, type ParentOrder, type SettledStatus } from '../domain/order.js';
import { legAt, type LegIndex, mapLegs, type PerLeg } from '../domain/pair.js';
import { leadingIndexOf, leadingLeg } from '../domain/order-legs.js';
import { endTimeOf, endOf } from '../domain/order-state.js';
import type { LegMemory } from '../domain/strategy-memory.js';
import type { EpochMs } from '../domain/time.js';
import { plannedCurve } from '../strategy/registry.js';
import { rateOf } from '../strategy/schedule/pov.js';
import { LegFills, type WorkedLeg, type WorkedPlan } from './worked-leg.js';

type Changing<Record> = { -readonly [Key in keyof Record]: Record[Key] };

/**
 * Folds an order's journal events into the data for its cost. It keeps ended children and fills, unlike `order/evolve`.
 */
export class ExecutedOrder {
  #order: ParentOrder | null = null;
  #status: SettledStatus = 'PENDING_NEW';
  #startedAtMs: EpochMs | null = null;
  #starts: PerLeg<LegStart> | null = null;
  #endedAtMs: EpochMs | null = null;
  /** Plans of the leading leg. */
  readonly #plans: Changing<WorkedPlan>[] = [];
  /** Fills of each leg. */
  readonly #fills = [new LegFills(), new LegFills()] as const;

  /** Takes the events in journal order, from the order's first one. */
  append({ event, eventAtMs, parent, child }: EventEnvelope): void {
    assert(isOrderEvent(event) && parent !== null, 'an executed order takes order events only');
    this.#status = parent.status;
    switch (event.kind) {
      case 'ParentCreated':
      case 'ParentAmended':
        this.#order = event.order;
        break;
      case 'ParentStarted':
        [this.#startedAtMs, this.#starts] = [eventAtMs, event.legs];
        this.#plan(legAt(event.legs, leadingIndexOf(this.#known)).memory, eventAtMs);
        break;
      case 'ParentPlanned':
        this.#plan(legAt(event.memories, leadingIndexOf(this.#known)), eventAtMs);
        break;
      case 'ParentPauseRequested':
      case 'ParentAmendRequested':
      case 'ParentCancelRequested':
        this.#interrupt(eventAtMs);
        break;
      case 'ChildSubmitted':
      case 'ChildAdopted':
        this.#fills[event.order.leg].submitted(event.order);
        break;
      case 'ChildFilled':
        this.#fills[event.leg].fill(event.child, event.fill, legAt(this.#known.legs, event.leg), eventAtMs);
        break;
      case 'ChildRejected':
        this.#fills[this.#legOfChild(child)].count('rejected');
        break;
      case 'ChildCancelled':
        this.#fills[this.#legOfChild(child)].count('cancelled');
        break;
      case 'ChildCancelRequested':
        this.#fills[this.#legOfChild(child)].count('cancelRequests');
        break;
      case 'ParentAccepted':
      case 'ParentRestored':
      case 'ParentReconciled':
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
      case 'ChildSettled':
        break;
      default:
        event satisfies never;
    }
    if (this.#endedAtMs === null && isTerminal(parent.status)) {
      this.#endedAtMs = endTimeOf({ endedAtMs: eventAtMs, startedAtMs: this.#startedAtMs, order: this.#known });
      this.#interrupt(eventAtMs);
    }
  }

  /** null before the first event. */
  get order(): ParentOrder | null {
    return this.#order;
  }

  /** Returns the legs after the last event, in the order of the request. */
  legs(): readonly WorkedLeg[] {
    const order = this.#order;
    if (order === null) return [];
    return mapLegs(order.legs, (terms, leg) => this.#legOf(terms, leg));
  }

  get #known(): ParentOrder {
    assert(this.#order !== null, 'an order is created before anything else happens to it');
    return this.#order;
  }

  #legOf(terms: Leg, leg: LegIndex): WorkedLeg {
    const isLeading = leg === leadingIndexOf(this.#known);
    const { venue, instrument, symbol, side, strategy, quantity } = terms;
    const { quantityPrecision, pricePrecision, quantityStep, priceStep } = terms;
    return {
      venue,
      instrument,
      symbol,
      side,
      strategy,
      quantity,
      quantityPrecision,
      pricePrecision,
      quantityStep,
      priceStep,
      status: this.#status,
      startedAtMs: this.#startedAtMs,
      endedAtMs: this.#endedAtMs,
      dueAtMs: this.#dueAtMs(this.#known),
      arrivalTwiceMid: this.#starts === null ? null : legAt(this.#starts, leg).arrivalTwiceMid,
      wantedParticipation: isLeading && strategy === 'POV' ? rateOf(terms.clip) : null,
      plans: isLeading ? this.#plans : [],
      ...this.#fills[leg].work,
    };
  }

  /** Leg of the child that the event is about. */
  #legOfChild(child: EventEnvelope['child']): LegIndex {
    if (this.#known.pair === null) return 0;
    assert(child !== null, 'an event about a child has its snapshot');
    return child.order.leg;
  }

  #plan(memory: LegMemory | null, atMs: EpochMs): void {
    assert(memory !== null, 'the leading leg has a strategy');
    this.#interrupt(atMs);
    const { filled } = this.#fills[leadingIndexOf(this.#known)];
    const { quantity } = leadingLeg(this.#known);
    this.#plans.push({ quantity, atMs, filled, memory, untilMs: null });
  }

  #interrupt(atMs: EpochMs): void {
    const plan = this.#plans.at(-1);
    if (plan !== undefined) plan.untilMs ??= atMs;
  }

  /** Due time by the order's end or by its plan. An IS without an end time chooses its end when it begins. */
  #dueAtMs(order: ParentOrder): EpochMs | null {
    const plan = this.#plans.at(-1);
    const planned = plan === undefined ? null : plannedCurve(plan.memory, plan.atMs);
    return endOf(order, this.#startedAtMs) ?? planned?.endMs ?? null;
  }
}
