import type { Outline } from '../strategy/outline.js';
import { dailyVolatility } from '../strategy/is.js';
import { signOf } from './execution.js';
import { restingVariance, scheduleExposureMs, touchProbability } from './preview-exposure.js';
import {
  ADVERSE_SECONDS_SD,
  OVERSHOOT_OF_SWEEP,
  REACTION_MS,
  RISK_OF_LADDER,
  RISK_OF_RESTING,
  RISK_OF_SWEEP,
  SWEEP_OF_LAW,
  SWEEP_OF_WALK,
} from './preview-fit.js';
import { scheduleImpact } from './preview-impact.js';
import { mannerOf, type Manner } from './preview-manner.js';
import { sweepersImpact, sweepImpact } from './preview-sweep.js';
import { viewOfStart, type PreviewedOrder } from './preview-view.js';

const DAY_MS = 24 * 3600 * 1000;
const SECOND_MS = 1000;
const BPS = 10_000;
const PPM = 1_000_000;
const PPM_PER_BPS = 100;

/**
 * What an order is expected to cost against the mid at its arrival, in bps of it, positive is cost: all of its quantity,
 * what is not filled by its end counted as taken then. Where the price goes meanwhile is expected to come to nothing,
 * whatever the order does about it (optional stopping of a price without drift); what is left is what its fills pay.
 */
export interface ExpectedCost {
  /** Half the spread: paid for what is taken, earned for what rests, less what passive fills lose to whoever fills them. */
  readonly spreadBps: number;
  /** What its own taking moves the price. */
  readonly impactBps: number;
  /** By the instrument's maker and taker rates. */
  readonly feeBps: number;
  readonly totalBps: number;
  /**
   * One standard deviation of the total: what the price may do meanwhile, and whether what rests is filled. Costs have fat
   * tails, for nobody knows how lively the time will be: it is stated so that as many orders lie within it as of a normal
   * distribution, 68 of 100, and what lies far out lies further out.
   */
  readonly stdevBps: number;
}

/** What the figures are made of. */
interface Ground {
  /** Half the spread, as a fraction of the mid. */
  readonly halfSpread: number;
  /** In ticks. */
  readonly mid: number;
  /** Standard deviation of the return over one ms, as a fraction. */
  readonly perRootMs: number;
  readonly dailyVolatility: number;
  readonly startMs: number;
  /** How long it may be worked at most. */
  readonly horizonMs: number;
}

type Resting = Extract<Manner, { readonly kind: 'rest' }>;
type Following = Extract<Manner, { readonly kind: 'follow' }> & { readonly outline: Outline };

/** The parts of the cost, as fractions of the arrival price. */
interface Parts {
  readonly makerShare: number;
  readonly spread: number;
  readonly impact: number;
  readonly stdev: number;
}

export function expectedCost(previewed: PreviewedOrder, outline: Outline): ExpectedCost {
  const { order, instrument, market } = previewed;
  const ground = groundOf(previewed, outline);
  const manner = mannerOf(order, instrument, market);
  const parts =
    manner.kind === 'sweep'
      ? swept(previewed, ground)
      : manner.kind === 'rest'
        ? rested(previewed, ground, manner)
        : followed(previewed, ground, { outline, ...manner });
  const { makerShare, spread, impact, stdev } = parts;
  const feeBps = (makerShare * instrument.makerFeePpm + (1 - makerShare) * instrument.takerFeePpm) / PPM_PER_BPS;
  const [spreadBps, impactBps] = [spread * BPS, impact * BPS];
  return { spreadBps, impactBps, feeBps, totalBps: spreadBps + impactBps + feeBps, stdevBps: stdev * BPS };
}

function groundOf(previewed: PreviewedOrder, { endMs }: Outline): Ground {
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
    // What has no end is looked at over a day.
    horizonMs: Math.max(1, endMs === null ? DAY_MS : endMs - view.nowMs),
  };
}

/** The whole of it pays the spread and what the book asks beyond its best price. */
function swept(previewed: PreviewedOrder, ground: Ground): Parts {
  const { order } = previewed;
  const { halfSpread, perRootMs } = ground;
  const { walked, usual } = sweepImpact(previewed, order);
  const impact = walked === null ? usual : SWEEP_OF_WALK * walked + SWEEP_OF_LAW * usual;
  const stdev = Math.hypot(RISK_OF_SWEEP * (halfSpread + impact), perRootMs * Math.sqrt(REACTION_MS));
  return { makerShare: 0, spread: halfSpread, impact, stdev };
}

/**
 * What the market comes to is filled there; the rest is taken in the end, and that it may come to this is a risk too. Those
 * who sweep the book come to a price before the price does, the further the thinner the book is: that is earned.
 */
function rested(previewed: PreviewedOrder, ground: Ground, { rests, makerPart }: Resting): Parts {
  const { order, instrument } = previewed;
  const { halfSpread, mid, perRootMs, horizonMs } = ground;
  const spanDeviation = perRootMs * Math.sqrt(horizonMs);
  const stands = rests.map(({ price, share }) => {
    return { share, deviations: (signOf(order.side) * (mid - price)) / mid / spanDeviation };
  });
  const reached = stands.reduce((sum, { share, deviations }) => sum + share * touchProbability(deviations), 0);
  const spread =
    (1 - makerPart) * halfSpread - makerPart * (halfSpread + OVERSHOOT_OF_SWEEP * sweepersImpact(previewed));
  const saved = (makerPart * (instrument.takerFeePpm - instrument.makerFeePpm)) / PPM - spread;
  const variance = restingVariance(stands, saved / spanDeviation);
  const risk = rests.length > 1 ? RISK_OF_LADDER : RISK_OF_RESTING;
  return {
    makerShare: reached * makerPart,
    spread: reached * spread,
    impact: 0,
    stdev: Math.hypot(risk * spanDeviation * Math.sqrt(variance), perRootMs * Math.sqrt(REACTION_MS)),
  };
}

function followed({ order, profile }: PreviewedOrder, ground: Ground, { outline, makerShare, risk }: Following): Parts {
  const { halfSpread, perRootMs, dailyVolatility: volatility, startMs } = ground;
  const { slices } = outline;
  const taken = (1 - makerShare) * order.quantity;
  const spanMs = (slices.at(-1)?.atMs ?? startMs) - startMs;
  const dailyVolume = profile?.dailyVolume ?? Infinity;
  const exposureMs = scheduleExposureMs(slices, startMs);
  return {
    makerShare,
    spread: (1 - makerShare) * halfSpread + makerShare * (adverse(ground) - halfSpread),
    impact: scheduleImpact({ taken, spanMs, dailyVolume, dailyVolatility: volatility }),
    stdev: perRootMs * Math.hypot(risk * Math.sqrt(exposureMs), Math.sqrt(REACTION_MS)),
  };
}

/** What a passive fill loses on average because it is filled when the price comes its way, as a fraction. */
function adverse({ perRootMs }: Ground): number {
  return ADVERSE_SECONDS_SD * perRootMs * Math.sqrt(SECOND_MS);
}
