import { AMOUNT_PRECISION } from '../model/amount.js';
import { signOf, type Execution } from './execution.js';

/** What the rest of an order would have been done at when it ended. */
export interface RestTerms {
  /** In ticks. */
  readonly price: number;
  /** Fee rate for taking, in units of 10^-6 of the notional. */
  readonly takerFeePpm: number;
}

/**
 * All-in cost of the whole quantity against the arrival price, in basis points of it, positive is cost: what was filled
 * with its fees, and the rest as if it had been taken at the end. So an order that leaves the hard part undone is not
 * the cheaper for it.
 *
 *     10^4 · (s·Σ q(p − p0) + fees + (Q − F)·(s·(p_rest − p0) + rate·p_rest)) / (Q·p0)
 */
export function completedCostBps(execution: Execution, { price, takerFeePpm }: RestTerms): number {
  const { side, quantity, arrivalMid, fills, quantityPrecision, pricePrecision } = execution;
  const sign = signOf(side);
  const unit = 10 ** (AMOUNT_PRECISION - quantityPrecision - pricePrecision);
  let cost = 0;
  let filled = 0;
  for (const fill of fills) {
    cost += fill.quantity * sign * (fill.price - arrivalMid) + Number(fill.fee) / unit;
    filled += fill.quantity;
  }
  cost += (quantity - filled) * (sign * (price - arrivalMid) + (takerFeePpm / 1_000_000) * price);
  return (10_000 * cost) / (quantity * arrivalMid);
}
