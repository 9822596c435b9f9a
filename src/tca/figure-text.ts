import type { FeeTotal } from '../model/order.js';
import { formatAmount, type Amount } from '../model/amount.js';
import { averagePrice, formatSteps, type Grid } from '../model/quantity.js';
import type { Turnover } from '../analytics/traded-volume.js';
import { quote } from '../http/present/json-text.js';

/*
 * Figures of a report as JSON: money and prices go from exact integers to number literals, ratios are numbers. What is
 * not known is null, so that a reader sees that there is such a figure.
 */

/** A JSON object of members whose values are JSON already. */
export function objectText(members: Readonly<Record<string, string>>): string {
  return `{${Object.entries(members)
    .map(([name, text]) => `${quote(name)}:${text}`)
    .join(',')}}`;
}

export function ratioText(value: number | null): string {
  return value === null ? 'null' : String(value);
}

export function flagText(value: boolean | null): string {
  return String(value);
}

export function amountText(amount: Amount | null): string {
  return amount === null ? 'null' : formatAmount(amount);
}

/** A mid, of which there are twice so many ticks. */
export function midText(twiceMid: number | null, { pricePrecision }: Grid): string {
  return twiceMid === null ? 'null' : formatSteps(BigInt(twiceMid) * 5n, pricePrecision + 1);
}

export function averageText({ volume, notional }: Turnover, grid: Grid): string {
  return volume === 0 ? 'null' : averagePrice(notional, volume, grid);
}

/** A price in ticks that is no decimal: a mean over time. */
export function priceText(ticks: number | null, { pricePrecision }: Grid): string {
  return ticks === null ? 'null' : String(ticks / 10 ** pricePrecision);
}

export function feesText(fees: readonly FeeTotal[]): string {
  return objectText(Object.fromEntries(fees.map(({ currency, amount }) => [currency, formatAmount(amount)])));
}
