import type { Instrument } from '../../model/instrument.js';
import { formatLots, formatSteps, formatTicks, type Ticks } from '../../model/quantity.js';
import type { EpochMs } from '../../model/time.js';
import { instantText, quote } from './json-text.js';

const ONE_TICK = 1 as Ticks;

/** Instrument of the contract as JSON. Quantities are base units, costs quote units; a FUTURE is linear, contract size 1. */
export function instrumentText(instrument: Instrument, listedAtMs: EpochMs): string {
  const { venue, symbol, base, quote: quoteAsset, assetCategory, quantityPrecision, pricePrecision } = instrument;
  const isFuture = assetCategory === 'FUTURE';
  const minQuantity = formatLots(instrument.quantityMin, instrument);
  const maxQuantity = formatLots(instrument.quantityMax, instrument);
  const minCost = formatSteps(instrument.notionalMin, quantityPrecision + pricePrecision);
  return (
    `{"exchange":"${venue}","symbol":${quote(symbol)},"baseAsset":${quote(base)},"quoteAsset":${quote(quoteAsset)},` +
    `"exchangeSymbol":${quote(base + quoteAsset)},"exchangeAssetClass":"${isFuture ? 'linear perpetual' : 'spot'}",` +
    `"assetClass":"${assetCategory}","quantityPrecision":${quantityPrecision},"pricePrecision":${pricePrecision},` +
    `"minQuantityLimit":${minQuantity},"maxQuantityLimit":${maxQuantity},"minCostLimit":${minCost},` +
    (isFuture ? '"contractSize":1,' : '') +
    `"minMarketLimit":${minQuantity},"maxMarketLimit":${maxQuantity},` +
    `"minPriceLimit":${formatTicks(ONE_TICK, instrument)},"enabled":true,"timestamp":${instantText(listedAtMs)}}`
  );
}
