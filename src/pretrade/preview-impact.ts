import type { DepthSide } from '../domain/market.js';
import type { Side } from '../domain/order.js';
import { dailyVolatility } from '../strategy/schedule/is.js';
import { IMPACT_MEMORY_MS, IMPACT_OF_SWEEP, IMPACT_OF_VOLATILITY, SWEEPERS_SHARE } from './preview-fit.js';
import { type PreviewedOrder, viewOfStart } from './previewed-order.js';

interface TakenOverTime {
  /** Lots taken from the book. */
  readonly taken: number;
  /** Time from the first to the last taken lot. */
  readonly spanMs: number;
  /** Lots of an average day; more than 0. */
  readonly dailyVolume: number;
  /** Standard deviation of a day's return, as a fraction. */
  readonly dailyVolatility: number;
}

/**
 * Returns the mean impact of taking an order slice by slice, as a fraction of the price. It is Y·σ_D·√(q/V_D), the
 * square root law (Almgren, Thum, Hauptmann and Li, "Direct estimation of equity market impact", 2005; Tóth et al.,
 * "Anomalous price impact and the critical nature of liquidity", 2011). q is the part of the taken quantity that has
 * not decayed. The decay is exponential (Obizhaeva and Wang, "Optimal trading strategy and supply/demand dynamics",
 * 2013): at a constant rate, (Q/T)·m·(1 − e^(−t/m)) is left at t. This uses t in the middle of the order.
 */
export function scheduleImpact({ taken, spanMs, dailyVolume, dailyVolatility }: TakenOverTime): number {
  if (taken <= 0) return 0;
  const memory = IMPACT_MEMORY_MS;
  const remembered = spanMs <= 0 ? taken / 2 : (taken / spanMs) * memory * -Math.expm1(-spanMs / 2 / memory);
  return IMPACT_OF_VOLATILITY * dailyVolatility * Math.sqrt(remembered / dailyVolume);
}

/** A quantity taken from the book at once. */
interface Sweep {
  /** Side of the taker. */
  readonly side: Side;
  /** In lots, not necessarily whole; more than 0. */
  readonly quantity: number;
}

/** Mean cost of a sweep beyond the best price, as a fraction of the mid. */
export interface SweepImpact {
  /** In the published book; null without one. */
  readonly walked: number | null;
  /** By the square root law Y·σ_D·√(q/V_D), independent of the book; 0 while the volume is unknown. */
  readonly usual: number;
}

export function sweepImpact(previewed: PreviewedOrder, { side, quantity }: Sweep): SweepImpact {
  const { depth, profile, market } = previewed;
  const taken = depth === null ? null : side === 'BUY' ? depth.asks : depth.bids;
  const ticks = taken === null ? null : sweepCost(taken, quantity);
  const part = profile === null ? 0 : quantity / profile.dailyVolume;
  return {
    walked: ticks === null ? null : (2 * ticks) / (market.bid + market.ask),
    usual: IMPACT_OF_SWEEP * dailyVolatility(viewOfStart(previewed), 0) * Math.sqrt(part),
  };
}

/**
 * Returns the mean cost of sweeps by other traders on the order's side of the book, of a size that occurs every few
 * minutes; 0 while the volume is unknown.
 */
export function sweepersImpact(previewed: PreviewedOrder): number {
  const { order, profile } = previewed;
  if (profile === null) return 0;
  const side = order.legs[0].side === 'BUY' ? 'SELL' : 'BUY';
  const { walked, usual } = sweepImpact(previewed, { side, quantity: SWEEPERS_SHARE * profile.dailyVolume });
  return walked ?? usual;
}

/**
 * Returns the mean cost of sweeping a side of the book beyond its best price, in ticks; null for an empty side. Walks
 * the published levels. Beyond the last one it assumes the mean quantity per tick of the published levels.
 */
export function sweepCost({ count, prices, quantities }: DepthSide, wanted: number): number | null {
  const best = prices[0];
  if (count === 0 || best === undefined) return null;
  let left = wanted;
  let shown = 0;
  let paid = 0;
  for (let level = 0; level < count && left > 0; level += 1) {
    const taken = Math.min(left, quantities[level] as number);
    paid += taken * Math.abs((prices[level] as number) - best);
    shown += quantities[level] as number;
    left -= taken;
  }
  if (left <= 0) return paid / wanted;
  const reach = Math.abs((prices[count - 1] as number) - best);
  const perTick = shown / (reach + 1);
  return (paid + left * (reach + 1 + left / perTick / 2)) / wanted;
}
