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
