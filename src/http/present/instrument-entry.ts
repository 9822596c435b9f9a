import type { ListedInstrument } from '../../model/instrument.js';
import { formatLots, formatSteps, formatTicks } from '../../model/quantity.js';
import type { EpochMs } from '../../model/time.js';
import { instantText, quote } from './json-text.js';

/** Instrument of the contract as JSON. Quantities are base units, costs quote units; a FUTURE is linear, contract size 1. */
export function instrumentText(instrument: ListedInstrument, listedAtMs: EpochMs): string {
  const { venue, symbol, base, quote: quoteAsset, assetCategory, quantityPrecision, pricePrecision } = instrument;
  const isFuture = assetCategory === 'FUTURE';
  const minQuantity = formatLots(instrument.quantityMin, instrument);
  const maxQuantity = formatLots(instrument.quantityMax, instrument);
  const { priceMin, priceMax, marketQuantityMax, notionalMax } = instrument.filters;
  const cost = (lotTicks: number): string => formatSteps(lotTicks, quantityPrecision + pricePrecision);
  return (
    `{"exchange":"${venue}","symbol":${quote(symbol)},"baseAsset":${quote(base)},"quoteAsset":${quote(quoteAsset)},` +
    `"exchangeSymbol":${quote(base + quoteAsset)},"exchangeAssetClass":"${isFuture ? 'linear perpetual' : 'spot'}",` +
    `"assetClass":"${assetCategory}","quantityPrecision":${quantityPrecision},"pricePrecision":${pricePrecision},` +
    `"minQuantityLimit":${minQuantity},"maxQuantityLimit":${maxQuantity},"minCostLimit":${cost(instrument.notionalMin)},` +
    (notionalMax === Number.MAX_SAFE_INTEGER ? '' : `"maxCostLimit":${cost(notionalMax)},`) +
    (isFuture ? '"contractSize":1,' : '') +
    `"minMarketLimit":${minQuantity},"maxMarketLimit":${formatLots(marketQuantityMax, instrument)},` +
    `"minPriceLimit":${formatTicks(priceMin, instrument)},"maxPriceLimit":${formatTicks(priceMax, instrument)},` +
    `"enabled":true,"timestamp":${instantText(listedAtMs)}}`
  );
}
