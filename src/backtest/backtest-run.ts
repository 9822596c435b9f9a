import type { Instrument, InstrumentCatalogue } from '../domain/instrument.js';
import { BACKTEST_AFTERMATH_MS } from '../domain/limits/trading.js';
import type { ParentState } from '../domain/order-state.js';
import { isTerminal, type ParentOrder, type Side } from '../domain/order.js';
import type { Lots, Ticks } from '../domain/quantity.js';
import { assert, type OrRejection, reject, Rejected } from '../domain/rejection.js';
import type { EpochMs } from '../domain/time.js';
import type { NumberedEvent } from '../journal/port.js';
import { LatentVenues } from '../sim/latency/latent-venues.js';
import { type CostInput, executionCost, type ExecutionCost, type Markout, markouts } from '../tca/execution-cost.js';
import { MidPath } from '../tca/quote-history.js';
import { scheduleDeviation, type ScheduleDeviation, scheduleOf } from '../tca/schedule-deviation.js';
import { TradedVolume, type ExecutedFill } from '../tca/traded-volume.js';
import type { VenueGateway } from '../venue/port.js';
import type { VenueRates } from '../venue/throttle/request-rates.js';
import { createThrottleMemory } from '../venue/throttle/throttle-figures.js';
import { ThrottledVenues } from '../venue/throttle/throttled-venues.js';
import { MemoryMarketView } from './memory-ports.js';
import { type Recording, RecordingFeed } from './recording.js';
import { SingleThread, type SingleThreadParts } from './single-thread.js';
import { FileError } from './table/columns.js';
import { BacktestVenue, type MarketObserver } from './venue/backtest-venue.js';
import { opposite } from '../venue/matching/market-matching.js';
import type { LevelVisitor } from '../venue/matching/remaining-book.js';
import { type QueueModelName, queueModelOf } from '../venue/matching/queue-model.js';

interface BacktestTask extends Pick<SingleThreadParts, 'strategyFor'> {
  readonly recording: Recording;
  readonly instrument: Instrument;
  readonly catalogue: InstrumentCatalogue;
  /** Creates the order at its time. */
  readonly orderAt: (nowMs: EpochMs) => ParentOrder;
  /** Earliest time of the order; the first synchronised book when absent or earlier. */
  readonly notBeforeMs?: EpochMs;
  readonly queueModel: QueueModelName;
  /** Time in which half of a quantity that we took comes back; absent: all of it at the level's next change. */
  readonly refillHalfLifeMs?: number;
  /** Latency of market data, of requests and of reports, each; 0 or more. */
  readonly latencyMs: number;
  /** Request rates of the venues; no limit when absent. */
  readonly rates?: VenueRates;
}

const MICROSECONDS_PER_MS = 1000;
/** Constant latencies use no random numbers. */
const SEED = 0;

/**
 * Executes a parent order on a recorded market. Returns a rejection when the order could not trade at all, and
 * INVALID_REQUEST when a file of the recording is damaged; the message names file, line and column.
 */
export async function backtestOrder(task: BacktestTask): Promise<OrRejection<OrderRun>> {
  const feed = new RecordingFeed(task.recording, task.instrument);
  try {
    const world = new RecordedWorld(task, feed);
    await world.begin(task.notBeforeMs ?? 0);
    return await workOrder(world, task.orderAt(world.nowMs));
  } catch (error) {
    if (error instanceof FileError) return reject('INVALID_REQUEST', error.message);
    throw error;
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
    this.#venue = new BacktestVenue({
      instrument,
      streams,
      queueModel,
      refillHalfLifeMs: task.refillHalfLifeMs ?? null,
      observer: this.market,
      outlet: market,
    });
    const delay = { kind: 'constant', delayUs: latencyMs * MICROSECONDS_PER_MS } as const;
    const latencyOf = () => ({ feed: delay, entry: delay, response: delay });
    const distant = new LatentVenues({ gateway: this.#venue, catalogue, latencyOf, seed: SEED });
    const venue = rates === undefined ? distant : throttled(distant, rates);
    this.thread = new SingleThread({ venue, catalogue, market, ...(strategyFor && { strategyFor }) });
  }

  /** Advances to the first synchronised book, and at least to `untilMs`. */
  async begin(untilMs: number): Promise<void> {
    await this.#feed.cover(this.nowMs);
    while (!this.#venue.recorded.book.isSynchronised) {
      if (await this.step()) continue;
      const { name, files } = this.#recording;
      throw new FileError({ file: files.get('snapshot') ?? name }, `the recording ${name} has no snapshot of its book`);
    }
    while (this.nowMs < untilMs && (await this.step()));
  }

  async sweepPrice(side: Side, quantity: number): Promise<number | null> {
    return sweepPriceOf((visit) => this.#venue.walk(opposite(side), visit), quantity);
  }

  async step(): Promise<boolean> {
    if (this.#venue.nextWakeMs() === Infinity) return false;
    this.nowMs = this.thread.nextWakeMs();
    if (!this.#feed.covers(this.nowMs)) await this.#feed.cover(this.nowMs);
    this.thread.advance(this.nowMs);
    this.#venue.recorded.refuseDamage(this.nowMs);
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
  /**
   * Average price in ticks of a MARKET order of so many lots now, without latency. Lots beyond the known book are
   * priced at its last level. null: that side is empty.
   */
  sweepPrice(side: Side, quantity: number): Promise<number | null>;
}

/** Average price of so many lots over the levels that `walk` visits, best first; null without a level. */
export function sweepPriceOf(walk: (visit: LevelVisitor) => void, quantity: number): number | null {
  let [left, paid, last] = [quantity, 0, 0];
  walk((price, available) => {
    const taken = Math.min(left, available);
    paid += taken * price;
    left -= taken;
    last = price;
    return left > 0;
  });
  return last === 0 ? null : (paid + left * last) / quantity;
}

/** Result of an order. */
export interface OrderRun extends OrderVerdict {
  /** Final state, or the state at the end of the market. */
  readonly state: ParentState;
  readonly events: readonly NumberedEvent[];
  readonly market: MarketRecord;
  /** End of the known market. */
  readonly knownUntilMs: EpochMs;
  /**
   * Average price in ticks that a MARKET order for the unfilled rest would pay at the end; null: no rest, or no market.
   */
  readonly restPrice: number | null;
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
  const restPrice = await restPriceOf(world, stateNow());
  const knownUntilMs = await watchAftermath(world, endMs);
  const state = stateNow();
  if (state === null || state.startedAtMs === null) return neverTraded(thread, state);
  const { events } = thread.journal;
  return { state, events, market, knownUntilMs, restPrice, ...judge({ state, events, market, endMs, knownUntilMs }) };
}

async function restPriceOf(world: World, state: ParentState | null): Promise<number | null> {
  if (state === null) return null;
  const { side, quantity } = state.order.legs[0];
  const left = quantity - state.legs[0].progress.filled;
  return left > 0 ? world.sweepPrice(side, left) : null;
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
