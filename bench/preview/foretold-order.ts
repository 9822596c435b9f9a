import { completedCostBps } from '../../src/analytics/completed-cost.js';
import type { Execution } from '../../src/analytics/execution.js';
import { markouts } from '../../src/analytics/markout.js';
import { previewOf, type Preview } from '../../src/analytics/preview.js';
import { sweepersImpact, sweepImpact, type SweepImpact } from '../../src/analytics/preview-sweep.js';
import { draftOf } from '../../src/http/parse/order-draft.js';
import { parseOrderRequest } from '../../src/http/parse/order-request.js';
import type { AccountId, OrderId } from '../../src/model/ids.js';
import { InstrumentCatalogue, type Instrument } from '../../src/model/instrument.js';
import type { StrategyName } from '../../src/model/order.js';
import { isRejected } from '../../src/model/rejection.js';
import type { EpochMs } from '../../src/model/time.js';
import { workOrder, type OrderRun } from '../../src/replay/order-run.js';
import { Random } from '../../src/venue/prng.js';
import { LATENCY_MS } from '../quality/arena.js';
import { SimulatedWorld } from '../quality/simulated-world.js';
import { KnownVolumes } from './known-volume.js';
import { drawOrder, marketsOfMix, requestOf, type DrawnOrder } from './order-mix.js';

const DAY_MS = 24 * 3600 * 1000;
const FIRST_DAY_MS = Date.UTC(2027, 0, 15);
const STEP_MS = 100;
/** The market lives so long before an order comes: what is told of its volatility is half its own by then, half the usual. */
const WARM_UP_MS = 300_000;
/** Whoever looks at a preview places the order so much later. */
const THOUGHT_MS_MAX = 2_000;
const MINUTES_PER_DAY = 1440;
const ACCOUNT = 'desk' as AccountId;
const MARKETS = marketsOfMix();
const VOLUMES = new KnownVolumes(FIRST_DAY_MS as EpochMs);

/** An order, what was foretold of it, and what became of it. */
export interface ForetoldOrder {
  readonly drawn: DrawnOrder;
  readonly preview: Preview;
  /** All-in cost of the whole quantity against the mid when it was placed, in bps of it. */
  readonly realisedBps: number;
  readonly makerShare: number | null;
  /** What passive fills lost within five seconds, in bps, and those that took; null: there were none. */
  readonly makerLossBps: number | null;
  readonly takerLossBps: number | null;
  /** How long it took. */
  readonly workedMs: number;
  /** Standard deviation of the return over a minute, as it was told when the order came. */
  readonly volatility: number;
  readonly halfSpreadBps: number;
  /** What sweeps were foretold to pay beyond the best price, the order's and those of others at its price. */
  readonly sweeps: { readonly ofOrder: SweepImpact; readonly ofOthers: number };
}

/** The order of a strategy that a text stands for, in a world of its own; null: nobody would take it. */
export async function foretellAndWork(strategy: StrategyName, luck: string): Promise<ForetoldOrder | null> {
  const chance = new Random(luck);
  const drawn = drawOrder(strategy, MARKETS, chance);
  const { instrument } = drawn;
  const seed = Math.floor(chance.uniform() * 2 ** 32);
  const startMs = (FIRST_DAY_MS + STEP_MS * Math.floor((chance.uniform() * DAY_MS) / STEP_MS)) as EpochMs;
  const { profile, candles } = VOLUMES.of(instrument);
  if (profile === null) throw new Error(`${instrument.symbol} has a past`);
  const world = new SimulatedWorld({ instrument, seed, startMs, latencyMs: LATENCY_MS, candles: new Map(candles) });
  world.told.wantDepth(instrument.index, true);
  await world.live((startMs + WARM_UP_MS) as EpochMs);
  const { nowMs } = world;
  const market = world.told.read(instrument.index);
  const request = requestOf(drawn, {
    mid: (market.bid + market.ask) / 2,
    dailyVolume: profile.dailyVolume,
    dailyVolatility: market.volatility * Math.sqrt(MINUTES_PER_DAY),
  });
  const parsed = parseOrderRequest(request, new InstrumentCatalogue([instrument]));
  if (isRejected(parsed)) return null;
  const orderId = (1 + Math.floor(chance.uniform() * 2 ** 31)) as OrderId;
  const orderAt = (atMs: EpochMs) => ({ ...draftOf(parsed, '', ACCOUNT, atMs), orderId });
  const depth = world.told.depth(instrument.index);
  const previewed = { order: orderAt(nowMs), instrument, market, depth, profile, nowMs };
  const preview = previewOf(previewed);
  const sweeps = { ofOrder: sweepImpact(previewed, previewed.order), ofOthers: sweepersImpact(previewed) };
  await world.live((nowMs + Math.ceil(THOUGHT_MS_MAX * chance.uniform())) as EpochMs);
  const run = await workOrder(world, orderAt(world.nowMs));
  if (isRejected(run)) return null;
  const halfSpreadBps = (5_000 * (market.ask - market.bid)) / ((market.ask + market.bid) / 2);
  return { drawn, preview, sweeps, ...outcomeOf(run, instrument), volatility: market.volatility, halfSpreadBps };
}

function outcomeOf({ execution: worked, market, state, knownUntilMs }: OrderRun, { takerFeePpm }: Instrument) {
  const startMs = state.order.createdAtMs;
  const arrivalMid = market.mids.at(startMs) ?? worked.arrivalMid;
  const execution: Execution = { ...worked, startMs, arrivalMid };
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
