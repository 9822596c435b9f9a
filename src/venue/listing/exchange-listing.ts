import type { PriceBand, SelfTradePreventions } from '../../domain/instrument.js';
import { type Lots, parseSteps, type Ticks } from '../../domain/quantity.js';
import { assert } from '../../domain/rejection.js';
import type { DurationMs } from '../../domain/time.js';

/** Fee rates in units of 10^-6 of the notional. */
interface FeeRates {
  readonly makerPpm: number;
  readonly takerPpm: number;
}

/** Bands, fees and rules of an exchange for one kind of instrument. */
export interface ProductListing {
  readonly fees: FeeRates;
  readonly bands: PriceBands;
  /** By symbol: instruments whose bands differ from `bands`. */
  readonly ownBands?: Readonly<Record<string, PriceBands>>;
  /** True when the exchange offers post-only orders: all exchanges except those that answer requests for quotes. */
  readonly isPostOnlyOffered: boolean;
  readonly rules: readonly TradingRule[];
}

/** Published facts of any of the 18 exchanges. */
export interface ExchangeListing {
  /**
   * Modes that its public interface offers, under our names; an exchange without a statement expires the taker.
   * EXPIRE_TAKER comes first where offered. A resting order keeps its queue position, often for another parent's
   * schedule, while a crossing taker loses only this attempt.
   */
  readonly selfTradePreventions: SelfTradePreventions;
  /** null: no spot market. */
  readonly spot: ProductListing | null;
  readonly perpetual: ProductListing | null;
}

/** Lognormal network delay: the median in microseconds; sigma is the standard deviation of its natural logarithm. */
export interface Delay {
  readonly medianUs: number;
  readonly sigma: number;
}

/** Delays for a client in the same region as most venues. Plausible figures, not measurements. */
export interface LatencyProfile {
  /** From a change of the book to its arrival here. */
  readonly feed: Delay;
  /** From sending here to matching at the venue. */
  readonly entry: Delay;
  /** From matching at the venue to arrival here. */
  readonly response: Delay;
}

/** At most `count` requests within any `perMs`. */
export interface RequestRate {
  readonly count: number;
  readonly perMs: DurationMs;
}

/** One of the 15 exchanges that are simulated as venues. */
export interface VenueListing extends ExchangeListing {
  readonly spot: ProductListing;
  readonly perpetual: ProductListing;
  readonly latency: LatencyProfile;
  /**
   * Request limit of one account: the tightest published bound on orders of its products. Cancels and status requests
   * count too, although some venues count them separately. 10 requests a second where no general limit is published.
   */
  readonly requestRate: RequestRate;
  /** How long it knows an order after its end. Its answer about an unknown order names the begin of this time. */
  readonly orderHistoryMs: DurationMs;
  /** Liquidity relative to the deepest venue, in (0, 1]. */
  readonly weight: number;
  /** Offset of its prices from the fair price, in basis points. */
  readonly priceOffsetBps: number;
}

type DelayFigures = readonly [medianUs: number, sigma: number];

/** Delays of market feed, requests and responses. */
export function latency(feed: DelayFigures, entry: DelayFigures, response: DelayFigures): LatencyProfile {
  return { feed: delay(feed), entry: delay(entry), response: delay(response) };
}

function delay([medianUs, sigma]: DelayFigures): Delay {
  return { medianUs, sigma };
}

/** A rate in the notation of exchanges: requests in seconds. */
export function requestsIn(seconds: number, count: number): RequestRate {
  return { count, perMs: (seconds * 1_000) as DurationMs };
}

/** Distance that a limit price may have from the reference price, by side. */
interface PriceBands {
  readonly buyBand: PriceBand;
  readonly sellBand: PriceBand;
}

/** Limit prices of both sides lie between these multiples of the reference price. */
export function within(least: number, largest: number): PriceBands {
  const band: PriceBand = { minPpm: ppmOf(least), maxPpm: ppmOf(largest) };
  return { buyBand: band, sellBand: band };
}

/** A limit price may cross the reference price by this share. On its own side the distance is not limited. */
export function crossing(share: number): PriceBands {
  return {
    buyBand: { minPpm: null, maxPpm: ppmOf(1 + share) },
    sellBand: { minPpm: ppmOf(1 - share), maxPpm: null },
  };
}

function ppmOf(multiple: number): number {
  return Math.round(multiple * 1_000_000);
}

/** The rules of one instrument, in its own lots and ticks. */
export interface TradingRule {
  readonly symbol: string;
  readonly pricePrecision: number;
  readonly quantityPrecision: number;
  readonly quantityMin: Lots;
  readonly quantityMax: Lots;
  readonly marketQuantityMax: Lots;
  /** In units of one lot at one tick. */
  readonly notionalMin: number;
  readonly notionalMax: number;
  readonly priceMin: Ticks;
  readonly priceMax: Ticks;
}

const COLUMNS = 'symbol tick lot quantity market cost price';
const STEP = /^(?:1|0\.0*1)$/;

/**
 * Reads a table of trading rules: a line of headings, then one line for each instrument.
 *
 *     symbol    tick  lot      quantity       market  cost        price
 *     BTC/USDT  0.01  0.00001  0.00001..9000  97.5    5..9000000  0.01..1000000
 *
 * tick and lot are powers of ten up to 1. quantity, cost and price are ranges. market is the largest quantity of a
 * MARKET order. A cost may have no upper bound (`5..`); then only exact arithmetic bounds it.
 */
export function tradingRules(table: string): TradingRule[] {
  const [headings, ...lines] = table.trim().split('\n').map(cellsOf);
  assert(headings?.join(' ') === COLUMNS, `the columns of a table of trading rules are ${COLUMNS}`);
  return lines.map(ruleOf);
}

function cellsOf(line: string): string[] {
  return line.trim().split(/ +/);
}

function ruleOf(cells: readonly string[]): TradingRule {
  const [symbol = '', tick = '', lot = '', quantity = '', market = '', cost = '', price = ''] = cells;
  const [pricePrecision, quantityPrecision] = [precisionOf(tick), precisionOf(lot)];
  const costPrecision = pricePrecision + quantityPrecision;
  const [quantityMin, quantityMax] = rangeOf(quantity, quantityPrecision);
  const [notionalMin, notionalMax] = rangeOf(cost, costPrecision);
  const [priceMin, priceMax] = rangeOf(price, pricePrecision);
  const marketQuantityMax = stepsOf(market, quantityPrecision);
  assert(marketQuantityMax <= quantityMax, `${symbol}: the MARKET maximum exceeds the quantity maximum`);
  return {
    symbol,
    pricePrecision,
    quantityPrecision,
    quantityMin: quantityMin as Lots,
    quantityMax: quantityMax as Lots,
    marketQuantityMax: marketQuantityMax as Lots,
    notionalMin,
    notionalMax,
    priceMin: priceMin as Ticks,
    priceMax: priceMax as Ticks,
  };
}

function precisionOf(step: string): number {
  assert(STEP.test(step), `a step is a power of ten up to 1, not ${step}`);
  return step === '1' ? 0 : step.length - '0.'.length;
}

function rangeOf(range: string, precision: number): [least: number, largest: number] {
  const [least = '', largest = ''] = range.split('..');
  const steps = stepsOf(least, precision);
  const bound = largest === '' ? Number.MAX_SAFE_INTEGER : stepsOf(largest, precision);
  assert(steps >= 1 && steps <= bound, `a range runs from above 0 upwards, not ${range}`);
  return [steps, bound];
}

function stepsOf(text: string, precision: number): number {
  const steps = parseSteps(text, precision);
  assert(typeof steps === 'number', `${text} is a number of steps of 10^-${precision}`);
  return steps;
}
