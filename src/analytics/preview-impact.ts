import type { DepthSide } from '../model/depth.js';
import { IMPACT_MEMORY_MS, IMPACT_OF_VOLATILITY } from './preview-fit.js';

export interface TakenOverTime {
  /** Lots taken from the book. */
  readonly taken: number;
  /** From the first to the last of them. */
  readonly spanMs: number;
  /** Lots of an average day; more than 0. */
  readonly dailyVolume: number;
  /** Standard deviation of a day's return, as a fraction. */
  readonly dailyVolatility: number;
}

/**
 * What taking an order slice by slice moves the price against itself, on average over the slices, as a fraction:
 * Y·σ_D·√(q/V_D), the square root law (Almgren, Thum, Hauptmann and Li, "Direct estimation of equity market impact", 2005;
 * Tóth et al., "Anomalous price impact and the critical nature of liquidity", 2011), of what is not forgotten yet. The
 * trace of the order decays exponentially (Obizhaeva and Wang, "Optimal trading strategy and supply/demand dynamics",
 * 2013): at a constant rate, (Q/T)·m·(1 − e^(−t/m)) of it is left at t, here at the middle of the order.
 */
export function scheduleImpact({ taken, spanMs, dailyVolume, dailyVolatility }: TakenOverTime): number {
  if (taken <= 0) return 0;
  const memory = IMPACT_MEMORY_MS;
  const remembered = spanMs <= 0 ? taken / 2 : (taken / spanMs) * memory * -Math.expm1(-spanMs / 2 / memory);
  return IMPACT_OF_VOLATILITY * dailyVolatility * Math.sqrt(remembered / dailyVolume);
}

/**
 * What sweeping a side of the book pays on average beyond its best price, in ticks: level by level as far as levels are
 * shown, and beyond the last as if it went on as thick as it is shown. null: nothing is shown.
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
