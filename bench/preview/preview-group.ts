import type { StrategyName } from '../../src/domain/order.js';
import { clusteredMean, meanOf } from '../paired-difference.js';
import type { PreviewedAndWorked } from './previewed-order.js';

/** A mean within this many standard errors of 0 counts as unbiased. */
const UNBIASED_ERRORS = 2;
/** Bounds of the share of orders within one expected standard deviation; 68 % for a normal distribution. */
const WITHIN_LEAST = 0.6;
const WITHIN_MOST = 0.76;

/** Strategies whose cost does not depend on the style. */
const WITHOUT_STYLE: ReadonlySet<StrategyName> = new Set(['MARKET', 'LIMIT', 'SCALE']);

interface ClusteredMean {
  readonly mean: number;
  readonly error: number;
}

/** The orders of a strategy and a style. */
export interface PreviewGroup {
  readonly name: string;
  readonly count: number;
  readonly clusters: number;
  /** Realised − expected cost, in bps. */
  readonly bias: ClusteredMean;
  /** Largest bias that counts as none, in bps. */
  readonly tolerance: number;
  /** Share of orders within one expected standard deviation. */
  readonly within: ClusteredMean;
  readonly isUnbiased: boolean;
  readonly isCovered: boolean;
  /** Mean over the orders with fills; null without any. */
  readonly makerShare: number | null;
  readonly expectedMakerShare: number;
}

/** Compares the orders by strategy and style, in the order in which they first occur. */
export function groupsOf(orders: readonly PreviewedAndWorked[]): PreviewGroup[] {
  const groups = new Map<string, PreviewedAndWorked[]>();
  for (const order of orders) {
    const name = nameOf(order);
    groups.set(name, [...(groups.get(name) ?? []), order]);
  }
  return [...groups].map(([name, members]) => groupOf(name, members));
}

function groupOf(name: string, orders: readonly PreviewedAndWorked[]): PreviewGroup {
  const bias = clusteredMean(orders.map((order) => ({ value: missOf(order), cluster: order.cluster })));
  const within = clusteredMean(
    orders.map((order) => {
      const isWithin = Math.abs(missOf(order)) <= order.preview.cost.stdevBps;
      return { value: isWithin ? 1 : 0, cluster: order.cluster };
    }),
  );
  const tolerance = UNBIASED_ERRORS * bias.error;
  const shares = orders.flatMap(({ makerShare }) => makerShare ?? []);
  return {
    name,
    count: orders.length,
    clusters: bias.clusters,
    bias,
    tolerance,
    within,
    isUnbiased: Math.abs(bias.mean) <= tolerance,
    isCovered: within.mean >= WITHIN_LEAST && within.mean <= WITHIN_MOST,
    makerShare: shares.length === 0 ? null : meanOf(shares),
    expectedMakerShare: meanOf(orders.map(({ preview }) => preview.makerShare)),
  };
}

function missOf({ realisedBps, preview }: PreviewedAndWorked): number {
  return realisedBps - preview.cost.totalBps;
}

function nameOf({ previewed, distance }: PreviewedAndWorked): string {
  const { strategy, style } = previewed.order.legs[0];
  // At a limit price of its own, an ICEBERG rests in every style.
  if (strategy === 'ICEBERG' && distance !== null) return 'ICEBERG at a limit';
  return WITHOUT_STYLE.has(strategy) ? strategy : `${strategy} ${style}`;
}
