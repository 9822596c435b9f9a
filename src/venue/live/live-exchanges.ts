import type { Venue } from '../../domain/exchange.js';
import { openBinanceSpot, openBinanceUsdm } from './binance/binance-exchange.js';
import { openBybit } from './bybit/bybit-exchange.js';
import type { OpenLiveExchange } from './live-exchange.js';
import { openOkx } from './okx/okx-exchange.js';

/** The implementations of each real exchange, one for each wallet. */
export const LIVE_EXCHANGES: Readonly<Partial<Record<Venue, readonly OpenLiveExchange[]>>> = {
  BINANCE: [openBinanceSpot, openBinanceUsdm],
  // Spot and perpetuals of these two share one wallet.
  BYBIT: [openBybit],
  OKX: [openOkx],
};
