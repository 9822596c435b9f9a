import type { TapePast } from '../journal/port.js';
import type { InstrumentCatalogue, InstrumentIndex } from '../model/instrument.js';
import { MARKET_STALE_MS, TAPE_AFTERMATH_MS, TAPE_BUCKET_MS, TAPE_INTERVAL_MS } from '../model/limits.js';
import { isCrossed, isTwoSided, type MarketObservation } from '../model/market.js';
import type { EpochMs } from '../model/time.js';
import type { TapeClaims } from '../wire/tape-claims.js';
import type { MarketInterests } from './interests.js';
import type { TurnBatch } from './turn-batch.js';

/** Where a shard sees what is kept of a market. */
export interface TapeSource {
  observe(instrument: InstrumentIndex): MarketObservation;
}

/** What a tape is made from, apart from what it shares with its shard. */
export interface TapeParts {
  readonly source: TapeSource;
  readonly claims: TapeClaims;
  /** What was observed before this start. */
  readonly past: TapePast;
}

export interface MarketTapeParts extends TapeParts {
  readonly shard: number;
  readonly catalogue: InstrumentCatalogue;
  readonly interests: MarketInterests;
  readonly batch: TurnBatch;
}

/**
 * Journals the markets in which orders are worked, so that what an execution cost can be told from the journal alone:
 *
 *   an order begins, places or fills ─▶ one observation at most each 100 ms, in the turn that journals it anyway
 *   nothing happens                  ─▶ one a second of every market that is kept alive, all of them in one turn
 *
 * The shards share a market between them (`wire/tape-claims`). After a fill the market is kept alive and observed for
 * another minute, for its markouts. Across a restart too: a shard that starts goes on with every market that was observed
 * lately, by whichever shard and for whose order. Some of these had no fill; a minute later they are let go.
 */
export class MarketTape {
  readonly #parts: MarketTapeParts;
  /** Until when an instrument is held for the markouts of its latest fill. */
  readonly #heldUntilMs = new Map<InstrumentIndex, number>();
  readonly #latest = new Map<InstrumentIndex, MarketObservation>();
  #roundAtMs = 0;

  constructor(parts: MarketTapeParts) {
    this.#parts = parts;
  }

  /** After a start: takes up the markets that were being observed. */
  recover(nowMs: EpochMs): void {
    const { past, catalogue } = this.#parts;
    for (const { index } of catalogue.instruments) {
      const seenAtMs = past.lastObservedMs(index);
      // A fill may be younger than what was seen of its market last, by no more than that may be old.
      const untilMs = (seenAtMs ?? -Infinity) + MARKET_STALE_MS + TAPE_AFTERMATH_MS;
      if (nowMs < untilMs) this.#hold(index, untilMs);
    }
  }

  /** Service time of the next round; Infinity while no market is kept alive. */
  nextRoundMs(): number {
    return this.#parts.interests.isAnyAwake ? this.#roundAtMs : Infinity;
  }

  /** At the end of a turn: adds what is to be kept to its events. */
  observe(nowMs: EpochMs): void {
    const { batch, interests } = this.#parts;
    for (const instrument of batch.filled) this.#hold(instrument, nowMs + TAPE_AFTERMATH_MS);
    for (const instrument of batch.worked) this.#take(instrument, nowMs, TAPE_BUCKET_MS);
    if (nowMs < this.#roundAtMs) return;
    this.#letGo(nowMs);
    // Less than the interval, or a turn that comes a little late would leave out the next one.
    for (const instrument of interests.awake()) this.#take(instrument, nowMs, TAPE_INTERVAL_MS / 2);
    if (interests.isAnyAwake) this.#roundAtMs = (Math.floor(nowMs / TAPE_INTERVAL_MS) + 1) * TAPE_INTERVAL_MS;
  }

  #take(instrument: InstrumentIndex, nowMs: EpochMs, sinceMs: number): void {
    const { shard, source, claims, catalogue, batch } = this.#parts;
    // First of all, for it costs least: in a busy turn a market has mostly been observed just before.
    if (!claims.isFree(instrument, nowMs, sinceMs)) return;
    const { atMs, ...seen } = source.observe(instrument);
    const latest = this.#latest.get(instrument);
    if (latest?.atMs === atMs && latest.volume === seen.volume) return;
    // What a sleeping, lost or wrong market says is no price.
    if (nowMs - atMs > MARKET_STALE_MS || !isTwoSided(seen) || isCrossed(seen)) return;
    if (!claims.take(instrument, nowMs, sinceMs)) return;
    this.#latest.set(instrument, { atMs, ...seen });
    const { venue } = catalogue.at(instrument);
    // Slots and shards are counted alike: the shard's number is a slot of its own.
    batch.addObservation({ kind: 'MarketObserved', instrument, ...seen }, { slot: shard, venue, atMs });
  }

  #hold(instrument: InstrumentIndex, untilMs: number): void {
    if (!this.#heldUntilMs.has(instrument)) this.#parts.interests.hold(instrument, true);
    this.#heldUntilMs.set(instrument, untilMs);
  }

  #letGo(nowMs: EpochMs): void {
    for (const [instrument, untilMs] of this.#heldUntilMs) {
      if (nowMs < untilMs) continue;
      this.#heldUntilMs.delete(instrument);
      this.#parts.interests.hold(instrument, false);
    }
  }
}
