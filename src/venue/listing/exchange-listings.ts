import type { ExchangeCode, Venue } from '../../model/exchange.js';
import { B2C2 } from './exchange/b2c2.js';
import { BINANCE } from './exchange/binance.js';
import { BITGET } from './exchange/bitget.js';
import { BULLISH } from './exchange/bullish.js';
import { BYBIT } from './exchange/bybit.js';
import { COINBASE_ADV } from './exchange/coinbase-adv.js';
import { COINBASE_INTL } from './exchange/coinbase-intl.js';
import { COINBASE_PRIME } from './exchange/coinbase-prime.js';
import { EXTENDED } from './exchange/extended.js';
import { GATEIO } from './exchange/gateio.js';
import { HUOBI } from './exchange/huobi.js';
import { HYPERLIQUID } from './exchange/hyperliquid.js';
import { KRAKEN } from './exchange/kraken.js';
import { KUCOIN } from './exchange/kucoin.js';
import { LIGHTER } from './exchange/lighter.js';
import { MEXC } from './exchange/mexc.js';
import { OKX } from './exchange/okx.js';
import { WOO } from './exchange/woo.js';
import type { ExchangeListing, VenueListing } from './exchange-listing.js';

/** The exchanges that are simulated as venues. */
export const VENUE_LISTINGS: { readonly [V in Venue]: VenueListing } = {
  BINANCE,
  HUOBI,
  BYBIT,
  KUCOIN,
  OKX,
  GATEIO,
  KRAKEN,
  BITGET,
  WOO,
  MEXC,
  BULLISH,
  B2C2,
  HYPERLIQUID,
  COINBASE_PRIME,
  COINBASE_INTL,
};

/** The exchanges that only list instruments. */
export const LISTING_ONLY: { readonly [Code in Exclude<ExchangeCode, Venue>]: ExchangeListing } = {
  COINBASE_ADV,
  EXTENDED,
  LIGHTER,
};
