import { assert } from '../../domain/rejection.js';
import type { Venue } from '../../domain/exchange.js';
import type { InstrumentCatalogue, InstrumentIndex } from '../../domain/instrument.js';
import { VENUE_CATCH_UP_STEPS_MAX, VENUE_MEMORY_MS, VENUE_STEP_MS } from '../../domain/limits/trading.js';
import type { EpochMs } from '../../domain/time.js';
import { FairMarket } from './fair-market.js';
import { InstrumentMarket, type MarketListener, type MarketMemory } from './instrument-market.js';
import type { VenueRow, VenueStore } from '../../venue/port.js';
import { decodeRow, encodeRow } from '../store/row-codec.js';
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

/** A market and the stored part of its state. */
interface MarketEntry {
  readonly market: InstrumentMarket;
  storedSequence: number;
  storedAtMs: number;
}

/** The markets of all instruments. A market without subscribers and orders sleeps at no cost. */
export class MarketRegistry {
  readonly #parts: MarketRegistryParts;
  readonly #entries: readonly MarketEntry[];
  /** Markets to publish; at the start, all. */
  readonly #changed = new Set<MarketEntry>();
  /** Markets that may be active in the steps of this turn. */
  #active: { readonly entry: MarketEntry; readonly isWatched: boolean }[] = [];
  #nextStepMs: number;

  constructor(parts: MarketRegistryParts) {
    this.#parts = parts;
    this.#nextStepMs = parts.startMs;
    const fairMarket = new FairMarket(parts.seed);
    this.#entries = parts.catalogue.instruments.map((instrument) => {
      const stored = parts.store.get(keyOf(instrument));
      const memory = stored === undefined ? null : (decodeRow(stored) as MarketMemory);
      const market = new InstrumentMarket({ ...parts, fairMarket, terms: termsOf(instrument), memory });
      return { market, storedSequence: memory?.sequence ?? 0, storedAtMs: parts.startMs };
    });
  }

  get nextStepMs(): EpochMs {
    return this.#nextStepMs as EpochMs;
  }

  /** Opens every market with the resting orders of an earlier process, oldest first. */
  open(orders: readonly VenueOrder[]): void {
    for (const order of orders) this.at(order.submission.instrument).rest(order);
    for (const entry of this.#entries) {
      entry.market.open();
      this.#changed.add(entry);
    }
  }

  terms(venue: Venue, symbol: string): TradingTerms {
    const instrument = this.#parts.catalogue.findCanonical(venue, symbol);
    assert(instrument !== null, `${venue} no longer lists ${symbol}, but the store has orders in it`);
    return this.#entry(instrument.index).market.terms;
  }

  at(index: InstrumentIndex): InstrumentMarket {
    return this.#entry(index).market;
  }

  /** The market, simulated until now, before a trade. */
  wake(index: InstrumentIndex, nowMs: EpochMs): InstrumentMarket {
    const entry = this.#entry(index);
    entry.market.catchUp(nowMs);
    this.#changed.add(entry);
    return entry.market;
  }

  /** The step times until now, each once; after a long pause only the latest ones. */
  *takeSteps(nowMs: EpochMs): Generator<EpochMs> {
    if (this.#nextStepMs > nowMs) return;
    this.#findActive();
    const oldestMs = stepAfter(nowMs) - VENUE_CATCH_UP_STEPS_MAX * VENUE_STEP_MS;
    while (this.#nextStepMs <= nowMs) {
      const atMs = Math.max(this.#nextStepMs, oldestMs) as EpochMs;
      this.#nextStepMs = stepAfter(atMs);
      yield atMs;
    }
  }

  /** Simulates the active markets until then. */
  step(atMs: EpochMs): void {
    for (const { entry, isWatched } of this.#active) {
      if (!isWatched && entry.market.restingCount === 0) continue;
      entry.market.catchUp(atMs);
      this.#changed.add(entry);
    }
  }

  /** Computed once for all steps of a turn: subscriptions and resting orders do not change between the steps. */
  #findActive(): void {
    this.#active = [];
    for (const entry of this.#entries) {
      const isWatched = this.#parts.isWatched(entry.market.terms.instrument.index);
      if (isWatched || entry.market.restingCount > 0) this.#active.push({ entry, isWatched });
    }
  }

  /** Marks a market whose book one of our orders changed. */
  touch(index: InstrumentIndex): void {
    this.#changed.add(this.#entry(index));
  }

  /** The rows of markets with new sequence numbers, and at intervals of every changed market. */
  takeRows(rows: VenueRow[], nowMs: EpochMs): void {
    for (const entry of this.#changed) {
      const { market } = entry;
      const { memory } = market;
      if (memory.sequence === entry.storedSequence && nowMs - entry.storedAtMs < VENUE_MEMORY_MS) continue;
      rows.push({ key: keyOf(market.terms.instrument), value: encodeRow(memory) });
      entry.storedSequence = memory.sequence;
      entry.storedAtMs = nowMs;
    }
  }

  /** The markets that changed since the last call. */
  *takeChanged(): Generator<InstrumentMarket> {
    for (const { market } of this.#changed) yield market;
    this.#changed.clear();
  }

  #entry(index: InstrumentIndex): MarketEntry {
    const entry = this.#entries[index];
    assert(entry !== undefined, `there is an instrument ${index}`);
    return entry;
  }
}

function stepAfter(ms: number): number {
  return (Math.floor(ms / VENUE_STEP_MS) + 1) * VENUE_STEP_MS;
}

function keyOf({ venue, symbol }: { readonly venue: Venue; readonly symbol: string }): string {
  return `market/${venue}/${symbol}`;
}
