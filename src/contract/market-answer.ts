import { Type } from '@sinclair/typebox';
import { choice, decimal, instant } from './field.js';
import { AssetCategory, AssetClass, ListingExchange } from './vocabulary.js';

const ExchangeEntry = Type.Object(
  {
    id: Type.Integer({ description: 'Integer id, as market-data frames carry it.' }),
    exchange: ListingExchange,
    name: Type.String({ description: 'For people.' }),
    asset_classes: Type.Array(AssetCategory, { description: 'What it lists.' }),
    tradable: Type.Boolean({ description: 'Whether it takes orders here.' }),
    mode: choice('ExchangeMode', ['SIMULATED', 'LIVE'], 'Whether orders go to a simulation or to the exchange.'),
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
    baseAsset: Type.String({ description: 'What is bought and sold; the unit of quantities.' }),
    quoteAsset: Type.String({ description: 'What it is paid in; the unit of prices.' }),
    exchangeSymbol: Type.String({ description: "The exchange's own name." }),
    exchangeAssetClass: Type.String({ description: "The exchange's own word for the class." }),
    assetClass: AssetClass,
    quantityPrecision: Type.Integer({ description: 'The lot is 10^-quantityPrecision base units.' }),
    pricePrecision: Type.Integer({ description: 'The tick is 10^-pricePrecision quote units.' }),
    minQuantityLimit: decimal('Smallest quantity of an order.'),
    maxQuantityLimit: decimal('Largest quantity of an order.'),
    minCostLimit: decimal('Smallest quantity × price, in quote units.'),
    maxCostLimit: Type.Optional(decimal('Largest quantity × price, in quote units.')),
    contractSize: Type.Optional(decimal('Base units of one contract; futures only.')),
    minMarketLimit: decimal('Smallest quantity of a market order.'),
    maxMarketLimit: decimal('Largest quantity of a market order.'),
    minPriceLimit: decimal('Lowest limit price.'),
    maxPriceLimit: decimal('Highest limit price.'),
    enabled: Type.Boolean({ description: 'Whether it can be traded now.' }),
    timestamp: instant('Since when this holds, service time.'),
  },
  { title: 'Instrument', description: 'What an exchange lists, and what it asks of orders.' },
);

export const InstrumentList = Type.Array(Instrument);
