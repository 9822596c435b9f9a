import type { InstrumentIndex } from '../model/instrument.js';
import { fieldOf, type Market, type MarketCondition, type MarketField } from '../model/market.js';
import { LazyHeap } from './lazy-heap.js';
import type { MarketView } from './port.js';
import type { Seat } from './seat.js';
import type { Actor } from './actor.js';

interface Entry {
  readonly seat: Seat;
  readonly version: number;
}

/** Conditions on one field of one instrument, nearest bound first: a change looks at the tops only. */
interface FieldInterests {
  readonly field: MarketField;
  readonly orAbove: LazyHeap<Entry>;
  /** Keyed by the negated bound. */
  readonly orBelow: LazyHeap<Entry>;
}

function isLive(entry: Entry): boolean {
  return entry.seat.conditionsVersion === entry.version;
}

/** Which actors wait for which market: a price tick touches only the orders that it matters to. */
export class MarketInterests {
  readonly #market: MarketView;
  readonly #byInstrument = new Map<InstrumentIndex, FieldInterests[]>();
  readonly #waitingCounts = new Map<InstrumentIndex, number>();
  readonly #tradingCounts = new Map<InstrumentIndex, number>();
  /** Who looks at the book, by instrument: kept here, so that the many others do not grow by it. */
  readonly #lookers = new Map<InstrumentIndex, Set<Seat>>();

  constructor(market: MarketView) {
    this.#market = market;
  }

  /** Replaces what the order waits for at this market. */
  set(seat: Seat, conditions: readonly MarketCondition[]): void {
    if (areSame(seat.conditions, conditions)) return;
    this.#count(seat, seat.conditions.length > 0 ? -1 : 0);
    seat.conditions = conditions;
    seat.conditionsVersion += 1;
    this.#count(seat, conditions.length > 0 ? 1 : 0);
    for (const condition of conditions) this.#insert(seat, condition);
  }

  /** An instrument stays alive at the venue as long as one order that may trade is on it. */
  keepAwake(seat: Seat, isAwake: boolean): void {
    if (seat.keepsMarketAwake === isAwake) return;
    seat.keepsMarketAwake = isAwake;
    this.hold(seat.instrument.index, isAwake);
  }

  /** The same on behalf of no order: whoever holds an instrument lets it go once. */
  hold(instrument: InstrumentIndex, isHeld: boolean): void {
    const before = this.#tradingCounts.get(instrument) ?? 0;
    const after = before + (isHeld ? 1 : -1);
    if (after === 0) this.#tradingCounts.delete(instrument);
    else this.#tradingCounts.set(instrument, after);
    if (before === 0 || after === 0) this.#market.keepAwake(instrument, isHeld);
  }

  /** The instruments that are kept alive. */
  awake(): Iterable<InstrumentIndex> {
    return this.#tradingCounts.keys();
  }

  get isAnyAwake(): boolean {
    return this.#tradingCounts.size > 0;
  }

  /** A book is shown as long as one order looks at it. */
  wantDepth(seat: Seat, isWanted: boolean): void {
    const instrument = seat.instrument.index;
    const lookers = this.#lookers.get(instrument) ?? new Set();
    if (lookers.has(seat) === isWanted) return;
    if (isWanted) this.#lookers.set(instrument, lookers.add(seat));
    else lookers.delete(seat);
    if (lookers.size === 0) this.#lookers.delete(instrument);
    if (lookers.size === (isWanted ? 1 : 0)) this.#market.wantDepth(instrument, isWanted);
  }

  /** Calls `wake` for every actor with a condition that the market now meets; each is taken out first. */
  collect(instrument: InstrumentIndex, market: Market, wake: (actor: Actor) => void): void {
    for (const interests of this.#byInstrument.get(instrument) ?? []) {
      const value = fieldOf(interests.field, market);
      if (value === null) continue;
      this.#fire(interests.orAbove, value, wake);
      this.#fire(interests.orBelow, -value, wake);
    }
  }

  #fire(heap: LazyHeap<Entry>, bound: number, wake: (actor: Actor) => void): void {
    for (let entry = heap.popUpTo(bound); entry !== undefined; entry = heap.popUpTo(bound)) {
      this.set(entry.seat, []);
      wake(entry.seat.owner);
    }
  }

  #insert(seat: Seat, condition: MarketCondition): void {
    const instrument = seat.instrument.index;
    let fields = this.#byInstrument.get(instrument);
    if (fields === undefined) this.#byInstrument.set(instrument, (fields = []));
    let interests = fields.find(({ field }) => field === condition.field);
    if (interests === undefined) {
      interests = { field: condition.field, orAbove: new LazyHeap(isLive), orBelow: new LazyHeap(isLive) };
      fields.push(interests);
    }
    const entry: Entry = { seat, version: seat.conditionsVersion };
    if (condition.at === 'or above') interests.orAbove.push(entry, condition.bound);
    else interests.orBelow.push(entry, -condition.bound);
  }

  #count(seat: Seat, change: number): void {
    if (change === 0) return;
    const instrument = seat.instrument.index;
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
