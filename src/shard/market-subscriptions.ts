import type { InstrumentIndex } from '../domain/instrument.js';
import { ARRIVAL_AGE_MS_MAX } from '../domain/limits/trading.js';
import { fieldOf, type Market, type MarketCondition, type MarketField } from '../domain/market.js';
import { LazyHeap } from '../domain/queues.js';
import type { EpochMs } from '../domain/time.js';
import type { MarketView } from './port.js';
import type { Actor, OrderSubscription } from './actor.js';

interface PriceTrigger {
  readonly subscription: OrderSubscription;
  readonly version: number;
}

/** Triggers on one field of one instrument, nearest bound first, so a change checks only the top of each heap. */
interface PriceTriggers {
  readonly field: MarketField;
  readonly orAbove: LazyHeap<PriceTrigger>;
  /** Keyed by the negated bound. */
  readonly orBelow: LazyHeap<PriceTrigger>;
}

function isLive(entry: PriceTrigger): boolean {
  return entry.subscription.conditionsVersion === entry.version;
}

/** Maps market changes to the actors that wait for them. A price tick touches only orders with a matching trigger. */
export class MarketSubscriptions {
  readonly #market: MarketView;
  readonly #byInstrument = new Map<InstrumentIndex, PriceTriggers[]>();
  readonly #waitingCounts = new Map<InstrumentIndex, number>();
  readonly #tradingCounts = new Map<InstrumentIndex, number>();
  /** Subscriptions to the book, by instrument. They are stored here because few orders use the book. */
  readonly #depthSubscribers = new Map<InstrumentIndex, Set<OrderSubscription>>();

  /** Service time at which each instrument was woken, for instruments that are kept awake. */
  readonly #awakeSinceMs = new Map<InstrumentIndex, EpochMs>();
  #nowMs = 0 as EpochMs;

  constructor(market: MarketView) {
    this.#market = market;
  }

  /** Sets the service time of the turn. */
  begin(nowMs: EpochMs): void {
    this.#nowMs = nowMs;
  }

  /** Replaces the conditions of the subscription. */
  set(subscription: OrderSubscription, conditions: readonly MarketCondition[]): void {
    if (areSame(subscription.conditions, conditions)) return;
    this.#count(subscription, subscription.conditions.length > 0 ? -1 : 0);
    subscription.conditions = conditions;
    subscription.conditionsVersion += 1;
    this.#count(subscription, conditions.length > 0 ? 1 : 0);
    for (const condition of conditions) this.#insert(subscription, condition);
  }

  /** Keeps the instrument awake at the venue while at least one order that may trade subscribes to it. */
  keepAwake(subscription: OrderSubscription, isAwake: boolean): void {
    if (subscription.keepsMarketAwake === isAwake) return;
    subscription.keepsMarketAwake = isAwake;
    this.hold(subscription.instrument.index, isAwake);
  }

  /** Does the same without an order. Each hold must be released once. */
  hold(instrument: InstrumentIndex, isHeld: boolean): void {
    const before = this.#tradingCounts.get(instrument) ?? 0;
    const after = before + (isHeld ? 1 : -1);
    if (before === 0) this.#awakeSinceMs.set(instrument, this.#nowMs);
    if (after === 0) {
      this.#tradingCounts.delete(instrument);
      this.#awakeSinceMs.delete(instrument);
    } else this.#tradingCounts.set(instrument, after);
    if (before === 0 || after === 0) this.#market.keepAwake(instrument, isHeld);
  }

  /**
   * True when a row of that time shows the present market. That is a row written after the market was woken, or at
   * most ARRIVAL_AGE_MS_MAX ago because another thread keeps the market awake. An older row may be the last one
   * before the market fell asleep.
   */
  isCurrent(instrument: InstrumentIndex, rowAtMs: EpochMs): boolean {
    const sinceMs = this.#awakeSinceMs.get(instrument) ?? this.#nowMs;
    return rowAtMs >= sinceMs || this.#nowMs - rowAtMs <= ARRIVAL_AGE_MS_MAX;
  }

  /** The instruments that are kept awake. */
  awake(): Iterable<InstrumentIndex> {
    return this.#tradingCounts.keys();
  }

  get isAnyAwake(): boolean {
    return this.#tradingCounts.size > 0;
  }

  /** Asks the venue for the book while at least one order subscribes to it. */
  wantDepth(subscription: OrderSubscription, isWanted: boolean): void {
    const instrument = subscription.instrument.index;
    const subscribers = this.#depthSubscribers.get(instrument) ?? new Set();
    if (subscribers.has(subscription) === isWanted) return;
    if (isWanted) this.#depthSubscribers.set(instrument, subscribers.add(subscription));
    else subscribers.delete(subscription);
    if (subscribers.size === 0) this.#depthSubscribers.delete(instrument);
    if (subscribers.size === (isWanted ? 1 : 0)) this.#market.wantDepth(instrument, isWanted);
  }

  /** Calls `wake` for every actor with a condition that the market meets now. Removes the actor's conditions first. */
  collect(instrument: InstrumentIndex, market: Market, wake: (actor: Actor) => void): void {
    for (const triggers of this.#byInstrument.get(instrument) ?? []) {
      const value = fieldOf(triggers.field, market);
      if (value === null) continue;
      this.#fire(triggers.orAbove, value, wake);
      this.#fire(triggers.orBelow, -value, wake);
    }
  }

  #fire(heap: LazyHeap<PriceTrigger>, bound: number, wake: (actor: Actor) => void): void {
    for (let entry = heap.popUpTo(bound); entry !== undefined; entry = heap.popUpTo(bound)) {
      this.set(entry.subscription, []);
      wake(entry.subscription.owner);
    }
  }

  #insert(subscription: OrderSubscription, condition: MarketCondition): void {
    const instrument = subscription.instrument.index;
    let fields = this.#byInstrument.get(instrument);
    if (fields === undefined) this.#byInstrument.set(instrument, (fields = []));
    let triggers = fields.find(({ field }) => field === condition.field);
    if (triggers === undefined) {
      triggers = { field: condition.field, orAbove: new LazyHeap(isLive), orBelow: new LazyHeap(isLive) };
      fields.push(triggers);
    }
    const entry: PriceTrigger = { subscription, version: subscription.conditionsVersion };
    if (condition.at === 'or above') triggers.orAbove.push(entry, condition.bound);
    else triggers.orBelow.push(entry, -condition.bound);
  }

  #count(subscription: OrderSubscription, change: number): void {
    if (change === 0) return;
    const instrument = subscription.instrument.index;
    const before = this.#waitingCounts.get(instrument) ?? 0;
    this.#waitingCounts.set(instrument, before + change);
    if (before === 0 && change > 0) this.#market.watch(instrument, true);
    if (before + change === 0) this.#market.watch(instrument, false);
  }
}

function areSame(left: readonly MarketCondition[], right: readonly MarketCondition[]): boolean {
  return (
    left.length === right.length &&
    left.every((condition, index) => {
      const other = right[index] as MarketCondition;
      return condition.field === other.field && condition.at === other.at && condition.bound === other.bound;
    })
  );
}
