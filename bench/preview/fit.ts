import { meanOf } from '../paired-difference.js';
import { PARTICIPATION_STEP_MS } from '../../src/domain/limits/trading.js';
import type { Market } from '../../src/domain/market.js';
import type { StrategyName, TradingStyle } from '../../src/domain/order.js';
import type { PreviewedAndWorked } from './previewed-order.js';

/** Part of a normal distribution within one standard deviation. */
const WITHIN = 0.683;
const BPS = 10_000;
const MINUTE_MS = 60_000;

const ON_SCHEDULE: ReadonlySet<StrategyName> = new Set(['TWAP', 'VWAP', 'IS']);

/** Fits the parameters in `src/pretrade/preview-fit.ts` to the orders. Returns a line for each. */
export function fitLines(orders: readonly PreviewedAndWorked[]): string[] {
  const scheduled = orders.filter((one) => ON_SCHEDULE.has(strategyOf(one)));
  const ofVolume = orders.filter((one) => strategyOf(one) === 'POV');
  const clips = orders.filter((one) => strategyOf(one) === 'ICEBERG' && one.distance === null);
  const resting = orders.filter((one) => one.distance !== null && strategyOf(one) !== 'SCALE');
  const ladders = orders.filter((one) => strategyOf(one) === 'SCALE');
  const clipsAtLimit = resting.filter((one) => strategyOf(one) === 'ICEBERG');
  const atPrice = [...resting, ...ladders];
  const sweeps = orders.filter((one) => strategyOf(one) === 'MARKET');
  const [ofWalk, ofLaw] = sweepWeights(sweeps);
  return [
    '\nfitted parameters of src/pretrade/preview-fit.ts:',
    `  QUEUE_SCALE × ${figure(queueFactor([...scheduled, ...ofVolume]))}`,
    `  MAKER_PART_OF_CLIPS_AT_LIMIT ${figure(meanOf(known(clipsAtLimit.map(({ makerShare }) => makerShare))))}`,
    `  ADVERSE_OF_OPTION ${figure(adverseOfOption([...scheduled, ...ofVolume, ...clips]))}, GAIN_OF_TIMING ${figure(gainOfTiming(scheduled))}, LOSS_OF_FOLLOWING ${figure(lossOfFollowing(ofVolume))}, OVERSHOOT_OF_SWEEP ${figure(overshootOf(atPrice))}`,
    `  CLIP_MS ${Math.round(meanOf(clips.filter((one) => styleOf(one) !== 'AGGRESSIVE').map(clipMsOf)))}`,
    `  RISK_OF_SCHEDULE × ${figure(widening([...scheduled, ...clips]))}, RISK_WITH_VOLUME × ${figure(widening(ofVolume))}`,
    `  RISK_OF_RESTING × ${figure(widening(resting))}, RISK_OF_LADDER × ${figure(widening(ladders))}, RISK_OF_SWEEP × ${figure(widening(sweeps))}`,
    `  SWEEP_OF_WALK ${figure(ofWalk)}, SWEEP_OF_LAW ${figure(ofLaw)}`,
  ];
}

/**
 * Factor on the time of a fill at which the expected maker shares of orders that may rest are right on average. While
 * few quantities are left over, that time is in proportion to the taken share.
 */
function queueFactor(orders: readonly PreviewedAndWorked[]): number {
  let [realised, expected] = [0, 0];
  for (const order of orders) {
    const { makerShare, preview } = order;
    if (makerShare === null || styleOf(order) !== 'PASSIVE') continue;
    realised += 1 - makerShare;
    expected += 1 - preview.makerShare;
  }
  return realised / expected;
}

/**
 * Loss of passive fills beyond the earned half spread, relative to the value of the option that a resting child gives.
 */
function adverseOfOption(orders: readonly PreviewedAndWorked[]): number {
  let [lost, given] = [0, 0];
  for (const { makerLossBps, makerShare, previewed, preview } of orders) {
    if (makerLossBps === null || makerShare === null) continue;
    lost += makerShare * (makerLossBps + halfSpreadBps(previewed.market));
    given += makerShare * BPS * preview.optionValue;
  }
  return lost / given;
}

/**
 * Gain of slices that wait for a favourable moment, against those taken at once, relative to the price's move
 * meanwhile.
 */
function gainOfTiming(orders: readonly PreviewedAndWorked[]): number {
  let [gained, moved] = [0, 0];
  for (const { takerLossBps, makerShare, previewed, preview } of orders) {
    if (takerLossBps === null || makerShare === null || preview.timingDeviation === 0) continue;
    gained += (1 - makerShare) * (halfSpreadBps(previewed.market) - takerLossBps);
    moved += (1 - makerShare) * BPS * preview.timingDeviation;
  }
  return gained / moved;
}

/** Loss of an AGGRESSIVE POV beyond the spread and the impact, relative to the price's move in one of its steps. */
function lossOfFollowing(orders: readonly PreviewedAndWorked[]): number {
  let [lost, moved] = [0, 0];
  for (const { takerLossBps, previewed, preview } of orders) {
    const { market, order } = previewed;
    if (takerLossBps === null || order.legs[0].style !== 'AGGRESSIVE') continue;
    lost += takerLossBps - halfSpreadBps(market) - preview.cost.impactBps;
    moved += BPS * market.volatility * Math.sqrt(PARTICIPATION_STEP_MS / MINUTE_MS);
  }
  return lost / moved;
}

/** Gain of fills at the order's own prices beyond the half spread, as a part of the cost of others' sweeps. */
function overshootOf(orders: readonly PreviewedAndWorked[]): number {
  let [earned, paid] = [0, 0];
  for (const { makerLossBps, previewed, sweeps } of orders) {
    if (makerLossBps === null) continue;
    earned -= makerLossBps + halfSpreadBps(previewed.market);
    paid += BPS * sweeps.ofOthers;
  }
  return earned / paid;
}

/** Least squares of the cost beyond the touch, weighted by the inverse expected variance. */
function sweepWeights(orders: readonly PreviewedAndWorked[]): readonly [ofWalk: number, ofLaw: number] {
  let [walkWalk, walkLaw, lawLaw, walkPaid, lawPaid] = [0, 0, 0, 0, 0];
  for (const order of orders) {
    const { walked, usual } = order.sweeps.ofOrder;
    if (walked === null) continue;
    const weight = 1 / (order.preview.cost.stdevBps / BPS) ** 2;
    const paid = beyondTouch(order) / BPS;
    walkWalk += weight * walked * walked;
    walkLaw += weight * walked * usual;
    lawLaw += weight * usual * usual;
    walkPaid += weight * walked * paid;
    lawPaid += weight * usual * paid;
  }
  const determinant = walkWalk * lawLaw - walkLaw ** 2;
  return [
    (walkPaid * lawLaw - lawPaid * walkLaw) / determinant,
    (lawPaid * walkWalk - walkPaid * walkLaw) / determinant,
  ];
}

function clipMsOf({ workedMs, preview }: PreviewedAndWorked): number {
  return workedMs / preview.children.count;
}

/** Factor by which standard deviations must widen so that the expected share of orders is within one. */
function widening(orders: readonly PreviewedAndWorked[]): number {
  const misses = orders.map(
    ({ realisedBps, preview: { cost } }) => Math.abs(realisedBps - cost.totalBps) / cost.stdevBps,
  );
  return misses.toSorted((one, other) => one - other)[Math.floor(WITHIN * misses.length)] ?? Number.NaN;
}

function beyondTouch({ realisedBps, preview: { cost } }: PreviewedAndWorked): number {
  return realisedBps - cost.feeBps - cost.spreadBps;
}

function strategyOf({ previewed }: PreviewedAndWorked): StrategyName {
  return previewed.order.legs[0].strategy;
}

function styleOf({ previewed }: PreviewedAndWorked): TradingStyle {
  return previewed.order.legs[0].style;
}

function halfSpreadBps({ bid, ask }: Market): number {
  return (BPS * (ask - bid)) / (ask + bid);
}

function known(values: readonly (number | null)[]): number[] {
  return values.filter((value) => value !== null);
}

function figure(value: number): string {
  return value.toFixed(3);
}
