import type { InstrumentCatalogue, InstrumentIndex } from '../domain/instrument.js';
import { MARKET_STALE_MS, QUOTE_AFTERMATH_MS, QUOTE_BUCKET_MS, QUOTE_INTERVAL_MS } from '../domain/limits/trading.js';
import { isCrossed, isTwoSided, type MarketObservation } from '../domain/market.js';
import type { EpochMs } from '../domain/time.js';
import type { LatestObservations } from '../journal/port.js';
import type { MarketSubscriptions } from './market-subscriptions.js';
import type { TurnBatch } from './turn-batch.js';

/** Returns the observation of a market. */
export interface QuoteSource {
  observe(instrument: InstrumentIndex): MarketObservation;
}

/** The parts of a quote history that its shard does not share. */
export interface QuoteParts {
  readonly source: QuoteSource;
  readonly claims: QuoteClaims;
  /** The observations before this start. */
  readonly past: LatestObservations;
}

interface QuoteHistoryParts extends QuoteParts {
  readonly shard: number;
  readonly catalogue: InstrumentCatalogue;
  readonly subscriptions: MarketSubscriptions;
  readonly batch: TurnBatch;
}

/**
 * Journals the markets of worked orders, so that execution costs can be computed from the journal alone:
 *
 *   an order begins, places or fills ─▶ at most one observation in 100 ms, in the turn that journals it anyway
 *   nothing happens                  ─▶ one observation a second of every awake market, all in one turn
 *
 * The shards divide the work by claims. After a fill the market stays awake and observed for another minute, for the
 * markouts. After a restart a shard continues with every recently observed market, also those of other shards. It
 * releases them after a minute.
 */
export class QuoteHistory {
  readonly #parts: QuoteHistoryParts;
  /** End of each instrument's hold for the markouts of its latest fill. */
  readonly #heldUntilMs = new Map<InstrumentIndex, number>();
  readonly #latest = new Map<InstrumentIndex, MarketObservation>();
  #roundAtMs = 0;

  constructor(parts: QuoteHistoryParts) {
    this.#parts = parts;
  }

  /** Resumes the recent observations after a start. */
  recover(nowMs: EpochMs): void {
    const { past, catalogue } = this.#parts;
    for (const { index } of catalogue.instruments) {
      const seenAtMs = past.lastObservedMs(index);
      // A fill may be newer than the latest observation of its market, by at most MARKET_STALE_MS.
      const untilMs = (seenAtMs ?? -Infinity) + MARKET_STALE_MS + QUOTE_AFTERMATH_MS;
      if (nowMs < untilMs) this.#hold(index, untilMs);
    }
  }

  /** Service time of the next round; Infinity while no market is awake. */
  nextRoundMs(): number {
    return this.#parts.subscriptions.isAnyAwake ? this.#roundAtMs : Infinity;
  }

  /** Adds the observations that are due to the turn's events. Call it at the end of a turn. */
  observe(nowMs: EpochMs): void {
    const { batch, subscriptions } = this.#parts;
    for (const instrument of batch.filled) this.#hold(instrument, nowMs + QUOTE_AFTERMATH_MS);
    for (const instrument of batch.worked) this.#take(instrument, nowMs, QUOTE_BUCKET_MS);
    if (nowMs < this.#roundAtMs) return;
    this.#letGo(nowMs);
    // Half of the interval, because a slightly late turn would otherwise skip the next observation.
    for (const instrument of subscriptions.awake()) this.#take(instrument, nowMs, QUOTE_INTERVAL_MS / 2);
    if (subscriptions.isAnyAwake) this.#roundAtMs = (Math.floor(nowMs / QUOTE_INTERVAL_MS) + 1) * QUOTE_INTERVAL_MS;
  }

  #take(instrument: InstrumentIndex, nowMs: EpochMs, sinceMs: number): void {
    const { shard, source, claims, catalogue, batch } = this.#parts;
    // This check comes first because it is the cheapest. In a busy turn most markets were observed just before.
    if (!claims.isFree(instrument, nowMs, sinceMs)) return;
    const { atMs, ...seen } = source.observe(instrument);
    const latest = this.#latest.get(instrument);
    if (latest?.atMs === atMs && latest.volume === seen.volume) return;
    // A market that sleeps, is lost or is wrong has no valid price.
    if (nowMs - atMs > MARKET_STALE_MS || !isTwoSided(seen) || isCrossed(seen)) return;
    if (!claims.take(instrument, nowMs, sinceMs)) return;
    this.#latest.set(instrument, { atMs, ...seen });
    const { venue } = catalogue.at(instrument);
    // Slots and shards have the same numbering: the shard's number is one of its slots.
    batch.addObservation({ kind: 'MarketObserved', instrument, ...seen }, { slot: shard, venue, atMs });
  }

  #hold(instrument: InstrumentIndex, untilMs: number): void {
    if (!this.#heldUntilMs.has(instrument)) this.#parts.subscriptions.hold(instrument, true);
    this.#heldUntilMs.set(instrument, untilMs);
  }

  #letGo(nowMs: EpochMs): void {
    for (const [instrument, untilMs] of this.#heldUntilMs) {
      if (nowMs < untilMs) continue;
      this.#heldUntilMs.delete(instrument);
      this.#parts.subscriptions.hold(instrument, false);
    }
  }
}

/**
 * Assigns each observation to one shard, because several shards may work orders of the same instrument. One word for
 * each instrument, in shared memory, has the time bucket of its latest observation. The shard that advances the word
 * makes the next one.
 */
export class QuoteClaims {
  readonly #buckets: Int32Array;

  constructor(memory: SharedArrayBuffer) {
    this.#buckets = new Int32Array(memory);
  }

  static create(instrumentCount: number): SharedArrayBuffer {
    return new SharedArrayBuffer(instrumentCount * Int32Array.BYTES_PER_ELEMENT);
  }

  /** True when at least `sinceMs`, in whole buckets, have passed since the latest claim. */
  isFree(instrument: InstrumentIndex, nowMs: EpochMs, sinceMs: number): boolean {
    const latest = Atomics.load(this.#buckets, instrument);
    // Bucket numbers wrap around every 13 years, so only their difference is used.
    return latest === 0 || ((bucketOf(nowMs) - latest) | 0) >= sinceMs / QUOTE_BUCKET_MS;
  }

  /** Takes the claim if it is still free. Returns true for one caller. */
  take(instrument: InstrumentIndex, nowMs: EpochMs, sinceMs: number): boolean {
    const latest = Atomics.load(this.#buckets, instrument);
    if (!this.isFree(instrument, nowMs, sinceMs)) return false;
    return Atomics.compareExchange(this.#buckets, instrument, latest, bucketOf(nowMs)) === latest;
  }
}

function bucketOf(nowMs: EpochMs): number {
  return Math.floor(nowMs / QUOTE_BUCKET_MS) | 0;
}
