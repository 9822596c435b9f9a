import type { Instrument, InstrumentCatalogue } from '../model/instrument.js';
import type { ParentOrder } from '../model/order.js';
import type { OrRejection } from '../model/rejection.js';
import type { DurationMs, EpochMs } from '../model/time.js';
import { BudgetedVenues, createBudgetMemory, type VenueRates } from '../venue/budget/index.js';
import { LatentVenues } from '../venue/latency/index.js';
import type { VenueGateway } from '../venue/port.js';
import { queueModelOf, RecordingError, ReplayVenue, type QueueModelName } from '../venue/replay/index.js';
import { MarketRecord } from './market-record.js';
import { MemoryMarketView } from './memory-ports.js';
import { workOrder, type OrderRun, type World } from './order-run.js';
import type { Recording } from './recording.js';
import { SingleThread, type SingleThreadParts } from './single-thread.js';
import { TapeFeed } from './tape-feed.js';

export interface ReplayTask extends Pick<SingleThreadParts, 'strategyFor'> {
  readonly recording: Recording;
  readonly instrument: Instrument;
  readonly catalogue: InstrumentCatalogue;
  /** The order, placed as soon as the recorded market has been watched long enough: at that time. */
  readonly orderAt: (nowMs: EpochMs) => ParentOrder;
  /** How long the market is watched before, from when it is first known; 0 when absent. */
  readonly watchedMs?: DurationMs;
  readonly queueModel: QueueModelName;
  /** Each of the three ways: the market to us, our orders to the venue, its reports to us. 0 or more. */
  readonly latencyMs: number;
  /** What venues take of an account; as much as is sent when absent. */
  readonly rates?: VenueRates;
}

const MICROSECONDS_PER_MS = 1000;
/** Constant latencies draw no lots. */
const SEED = 0;

/**
 * Works a parent order on a recorded market. A rejection says why the order could not trade at all. Rejects with
 * RecordingError when the recording cannot be played.
 */
export async function replayOrder(task: ReplayTask): Promise<OrRejection<OrderRun>> {
  const feed = new TapeFeed(task.recording, task.instrument);
  try {
    const world = new RecordedWorld(task, feed);
    await world.begin(task.watchedMs ?? 0);
    return await workOrder(world, task.orderAt(world.nowMs));
  } finally {
    await feed.close();
  }
}

function budgeted(gateway: VenueGateway, rates: VenueRates): VenueGateway {
  return new BudgetedVenues({ gateway, rates, figures: createBudgetMemory() });
}

/** A recorded market, as if we were in it. */
class RecordedWorld implements World {
  readonly thread: SingleThread;
  readonly market = new MarketRecord();
  nowMs = 0 as EpochMs;
  readonly #recording: Recording;
  readonly #feed: TapeFeed;
  readonly #venue: ReplayVenue;

  constructor(task: ReplayTask, feed: TapeFeed) {
    const { recording, instrument, catalogue, latencyMs, strategyFor, rates } = task;
    this.#recording = recording;
    this.#feed = feed;
    const queueModel = queueModelOf(task.queueModel, instrument);
    const market = new MemoryMarketView();
    const { streams } = feed;
    this.#venue = new ReplayVenue({ instrument, streams, queueModel, observer: this.market, outlet: market });
    const way = { kind: 'constant', delayUs: latencyMs * MICROSECONDS_PER_MS } as const;
    const latencyOf = () => ({ feed: way, entry: way, response: way });
    const distant = new LatentVenues({ gateway: this.#venue, catalogue, latencyOf, seed: SEED });
    const venue = rates === undefined ? distant : budgeted(distant, rates);
    this.thread = new SingleThread({ venue, catalogue, market, ...(strategyFor && { strategyFor }) });
  }

  /** Goes on until the market has been known for so long. */
  async begin(watchedMs: number): Promise<void> {
    await this.#feed.cover(this.nowMs);
    while (!this.#venue.recorded.book.isSynchronised) {
      if (await this.step()) continue;
      throw new RecordingError(`the recording ${this.#recording.name} has no snapshot of its book`);
    }
    const untilMs = this.nowMs + watchedMs;
    while (this.nowMs < untilMs && (await this.step()));
  }

  async step(): Promise<boolean> {
    if (this.#venue.nextWakeMs() === Infinity) return false;
    this.nowMs = this.thread.nextWakeMs();
    if (!this.#feed.covers(this.nowMs)) await this.#feed.cover(this.nowMs);
    this.thread.advance(this.nowMs);
    return true;
  }
}
