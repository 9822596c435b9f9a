import type { Brand } from './ids.js';
import { Big } from 'big.js';

/** Quantity as an integer count of the instrument's lots. */
export type Lots = Brand<number, 'Lots'>;
/** Price as an integer count of the instrument's ticks. */
export type Ticks = Brand<number, 'Ticks'>;
/** Sum of lots × ticks over fills: exact, in units of one lot at one tick. */
export type Notional = Brand<bigint, 'Notional'>;

/**
 * lot = quantityStep × 10^-quantityPrecision base units, tick = priceStep × 10^-pricePrecision quote units. Precisions
 * are 0..12, steps are safe integers from 1. A lot of 25 units has precision 0 and step 25.
 */
export interface Grid {
  readonly quantityPrecision: number;
  readonly pricePrecision: number;
  readonly quantityStep: number;
  readonly priceStep: number;
}

/** A decimal as the contract writes it: digits with at most one point; no sign, exponent or blank. */
export const DECIMAL = /^(?:\d+\.?\d*|\.\d+)$/;
/** Longer texts are refused before they are parsed: big.js slows down with the number of digits. */
export const DECIMAL_CHARACTERS_MAX = 40;

export type StepFailure = 'not a decimal' | 'off the grid' | 'too large';

/**
 * Parses a decimal text as an exact integer count of steps of 10^-precision. Returns the reason when the text is no
 * decimal, is between two steps, or exceeds 2^53 - 1 steps.
 */
export function parseSteps(text: string, precision: number): number | StepFailure {
  if (text.length === 0 || text.length > DECIMAL_CHARACTERS_MAX || !DECIMAL.test(text)) return 'not a decimal';
  const point = text.indexOf('.');
  const whole = point === -1 ? text : text.slice(0, point);
  const fraction = point === -1 ? '' : text.slice(point + 1).replace(/0+$/, '');
  if (fraction.length > precision) return 'off the grid';
  const steps = Number(whole + fraction.padEnd(precision, '0'));
  return Number.isSafeInteger(steps) ? steps : 'too large';
}

const ZERO = '0'.charCodeAt(0);

/** The canonical decimal text of a count of steps: no exponent, no trailing zeros. Counts may be negative. */
export function formatSteps(steps: number | bigint, precision: number): string {
  const isNegative = steps < 0;
  const digits = (isNegative ? -steps : steps).toString().padStart(precision + 1, '0');
  const point = digits.length - precision;
  let end = digits.length;
  // Runs several times in every frame and answer: a regular expression would take twice as long.
  while (end > point && digits.charCodeAt(end - 1) === ZERO) end -= 1;
  const text = end === point ? digits.slice(0, point) : `${digits.slice(0, point)}.${digits.slice(point, end)}`;
  return isNegative ? `-${text}` : text;
}

/** `count` steps in units of the precision. Steps of 1 are the usual case and cost nothing. */
function inUnits(count: number | bigint, step: number): number | bigint {
  return step === 1 ? count : BigInt(count) * BigInt(step);
}

/** Turns units of the precision into steps. */
export function stepsOfUnits(units: number | StepFailure, step: number): number | StepFailure {
  if (step === 1 || typeof units !== 'number') return units;
  return units % step === 0 ? units / step : 'off the grid';
}

export function formatLots(lots: Lots, grid: Grid): string {
  return formatSteps(inUnits(lots, grid.quantityStep), grid.quantityPrecision);
}

export function formatTicks(ticks: Ticks, grid: Grid): string {
  return formatSteps(inUnits(ticks, grid.priceStep), grid.pricePrecision);
}

/** Half of `twicePrice` ticks: a mid price may lie between two ticks. */
export function formatHalfTicks(twicePrice: number, grid: Grid): string {
  return formatSteps(BigInt(twicePrice) * 5n * BigInt(grid.priceStep), grid.pricePrecision + 1);
}

/** One lot at one tick, in units of 10^-(quantityPrecision + pricePrecision) quote units. */
export function lotTickUnits({ quantityStep, priceStep }: Grid): bigint {
  return BigInt(quantityStep) * BigInt(priceStep);
}

/** The notional in quote currency, exact. */
export function formatNotional(notional: Notional, grid: Grid): string {
  return formatSteps(notional * lotTickUnits(grid), grid.quantityPrecision + grid.pricePrecision);
}

/** Base units in one lot, as a float: for models and statistics, never for money. */
export function lotSize({ quantityPrecision, quantityStep }: Grid): number {
  return quantityStep * 10 ** -quantityPrecision;
}

/** Lots in one base unit, as a float. */
export function lotsPerUnit({ quantityPrecision, quantityStep }: Grid): number {
  return 10 ** quantityPrecision / quantityStep;
}

/** Quote units in one tick, as a float: for models and statistics, never for money. */
export function tickSize({ pricePrecision, priceStep }: Grid): number {
  return priceStep * 10 ** -pricePrecision;
}

/** Ticks in one quote unit, as a float. */
export function ticksPerUnit({ pricePrecision, priceStep }: Grid): number {
  return 10 ** pricePrecision / priceStep;
}

/** Lot-ticks in one quote unit, as a float. */
export function lotTicksPerUnit(grid: Grid): number {
  return 10 ** (grid.quantityPrecision + grid.pricePrecision) / Number(lotTickUnits(grid));
}

export function addNotional(sum: Notional, lots: Lots, ticks: Ticks): Notional {
  return (sum + BigInt(lots) * BigInt(ticks)) as Notional;
}

export const ZERO_LOTS = 0 as Lots;
export const ZERO_NOTIONAL = 0n as Notional;

/** big.js for the only division: 8 digits more than the tick's precision. `notional` keeps the exact sum. */
const Decimal = Big();
Decimal.DP = 8;
Decimal.RM = Big.roundHalfUp;

/** Volume-weighted average price as decimal text, half up at 8 digits beyond the tick; '0' when nothing is filled. */
export function averagePrice(notional: Notional, filled: Lots, grid: Grid): string {
  if (filled === 0) return '0';
  // In units of the precision before the division: a product after it would also enlarge what was rounded.
  const units = grid.priceStep === 1 ? notional : notional * BigInt(grid.priceStep);
  return new Decimal(units.toString()).div(filled).times(`1e-${grid.pricePrecision}`).toFixed();
}

/** Decimal digits that a float keeps. Digits after these are an error of its sums. */
const FLOAT_DIGITS = 15;

/** A price that is known as a float in ticks, such as a mean over time, as decimal text without the float's tail. */
export function meanPrice(ticks: number, grid: Grid): string {
  const mean = new Decimal(ticks).times(grid.priceStep).prec(FLOAT_DIGITS).times(`1e-${grid.pricePrecision}`);
  return mean.round(grid.pricePrecision + Decimal.DP).toFixed();
}

/**
 * Money or balance of one asset as an integer count of 10^-18 units. Eighteen digits hold
 * lot × tick × fee rate of every instrument without rounding, so balances add up exactly.
 */
export type Amount = Brand<bigint, 'Amount'>;

export const AMOUNT_PRECISION = 18;
export const ZERO_AMOUNT = 0n as Amount;

/** The smaller of two whole amounts. */
export function smaller<Value extends bigint>(one: Value, other: Value): Value {
  return one < other ? one : other;
}

/** The amount of `units` steps of 10^-precision (precision 0..18). */
export function amountOf(units: number | bigint, precision: number): Amount {
  return (BigInt(units) * 10n ** BigInt(AMOUNT_PRECISION - precision)) as Amount;
}

/** The amount of a number of lots, in base currency. */
export function amountOfLots(lots: Lots, grid: Grid): Amount {
  return amountOf(inUnits(lots, grid.quantityStep), grid.quantityPrecision);
}

/** The amount of a number of lot-ticks, in quote currency. Digits beyond the 18th are cut off. */
export function amountOfNotional(lotTicks: number | bigint, grid: Grid): Amount {
  const units = BigInt(lotTicks) * lotTickUnits(grid);
  const digits = grid.quantityPrecision + grid.pricePrecision;
  if (digits <= AMOUNT_PRECISION) return amountOf(units, digits);
  return (units / 10n ** BigInt(digits - AMOUNT_PRECISION)) as Amount;
}

/** The amount of a number of lots at half a tick, in quote currency: a mid price may lie between two ticks. */
export function amountOfHalfNotional(lotHalfTicks: number | bigint, grid: Grid): Amount {
  return (amountOfNotional(lotHalfTicks, grid) / 2n) as Amount;
}

/** 10^-18 quote units in one lot at one tick, as a float: the unit of statistics in lot-ticks. */
export function amountPerLotTick(grid: Grid): number {
  return 10 ** (AMOUNT_PRECISION - grid.quantityPrecision - grid.pricePrecision) * Number(lotTickUnits(grid));
}

export function formatAmount(amount: Amount): string {
  return formatSteps(amount, AMOUNT_PRECISION);
}

/**
 * Parses a text of formatAmount, with an optional minus sign. Throws for any other text: only our own texts come here.
 */
export function parseAmount(text: string): Amount {
  const negative = text.startsWith('-');
  const digits = negative ? text.slice(1) : text;
  const point = digits.indexOf('.');
  const fraction = point === -1 ? '' : digits.slice(point + 1);
  const probe = parseSteps(fraction === '' ? '0' : `0.${fraction}`, AMOUNT_PRECISION);
  if (typeof probe === 'string' && probe !== 'too large') throw new RangeError(`not an amount: ${text}`);
  const whole = point === -1 ? digits : digits.slice(0, point);
  const units = BigInt(whole + fraction.padEnd(AMOUNT_PRECISION, '0'));
  return (negative ? -units : units) as Amount;
}

/** Quote currencies that count as USD, one for one. */
const USD_LIKE = ['USDT', 'USDC', 'USD'] as const;

export function isUsdLike(asset: string): boolean {
  return (USD_LIKE as readonly string[]).includes(asset);
}

/** Pairs that value an asset in USD, the preferred one first. */
export function usdPairsOf(asset: string): readonly string[] {
  return USD_LIKE.map((usd) => `${asset}/${usd}`);
}
