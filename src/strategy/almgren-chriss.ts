/*
 * Optimal execution after R. Almgren and N. Chriss, "Optimal execution of portfolio transactions" (2000): the exact
 * discrete solution, written so that nothing overflows however long or urgent the order.
 */

/** Money is in quote currency, quantity in base units, time in days. */
export interface ImpactModel {
  /** Standard deviation of the price over a day, in quote a unit. */
  readonly sigma: number;
  /** Half the spread and the fee: paid for every unit. */
  readonly epsilon: number;
  /** Temporary impact: quote a unit, for one unit a day. */
  readonly eta: number;
  /** Permanent impact: quote a unit, for each unit traded. */
  readonly gamma: number;
}

export interface Liquidation {
  /** Units to trade. */
  readonly quantity: number;
  /** Days. */
  readonly horizon: number;
  /** Equal intervals, at least 1. */
  readonly count: number;
}

/** Below this urgency × horizon the trajectory is a straight line to the last digit. */
const STRAIGHT = 1e-6;

/** η̃ = η − γτ/2, above 0 where the model means anything. */
function netEta({ eta, gamma }: ImpactModel, interval: number): number {
  return eta - (gamma * interval) / 2;
}

/** κ per day: 2 (cosh κτ − 1) / τ² = λσ²/η̃, solved as (2/τ) asinh(κ̃τ/2), which cancels nothing when it is small. */
export function urgencyOf(lambda: number, model: ImpactModel, interval: number): number {
  const net = Math.sqrt((lambda * model.sigma ** 2) / netEta(model, interval));
  return (2 / interval) * Math.asinh((net * interval) / 2);
}

/** Share of the quantity still held when `left` of the horizon is left: sinh κ(T − t) / sinh κT. */
export function shareHeld(kappa: number, left: number, horizon: number): number {
  if (left <= 0) return 0;
  if (kappa * horizon < STRAIGHT) return left / horizon;
  const rest = kappa * left;
  const whole = kappa * horizon;
  return (Math.exp(rest - whole) * -Math.expm1(-2 * rest)) / -Math.expm1(-2 * whole);
}

/** Units held after each interval: count + 1 numbers from the quantity down to 0. */
export function holdingsOf(kappa: number, { quantity, horizon, count }: Liquidation): number[] {
  return Array.from({ length: count + 1 }, (_, index) =>
    index === 0 ? quantity : quantity * shareHeld(kappa, horizon * (1 - index / count), horizon),
  );
}

/** E[cost] in quote: γX²/2 + εX + (η̃/τ) Σ n². */
export function expectedCost(model: ImpactModel, { quantity, horizon, count }: Liquidation, kappa: number): number {
  const holdings = holdingsOf(kappa, { quantity, horizon, count });
  const interval = horizon / count;
  let squares = 0;
  for (let index = 1; index < holdings.length; index += 1) {
    squares += ((holdings[index - 1] as number) - (holdings[index] as number)) ** 2;
  }
  const { gamma, epsilon } = model;
  return (gamma * quantity ** 2) / 2 + epsilon * quantity + (netEta(model, interval) / interval) * squares;
}

/** V[cost] in quote²: σ²τ Σ x². */
export function costVariance({ sigma }: ImpactModel, liquidation: Liquidation, kappa: number): number {
  const held = holdingsOf(kappa, liquidation).slice(1);
  return (sigma ** 2 * liquidation.horizon * held.reduce((sum, units) => sum + units ** 2, 0)) / liquidation.count;
}
