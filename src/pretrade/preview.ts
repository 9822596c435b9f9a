import { DWELL_MS_MAX, PARTICIPATION_STEP_MS, REPOST_MS } from '../domain/limits/trading.js';
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
  ADVERSE_OF_OPTION,
  CLIP_MS,
  GAIN_OF_TIMING,
  LOSS_OF_FOLLOWING,
  OVERSHOOT_OF_SWEEP,
  REACTION_MS,
  RISK_OF_LADDER,
  RISK_OF_RESTING,
  RISK_OF_SWEEP,
  SWEEP_OF_LAW,
  SWEEP_OF_WALK,
} from './preview-fit.js';
import { scheduleImpact, sweepersImpact, sweepImpact } from './preview-impact.js';
import { restingForecast } from './maker-share.js';
import { notesOf, type PreviewNote } from './preview-notes.js';
import { type FillMode, fillModeOf, type PreviewedOrder, viewOfStart, volumeOf } from './previewed-order.js';

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
  /** Expected share of the fills that is maker, 0..1. */
  readonly makerShare: number;
  /** Value of the option that a child gives while it rests at the touch, as a fraction of the price. */
  readonly optionValue: number;
  /** Standard deviation of the price while a slice waits for a moment to be taken, as a fraction; 0: none waits. */
  readonly timingDeviation: number;
  /** Order quantity ÷ expected market volume while the order works; null while the volume is unknown. */
  readonly participation: number | null;
  readonly notes: readonly PreviewNote[];
}

const DAY_MS = 24 * 3600 * 1000;
/** Least time over which the expected volume is counted. */
const HORIZON_MS_MIN = 60_000;

/** Previews an order. Takes well below 1 ms. */
export function previewOf(previewed: PreviewedOrder): Preview {
  const { quantity } = previewed.order.legs[0];
  const outline = outlined(previewed);
  const count = Math.max(1, outline.childCount);
  const expected = expectedCost(previewed, outline);
  return {
    schedule: outline.slices,
    children: { count, quantity: Math.max(1, Math.floor(quantity / count)) as Lots },
    ...expected,
    participation: participationOf(previewed, outline),
    notes: notesOf(previewed, expected.cost.totalBps, () => takingBpsOf(previewed)),
  };
}

/** Expected total of the order in style AGGRESSIVE, in bps. */
function takingBpsOf(previewed: PreviewedOrder): number {
  const { order } = previewed;
  const [leg, ...others] = order.legs;
  const taking = { ...previewed, order: { ...order, legs: [{ ...leg, style: 'AGGRESSIVE' }, ...others] as const } };
  return expectedCost(taking, outlined(taking)).cost.totalBps;
}

/**
 * Outlines the order. A POV without a profile follows the pace seen so far. A clip of an ICEBERG is filled after the
 * time that its queue takes.
 */
function outlined(previewed: PreviewedOrder): Outline {
  const view = viewOfStart(previewed);
  const volume = volumeOf(previewed);
  const { strategy, style } = previewed.order.legs[0];
  if (strategy === 'POV' && volume !== null) return outlineOf({ ...view, profile: volume }, { clipMs: CLIP_MS });
  const usual = outlineOf(view, { clipMs: CLIP_MS });
  if (strategy !== 'ICEBERG' || style === 'AGGRESSIVE') return usual;
  const { fillMs } = restingForecast(view, volume, usual);
  return fillMs === null ? usual : outlineOf(view, { clipMs: fillMs + REPOST_MS });
}

function participationOf(previewed: PreviewedOrder, { slices, endMs }: Outline): number | null {
  const profile = volumeOf(previewed);
  if (profile === null) return null;
  const leg = previewed.order.legs[0];
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
  /** Absent: no child rests at the touch. */
  readonly optionValue?: number;
  readonly timingDeviation?: number;
  readonly spread: number;
  readonly impact: number;
  readonly stdev: number;
}

function expectedCost(
  previewed: PreviewedOrder,
  outline: Outline,
): Pick<Preview, 'cost' | 'makerShare' | 'optionValue' | 'timingDeviation'> {
  const { order, instrument, market } = previewed;
  const inputs = inputsOf(previewed, outline);
  const mode = fillModeOf(order.legs[0], instrument, market);
  const parts =
    mode.kind === 'sweep'
      ? swept(previewed, inputs)
      : mode.kind === 'rest'
        ? rested(previewed, inputs, mode)
        : followed(previewed, inputs, { outline, ...mode });
  const { makerShare, optionValue = 0, timingDeviation = 0, spread, impact, stdev } = parts;
  const feeBps = (makerShare * instrument.makerFeePpm + (1 - makerShare) * instrument.takerFeePpm) / PPM_PER_BPS;
  const [spreadBps, impactBps] = [spread * BPS, impact * BPS];
  const totalBps = spreadBps + impactBps + feeBps;
  return {
    makerShare,
    optionValue,
    timingDeviation,
    cost: { spreadBps, impactBps, feeBps, totalBps, stdevBps: stdev * BPS },
  };
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

function followed(previewed: PreviewedOrder, inputs: CostInputs, { outline, risk }: Following): Parts {
  const { halfSpread, perRootMs, dailyVolatility: volatility, startMs } = inputs;
  const { slices } = outline;
  const { quantity, strategy } = previewed.order.legs[0];
  const { makerShare, fillMs, fills, timingMs } = restingForecast(viewOfStart(previewed), volumeOf(previewed), outline);
  // Copeland and Galai (1983): an option at the money over the time t is worth σ·√(t / 2π). A child follows the touch.
  const offeredMs = Math.min(fillMs ?? CLIP_MS, DWELL_MS_MAX);
  const optionValue = perRootMs * Math.sqrt(offeredMs / (2 * Math.PI));
  const adverse = ADVERSE_OF_OPTION * optionValue;
  const timingDeviation = perRootMs * Math.sqrt(timingMs);
  const following = strategy === 'POV' ? LOSS_OF_FOLLOWING * perRootMs * Math.sqrt(PARTICIPATION_STEP_MS) : 0;
  const taking = halfSpread + following - GAIN_OF_TIMING * timingDeviation;
  const taken = (1 - makerShare) * quantity;
  const spanMs = (slices.at(-1)?.atMs ?? startMs) - startMs;
  // The law is about days. The pace of some minutes is not the volume of a day.
  const dailyVolume = previewed.profile?.dailyVolume ?? Infinity;
  const exposureMs = exposureOf(previewed, inputs, fills);
  return {
    makerShare,
    optionValue,
    timingDeviation,
    spread: (1 - makerShare) * taking + makerShare * (adverse - halfSpread),
    impact: scheduleImpact({ taken, spanMs, dailyVolume, dailyVolatility: volatility }),
    stdev: perRootMs * Math.hypot(risk * Math.sqrt(exposureMs), Math.sqrt(REACTION_MS)),
  };
}

/** Exposure of an order whose quantity falls evenly to 0, as a part of its time: ∫ (1 − t)² dt. */
const EVEN_EXPOSURE = 1 / 3;

/** Exposure until the fills. A POV of unknown volume counts as evenly worked until its end: it may take so long. */
function exposureOf(previewed: PreviewedOrder, { startMs, horizonMs }: CostInputs, fills: Outline['slices']): number {
  const isUnknown = previewed.order.legs[0].strategy === 'POV' && volumeOf(previewed) === null;
  return isUnknown ? EVEN_EXPOSURE * horizonMs : scheduleExposureMs(fills, startMs);
}
