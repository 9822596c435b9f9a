import type { Instrument } from '../src/model/instrument.js';
import { formatLots, formatSteps, formatTicks, type Lots, type Ticks } from '../src/model/quantity.js';

/** The rules of one instrument by name, as numbers: prices, quantities, multiples, counts. */
export type Rules = ReadonlyMap<string, number>;

interface RecordedFilter {
  readonly filterType: string;
  readonly [field: string]: string | number | boolean;
}

interface RecordedSymbol {
  readonly symbol: string;
  readonly filters: readonly RecordedFilter[];
}

/** Fields of the exchange's filters that we model, and our names for them. */
const FIELDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  PRICE_FILTER: { tickSize: 'tick', minPrice: 'least price', maxPrice: 'largest price' },
  LOT_SIZE: { stepSize: 'lot', minQty: 'least quantity', maxQty: 'largest quantity' },
  MARKET_LOT_SIZE: { maxQty: 'largest market quantity' },
  NOTIONAL: { minNotional: 'least cost', maxNotional: 'largest cost' },
  MIN_NOTIONAL: { notional: 'least cost' },
  PERCENT_PRICE: { multiplierUp: 'highest buy', multiplierDown: 'lowest sell' },
  PERCENT_PRICE_BY_SIDE: {
    bidMultiplierUp: 'highest buy',
    bidMultiplierDown: 'lowest buy',
    askMultiplierUp: 'highest sell',
    askMultiplierDown: 'lowest sell',
  },
  MAX_NUM_ORDERS: { maxNumOrders: 'open orders', limit: 'open orders' },
};
const PPM = 1_000_000;

/** Reads an answer of the exchange's exchangeInfo: rules by the exchange's own name of a symbol. */
export function recordedRules(text: string): ReadonlyMap<string, Rules> {
  const { symbols } = JSON.parse(text) as { symbols: readonly RecordedSymbol[] };
  return new Map(symbols.map(({ symbol, filters }) => [symbol, rulesIn(filters)]));
}

function rulesIn(filters: readonly RecordedFilter[]): Rules {
  const rules = new Map<string, number>();
  for (const filter of filters) {
    for (const [field, rule] of Object.entries(FIELDS[filter.filterType] ?? {})) {
      if (filter[field] !== undefined) rules.set(rule, Number(filter[field]));
    }
  }
  // The largest market order follows the turnover and lies between two lots: what counts is the whole lots below it.
  const [lot, market] = [rules.get('lot') ?? 1, rules.get('largest market quantity') ?? 0];
  const digits = Math.max(0, Math.round(-Math.log10(lot)));
  rules.set('largest market quantity', Math.floor(market * 10 ** digits) / 10 ** digits);
  return rules;
}

/** The same names for an instrument of ours. */
export function rulesOf(instrument: Instrument): Rules {
  const { filters, quantityMin, quantityMax, notionalMin, quantityPrecision, pricePrecision } = instrument;
  const { buyBand, sellBand } = filters;
  const lots = (quantity: Lots): number => Number(formatLots(quantity, instrument));
  const ticks = (price: Ticks): number => Number(formatTicks(price, instrument));
  const cost = (notional: number): number => Number(formatSteps(notional, quantityPrecision + pricePrecision));
  return new Map([
    ['tick', ticks(1 as Ticks)],
    ['least price', ticks(filters.priceMin)],
    ['largest price', ticks(filters.priceMax)],
    ['lot', lots(1 as Lots)],
    ['least quantity', lots(quantityMin)],
    ['largest quantity', lots(quantityMax)],
    ['largest market quantity', lots(filters.marketQuantityMax)],
    ['least cost', cost(notionalMin)],
    ['largest cost', cost(filters.notionalMax)],
    ['lowest buy', multiple(buyBand.minPpm)],
    ['highest buy', multiple(buyBand.maxPpm)],
    ['lowest sell', multiple(sellBand.minPpm)],
    ['highest sell', multiple(sellBand.maxPpm)],
    ['open orders', filters.openOrdersMax],
  ]);
}

function multiple(ppm: number | null): number {
  return (ppm ?? Number.NaN) / PPM;
}
