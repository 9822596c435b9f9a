import { EXCHANGE_IDS, type ExchangeCode } from '../../model/exchange.js';

const NAMES: { readonly [Code in ExchangeCode]: string } = {
  BINANCE: 'Binance',
  HUOBI: 'Huobi',
  BYBIT: 'Bybit',
  KUCOIN: 'KuCoin',
  OKX: 'OKX',
  GATEIO: 'Gate.io',
  KRAKEN: 'Kraken',
  BITGET: 'Bitget',
  WOO: 'WOO',
  MEXC: 'MEXC',
  BULLISH: 'Bullish',
  B2C2: 'B2C2',
  HYPERLIQUID: 'Hyperliquid',
  COINBASE_PRIME: 'Coinbase Prime',
  COINBASE_INTL: 'Coinbase International',
  COINBASE_ADV: 'Coinbase Advanced',
  EXTENDED: 'Extended',
  LIGHTER: 'Lighter',
};

export interface ExchangeListing {
  readonly exchange: ExchangeCode;
  readonly assetClasses: readonly string[];
  /** False for those that only list instruments. */
  readonly isTradable: boolean;
  readonly isUp: boolean;
}

/** One exchange as JSON; every one of them is simulated. */
export function exchangeText({ exchange, assetClasses, isTradable, isUp }: ExchangeListing): string {
  return JSON.stringify({
    id: EXCHANGE_IDS[exchange],
    exchange,
    name: NAMES[exchange],
    asset_classes: assetClasses,
    tradable: isTradable,
    mode: 'SIMULATED',
    status: isUp ? 'UP' : 'DOWN',
  });
}
