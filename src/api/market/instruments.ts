import { Type } from '@sinclair/typebox';
import { READING, type SignedOperation } from '../document/operation.js';
import { instantText, quote } from '../field/json-text.js';
import { choice, decimal, described, instant } from '../field/schema.js';
import { AssetCategory, AssetClass, ExchangeMode, ListingExchange, LiveMode } from '../field/vocabulary.js';
import { EXCHANGE_IDS, type ExchangeCode, type RealMode } from '../../domain/exchange.js';
import type { ListedInstrument } from '../../domain/instrument.js';
import { formatLots, formatTicks, formatNotional, type Notional } from '../../domain/quantity.js';
import type { EpochMs } from '../../domain/time.js';

const ExchangeEntry = Type.Object(
  {
    id: Type.Integer({ description: 'Integer id in market data frames.' }),
    exchange: ListingExchange,
    name: Type.String({ description: 'Name for people.' }),
    asset_classes: Type.Array(AssetCategory, { description: 'Listed asset classes.' }),
    tradable: Type.Boolean({ description: 'true: it accepts orders here.' }),
    mode: ExchangeMode,
    live_mode: Type.Optional(LiveMode),
    status: choice('ExchangeStatus', ['UP', 'DOWN'], 'DOWN: orders for it wait or are refused.'),
  },
  {
    title: 'Exchange',
    examples: [
      {
        id: 1,
        exchange: 'BINANCE',
        name: 'Binance',
        asset_classes: ['SPOT', 'FUTURE'],
        tradable: true,
        mode: 'SIMULATED',
        status: 'UP',
      },
    ],
  },
);

export const ExchangeList = Type.Array(ExchangeEntry);

const Instrument = Type.Object(
  {
    exchange: ListingExchange,
    symbol: Type.String({ description: 'Canonical: `BTC/USDT`, or `BTC/USDT:USDT` for a linear perpetual.' }),
    baseAsset: Type.String({ description: 'The traded asset; the unit of quantities.' }),
    quoteAsset: Type.String({ description: 'The currency of payment; the unit of prices.' }),
    exchangeSymbol: Type.String({ description: "The exchange's own name." }),
    exchangeAssetClass: Type.String({ description: "The exchange's own name of the class." }),
    assetClass: AssetClass,
    quantityPrecision: Type.Integer({
      description: 'The lot is quantityStep × 10^-quantityPrecision base units.',
    }),
    pricePrecision: Type.Integer({ description: 'The tick is priceStep × 10^-pricePrecision quote units.' }),
    quantityStep: Type.Optional(Type.Integer({ minimum: 2, description: 'Absent: 1.' })),
    priceStep: Type.Optional(Type.Integer({ minimum: 2, description: 'Absent: 1.' })),
    minQuantityLimit: decimal('Smallest quantity of an order.'),
    maxQuantityLimit: decimal('Largest quantity of an order.'),
    minCostLimit: decimal('Smallest quantity × price, in quote units.'),
    maxCostLimit: Type.Optional(decimal('Largest quantity × price, in quote units.')),
    contractSize: Type.Optional(decimal('Base units of one contract; futures only.')),
    minMarketLimit: decimal('Smallest quantity of a market order.'),
    maxMarketLimit: decimal('Largest quantity of a market order.'),
    minPriceLimit: decimal('Lowest limit price.'),
    maxPriceLimit: decimal('Highest limit price.'),
    enabled: Type.Boolean({ description: 'true: it can be traded now.' }),
    timestamp: instant('Time of the last change of this entry, service time.'),
  },
  { title: 'Instrument', description: 'An instrument of an exchange, with its rules for orders.' },
);

export const InstrumentList = Type.Array(Instrument);

export const LIST_EXCHANGES = {
  ...READING,
  group: 'Market data',
  id: 'listExchanges',
  path: '/api/v2/data/exchanges',
  summary: 'Exchanges',
  description: 'The 15 exchanges that accept orders.',
  query: Type.Object({
    all: Type.Optional(
      Type.Boolean({ default: false, description: 'true: also the 3 exchanges that only list instruments.' }),
    ),
  }),
  success: { status: 200, description: 'The exchanges.', schema: ExchangeList },
} as const satisfies SignedOperation;

export const LIST_INSTRUMENTS = {
  ...READING,
  group: 'Market data',
  id: 'listInstruments',
  path: '/api/v2/data/instruments',
  summary: 'Instruments',
  description: 'Tradable instruments with the grid and the limits of orders. Both filters are optional.',
  query: Type.Object({
    exchange: Type.Optional(described(ListingExchange, 'Only of this exchange; any letter case.')),
    symbol: Type.Optional(
      Type.String({
        description:
          'Only this canonical symbol; the slash is optional. A symbol that no exchange lists is answered 400 INVALID_SYMBOL.',
      }),
    ),
  }),
  success: { status: 200, description: 'The instruments.', schema: InstrumentList },
} as const satisfies SignedOperation;

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

interface ExchangeListing {
  readonly exchange: ExchangeCode;
  readonly assetClasses: readonly string[];
  /** False for an exchange that only lists instruments, and for a simulated one beside real ones. */
  readonly isTradable: boolean;
  readonly isUp: boolean;
  /** null: simulated. */
  readonly liveMode: RealMode | null;
}

/** One exchange as JSON. */
export function exchangeText({ exchange, assetClasses, isTradable, isUp, liveMode }: ExchangeListing): string {
  return JSON.stringify({
    id: EXCHANGE_IDS[exchange],
    exchange,
    name: NAMES[exchange],
    asset_classes: assetClasses,
    tradable: isTradable,
    mode: liveMode === null ? 'SIMULATED' : 'LIVE',
    ...(liveMode !== null && { live_mode: liveMode }),
    status: isUp ? 'UP' : 'DOWN',
  });
}

/**
 * An instrument of the contract as JSON. Quantities are base units, costs quote units; a FUTURE is linear, contract
 * size 1.
 */
export function instrumentText(instrument: ListedInstrument, isEnabled: boolean, listedAtMs: EpochMs): string {
  const { venue, symbol, base, quote: quoteAsset, assetCategory, quantityPrecision, pricePrecision } = instrument;
  const { quantityStep, priceStep } = instrument;
  const isFuture = assetCategory === 'FUTURE';
  const minQuantity = formatLots(instrument.quantityMin, instrument);
  const maxQuantity = formatLots(instrument.quantityMax, instrument);
  const { priceMin, priceMax, marketQuantityMax, notionalMax } = instrument.filters;
  const cost = (lotTicks: number): string => formatNotional(BigInt(lotTicks) as Notional, instrument);
  return (
    `{"exchange":"${venue}","symbol":${quote(symbol)},"baseAsset":${quote(base)},"quoteAsset":${quote(quoteAsset)},` +
    `"exchangeSymbol":${quote(base + quoteAsset)},"exchangeAssetClass":"${isFuture ? 'linear perpetual' : 'spot'}",` +
    `"assetClass":"${assetCategory}","quantityPrecision":${quantityPrecision},"pricePrecision":${pricePrecision},` +
    (quantityStep === 1 ? '' : `"quantityStep":${quantityStep},`) +
    (priceStep === 1 ? '' : `"priceStep":${priceStep},`) +
    `"minQuantityLimit":${minQuantity},"maxQuantityLimit":${maxQuantity},"minCostLimit":${cost(instrument.notionalMin)},` +
    (notionalMax === Number.MAX_SAFE_INTEGER ? '' : `"maxCostLimit":${cost(notionalMax)},`) +
    (isFuture ? '"contractSize":1,' : '') +
    `"minMarketLimit":${minQuantity},"maxMarketLimit":${formatLots(marketQuantityMax, instrument)},` +
    `"minPriceLimit":${formatTicks(priceMin, instrument)},"maxPriceLimit":${formatTicks(priceMax, instrument)},` +
    `"enabled":${isEnabled},"timestamp":${instantText(listedAtMs)}}`
  );
}
