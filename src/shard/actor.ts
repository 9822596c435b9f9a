import type { Seq } from '../domain/ids.js';
import type { Instrument } from '../domain/instrument.js';
import type { MarketCondition } from '../domain/market.js';
import { type LiveChild, NO_CHILDREN, type ParentState } from '../domain/order-state.js';

const NO_CONDITIONS: readonly MarketCondition[] = [];

/** An order's subscription to one market: the conditions that it waits for, and whether it keeps the market awake. */
export abstract class OrderSubscription {
  readonly instrument: Instrument;
  conditions: readonly MarketCondition[] = NO_CONDITIONS;
  /** Grows with every change of the conditions. Older entries of the trigger heaps are then invalid. */
  conditionsVersion = 0;
  keepsMarketAwake = false;
  abstract readonly owner: Actor;

  constructor(instrument: Instrument) {
    this.instrument = instrument;
  }
}

/** Subscription to the market of a pair's other leg, or to a market that converts between their quote currencies. */
export class ExtraSubscription extends OrderSubscription {
  readonly owner: Actor;

  constructor(owner: Actor, instrument: Instrument) {
    super(instrument);
    this.owner = owner;
  }
}

/** One open parent order inside its shard: its state, its market subscription and its next wake. */
export class Actor extends OrderSubscription {
  state: ParentState;
  /** Service time of the next wake; Infinity when only reports, commands or the market wake it. */
  wakeAtMs = Infinity;
  /** Service time of the next review of its children for missing reports; Infinity without a review. */
  reviewAtMs = Infinity;
  /** Its children at the time when the review was scheduled, and that time. */
  seenChildren: readonly LiveChild[] = NO_CHILDREN;
  seenAtMs = 0;
  /** True when the order is in this turn's work list. */
  isDue = false;
  /** True when its state changed in this turn and must be stored. */
  isTouched = false;
  /** seq of its creation in the turn that begins its work; else 0. */
  causeSeq: Seq | 0 = 0;
  /** Index of its first event within the turn's events. */
  firstEventOfTurn = 0;

  constructor(state: ParentState, instrument: Instrument) {
    super(instrument);
    this.state = state;
  }

  get owner(): Actor {
    return this;
  }
}
