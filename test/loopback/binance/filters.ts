import type { Side } from '../../../src/domain/order.js';
import { formatShort, formatUnits, multiply, type Units } from '../decimal.js';
import type { LoopbackInstrument } from '../instrument.js';
import type { Market } from '../market.js';

/** The numbers of an order that the filters judge. The price is 0 for a market order. */
export interface FilteredOrder {
  readonly side: Side;
  readonly price: Units;
  readonly quantity: Units;
  readonly openOrders: number;
}

/** The first filter that an order of the spot section fails; null when it passes all. */
export function failedSpotFilter(market: Market, { side, price, quantity, openOrders }: FilteredOrder): string | null {
  const { rules } = market;
  const { lot, quantityMin, quantityMax, marketQuantityMax, notionalMin, notionalMax } = rules;
  const isMarket = price === 0n;
  const reference = market.lastPrice;
  if (!isMarket && !isOnGrid(price, { min: rules.priceMin, max: rules.priceMax, step: rules.tick })) {
    return 'PRICE_FILTER';
  }
  if (!isMarket && !isInBand(rules, { side, price, reference })) return 'PERCENT_PRICE_BY_SIDE';
  if (!isOnGrid(quantity, { min: quantityMin, max: quantityMax, step: lot })) return 'LOT_SIZE';
  if (isMarket && quantity > marketQuantityMax) return 'MARKET_LOT_SIZE';
  const notional = multiply(isMarket ? reference : price, quantity);
  if (notional < notionalMin || (!isMarket && notional > notionalMax)) return 'NOTIONAL';
  return openOrders >= rules.openOrdersMax ? 'MAX_NUM_ORDERS' : null;
}

export function isOnGrid(value: Units, { min, max, step }: { min: Units; max: Units; step: Units }): boolean {
  return value >= min && value <= max && (value - min) % step === 0n;
}

export function isInBand(
  { bands }: LoopbackInstrument,
  { side, price, reference }: { side: Side; price: Units; reference: Units },
): boolean {
  const [down, up] = side === 'BUY' ? [bands.bidDown, bands.bidUp] : [bands.askDown, bands.askUp];
  return price >= multiply(reference, down) && price <= multiply(reference, up);
}

/** The `filters` member of a spot symbol. */
export function spotFilters(instrument: LoopbackInstrument): readonly object[] {
  const { bands } = instrument;
  return [
    {
      filterType: 'PRICE_FILTER',
      minPrice: formatUnits(instrument.priceMin),
      maxPrice: formatUnits(instrument.priceMax),
      tickSize: formatUnits(instrument.tick),
    },
    {
      filterType: 'LOT_SIZE',
      minQty: formatUnits(instrument.quantityMin),
      maxQty: formatUnits(instrument.quantityMax),
      stepSize: formatUnits(instrument.lot),
    },
    { filterType: 'ICEBERG_PARTS', limit: 100 },
    {
      filterType: 'MARKET_LOT_SIZE',
      minQty: formatUnits(0n),
      maxQty: formatUnits(instrument.marketQuantityMax),
      stepSize: formatUnits(0n),
    },
    {
      filterType: 'PERCENT_PRICE_BY_SIDE',
      bidMultiplierUp: formatShort(bands.bidUp),
      bidMultiplierDown: formatShort(bands.bidDown),
      askMultiplierUp: formatShort(bands.askUp),
      askMultiplierDown: formatShort(bands.askDown),
      avgPriceMins: 5,
    },
    {
      filterType: 'NOTIONAL',
      minNotional: formatUnits(instrument.notionalMin),
      applyMinToMarket: true,
      maxNotional: formatUnits(instrument.notionalMax),
      applyMaxToMarket: false,
      avgPriceMins: 5,
    },
    { filterType: 'MAX_NUM_ORDERS', maxNumOrders: instrument.openOrdersMax },
  ];
}

/** The `filters` member of a USD-M symbol. Its texts have no trailing zeros. */
export function linearFilters(instrument: LoopbackInstrument): readonly object[] {
  return [
    {
      filterType: 'PRICE_FILTER',
      minPrice: formatShort(instrument.priceMin),
      maxPrice: formatShort(instrument.priceMax),
      tickSize: formatShort(instrument.tick),
    },
    {
      filterType: 'LOT_SIZE',
      minQty: formatShort(instrument.quantityMin),
      maxQty: formatShort(instrument.quantityMax),
      stepSize: formatShort(instrument.lot),
    },
    {
      filterType: 'MARKET_LOT_SIZE',
      minQty: formatShort(instrument.quantityMin),
      maxQty: formatShort(instrument.marketQuantityMax),
      stepSize: formatShort(instrument.lot),
    },
    { filterType: 'MAX_NUM_ORDERS', limit: instrument.openOrdersMax },
    { filterType: 'MAX_NUM_ALGO_ORDERS', limit: 10 },
    { filterType: 'MIN_NOTIONAL', notional: formatShort(instrument.notionalMin) },
    {
      filterType: 'PERCENT_PRICE',
      multiplierUp: formatShort(instrument.bands.bidUp),
      multiplierDown: formatShort(instrument.bands.askDown),
      multiplierDecimal: '4',
    },
  ];
}
