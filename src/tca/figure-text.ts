import type { FeeTotal } from '../domain/order-state.js';
import { type Amount, averagePrice, formatAmount, type Grid, formatHalfTicks, meanPrice } from '../domain/quantity.js';
import type { Turnover } from './traded-volume.js';

/*
 * Formats a report's figures as JSON. Money and prices are number literals made from exact integers; ratios are
 * numbers. An unknown figure is null, so that a reader sees that the figure exists.
 */

/** Returns a JSON string. */
export function quote(text: string): string {
  return JSON.stringify(text);
}

export function arrayText(items: readonly string[]): string {
  return `[${items.join(',')}]`;
}

/** Returns a JSON object. The values of `members` are JSON already. */
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

/** Formats a mid given as twice its ticks. */
export function midText(twiceMid: number | null, grid: Grid): string {
  return twiceMid === null ? 'null' : formatHalfTicks(twiceMid, grid);
}

export function averageText({ volume, notional }: Turnover, grid: Grid): string {
  return volume === 0 ? 'null' : averagePrice(notional, volume, grid);
}

/** Formats a price in fractional ticks, such as a time-weighted mean. */
export function priceText(ticks: number | null, grid: Grid): string {
  return ticks === null ? 'null' : meanPrice(ticks, grid);
}

export function feesText(fees: readonly FeeTotal[]): string {
  return objectText(Object.fromEntries(fees.map(({ currency, amount }) => [currency, formatAmount(amount)])));
}
