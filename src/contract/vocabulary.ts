import { CANDLE_INTERVALS } from '../model/candle.js';
import { EXCHANGE_CODES, VENUES } from '../model/exchange.js';
import { CLIP_SIZE_TYPES, ORDER_STATUSES, STRATEGY_NAMES, TRADING_STYLES, URGENCIES } from '../model/order.js';
import { choice } from './field.js';
import { STRATEGIES_OFFERED } from './offer.js';

export const TradingExchange = choice(
  'TradingExchange',
  VENUES,
  'An exchange that takes orders. Matched in any letter case, answered in upper case.',
);

export const ListingExchange = choice(
  'ListingExchange',
  EXCHANGE_CODES,
  'An exchange that lists instruments: the 15 that take orders and 3 that do not.',
);

export const AssetCategory = choice(
  'AssetCategory',
  ['SPOT', 'FUTURE'],
  'What is traded: the asset itself, or its linear perpetual.',
);

export const AssetClass = choice(
  'AssetClass',
  ['UNDEFINED', 'SPOT', 'FUTURE', 'OPTION', 'CFD'],
  'Class of an instrument.',
);

export const Side = choice('Side', ['BUY', 'SELL'], 'BUY or SELL.');

export const ExecutionStrategy = choice(
  'ExecutionStrategy',
  STRATEGY_NAMES,
  `How the order is worked. Offered today: ${STRATEGIES_OFFERED.join(', ')}; the others are refused with INVALID_TRADE_STRATEGY.`,
);

export const ClipSizeType = choice(
  'ClipSizeType',
  CLIP_SIZE_TYPES,
  'How large one child order may be: ABSOLUTE in base units, PERCENTAGE of the parent, ORDER_COUNT children in all, or AUTOMATIC: the strategy decides.',
);

export const TradingStyle = choice(
  'TradingStyle',
  TRADING_STYLES,
  'PASSIVE rests in the book and does not cross before the deadline; AGGRESSIVE takes what the book shows; HYBRID rests first and crosses for what is behind schedule.',
);

export const Urgency = choice(
  'Urgency',
  URGENCIES,
  'Risk aversion of strategy IS: lambda 0.2e-6, 1e-6 or 5e-6 per unit of quote currency.',
);

export const CandleInterval = choice('CandleInterval', CANDLE_INTERVALS, 'How long a candle lasts.');

export const OrderStatus = choice(
  'OrderStatus',
  ORDER_STATUSES,
  'REJECTED, FILLED, CANCELLED and EXPIRED are final. CANCEL_REJECTED is only the answer to a cancel that cannot be carried out; no order rests in it.',
);
