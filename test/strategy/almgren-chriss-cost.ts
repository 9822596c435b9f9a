import { type ImpactModel, shareHeld } from '../../src/strategy/schedule/is.js';

/* Expected cost and its variance of an optimal execution (Almgren and Chriss 2000), which the strategy minimises. */

interface OptimalExecution {
  /** Units to trade. */
  readonly quantity: number;
  /** In days. */
  readonly horizon: number;
  /** Equal intervals, at least 1. */
  readonly count: number;
}

/** Units held after each interval: count + 1 numbers, from the quantity down to 0. */
export function holdingsOf(kappa: number, { quantity, horizon, count }: OptimalExecution): number[] {
  return Array.from({ length: count + 1 }, (_, index) =>
    index === 0 ? quantity : quantity * shareHeld(kappa, horizon * (1 - index / count), horizon),
  );
}

/** E[cost] in quote: γX²/2 + εX + (η̃/τ) Σ n², with η̃ = η − γτ/2. */
export function expectedCost(model: ImpactModel, execution: OptimalExecution, kappa: number): number {
  const { quantity, horizon, count } = execution;
  const holdings = holdingsOf(kappa, execution);
  const interval = horizon / count;
  let squares = 0;
  for (let index = 1; index < holdings.length; index += 1) {
    squares += ((holdings[index - 1] as number) - (holdings[index] as number)) ** 2;
  }
  const { gamma, epsilon, eta } = model;
  const netEta = eta - (gamma * interval) / 2;
  return (gamma * quantity ** 2) / 2 + epsilon * quantity + (netEta / interval) * squares;
}

/** V[cost] in quote²: σ²τ Σ x². */
export function costVariance({ sigma }: ImpactModel, execution: OptimalExecution, kappa: number): number {
  const held = holdingsOf(kappa, execution).slice(1);
  return (sigma ** 2 * execution.horizon * held.reduce((sum, units) => sum + units ** 2, 0)) / execution.count;
}
