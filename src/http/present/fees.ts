import { formatAmount, type Amount } from '../../model/amount.js';
import type { FeeTotal } from '../../model/order.js';
import { quote } from './json-text.js';

/** Fees by currency as a JSON object. */
export function feesText(fees: readonly FeeTotal[]): string {
  return `{${fees.map(({ currency, amount }) => `${quote(currency)}:${formatAmount(amount)}`).join(',')}}`;
}

/** Those of both legs of a pair. */
export function feesTogether(one: readonly FeeTotal[], other: readonly FeeTotal[]): readonly FeeTotal[] {
  const sums = new Map(one.map(({ currency, amount }) => [currency, amount]));
  for (const { currency, amount } of other) sums.set(currency, ((sums.get(currency) ?? 0n) + amount) as Amount);
  return [...sums].map(([currency, amount]) => ({ currency, amount }));
}
