import { ASSET_CLASS_IDS, EXCHANGE_IDS } from '../../model/exchange.js';
import type { Instrument } from '../../model/instrument.js';
import { quoted } from './json-text.js';

/** How every frame of a market-data topic begins, without its closing brace. */
export function marketHead(topic: string, instrument: Instrument): string {
  const assetClass = ASSET_CLASS_IDS[instrument.assetCategory];
  const exchange = EXCHANGE_IDS[instrument.venue];
  return `{"topic":"${topic}","symbol":${quoted(instrument.symbol)},"exchange":${exchange},"asset_class":${assetClass}`;
}
