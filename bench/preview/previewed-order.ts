import { LATENCY_MS } from '../quality/arena.js';
import { CandleMemory, type KnownCandles, SimulatedWorld } from '../quality/simulated-world.js';
import { draftOf } from '../../src/api/order/order-parser.js';
import { parseOrderRequest } from '../../src/api/order/order-parser.js';
import { type OrderRun, workOrder } from '../../src/backtest/backtest-run.js';
import type { AccountId, CorrelationId, OrderId } from '../../src/domain/ids.js';
import { type Instrument, InstrumentCatalogue } from '../../src/domain/instrument.js';
import type { VolumeProfile } from '../../src/domain/intent.js';
import type { Candle } from '../../src/domain/market-feed.js';
import type { StrategyName } from '../../src/domain/order.js';
import { isRejected } from '../../src/domain/rejection.js';
import type { EpochMs } from '../../src/domain/time.js';
import { sweepersImpact, sweepImpact, type SweepImpact } from '../../src/pretrade/preview-impact.js';
import type { PreviewedOrder } from '../../src/pretrade/previewed-order.js';
import { type Preview, previewOf } from '../../src/pretrade/preview.js';
import { Random } from '../../src/sim/prng.js';
import { SimulatedVenues } from '../../src/sim/simulated-venues.js';
import { MemoryVenueStore } from '../../test/sim/memory-store.js';
import { type CandlePage, VolumeStudy } from '../../src/strategy/volume/study.js';
import { completedCostBps } from '../../src/tca/execution-cost.js';
import type { CostInput } from '../../src/tca/execution-cost.js';
import { markouts } from '../../src/tca/execution-cost.js';
import { drawOrder, marketsOfMix, requestOf } from './order-mix.js';

const DAY_MS = 24 * 3600 * 1000;
const FIRST_DAY_MS = Date.UTC(2027, 0, 15);
const STEP_MS = 100;
/**
 * Time the market runs before an order comes. Half of the estimated volatility is then measured and half is the prior.
 */
const WARM_UP_MS = 300_000;
/** Longest delay between a preview and its order. */
const ORDER_DELAY_MS_MAX = 2_000;
const MINUTES_PER_DAY = 1440;
const ACCOUNT = 'desk' as AccountId;
const MARKETS = marketsOfMix();

/** An order, its preview and its result. */
export interface PreviewedAndWorked extends Outcome {
  readonly previewed: PreviewedOrder;
  readonly preview: Preview;
  /** Results of different clusters are independent. */
  readonly cluster: string;
  /**
   * Distance of its limit, or of the end of its ladder, in standard deviations of the price over its time; null:
   * neither.
   */
  readonly distance: number | null;
  /** Previewed cost of sweeps beyond the best price: of the order, and of others at its price. */
  readonly sweeps: { readonly ofOrder: SweepImpact; readonly ofOthers: number };
}

/** The result of an order. */
interface Outcome {
  /** All-in cost of the whole quantity against the mid at its placement, in bps. */
  readonly realisedBps: number;
  readonly makerShare: number | null;
  /** Loss of passive and of taking fills within five seconds, in bps; null without any. */
  readonly makerLossBps: number | null;
  readonly takerLossBps: number | null;
  /** Working time of the order. */
  readonly workedMs: number;
}

/** Previews and works the order drawn from the seed text `luck`, in its own world; null when the service rejects it. */
export async function previewAndWork(strategy: StrategyName, luck: string): Promise<PreviewedAndWorked | null> {
  const chance = new Random(luck);
  const drawn = drawOrder(strategy, MARKETS, chance);
  const { instrument } = drawn;
  const seed = Math.floor(chance.uniform() * 2 ** 32);
  const startMs = (FIRST_DAY_MS + STEP_MS * Math.floor((chance.uniform() * DAY_MS) / STEP_MS)) as EpochMs;
  const { profile, candles } = VOLUMES.of(instrument);
  if (profile === null) throw new Error(`${instrument.symbol} has a history`);
  const world = new SimulatedWorld({ instrument, seed, startMs, latencyMs: LATENCY_MS, candles: new Map(candles) });
  world.published.wantDepth(instrument.index, true);
  await world.live((startMs + WARM_UP_MS) as EpochMs);
  const { nowMs } = world;
  const market = world.published.read(instrument.index);
  const request = requestOf(drawn, {
    mid: (market.bid + market.ask) / 2,
    dailyVolume: profile.dailyVolume,
    dailyVolatility: market.volatility * Math.sqrt(MINUTES_PER_DAY),
  });
  const parsed = parseOrderRequest(request, new InstrumentCatalogue([instrument]));
  if (isRejected(parsed)) return null;
  const orderId = (1 + Math.floor(chance.uniform() * 2 ** 31)) as OrderId;
  const orderAt = (atMs: EpochMs) => ({ ...draftOf(parsed, '', ACCOUNT, atMs), orderId });
  const depth = world.published.depth(instrument.index);
  const previewed = { order: orderAt(nowMs), instrument, market, depth, profile, nowMs };
  await world.live((nowMs + Math.ceil(ORDER_DELAY_MS_MAX * chance.uniform())) as EpochMs);
  const run = await workOrder(world, orderAt(world.nowMs));
  if (isRejected(run)) return null;
  return comparedOf(previewed, run, { distance: drawn.distance, cluster: luck });
}

/** Previews an order that has been worked. `previewed` is what was known before. */
export function comparedOf(
  previewed: PreviewedOrder,
  run: OrderRun,
  about: Pick<PreviewedAndWorked, 'distance' | 'cluster'>,
): PreviewedAndWorked {
  const sweeps = { ofOrder: sweepImpact(previewed, previewed.order.legs[0]), ofOthers: sweepersImpact(previewed) };
  return { ...about, previewed, preview: previewOf(previewed), sweeps, ...outcomeOf(run, previewed.instrument) };
}

function outcomeOf({ execution: worked, market, state, knownUntilMs }: OrderRun, { takerFeePpm }: Instrument): Outcome {
  const startMs = state.order.createdAtMs;
  const arrivalMid = market.mids.at(startMs) ?? worked.arrivalMid;
  const execution: CostInput = { ...worked, startMs, arrivalMid };
  const { fills, endMs } = execution;
  const lossOf = (liquidity: 'MAKER' | 'TAKER'): number | null => {
    const of = { ...execution, fills: fills.filter((fill) => fill.liquidity === liquidity) };
    const bps = markouts(of, market.mids, knownUntilMs)[1]?.bps ?? null;
    return bps === null ? null : -bps;
  };
  let [filled, rested] = [0, 0];
  for (const { quantity, liquidity } of fills) {
    filled += quantity;
    if (liquidity === 'MAKER') rested += quantity;
  }
  return {
    realisedBps: completedCostBps(execution, { price: market.mids.at(endMs) ?? arrivalMid, takerFeePpm }),
    makerShare: filled === 0 ? null : rested / filled,
    makerLossBps: lossOf('MAKER'),
    takerLossBps: lossOf('TAKER'),
    workedMs: endMs - startMs,
  };
}

const DESK = 'desk' as AccountId;
const CORRELATION = 1 as CorrelationId;
const ORIGIN = 0;
const HISTORY_SEED = 1;

/** Volume history of a market, for previews and for strategies. */
interface KnownVolume {
  /** null: too little history. */
  readonly profile: VolumeProfile | null;
  /** The candles that the profile was learnt from. */
  readonly candles: KnownCandles;
}

/**
 * Learns volume profiles from a market's candles, as the service does. One history serves all worlds: histories differ
 * only in noise, and generating one takes longer than working an order.
 */
class KnownVolumes {
  readonly #nowMs: EpochMs;
  readonly #known = new Map<Instrument, KnownVolume>();

  constructor(nowMs: EpochMs) {
    this.#nowMs = nowMs;
  }

  of(instrument: Instrument): KnownVolume {
    let known = this.#known.get(instrument);
    if (known === undefined) this.#known.set(instrument, (known = this.#learn(instrument)));
    return known;
  }

  #learn(instrument: Instrument): KnownVolume {
    const candles: KnownCandles = new Map();
    const study = new VolumeStudy(this.#nowMs);
    while (!study.isComplete) study.add(pageOf(instrument, study.page, { candles, nowMs: this.#nowMs }));
    return { profile: study.conclude(), candles };
  }
}

function pageOf(
  instrument: Instrument,
  page: CandlePage,
  { candles, nowMs }: { readonly candles: KnownCandles; readonly nowMs: EpochMs },
): readonly Candle[] {
  const venues = new SimulatedVenues({
    catalogue: new InstrumentCatalogue([instrument]),
    seed: HISTORY_SEED,
    store: new MemoryVenueStore(),
    startMs: nowMs,
    isWatched: () => false,
    balanceHome: () => ORIGIN,
    onRepeated: () => undefined,
  });
  const past = new CandleMemory(venues, candles);
  const query = { account: DESK, venue: instrument.venue, instrument: instrument.index, ...page };
  past.handle({ kind: 'QueryCandles', correlationId: CORRELATION, ...query }, ORIGIN, nowMs);
  for (;;) {
    let answer: readonly Candle[] | null = null;
    past.advance(nowMs, {
      report: (report) => {
        if (report.kind === 'Candles') answer = report.candles;
      },
      market: () => undefined,
      trade: () => undefined,
    });
    if (answer !== null) return answer;
  }
}

const VOLUMES = new KnownVolumes(FIRST_DAY_MS as EpochMs);
