import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Instrument } from '../src/domain/instrument.js';
import { formatLots, formatSteps, formatTicks, type Lots, type Ticks } from '../src/domain/quantity.js';
import { buildCatalogue } from '../src/venue/listing/catalogue.js';
import type { Report } from './report.js';

const RECORDED = [
  { name: 'spot', category: 'SPOT', file: 'binance_spot_exchangeInfo_25sym.json' },
  { name: 'perpetual', category: 'FUTURE', file: 'binance_usdm_exchangeInfo_25sym.json' },
] as const;

/** Compares the rules of the simulated BINANCE with published rules, for instruments that both list. */
export async function listing(report: Report, _isQuick: boolean, dataDir: string | undefined): Promise<void> {
  if (dataDir === undefined) {
    console.error('bench listing needs recorded instruments: give their folder with --data DIR');
    process.exitCode = 2;
    return;
  }
  const ours = buildCatalogue().instruments.filter(({ venue }) => venue === 'BINANCE');
  for (const { name, category, file } of RECORDED) {
    const recorded = recordedRules(readFileSync(join(dataDir, 'instruments', file), 'utf8'));
    const both = ours.flatMap((instrument) => {
      const rules = recorded.get(instrument.base + instrument.quote);
      return instrument.assetCategory === category && rules !== undefined ? [{ instrument, rules }] : [];
    });
    const differences = both.flatMap(({ instrument, rules }) =>
      differencesOf(instrument.symbol, rulesOf(instrument), rules),
    );
    for (const difference of differences) report.progress(difference);
    const figure = { bench: 'listing', case: `BINANCE ${name}`, rounds: 1, reference: file };
    report.add({ ...figure, metric: 'instruments', value: both.length, unit: '1', reference_value: recorded.size });
    report.add({ ...figure, metric: 'differences', value: differences.length, unit: '1', reference_value: 0 });
  }
}

function differencesOf(symbol: string, ours: Rules, theirs: Rules): string[] {
  return [...theirs].flatMap(([rule, value]) => {
    const own = ours.get(rule);
    return own === value ? [] : [`${symbol} ${rule}: simulated ${own ?? 'missing'}, recorded ${value}`];
  });
}

/** Rules of one instrument by name, as numbers: prices, quantities, multiples, counts. */
export type Rules = ReadonlyMap<string, number>;

interface RecordedFilter {
  readonly filterType: string;
  readonly [field: string]: string | number | boolean;
}

interface RecordedSymbol {
  readonly symbol: string;
  readonly filters: readonly RecordedFilter[];
}

/** The fields of the exchange's filters that are modelled, and their names here. */
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

/** Parses an answer of the exchange's exchangeInfo. Returns the rules by the exchange's symbol. */
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
  // The exchange's largest market order depends on the turnover and may be between two lots, so it is rounded down.
  const [lot, market] = [rules.get('lot') ?? 1, rules.get('largest market quantity') ?? 0];
  const digits = Math.max(0, Math.round(-Math.log10(lot)));
  rules.set('largest market quantity', Math.floor(market * 10 ** digits) / 10 ** digits);
  return rules;
}

/** Returns the rules of a simulated instrument under the same names. */
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
