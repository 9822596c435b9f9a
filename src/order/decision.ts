import type { CancelCause } from '../domain/cancel-cause.js';
import type { ChildSettlement } from '../domain/child-settlement.js';
import type { AdoptedChild } from '../domain/command.js';
import type { OrderEvent } from '../domain/event.js';
import type { Venue } from '../domain/exchange.js';
import type { ChildNumber, VenueOrderId } from '../domain/ids.js';
import type { Instrument } from '../domain/instrument.js';
import type { Hedged, HedgeDecision, StrategyDecision } from '../domain/intent.js';
import type { Market } from '../domain/market.js';
import { type ChildOrder, type LiveChild, liveChildren, type ParentState } from '../domain/order-state.js';
import type { ParentOrder, GivenReason } from '../domain/order.js';
import { legAt, type LegIndex, type PerLeg } from '../domain/pair.js';
import type { Amount, Lots } from '../domain/quantity.js';
import type { QuarantineReason } from '../domain/quarantine.js';
import { assert } from '../domain/rejection.js';
import type { LegMemory, StrategyMemory } from '../domain/strategy-memory.js';
import type { EpochMs } from '../domain/time.js';
import type { ChildRef, ChildSubmission, ChildTarget, StatusRequestClass } from '../domain/venue-message.js';
import type { ExecutionReport } from '../domain/venue-report.js';
import { findChild, isBeingCancelled, statusRequestClassOf, venueOrderIdOf } from './children.js';
import { record, type RecordedEvent } from './snapshot.js';

/** Facts that the admission of a leg depends on. */
export interface AdmissionGrounds {
  readonly instrument: Instrument;
  readonly isVenueUp: boolean;
  readonly market: Market;
  /** Free balance of an asset at the venue. null: unknown; admission counts it as 0. */
  readonly freeOf: (asset: string) => Amount | null;
  /** Lots of a position that the order would reduce. null: unknown, or the order may also open a position. */
  readonly reducible: Lots | null;
}

/** A strategy's decision without its wake. */
export type StrategyOutput = Omit<StrategyDecision, 'wake'>;

/** All inputs of a parent order. */
export type OrderInput =
  /** Checks funds and venue of each leg. */
  | { readonly kind: 'Admit'; readonly legs: PerLeg<AdmissionGrounds> }
  /** Starts the order. The markets are two-sided. A leg without a strategy has no memory. */
  | {
      readonly kind: 'Start';
      readonly legs: PerLeg<{ readonly market: Market; readonly memory: LegMemory | null }>;
    }
  /** Decision of a leg's strategy. For a pair it follows a Hedge at the same market, and `hedged` is its result. */
  | {
      readonly kind: 'Work';
      readonly leg: LegIndex;
      readonly instrument: Instrument;
      readonly decision: StrategyOutput;
      readonly hedged?: Hedged;
    }
  /** Decision of the hedge of a pair. Instruments are in the order of the legs. */
  | {
      readonly kind: 'Hedge';
      readonly decision: HedgeDecision;
      readonly instruments: readonly [Instrument, Instrument];
    }
  | { readonly kind: 'Cancel'; readonly cancelCause: CancelCause }
  | { readonly kind: 'Pause' }
  | { readonly kind: 'Resume' }
  /** The order with its new, valid terms. Unknown funds do not refuse them. */
  | { readonly kind: 'Amend'; readonly order: ParentOrder; readonly legs: PerLeg<AdmissionGrounds> }
  /** Memories of the new plans. Ignored unless a plan is due. A leg without a strategy has none. */
  | { readonly kind: 'Plan'; readonly memories: PerLeg<LegMemory | null> }
  /** The end time has passed. Repeated until the order has ended. */
  | { readonly kind: 'Expire' }
  /** The caller drops fills that are recorded already. Other reports may be repeated, late or out of order. */
  | { readonly kind: 'Report'; readonly report: ExecutionReport }
  /** The venue is silent about these children for too long. Children that have ended are ignored. */
  | { readonly kind: 'Silence'; readonly children: readonly ChildNumber[] }
  /** Quarantines the order. Ignored when it is quarantined or has ended. */
  | { readonly kind: 'Quarantine'; readonly reason: QuarantineReason; readonly detail: string }
  /** A report about a quarantined order could not be applied. It is recorded as text. */
  | { readonly kind: 'Unusable'; readonly report: ExecutionReport; readonly detail: string }
  /** An operator ends the quarantine. */
  | { readonly kind: 'Release' }
  /** An operator settles an unknown child. */
  | { readonly kind: 'Settle'; readonly settlement: ChildSettlement }
  /** null: all venues. */
  | { readonly kind: 'VenueLost'; readonly venue: Venue | null }
  | { readonly kind: 'VenueBack'; readonly venue: Venue | null }
  /** The data comes from a backup: the order waits for its reconciliation with the exchanges. */
  | { readonly kind: 'Restore'; readonly epoch: number }
  /** Children that an exchange lists, sorted by number. Known children are ignored. */
  | {
      readonly kind: 'Reconcile';
      readonly children: readonly AdoptedChild[];
      /** Child numbers to skip for each leg. null: more children follow. */
      readonly childRoom: number | null;
    }
  /** The process has restarted: all children become unknown and get an order status request. */
  | { readonly kind: 'Recover' };

/** A request to the venue. It is sent when the events are durable. */
export type OrderEffect =
  | { readonly kind: 'Submit'; readonly submission: ChildSubmission }
  | { readonly kind: 'Cancel'; readonly target: ChildTarget }
  /** A request before `notBeforeMs` probably gets the same answer as the last one. */
  | {
      readonly kind: 'QueryStatus';
      readonly target: ChildTarget;
      readonly requestClass: StatusRequestClass;
      readonly notBeforeMs: EpochMs;
    };

/** Facts to record and, after that, requests to send. All empty: nothing changed. */
export interface Decision {
  /** In the order of the events. The last entry has the state after the decision. */
  readonly recorded: readonly RecordedEvent[];
  readonly effects: readonly OrderEffect[];
}

export const NOTHING: Decision = { recorded: [], effects: [] };

export interface DecideContext {
  readonly nowMs: EpochMs;
  /** Time of the events: the exchange's time for a report. Absent: `nowMs`. */
  readonly eventAtMs?: EpochMs;
}

/** Terms of a child that only the venue gets. */
export type VenueTerms = Pick<ChildSubmission, 'selfTradePrevention' | 'requestClass'>;

/** Builds a decision. It folds each event at once, so that the next rule sees the new state. */
export class Draft {
  readonly #recorded: RecordedEvent[] = [];
  readonly #effects: OrderEffect[] = [];
  readonly #nowMs: EpochMs;
  readonly #eventAtMs: EpochMs;
  #state: ParentState;

  constructor(state: ParentState, { nowMs, eventAtMs = nowMs }: DecideContext) {
    this.#state = state;
    this.#nowMs = nowMs;
    this.#eventAtMs = eventAtMs;
  }

  get state(): ParentState {
    return this.#state;
  }

  get decision(): Decision {
    return { recorded: this.#recorded, effects: this.#effects };
  }

  add(event: OrderEvent): void {
    const recorded = record(this.#state, event, this.#eventAtMs);
    this.#state = recorded.state;
    this.#recorded.push(recorded);
  }

  submit(child: ChildOrder, memory: StrategyMemory | null, terms: VenueTerms): void {
    this.add({ kind: 'ChildSubmitted', order: child, memory });
    const { orderId, account } = this.#state.order;
    const { venue, instrument } = legAt(this.#state.order.legs, child.leg);
    const { side, quantity, type, timeInForce, limitPrice, postOnly, reduceOnly } = child;
    this.#effects.push({
      kind: 'Submit',
      submission: {
        account,
        venue,
        orderId,
        child: child.child,
        instrument,
        side,
        quantity,
        type,
        timeInForce,
        limitPrice,
        postOnly,
        reduceOnly,
        ...terms,
      },
    });
  }

  /** Cancels a child once. The cancel of an unknown child is sent after the answer to its order status request. */
  cancel(child: LiveChild, reason: GivenReason): void {
    if (isBeingCancelled(child)) return;
    this.add({ kind: 'ChildCancelRequested', child: child.order.child, reason });
    if (child.state !== 'UNKNOWN') this.#effects.push({ kind: 'Cancel', target: this.#targetOf(child) });
  }

  cancelAll(reason: GivenReason): void {
    for (const child of liveChildren(this.#state)) this.cancel(child, reason);
  }

  /** Cancels the children that strategies have placed. IOC children of a pair end by themselves. */
  withdraw(reason: GivenReason): void {
    for (const child of liveChildren(this.#state)) {
      if (!isHedge(this.#state.order, child)) this.cancel(child, reason);
    }
  }

  /** Requests the status of a live child. */
  query(child: ChildNumber, notBeforeMs: EpochMs): void {
    assert(notBeforeMs >= this.#nowMs, 'an order status request is not in the past');
    const asked = findChild(this.#state, child);
    assert(asked !== null, `child ${child} is live when its status is requested`);
    const requestClass = statusRequestClassOf(asked);
    this.#effects.push({ kind: 'QueryStatus', target: this.#targetOf(asked), requestClass, notBeforeMs });
  }

  /** Cancels the order of a child that has ended. The state has forgotten the child, so there is no event. */
  cancelEnded(child: ChildRef, venueOrderId: VenueOrderId): void {
    for (const target of this.#targetsOf(child, venueOrderId)) this.#effects.push({ kind: 'Cancel', target });
  }

  /** Requests the status of the order of a child that has ended. */
  queryEnded(child: ChildRef, notBeforeMs: EpochMs): void {
    for (const target of this.#targetsOf(child, null)) {
      this.#effects.push({ kind: 'QueryStatus', target, requestClass: 'CANCEL', notBeforeMs });
    }
  }

  /** The child at the venue, for each leg that it may belong to. */
  #targetsOf({ venue, child }: ChildRef, venueOrderId: VenueOrderId | null): readonly ChildTarget[] {
    const { account, orderId, createdAtMs, legs } = this.#state.order;
    const own = [...legs].filter((leg) => leg.venue === venue);
    return own.map(({ instrument }) => ({
      account,
      venue,
      orderId,
      child,
      instrument,
      submittedAtMs: createdAtMs,
      venueOrderId,
    }));
  }

  #targetOf(live: LiveChild): ChildTarget {
    const { child, leg, submittedAtMs } = live.order;
    const { account, orderId } = this.#state.order;
    const { venue, instrument } = legAt(this.#state.order.legs, leg);
    return { account, venue, orderId, child, instrument, submittedAtMs, venueOrderId: venueOrderIdOf(live) };
  }
}

/** True for an IOC child of a pair, also for one that a leg's own strategy has placed. */
function isHedge({ pair }: ParentOrder, { order: child }: LiveChild): boolean {
  return pair !== null && child.timeInForce === 'IOC';
}
