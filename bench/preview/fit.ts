import { meanOf } from '../../src/analytics/paired-difference.js';
import { TRADING_STYLES, type StrategyName } from '../../src/model/order.js';
import type { ForetoldOrder } from './foretold-order.js';

/** Part of a normal distribution that lies within one standard deviation. */
const WITHIN = 0.683;
const SECONDS_PER_MINUTE = 60;
const BPS = 10_000;

const ON_SCHEDULE: ReadonlySet<StrategyName> = new Set(['TWAP', 'VWAP', 'IS']);

/** What the orders say of the numbers in `src/analytics/preview-fit.ts`, a line each. */
export function fitLines(orders: readonly ForetoldOrder[]): string[] {
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
    '\nfitted numbers of src/analytics/preview-fit.ts:',
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

function makerLine(name: string, orders: readonly ForetoldOrder[]): string {
  const shares = TRADING_STYLES.map((style) => {
    const known = orders.flatMap(({ drawn, makerShare }) => (drawn.style === style ? (makerShare ?? []) : []));
    return `${style} ${figure(meanOf(known))}`;
  });
  return `  ${name} ${shares.join(', ')}`;
}

/** What a passive fill lost beyond the half spread that it earned, in standard deviations of the price over a second. */
function adverseOf({ makerLossBps, halfSpreadBps, volatility }: ForetoldOrder): number | null {
  if (makerLossBps === null) return null;
  return (makerLossBps + halfSpreadBps) / ((volatility * BPS) / Math.sqrt(SECONDS_PER_MINUTE));
}

/** What fills at prices of their own earned beyond the half spread, as a part of what sweeps of others pay. */
function overshootOf(orders: readonly ForetoldOrder[]): number {
  let [earned, paid] = [0, 0];
  for (const { makerLossBps, halfSpreadBps, sweeps } of orders) {
    if (makerLossBps === null) continue;
    earned -= makerLossBps + halfSpreadBps;
    paid += BPS * sweeps.ofOthers;
  }
  return earned / paid;
}

/** Least squares of what was paid beyond the touch, each order weighted by what it was expected to pay there. */
function sweepWeights(orders: readonly ForetoldOrder[]): readonly [ofWalk: number, ofLaw: number] {
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

function clipMsOf({ workedMs, preview }: ForetoldOrder): number {
  return workedMs / preview.children.count;
}

/** By how much standard deviations would have to be wider for as many orders to be within one as should be. */
function widening(orders: readonly ForetoldOrder[]): number {
  const misses = orders.map(
    ({ realisedBps, preview: { cost } }) => Math.abs(realisedBps - cost.totalBps) / cost.stdevBps,
  );
  return misses.toSorted((one, other) => one - other)[Math.floor(WITHIN * misses.length)] ?? Number.NaN;
}

function beyondTouch({ realisedBps, preview: { cost } }: ForetoldOrder): number {
  return realisedBps - cost.feeBps - cost.spreadBps;
}

function known(values: readonly (number | null)[]): number[] {
  return values.filter((value) => value !== null);
}

function figure(value: number): string {
  return value.toFixed(3);
}
