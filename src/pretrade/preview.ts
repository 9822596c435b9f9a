import type { Leg } from '../domain/order.js';
import type { Lots } from '../domain/quantity.js';
import type { EpochMs } from '../domain/time.js';
import type { Outline, OutlinedSlice } from '../strategy/outline.js';
import { outlineOf } from '../strategy/registry.js';
import { dailyVolatility } from '../strategy/schedule/is.js';
import { forecastVolume } from '../strategy/volume/course.js';
import { signOf } from '../tca/execution-cost.js';
import { restingVariance, scheduleExposureMs, touchProbability } from './preview-exposure.js';
import {
  ADVERSE_SECONDS_SD,
  CLIP_MS,
  OVERSHOOT_OF_SWEEP,
  REACTION_MS,
  RISK_OF_LADDER,
  RISK_OF_RESTING,
  RISK_OF_SWEEP,
  SWEEP_OF_LAW,
  SWEEP_OF_WALK,
} from './preview-fit.js';
import { scheduleImpact, sweepersImpact, sweepImpact } from './preview-impact.js';
import { type FillMode, fillModeOf, type PreviewedOrder, viewOfStart } from './previewed-order.js';

/** Expected course and cost of an order that is placed now. */
export interface Preview {
  /** The strategy's plan. The quantities add up to the order's quantity. */
  readonly schedule: readonly OutlinedSlice[];
  readonly children: {
    readonly count: number;
    /** Mean quantity of a child, rounded down; at least one lot. */
    readonly quantity: Lots;
  };
  readonly cost: ExpectedCost;
  /** Order quantity ÷ expected market volume while the order works; null while the volume is unknown. */
  readonly participation: number | null;
}

const DAY_MS = 24 * 3600 * 1000;
/** Least time over which the expected volume is counted. */
const HORIZON_MS_MIN = 60_000;

/** Previews an order. Takes well below 1 ms. */
export function previewOf(previewed: PreviewedOrder): Preview {
  const { quantity } = previewed.order.legs[0];
  const outline = outlineOf(viewOfStart(previewed), { clipMs: CLIP_MS });
  const count = Math.max(1, outline.childCount);
  return {
    schedule: outline.slices,
    children: { count, quantity: Math.max(1, Math.floor(quantity / count)) as Lots },
    cost: expectedCost(previewed, outline),
    participation: participationOf(previewed, outline),
  };
}

function participationOf(previewed: PreviewedOrder, { slices, endMs }: Outline): number | null {
  const { order, profile } = previewed;
  if (profile === null) return null;
  const leg = order.legs[0];
  const startMs = viewOfStart(previewed).nowMs;
  const untilMs = leg.strategy === 'MARKET' ? startMs : workedUntilMs(leg, slices, endMs);
  const volume = forecastVolume(profile, startMs, Math.max(untilMs, startMs + HORIZON_MS_MIN));
  return volume > 0 ? leg.quantity / volume : null;
}

/**
 * Returns when the order is expected to be done: at the last planned slice, or at its end, or a day after its last
 * slice.
 */
function workedUntilMs(leg: Leg, slices: Outline['slices'], endMs: EpochMs | null): number {
  const { strategy, limitPrice, ladder } = leg;
  const last = slices.at(-1)?.atMs ?? 0;
  const waitsForPrice = limitPrice !== null || ladder !== null;
  if (strategy === 'POV' || (strategy === 'ICEBERG' && !waitsForPrice)) return last;
  return endMs ?? last + DAY_MS;
}

const SECOND_MS = 1000;
const BPS = 10_000;
const PPM = 1_000_000;
const PPM_PER_BPS = 100;

/**
 * Expected cost of the whole quantity against the arrival mid, in bps; positive is cost. The rest at the end counts as
 * taken then. The price has no drift, so its moves add no expected cost (optional stopping). The cost is that of the
 * fills.
 */
interface ExpectedCost {
  /** Half the spread: paid when taking, earned when resting, less the adverse selection of passive fills. */
  readonly spreadBps: number;
  /** Price impact of the quantity that the order takes. */
  readonly impactBps: number;
  /** By the instrument's maker and taker fee rates. */
  readonly feeBps: number;
  readonly totalBps: number;
  /**
   * One standard deviation of the total. It covers price moves and the chance that resting parts fill. Costs have fat
   * tails, because the future volatility is unknown. The value is scaled so that 68 of 100 orders are within it, as for
   * a normal distribution. Large deviations are more frequent than in a normal distribution.
   */
  readonly stdevBps: number;
}

/** Inputs of the cost model. */
interface CostInputs {
  /** Half the spread, as a fraction of the mid. */
  readonly halfSpread: number;
  /** In ticks. */
  readonly mid: number;
  /** Standard deviation of the return over one ms, as a fraction. */
  readonly perRootMs: number;
  readonly dailyVolatility: number;
  readonly startMs: number;
  /** Longest time that the order works. */
  readonly horizonMs: number;
}

type Resting = Extract<FillMode, { readonly kind: 'rest' }>;
type Following = Extract<FillMode, { readonly kind: 'follow' }> & { readonly outline: Outline };

/** Parts of the cost, as fractions of the arrival price. */
interface Parts {
  readonly makerShare: number;
  readonly spread: number;
  readonly impact: number;
  readonly stdev: number;
}

function expectedCost(previewed: PreviewedOrder, outline: Outline): ExpectedCost {
  const { order, instrument, market } = previewed;
  const inputs = inputsOf(previewed, outline);
  const mode = fillModeOf(order.legs[0], instrument, market);
  const parts =
    mode.kind === 'sweep'
      ? swept(previewed, inputs)
      : mode.kind === 'rest'
        ? rested(previewed, inputs, mode)
        : followed(previewed, inputs, { outline, ...mode });
  const { makerShare, spread, impact, stdev } = parts;
  const feeBps = (makerShare * instrument.makerFeePpm + (1 - makerShare) * instrument.takerFeePpm) / PPM_PER_BPS;
  const [spreadBps, impactBps] = [spread * BPS, impact * BPS];
  return { spreadBps, impactBps, feeBps, totalBps: spreadBps + impactBps + feeBps, stdevBps: stdev * BPS };
}

function inputsOf(previewed: PreviewedOrder, { endMs }: Outline): CostInputs {
  const { market } = previewed;
  const view = viewOfStart(previewed);
  const mid = (market.bid + market.ask) / 2;
  const volatility = dailyVolatility(view, 0);
  return {
    halfSpread: (market.ask - market.bid) / 2 / mid,
    mid,
    perRootMs: volatility / Math.sqrt(DAY_MS),
    dailyVolatility: volatility,
    startMs: view.nowMs,
    // An order without end is previewed over a day.
    horizonMs: Math.max(1, endMs === null ? DAY_MS : endMs - view.nowMs),
  };
}

/** Cost of an order that takes all at once: half the spread and the impact of walking the book. */
function swept(previewed: PreviewedOrder, inputs: CostInputs): Parts {
  const { order } = previewed;
  const { halfSpread, perRootMs } = inputs;
  const { walked, usual } = sweepImpact(previewed, order.legs[0]);
  const impact = walked === null ? usual : SWEEP_OF_WALK * walked + SWEEP_OF_LAW * usual;
  const stdev = Math.hypot(RISK_OF_SWEEP * (halfSpread + impact), perRootMs * Math.sqrt(REACTION_MS));
  return { makerShare: 0, spread: halfSpread, impact, stdev };
}

/**
 * Cost of an order that rests at its own prices. Parts that the market reaches are filled there. The rest is taken at
 * the end, which adds risk. Other traders' sweeps reach a price before the mid does, the earlier the thinner the book
 * is: this is a gain.
 */
function rested(previewed: PreviewedOrder, inputs: CostInputs, { rests, makerPart }: Resting): Parts {
  const { order, instrument } = previewed;
  const { halfSpread, mid, perRootMs, horizonMs } = inputs;
  const spanDeviation = perRootMs * Math.sqrt(horizonMs);
  const resting = rests.map(({ price, share }) => {
    return { share, deviations: (signOf(order.legs[0].side) * (mid - price)) / mid / spanDeviation };
  });
  const reached = resting.reduce((sum, { share, deviations }) => sum + share * touchProbability(deviations), 0);
  const spread =
    (1 - makerPart) * halfSpread - makerPart * (halfSpread + OVERSHOOT_OF_SWEEP * sweepersImpact(previewed));
  const saved = (makerPart * (instrument.takerFeePpm - instrument.makerFeePpm)) / PPM - spread;
  const variance = restingVariance(resting, saved / spanDeviation);
  const risk = rests.length > 1 ? RISK_OF_LADDER : RISK_OF_RESTING;
  return {
    makerShare: reached * makerPart,
    spread: reached * spread,
    impact: 0,
    stdev: Math.hypot(risk * spanDeviation * Math.sqrt(variance), perRootMs * Math.sqrt(REACTION_MS)),
  };
}

function followed(
  { order, profile }: PreviewedOrder,
  inputs: CostInputs,
  { outline, makerShare, risk }: Following,
): Parts {
  const { halfSpread, perRootMs, dailyVolatility: volatility, startMs } = inputs;
  const { slices } = outline;
  const taken = (1 - makerShare) * order.legs[0].quantity;
  const spanMs = (slices.at(-1)?.atMs ?? startMs) - startMs;
  const dailyVolume = profile?.dailyVolume ?? Infinity;
  const exposureMs = scheduleExposureMs(slices, startMs);
  return {
    makerShare,
    spread: (1 - makerShare) * halfSpread + makerShare * (adverse(inputs) - halfSpread),
    impact: scheduleImpact({ taken, spanMs, dailyVolume, dailyVolatility: volatility }),
    stdev: perRootMs * Math.hypot(risk * Math.sqrt(exposureMs), Math.sqrt(REACTION_MS)),
  };
}

/** Mean adverse selection of a passive fill, as a fraction of the price. */
function adverse({ perRootMs }: CostInputs): number {
  return ADVERSE_SECONDS_SD * perRootMs * Math.sqrt(SECOND_MS);
}
