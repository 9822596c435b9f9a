import { meanOf } from '../paired-difference.js';
import { type StrategyName, TRADING_STYLES } from '../../src/domain/order.js';
import type { PreviewedAndWorked } from './previewed-order.js';

/** Part of a normal distribution within one standard deviation. */
const WITHIN = 0.683;
const SECONDS_PER_MINUTE = 60;
const BPS = 10_000;

const ON_SCHEDULE: ReadonlySet<StrategyName> = new Set(['TWAP', 'VWAP', 'IS']);

/** Fits the parameters in `src/pretrade/preview-fit.ts` to the orders. Returns a line for each. */
export function fitLines(orders: readonly PreviewedAndWorked[]): string[] {
  const scheduled = orders.filter(({ drawn }) => ON_SCHEDULE.has(drawn.strategy));
  const ofVolume = orders.filter(({ drawn }) => drawn.strategy === 'POV');
  const clips = orders.filter(({ drawn }) => drawn.strategy === 'ICEBERG' && drawn.distance === null);
  const resting = orders.filter(({ drawn }) => drawn.distance !== null && drawn.strategy !== 'SCALE');
  const ladders = orders.filter(({ drawn }) => drawn.strategy === 'SCALE');
  const clipsAtLimit = resting.filter(({ drawn }) => drawn.strategy === 'ICEBERG');
  const atPrice = [...resting, ...ladders];
  const sweeps = orders.filter(({ drawn }) => drawn.strategy === 'MARKET');
  const [ofWalk, ofLaw] = sweepWeights(sweeps);
  return [
    '\nfitted parameters of src/pretrade/preview-fit.ts:',
    makerLine('MAKER_SHARE_ON_SCHEDULE', scheduled),
    makerLine('MAKER_SHARE_WITH_VOLUME', ofVolume),
    makerLine('MAKER_SHARE_OF_CLIPS', clips),
    `  MAKER_PART_OF_CLIPS_AT_LIMIT ${figure(meanOf(known(clipsAtLimit.map(({ makerShare }) => makerShare))))}`,
    `  ADVERSE_SECONDS_SD ${figure(meanOf(known([...scheduled, ...ofVolume, ...clips].map(adverseOf))))}, OVERSHOOT_OF_SWEEP ${figure(overshootOf(atPrice))}`,
    `  CLIP_MS ${Math.round(meanOf(clips.filter(({ drawn }) => drawn.style !== 'AGGRESSIVE').map(clipMsOf)))}`,
    `  RISK_OF_SCHEDULE × ${figure(widening([...scheduled, ...clips]))}, RISK_WITH_VOLUME × ${figure(widening(ofVolume))}`,
    `  RISK_OF_RESTING × ${figure(widening(resting))}, RISK_OF_LADDER × ${figure(widening(ladders))}, RISK_OF_SWEEP × ${figure(widening(sweeps))}`,
    `  SWEEP_OF_WALK ${figure(ofWalk)}, SWEEP_OF_LAW ${figure(ofLaw)}`,
  ];
}

function makerLine(name: string, orders: readonly PreviewedAndWorked[]): string {
  const shares = TRADING_STYLES.map((style) => {
    const known = orders.flatMap(({ drawn, makerShare }) => (drawn.style === style ? (makerShare ?? []) : []));
    return `${style} ${figure(meanOf(known))}`;
  });
  return `  ${name} ${shares.join(', ')}`;
}

/** Loss of a passive fill beyond the earned half spread, in standard deviations of the price over a second. */
function adverseOf({ makerLossBps, halfSpreadBps, volatility }: PreviewedAndWorked): number | null {
  if (makerLossBps === null) return null;
  return (makerLossBps + halfSpreadBps) / ((volatility * BPS) / Math.sqrt(SECONDS_PER_MINUTE));
}

/** Gain of fills at the order's own prices beyond the half spread, as a part of the cost of others' sweeps. */
function overshootOf(orders: readonly PreviewedAndWorked[]): number {
  let [earned, paid] = [0, 0];
  for (const { makerLossBps, halfSpreadBps, sweeps } of orders) {
    if (makerLossBps === null) continue;
    earned -= makerLossBps + halfSpreadBps;
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

function known(values: readonly (number | null)[]): number[] {
  return values.filter((value) => value !== null);
}

function figure(value: number): string {
  return value.toFixed(3);
}
