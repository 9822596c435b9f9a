import type { CorrelationId } from '../model/ids.js';
import type { Instrument, InstrumentCatalogue } from '../model/instrument.js';
import { REPLAY_AFTERMATH_MS } from '../model/limits.js';
import { isTerminal, type ParentOrder, type ParentState } from '../model/order.js';
import { reject, type OrRejection } from '../model/rejection.js';
import type { EpochMs } from '../model/time.js';
import { LatentVenues } from '../venue/latency/index.js';
import { queueModelOf, RecordingError, ReplayVenue, type QueueModelName } from '../venue/replay/index.js';
import { MarketRecord } from './market-record.js';
import { MemoryMarketView } from './memory-ports.js';
import { judge, type OrderVerdict } from './order-verdict.js';
import type { Recording } from './recording.js';
import { SingleThread } from './single-thread.js';
import { TapeFeed } from './tape-feed.js';

export interface ReplayTask {
  readonly recording: Recording;
  readonly instrument: Instrument;
  readonly catalogue: InstrumentCatalogue;
  /** The order, placed as soon as the recorded market is known: at that time. */
  readonly orderAt: (nowMs: EpochMs) => ParentOrder;
  readonly queueModel: QueueModelName;
  /** Each of the three ways: the market to us, our orders to the venue, its reports to us. 0 or more. */
  readonly latencyMs: number;
}

/** What became of the order. */
export interface OrderReplay extends OrderVerdict {
  /** As it ended, or as it stood when the recording did. */
  readonly state: ParentState;
}

const CORRELATION = 1 as CorrelationId;
const MICROSECONDS_PER_MS = 1000;
/** Constant latencies draw no lots. */
const SEED = 0;

/**
 * Works a parent order on a recorded market, with the shard and the strategies that work it live, and says what it cost.
 * A rejection says why the order could not trade at all. Rejects with RecordingError when the recording cannot be played.
 */
export async function replayOrder(task: ReplayTask): Promise<OrRejection<OrderReplay>> {
  const feed = new TapeFeed(task.recording, task.instrument);
  try {
    return await new OrderRun(task, feed).run();
  } finally {
    await feed.close();
  }
}

class OrderRun {
  readonly #task: ReplayTask;
  readonly #feed: TapeFeed;
  readonly #market = new MarketRecord();
  readonly #venue: ReplayVenue;
  readonly #thread: SingleThread;
  #nowMs = 0 as EpochMs;

  constructor(task: ReplayTask, feed: TapeFeed) {
    const { instrument, catalogue, latencyMs } = task;
    this.#task = task;
    this.#feed = feed;
    const queueModel = queueModelOf(task.queueModel, instrument);
    const market = new MemoryMarketView();
    const { streams } = feed;
    this.#venue = new ReplayVenue({ instrument, streams, queueModel, observer: this.#market, outlet: market });
    const way = { kind: 'constant', delayUs: latencyMs * MICROSECONDS_PER_MS } as const;
    const latencyOf = () => ({ feed: way, entry: way, response: way });
    const gateway = new LatentVenues({ gateway: this.#venue, catalogue, latencyOf, seed: SEED });
    this.#thread = new SingleThread(gateway, catalogue, market);
  }

  async run(): Promise<OrRejection<OrderReplay>> {
    await this.#untilMarketIsKnown();
    const order = this.#task.orderAt(this.#nowMs);
    this.#thread.command({ kind: 'CreateParent', correlationId: CORRELATION, order });
    this.#thread.advance(this.#nowMs);
    const stateNow = (): ParentState | null => this.#thread.journal.state(order.orderId);
    while (!isOver(stateNow()) && (await this.#step()));
    const endMs = stateNow()?.endedAtMs ?? this.#nowMs;
    const knownUntilMs = await this.#seeAftermath(endMs);
    const state = stateNow();
    if (state === null || state.startedAtMs === null) return this.#neverTraded(state);
    const { events } = this.#thread.journal;
    return { state, ...judge({ state, events, market: this.#market, endMs, knownUntilMs }) };
  }

  async #untilMarketIsKnown(): Promise<void> {
    await this.#feed.cover(this.#nowMs);
    while (!this.#venue.recorded.book.isSynchronised) {
      if (await this.#step()) continue;
      throw new RecordingError(`the recording ${this.#task.recording.name} has no snapshot of its book`);
    }
  }

  /** Goes on to the next instant at which anything happens; false when the recording is over. */
  async #step(): Promise<boolean> {
    if (this.#venue.nextWakeMs() === Infinity) return false;
    this.#nowMs = this.#thread.nextWakeMs();
    if (!this.#feed.covers(this.#nowMs)) await this.#feed.cover(this.#nowMs);
    this.#thread.advance(this.#nowMs);
    return true;
  }

  /** Watches the market a while longer; returns until when it is known. */
  async #seeAftermath(endMs: EpochMs): Promise<EpochMs> {
    const untilMs = (endMs + REPLAY_AFTERMATH_MS) as EpochMs;
    while (this.#nowMs <= untilMs && (await this.#step()));
    return Math.min(this.#nowMs, untilMs) as EpochMs;
  }

  #neverTraded(state: ParentState | null): OrRejection<never> {
    const known = this.#thread.refusal ?? state?.outcome ?? null;
    if (known !== null) return { rejection: known };
    return reject('INVALID_TRADE_TIME', 'the recording ended before the order could start');
  }
}

function isOver(state: ParentState | null): boolean {
  return state === null || isTerminal(state.status);
}
