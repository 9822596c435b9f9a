import type { Seq } from '../domain/ids.js';
import type { Instrument } from '../domain/instrument.js';
import type { MarketCondition } from '../domain/market.js';
import { type LiveChild, liveChildren, NO_CHILDREN, type ParentState } from '../domain/order-state.js';
import { isTerminal } from '../domain/order.js';
import { orderInState } from '../wire/codec/encoded-order.js';
import { decodeState, encodeState } from '../wire/codec/state.js';
import { NOT_PACKED, type PackedStates } from './packed-states.js';

const NO_CONDITIONS: readonly MarketCondition[] = [];

/** An order's subscription to one market: the conditions that it waits for, and whether it keeps the market awake. */
export abstract class OrderSubscription {
  /** Its rules as they were when the order was last worked: an exchange may change its bounds. */
  instrument: Instrument;
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

/** An order, or a leg of a pair, with its market subscription. */
export type LegActor = OrderSubscription & { readonly state: ParentState };

/**
 * One open parent order inside its shard: its state, its market subscription and its next wake. The state of an order
 * that waits is packed: only its bytes are kept, until the next read of `state`.
 */
export class Actor extends OrderSubscription {
  /** null: the state is packed. */
  #state: ParentState | null;
  /** Place of the bytes of the present state, or of an earlier one with the same terms. */
  #place = NOT_PACKED;
  #isOutdated = false;
  #store: PackedStates | null = null;
  /** Bytes of a new order's terms, until its state is packed. */
  #encodedOrder: Uint8Array | null;
  /** Service time of the next wake; Infinity when only reports, commands or the market wake it. */
  wakeAtMs = Infinity;
  /** Service time of the next review of its children for missing reports; Infinity without a review. */
  reviewAtMs = Infinity;
  /** Its children at the time when the review was scheduled, and that time. */
  watchedChildren: readonly LiveChild[] = NO_CHILDREN;
  seenAtMs = 0;
  /** True when the order is in this turn's work list. */
  isDue = false;
  /** True when its state changed in this turn and must be stored. */
  isTouched = false;
  /** seq of its creation in the turn that begins its work; else 0. */
  causeSeq: Seq | 0 = 0;
  /** Index of its first event within the turn's events. */
  firstEventOfTurn = 0;

  constructor(state: ParentState, instrument: Instrument, encodedOrder: Uint8Array | null = null) {
    super(instrument);
    this.#state = state;
    this.#encodedOrder = encodedOrder;
  }

  get owner(): Actor {
    return this;
  }

  get state(): ParentState {
    return (this.#state ??= decodeState(this.#store!.read(this.#place)));
  }

  set state(state: ParentState) {
    const hasSameTerms = this.#state?.order === state.order;
    if (!hasSameTerms) {
      this.#free();
      this.#encodedOrder = null;
    }
    this.#isOutdated = this.#place !== NOT_PACKED;
    this.#state = state;
  }

  /** Keeps only the bytes of the state, unless the order has work soon: a live child, or a market that it waits for. */
  rest(store: PackedStates): void {
    if (this.#state === null || this.conditions.length > 0) return;
    if (this.#place === NOT_PACKED || this.#isOutdated) {
      if (isTerminal(this.#state.status) || liveChildren(this.#state).length > 0) return;
      const terms = this.#isOutdated ? orderInState(store.read(this.#place)) : this.#encodedOrder;
      const bytes = encodeState(this.#state, terms);
      this.#free();
      this.#encodedOrder = null;
      this.#store = store;
      this.#place = store.put(bytes);
    }
    if (this.#place !== NOT_PACKED) this.#state = null;
  }

  /** Frees the bytes, because the order has ended. */
  release(): void {
    const { state } = this;
    this.#free();
    this.#state = state;
  }

  #free(): void {
    if (this.#place !== NOT_PACKED) this.#store!.free(this.#place);
    this.#place = NOT_PACKED;
    this.#isOutdated = false;
  }
}
