import { CANDLE_INTERVALS } from '../model/candle.js';
import { EXCHANGE_CODES, VENUES } from '../model/exchange.js';
import {
  CLIP_SIZE_TYPES,
  LADDER_DIRECTIONS,
  LADDER_PROFILES,
  ORDER_STATUSES,
  PLACEMENT_MODES,
  STRATEGY_NAMES,
  TRADING_STYLES,
  TRIGGER_CONDITIONS,
  URGENCIES,
} from '../model/order.js';
import { MULTI_LEGS_ALGOS } from '../model/pair.js';
import { choice } from './field.js';

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
  `How the order is worked. TWAP: evenly over its time. VWAP: along the usual volume of the day. ICEBERG: one visible clip at a time. POV: a share of the market's volume. MARKET: at once. LIMIT: rests at its limit price. IS: by urgency against the arrival price. SCALE: a ladder of limit orders.`,
);

export const MultiLegsAlgo = choice(
  'MultiLegsAlgo',
  MULTI_LEGS_ALGOS,
  'PAIR: the leading leg is worked by its own strategy, the other follows the value it has filled.',
);

export const ClipSizeType = choice(
  'ClipSizeType',
  CLIP_SIZE_TYPES,
  "How large one child order may be: ABSOLUTE in base units, PERCENTAGE of the parent (with POV: the share of the market's volume), ORDER_COUNT children in all, or AUTOMATIC: the strategy decides.",
);

export const TradingStyle = choice(
  'TradingStyle',
  TRADING_STYLES,
  'PASSIVE rests in the book and does not cross before the deadline; AGGRESSIVE takes what the book shows; HYBRID rests first and crosses for what is behind schedule; where taking costs no more than making, it rests with as little as the exchange takes, and takes the rest of a slice at a good moment.',
);

export const Urgency = choice(
  'Urgency',
  URGENCIES,
  'Risk aversion of strategy IS: lambda 0.2e-6, 1e-6 or 5e-6 per unit of quote currency. Other strategies do without.',
);

export const TriggerCondition = choice(
  'TriggerCondition',
  TRIGGER_CONDITIONS,
  'ABOVE: starts once the last trade is at or above the price; BELOW: at or below it.',
);

export const PlacementMode = choice(
  'PlacementMode',
  PLACEMENT_MODES,
  'DEFAULT: the strategy decides. TIGHT: the best level of the own side, moved at every change of it. CUSTOM: by `placement` and `cancel`, which it needs.',
);

export const LadderDirection = choice(
  'LadderDirection',
  LADDER_DIRECTIONS,
  'UPWARDS: from a lower to a higher price; DOWNWARDS: the other way. May be left out; it must not contradict the prices.',
);

export const LadderProfile = choice('LadderProfile', LADDER_PROFILES, 'How sizes change from one end to the other.');

export const CandleInterval = choice('CandleInterval', CANDLE_INTERVALS, 'How long a candle lasts.');

export const OrderStatus = choice(
  'OrderStatus',
  ORDER_STATUSES,
  'REJECTED, FILLED, CANCELLED and EXPIRED are final. CANCEL_REJECTED is only the answer to a cancel that cannot be carried out; no order rests in it.',
);
