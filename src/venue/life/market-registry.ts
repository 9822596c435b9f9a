import { assert } from '../../model/assert.js';
import type { Venue } from '../../model/exchange.js';
import type { InstrumentCatalogue, InstrumentIndex } from '../../model/instrument.js';
import { VENUE_CATCH_UP_STEPS_MAX, VENUE_MEMORY_MS, VENUE_STEP_MS } from '../../model/limits.js';
import type { EpochMs } from '../../model/time.js';
import { FairMarket } from './fair-market.js';
import { InstrumentMarket, type MarketListener, type MarketMemory } from './instrument-market.js';
import type { Row, VenueStore } from '../port.js';
import { decodeRow, encodeRow } from '../store/json-row.js';
import { termsOf, type TradingTerms } from '../account/trading-terms.js';
import type { VenueOrder } from '../order/venue-order.js';

export interface MarketRegistryParts {
  readonly catalogue: InstrumentCatalogue;
  readonly seed: number;
  readonly startMs: EpochMs;
  readonly store: VenueStore;
  readonly listener: MarketListener;
  readonly isWatched: (instrument: InstrumentIndex) => boolean;
}

/** A market and what the store holds of it. */
interface Seat {
  readonly market: InstrumentMarket;
  storedSequence: number;
  storedAtMs: number;
}

/** The markets of all instruments. One that nobody watches or has orders in sleeps, at no cost. */
export class MarketRegistry {
  readonly #parts: MarketRegistryParts;
  readonly #seats: readonly Seat[];
  /** What the world has to be told of; at the start, everything. */
  readonly #changed = new Set<Seat>();
  /** The markets that may live in the steps of this turn. */
  #awake: { readonly seat: Seat; readonly isWatched: boolean }[] = [];
  #nextStepMs: number;

  constructor(parts: MarketRegistryParts) {
    this.#parts = parts;
    this.#nextStepMs = parts.startMs;
    const fairMarket = new FairMarket(parts.seed);
    this.#seats = parts.catalogue.instruments.map((instrument) => {
      const stored = parts.store.get(keyOf(instrument));
      const memory = stored === undefined ? null : (decodeRow(stored) as MarketMemory);
      const market = new InstrumentMarket({ ...parts, fairMarket, terms: termsOf(instrument), memory });
      return { market, storedSequence: memory?.sequence ?? 0, storedAtMs: parts.startMs };
    });
  }

  get nextStepMs(): EpochMs {
    return this.#nextStepMs as EpochMs;
  }

  /** Opens every market, with the orders that an earlier process left resting, oldest first. */
  open(orders: readonly VenueOrder[]): void {
    for (const order of orders) this.at(order.submission.instrument).rest(order);
    for (const seat of this.#seats) {
      seat.market.open();
      this.#changed.add(seat);
    }
  }

  terms(venue: Venue, symbol: string): TradingTerms {
    const instrument = this.#parts.catalogue.findCanonical(venue, symbol);
    assert(instrument !== null, `${venue} still lists ${symbol}, of which the store has orders`);
    return this.#seat(instrument.index).market.terms;
  }

  at(index: InstrumentIndex): InstrumentMarket {
    return this.#seat(index).market;
  }

  /** The market as it is now, for somebody who is about to trade in it. */
  wake(index: InstrumentIndex, nowMs: EpochMs): InstrumentMarket {
    const seat = this.#seat(index);
    seat.market.catchUp(nowMs);
    this.#changed.add(seat);
    return seat.market;
  }

  /** The instants until now at which `step` is to be called, each once; of a long time only the latest ones. */
  *takeSteps(nowMs: EpochMs): Generator<EpochMs> {
    if (this.#nextStepMs > nowMs) return;
    this.#lookWhoIsAwake();
    const oldestMs = stepAfter(nowMs) - VENUE_CATCH_UP_STEPS_MAX * VENUE_STEP_MS;
    while (this.#nextStepMs <= nowMs) {
      const atMs = Math.max(this.#nextStepMs, oldestMs) as EpochMs;
      this.#nextStepMs = stepAfter(atMs);
      yield atMs;
    }
  }

  /** Lets the markets that are awake live until then. */
  step(atMs: EpochMs): void {
    for (const { seat, isWatched } of this.#awake) {
      if (!isWatched && seat.market.restingCount === 0) continue;
      seat.market.catchUp(atMs);
      this.#changed.add(seat);
    }
  }

  /** Once for all steps of a turn, as nobody's wish and no resting order comes to a market between them. */
  #lookWhoIsAwake(): void {
    this.#awake = [];
    for (const seat of this.#seats) {
      const isWatched = this.#parts.isWatched(seat.market.terms.instrument.index);
      if (isWatched || seat.market.restingCount > 0) this.#awake.push({ seat, isWatched });
    }
  }

  /** An order of ours changed the book. */
  touch(index: InstrumentIndex): void {
    this.#changed.add(this.#seat(index));
  }

  /** The rows of the markets that gave out numbers, and now and then of every one that lives. */
  takeRows(rows: Row[], nowMs: EpochMs): void {
    for (const seat of this.#changed) {
      const { market } = seat;
      const { memory } = market;
      if (memory.sequence === seat.storedSequence && nowMs - seat.storedAtMs < VENUE_MEMORY_MS) continue;
      rows.push({ key: keyOf(market.terms.instrument), value: encodeRow(memory) });
      seat.storedSequence = memory.sequence;
      seat.storedAtMs = nowMs;
    }
  }

  /** The markets that changed since the last call. */
  *takeChanged(): Generator<InstrumentMarket> {
    for (const { market } of this.#changed) yield market;
    this.#changed.clear();
  }

  #seat(index: InstrumentIndex): Seat {
    const seat = this.#seats[index];
    assert(seat !== undefined, `there is an instrument ${index}`);
    return seat;
  }
}

function stepAfter(ms: number): number {
  return (Math.floor(ms / VENUE_STEP_MS) + 1) * VENUE_STEP_MS;
}

function keyOf({ venue, symbol }: { readonly venue: Venue; readonly symbol: string }): string {
  return `market/${venue}/${symbol}`;
}
