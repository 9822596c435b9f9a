import type { Instrument, InstrumentCatalogue } from '../domain/instrument.js';
import { BACKTEST_AFTERMATH_MS } from '../domain/limits/trading.js';
import type { ParentState } from '../domain/order-state.js';
import { isTerminal, type ParentOrder } from '../domain/order.js';
import type { Lots, Ticks } from '../domain/quantity.js';
import { assert, type OrRejection, reject, Rejected } from '../domain/rejection.js';
import type { DurationMs, EpochMs } from '../domain/time.js';
import type { NumberedEvent } from '../journal/port.js';
import { LatentVenues } from '../sim/latency/latent-venues.js';
import {
  type CostInput,
  type ExecutedFill,
  executionCost,
  type ExecutionCost,
  type Markout,
  markouts,
} from '../tca/execution-cost.js';
import { MidPath } from '../tca/quote-history.js';
import { scheduleDeviation, type ScheduleDeviation, scheduleOf } from '../tca/schedule-deviation.js';
import { TradedVolume } from '../tca/traded-volume.js';
import type { VenueGateway } from '../venue/port.js';
import type { VenueRates } from '../venue/throttle/request-rates.js';
import { createThrottleMemory } from '../venue/throttle/throttle-figures.js';
import { ThrottledVenues } from '../venue/throttle/throttled-venues.js';
import { MemoryMarketView } from './memory-ports.js';
import { type Recording, RecordingFeed } from './recording.js';
import { SingleThread, type SingleThreadParts } from './single-thread.js';
import { BacktestVenue, type MarketObserver } from './venue/backtest-venue.js';
import { type QueueModelName, queueModelOf } from './venue/queue-model.js';
import { RecordingError } from './venue/row-reader.js';

interface BacktestTask extends Pick<SingleThreadParts, 'strategyFor'> {
  readonly recording: Recording;
  readonly instrument: Instrument;
  readonly catalogue: InstrumentCatalogue;
  /** Creates the order at the end of the observation period, at that time. */
  readonly orderAt: (nowMs: EpochMs) => ParentOrder;
  /** Observation period before the order, from the first synchronised book; 0 when absent. */
  readonly watchedMs?: DurationMs;
  readonly queueModel: QueueModelName;
  /** Latency of market data, of requests and of reports, each; 0 or more. */
  readonly latencyMs: number;
  /** Request rates of the venues; no limit when absent. */
  readonly rates?: VenueRates;
}

const MICROSECONDS_PER_MS = 1000;
/** Constant latencies use no random numbers. */
const SEED = 0;

/**
 * Executes a parent order on a recorded market. Returns a rejection when the order could not trade at all. Rejects with
 * RecordingError when the recording cannot be played.
 */
export async function backtestOrder(task: BacktestTask): Promise<OrRejection<OrderRun>> {
  const feed = new RecordingFeed(task.recording, task.instrument);
  try {
    const world = new RecordedWorld(task, feed);
    await world.begin(task.watchedMs ?? 0);
    return await workOrder(world, task.orderAt(world.nowMs));
  } finally {
    await feed.close();
  }
}

function throttled(gateway: VenueGateway, rates: VenueRates): VenueGateway {
  return new ThrottledVenues({ gateway, rates, figures: createThrottleMemory() });
}

/** A recorded market with our orders in it. */
class RecordedWorld implements World {
  readonly thread: SingleThread;
  readonly market = new MarketRecord();
  nowMs = 0 as EpochMs;
  readonly #recording: Recording;
  readonly #feed: RecordingFeed;
  readonly #venue: BacktestVenue;

  constructor(task: BacktestTask, feed: RecordingFeed) {
    const { recording, instrument, catalogue, latencyMs, strategyFor, rates } = task;
    this.#recording = recording;
    this.#feed = feed;
    const queueModel = queueModelOf(task.queueModel, instrument);
    const market = new MemoryMarketView();
    const { streams } = feed;
    this.#venue = new BacktestVenue({ instrument, streams, queueModel, observer: this.market, outlet: market });
    const delay = { kind: 'constant', delayUs: latencyMs * MICROSECONDS_PER_MS } as const;
    const latencyOf = () => ({ feed: delay, entry: delay, response: delay });
    const distant = new LatentVenues({ gateway: this.#venue, catalogue, latencyOf, seed: SEED });
    const venue = rates === undefined ? distant : throttled(distant, rates);
    this.thread = new SingleThread({ venue, catalogue, market, ...(strategyFor && { strategyFor }) });
  }

  /** Advances to the first synchronised book, then by `watchedMs`. */
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

/** A market with its own clock and a shard that trades in it. */
export interface World {
  readonly thread: SingleThread;
  /** Quotes and trades of other participants. */
  readonly market: MarketRecord;
  readonly nowMs: EpochMs;
  /** Advances to the next instant with an event; false when the market has ended. */
  step(): Promise<boolean>;
}

/** Result of an order. */
export interface OrderRun extends OrderVerdict {
  /** Final state, or the state at the end of the market. */
  readonly state: ParentState;
  readonly events: readonly NumberedEvent[];
  readonly market: MarketRecord;
  /** End of the known market. */
  readonly knownUntilMs: EpochMs;
}

/**
 * Executes a parent order from now on, with the live shard and strategies, and measures its cost. Returns a rejection
 * when the order could not trade at all.
 */
export async function workOrder(world: World, order: ParentOrder): Promise<OrRejection<OrderRun>> {
  const { thread, market } = world;
  thread.place(order, world.nowMs);
  thread.advance(world.nowMs);
  const stateNow = (): ParentState | null => thread.journal.state(order.orderId);
  while (!isOver(stateNow()) && (await world.step()));
  const endMs = stateNow()?.endedAtMs ?? world.nowMs;
  const knownUntilMs = await watchAftermath(world, endMs);
  const state = stateNow();
  if (state === null || state.startedAtMs === null) return neverTraded(thread, state);
  const { events } = thread.journal;
  return { state, events, market, knownUntilMs, ...judge({ state, events, market, endMs, knownUntilMs }) };
}

/** Advances the market past the order's end; returns the end of the known market. */
async function watchAftermath(world: World, endMs: EpochMs): Promise<EpochMs> {
  const untilMs = (endMs + BACKTEST_AFTERMATH_MS) as EpochMs;
  while (world.nowMs <= untilMs && (await world.step()));
  return Math.min(world.nowMs, untilMs) as EpochMs;
}

function neverTraded(thread: SingleThread, state: ParentState | null): OrRejection<never> {
  const known = thread.refusal ?? state?.outcome ?? null;
  if (known !== null) return new Rejected(known);
  return reject('INVALID_TRADE_TIME', 'the recording ended before the order could start');
}

function isOver(state: ParentState | null): boolean {
  return state === null || isTerminal(state.status);
}

/** An order that could trade, after its backtest. */
interface WorkedOrder {
  readonly state: ParentState;
  readonly events: readonly NumberedEvent[];
  readonly market: MarketRecord;
  /** End of the order or of the recording. */
  readonly endMs: EpochMs;
  /** End of the known market. */
  readonly knownUntilMs: EpochMs;
}

interface OrderVerdict {
  readonly execution: CostInput;
  readonly cost: ExecutionCost;
  readonly markouts: readonly Markout[];
  /** null for a strategy without a schedule. */
  readonly deviation: ScheduleDeviation | null;
}

/** Measures the cost of the order against the market of other participants. */
function judge({ state, events, market, endMs, knownUntilMs }: WorkedOrder): OrderVerdict {
  const { order, startedAtMs } = state;
  const { arrivalTwiceMid } = state.legs[0];
  assert(startedAtMs !== null && arrivalTwiceMid !== null, 'an order that could trade has an arrival price');
  const { side, quantity, quantityPrecision, pricePrecision, quantityStep, priceStep } = order.legs[0];
  const fills = fillsOf(events);
  const execution: CostInput = {
    side,
    quantity,
    quantityPrecision,
    pricePrecision,
    quantityStep,
    priceStep,
    arrivalMid: arrivalTwiceMid / 2,
    startMs: startedAtMs,
    endMs,
    fills,
  };
  const others = market.trades.between(startedAtMs, endMs);
  const schedule = scheduleOf(order, startedAtMs);
  const untilMs = Math.min(order.endAtMs ?? endMs, knownUntilMs) as EpochMs;
  return {
    execution,
    cost: executionCost(execution, { mids: market.mids, others }),
    markouts: markouts(execution, market.mids, knownUntilMs),
    deviation: schedule === null ? null : scheduleDeviation(schedule, fills, { quantity, untilMs }),
  };
}

function fillsOf(events: readonly NumberedEvent[]): ExecutedFill[] {
  return events.flatMap(({ envelope: { event, eventAtMs } }) => {
    if (event.kind !== 'ChildFilled') return [];
    const { quantity, price, liquidity, fee } = event.fill;
    return [{ atMs: eventAtMs, quantity, price, liquidity, fee }];
  });
}

/** Records the quotes and trades of other participants while an order works. Benchmarks use this record. */
export class MarketRecord implements MarketObserver {
  readonly mids = new MidPath();
  readonly trades = new TradedVolume();

  onQuote(bid: Ticks, ask: Ticks, atMs: EpochMs): void {
    this.mids.append((bid + ask) / 2, atMs);
  }

  onTrade(price: Ticks, quantity: Lots, atMs: EpochMs): void {
    this.trades.append(price, quantity, atMs);
  }
}
