import { InstrumentCatalogue, type Instrument, type InstrumentIndex } from '../../src/model/instrument.js';
import type { EpochMs } from '../../src/model/time.js';
import { MarketRecord } from '../../src/replay/market-record.js';
import { MemoryMarketView } from '../../src/replay/memory-ports.js';
import type { World } from '../../src/replay/order-run.js';
import { SingleThread, type SingleThreadParts } from '../../src/replay/single-thread.js';
import { MemoryVenueStore, SimulatedVenues } from '../../src/venue/index.js';
import { LatentVenues } from '../../src/venue/latency/index.js';
import { CandleMemory, type KnownCandles } from './candle-memory.js';
import { ObservedVenues } from './observed-venues.js';

export interface SimulatedWorldParts extends Pick<SingleThreadParts, 'strategyFor'> {
  /** The only one of its catalogue. */
  readonly instrument: Instrument;
  readonly seed: number;
  readonly startMs: EpochMs;
  readonly latencyMs: number;
  /** Of the worlds with this seed and start. */
  readonly candles: KnownCandles;
}

const MICROSECONDS_PER_MS = 1_000;
const NO_FEEDS = { version: 0, followed: () => [], nextClosedMs: () => 0 as EpochMs };

/** A simulated market and a shard in one thread, without a clock: the same seed gives the same course of prices. */
export class SimulatedWorld implements World {
  readonly thread: SingleThread;
  readonly market = new MarketRecord();
  /** What is told of the market: its best prices, and the book where somebody wants it. */
  readonly told = new MemoryMarketView();
  nowMs: EpochMs;

  constructor({ instrument, seed, startMs, latencyMs, candles, strategyFor }: SimulatedWorldParts) {
    const catalogue = new InstrumentCatalogue([instrument]);
    const venues = new SimulatedVenues({
      catalogue,
      seed,
      store: new MemoryVenueStore(),
      startMs,
      isWatched: () => true,
      balanceHome: () => 0,
      outlet: {
        interest: NO_FEEDS,
        offer: () => true,
        isDepthWanted: (index) => this.told.isDepthWanted(index),
        showDepth: (index, depth) => this.told.showDepth(index, depth),
        speed: 1,
      },
      onRepeated: ({ orderId, child }) => {
        throw new Error(`child ${orderId}-${child} was sent twice`);
      },
    });
    const way = { kind: 'constant', delayUs: latencyMs * MICROSECONDS_PER_MS } as const;
    const latencyOf = () => ({ feed: way, entry: way, response: way });
    const gateway = new ObservedVenues(new CandleMemory(venues, candles), this.market);
    const venue = new LatentVenues({ gateway, catalogue, latencyOf, seed });
    this.thread = new SingleThread({ venue, catalogue, market: this.told, ...(strategyFor && { strategyFor }) });
    this.nowMs = startMs;
  }

  /** It never ends. */
  async step(): Promise<true> {
    this.nowMs = Math.max(this.nowMs, this.thread.nextWakeMs()) as EpochMs;
    this.thread.advance(this.nowMs);
    return true;
  }

  /** Lets the market live by itself until then. */
  async live(untilMs: EpochMs): Promise<void> {
    while (this.nowMs < untilMs) await this.step();
  }
}

/** The instrument as the only one of a catalogue. */
export function alone(instrument: Instrument): Instrument {
  return { ...instrument, index: 0 as InstrumentIndex };
}
