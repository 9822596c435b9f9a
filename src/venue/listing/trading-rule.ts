import { assert } from '../../model/assert.js';
import { parseSteps, type Lots, type Ticks } from '../../model/quantity.js';

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
 * Reads a table as exchanges print their trading rules: a line of headings, then one line an instrument.
 *
 *     symbol    tick  lot      quantity       market  cost        price
 *     BTC/USDT  0.01  0.00001  0.00001..9000  97.5    5..9000000  0.01..1000000
 *
 * tick and lot are powers of ten up to 1; quantity, cost and price are the least and the largest allowed, market is the
 * largest quantity of a MARKET order. A cost may be open above (`5..`): then only exact arithmetic bounds it.
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
  assert(marketQuantityMax <= quantityMax, `${symbol}: a MARKET order is no larger than another`);
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
