import { EXCHANGE_CODES, VENUE_ENVIRONMENTS } from '../../domain/exchange.js';
import { CANDLE_INTERVALS } from '../../domain/market-feed.js';
import { ORDER_STATUSES } from '../../domain/order.js';
import { ORDER_FIELDS } from '../order/order-fields.js';
import { PAIR_FIELDS } from '../pair/pair-fields.js';
import { component } from './field-schema.js';
import { choice } from './schema.js';

/* Enumerations that the documents name. Those of order requests come from the tables of fields. */

export const TradingExchange = component(ORDER_FIELDS.exchange);
export const AssetCategory = component(ORDER_FIELDS.asset_category);
export const Side = component(ORDER_FIELDS.side);
export const ExecutionStrategy = component(ORDER_FIELDS.strategy);
export const ClipSizeType = component(ORDER_FIELDS.clip_size_type);
export const MultiLegsAlgo = component(PAIR_FIELDS.algo);

export const ListingExchange = choice(
  'ListingExchange',
  EXCHANGE_CODES,
  'An exchange that lists instruments: the 15 that take orders and 3 that do not.',
);

export const LiveMode = choice(
  'LiveMode',
  VENUE_ENVIRONMENTS,
  'How orders trade at the real exchange: testnet with play money, live with real money. Absent: the exchange is simulated.',
);

export const ExchangeMode = choice(
  'ExchangeMode',
  ['SIMULATED', 'LIVE'],
  'Destination of orders: a simulation or the exchange itself.',
);

export const AssetClass = choice(
  'AssetClass',
  ['UNDEFINED', 'SPOT', 'FUTURE', 'OPTION', 'CFD'],
  'Class of an instrument.',
);

export const CandleInterval = choice('CandleInterval', CANDLE_INTERVALS, 'How long a candle lasts.');

export const OrderStatus = choice(
  'OrderStatus',
  ORDER_STATUSES,
  'REJECTED, FILLED, CANCELLED and EXPIRED are final. CANCEL_REJECTED is only the answer to a cancel that cannot be carried out; no order rests in it.',
);
