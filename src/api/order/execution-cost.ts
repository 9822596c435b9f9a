import { withSlash } from '../../domain/instrument.js';
import { type TSchema, Type } from '@sinclair/typebox';
import { ClientOrderId, OrderIdSchema } from './order-schema.js';
import { OVER_FILLED } from './order-answer.js';
import { READING, type SignedOperation } from '../document/operation.js';
import { choiceOf, shown } from '../field/json-value.js';
import { arrayValues, integerValue, type Query, singleValue } from '../field/query.js';
import { choice, decimal, described, epochMs } from '../field/schema.js';
import { ExecutionStrategy, LiveMode, OrderStatus, Side, TradingExchange } from '../field/vocabulary.js';
import { COST_DIMENSIONS, type CostDimension, type CostWindow } from '../../domain/query.js';
import { asciiLower } from '../../domain/letter-case.js';
import { COST_ORDERS_MAX, FIND_HORIZON_MS, INSTANT_MS_MAX } from '../../domain/limits/clients.js';
import { STRATEGY_NAMES } from '../../domain/order.js';
import { isRejected, type OrRejection, reject } from '../../domain/rejection.js';
import type { EpochMs } from '../../domain/time.js';
import { parseTradingVenue } from '../field/field-value.js';

/** Schema of a value that is null while it is unknown. */
function known<Schema extends TSchema>(schema: Schema, description: string) {
  return Type.Union([schema, Type.Null()], { description });
}

const bps = (description: string) => known(Type.Number(), `${description} Basis points, positive is cost.`);
const ratio = (description: string) => known(Type.Number(), description);
const price = (description: string) => known(Type.Number(), description);
const count = (description: string) => Type.Integer({ minimum: 0, description });

const Fees = Type.Record(Type.String(), Type.Number(), { description: 'Fees by currency, as charged.' });

const ARRIVAL = 'Average price against the arrival price.';
const ALL_IN = 'Average price against the arrival price, fees included.';
const SHORTFALL =
  'Implementation shortfall by Perold, relative to the whole wanted quantity, fees included. Filled quantity counts against the arrival price. Unfilled quantity counts at the mid price of the end, or at the present one while the order works.';
const VWAP = 'Average price against the volume-weighted price of the trades of others in the same time.';
const VWAP_WITH_OWN =
  'Average price against the volume-weighted price of all trades in the same time, own fills included.';
const TWAP = 'Average price against the time-weighted mid price in the same time.';
const SPREAD =
  'Twice the distance of the fills from the mid price at their time. Negative when the order earned the spread.';
const CAPTURE =
  'Distance of the fills from the mid price in half spreads: 1 when all are at the own touch, -1 when all are at the far touch.';
const PARTICIPATION = 'Own volume ÷ total volume, own volume included.';
const MAKER = 'Quantity filled as maker ÷ filled quantity.';
const FEES_BPS = 'Fees ÷ filled value.';
const MARKOUT =
  'Mid price at `horizon_ms` after the fills against the prices of the fills, in basis points. Positive when the market moved in the direction of the order.';

const ImplementationShortfall = Type.Object(
  {
    currency: Type.String({ description: 'Quote currency of the amounts.', examples: ['USDT'] }),
    trading: decimal('Cost of the filled quantity against the arrival price.'),
    missed: known(
      Type.Number(),
      'Cost of the unfilled quantity at the mid price of the end, or at the present one. null while that price is unknown.',
    ),
    fees: known(Type.Number(), 'Fees in quote currency. null when the currency of a fee has no price here.'),
    total: known(Type.Number(), 'Sum of the three amounts.'),
  },
  { description: 'Implementation shortfall as an exact amount of money. Positive is cost.' },
);

const LegCost = Type.Object(
  {
    start_time: epochMs('Time at which the leg could first trade.'),
    end_time: epochMs('Time of its end, or of the report while it works.'),
    on_time: known(
      Type.Boolean(),
      'True when the leg was complete by its end time. null while that is open, without an end time, and after a cancel.',
    ),
    arrival_price: price('Mid price when the leg could first trade.'),
    average_price: price('Average price of the fills.'),
    arrival_slippage_bps: bps(ARRIVAL),
    all_in_slippage_bps: bps(ALL_IN),
    implementation_shortfall_bps: bps(SHORTFALL),
    implementation_shortfall: ImplementationShortfall,
    vwap_slippage_bps: bps(VWAP),
    vwap_with_own_slippage_bps: bps(VWAP_WITH_OWN),
    twap_slippage_bps: bps(TWAP),
    schedule_deviation: known(
      Type.Object({
        largest: Type.Number({ description: 'Largest distance.' }),
        rms: Type.Number({ description: 'Root mean square over time.' }),
      }),
      'Distance of the filled quantity from the schedule, as a fraction of the quantity. The schedule is a straight line for TWAP, the trajectory of Almgren and Chriss for IS, and the volume of others for VWAP and POV. For VWAP it is known after the end time. null for strategies without a schedule.',
    ),
    participation: ratio(PARTICIPATION),
    participation_target: ratio('Target participation of a POV order. null for other strategies.'),
    effective_spread_bps: bps(SPREAD),
    spread_capture: ratio(CAPTURE),
    markouts: Type.Array(
      Type.Object({
        horizon_ms: Type.Integer({ description: 'Milliseconds after each fill.', examples: [1000, 5000, 60000] }),
        bps: known(Type.Number(), MARKOUT),
        coverage: Type.Number({
          description:
            'Fraction of the filled quantity with a known mid price at that time, 0 to 1. Below 1 while that time is ahead, and when the market was not observed, for example while the service was down.',
        }),
      }),
    ),
    maker_share: ratio(MAKER),
    fees_bps: bps(FEES_BPS),
    market: Type.Object(
      {
        observed_from: known(Type.Integer(), 'First observation of the counted volume.'),
        observed_to: known(Type.Integer(), 'Last observation of the counted volume.'),
        volume: known(Type.Number(), 'Volume that others traded between the two observations.'),
        vwap: price('Volume-weighted price of that volume.'),
        vwap_with_own: price('Volume-weighted price of that volume and the own fills.'),
        twap: price('Time-weighted mid price from start to end, over the time with a known mid price.'),
      },
      {
        description:
          'Market data of the measures. The market is observed about once a second and at each action of an order. An observation is valid until the next one, at most 5 s.',
      },
    ),
  },
  {
    title: 'LegCost',
    description: 'Execution cost of a leg, up to its end or to the report. Unknown values are null.',
  },
);

const OrderCostLeg = Type.Object(
  {
    exchange: TradingExchange,
    live_mode: Type.Optional(LiveMode),
    symbol: Type.String({ description: 'Symbol as the request sent it.' }),
    side: Side,
    strategy: ExecutionStrategy,
    quantity: decimal('Wanted quantity by the latest terms.'),
    filled_quantity: decimal('Filled quantity.'),
    over_filled_quantity: Type.Optional(OVER_FILLED),
    completion: Type.Number({ description: 'Filled quantity ÷ wanted quantity, 0 to 1.' }),
    children: Type.Object(
      {
        sent: count('Child orders placed.'),
        filled: count('Child orders with at least one fill.'),
        rejected: count('Child orders that the exchange refused.'),
        cancelled: count('Child orders that ended with unfilled quantity, withdrawn or not.'),
        fills: count('Fills of all child orders.'),
        fill_rate: ratio('Filled quantity ÷ quantity of the placed child orders.'),
        sent_per_fill: ratio('Child orders ÷ fills.'),
        cancelled_per_fill: ratio('Cancelled child orders ÷ fills.'),
        messages_per_fill: ratio('Child orders and cancels sent ÷ fills.'),
      },
      { description: 'Results of the child orders.' },
    ),
    fees_infos: Fees,
    cost: Type.Union([LegCost, Type.Null()], { description: 'null: the leg has not been able to trade.' }),
  },
  { title: 'OrderCostLeg' },
);

export const OrderCost = Type.Object(
  {
    order_id: OrderIdSchema,
    client_order_id: Type.Optional(
      Type.String({ description: "The client's id of the order. Absent when the client gave none." }),
    ),
    status: OrderStatus,
    as_of: epochMs('Service time of the report.'),
    is_final: Type.Boolean({
      description: 'True when no later report can differ: the order has ended and all markouts are known.',
    }),
    legs: Type.Array(OrderCostLeg, { description: 'One leg, or the two legs of a multi-leg order.' }),
  },
  { title: 'OrderCost' },
);

export const ORDER_COST = {
  ...READING,
  id: 'getOrderCost',
  path: '/api/v2/trading/order/tca',
  summary: 'Execution cost of an order',
  description:
    'Transaction cost analysis of one order, during its execution and after its end, from the journal alone. An unknown order: 404 INVALID_ORDER. No id, or ids of different orders: 400 INVALID_REQUEST.',
  query: Type.Object({
    orderId: Type.Optional(OrderIdSchema),
    clientOrderId: Type.Optional(described(ClientOrderId, "The client's id of the order.")),
  }),
  success: { status: 200, description: 'The cost report.', schema: OrderCost },
} as const satisfies SignedOperation;

const DIMENSIONS = ['strategy', 'symbol', 'exchange', 'side'] as const;

const CostGroup = Type.Object(
  {
    strategy: Type.Optional(ExecutionStrategy),
    symbol: Type.Optional(Type.String({ description: 'Symbol with its slash, when the groups are by symbol.' })),
    exchange: Type.Optional(TradingExchange),
    side: Type.Optional(Side),
    currency: Type.String({
      description: 'Quote currency. Amounts of different currencies are never added.',
      examples: ['USDT'],
    }),
    legs: count('Single-leg orders and legs in the group.'),
    wanted_value: decimal('Wanted value at the arrival prices.'),
    filled_value: decimal('Filled value at the arrival prices.'),
    completion: ratio('Filled value ÷ wanted value.'),
    on_time_share: ratio('Share that was complete by the end time, of those with a known result.'),
    arrival_slippage_bps: bps(ARRIVAL),
    arrival_slippage_stderr_bps: ratio('Standard error of `arrival_slippage_bps`. null with fewer than two values.'),
    all_in_slippage_bps: bps(ALL_IN),
    implementation_shortfall_bps: bps(SHORTFALL),
    vwap_slippage_bps: bps(VWAP),
    vwap_with_own_slippage_bps: bps(VWAP_WITH_OWN),
    twap_slippage_bps: bps(TWAP),
    effective_spread_bps: bps(SPREAD),
    spread_capture: ratio(CAPTURE),
    participation: ratio(PARTICIPATION),
    maker_share: ratio(MAKER),
    fees_bps: bps(FEES_BPS),
    markouts: Type.Array(
      Type.Object({
        horizon_ms: Type.Integer({ description: 'Milliseconds after each fill.' }),
        bps: known(Type.Number(), MARKOUT),
      }),
    ),
    fees_infos: Fees,
    children: Type.Object({
      sent: count('Child orders placed.'),
      filled: count('Child orders with at least one fill.'),
      rejected: count('Child orders that the exchange refused.'),
      cancelled: count('Child orders that ended with unfilled quantity.'),
      fills: count('Fills of all child orders.'),
    }),
  },
  {
    title: 'CostGroup',
    description:
      'Means weighted by the filled value; the shortfall is weighted by the wanted value. A mean leaves out orders with an unknown value.',
  },
);

export const WindowCost = Type.Object(
  {
    from: epochMs('Start of the window, by creation time.'),
    to: epochMs('End of the window, by creation time.'),
    as_of: epochMs('Service time of the report.'),
    orders: count('Measured orders: those that could trade.'),
    is_complete: Type.Boolean({
      description: `False when the window has more than ${COST_ORDERS_MAX} orders; only the latest are measured.`,
    }),
    next_to: Type.Optional(
      epochMs(
        'Value of `to` for the report on the earlier orders. No order is in both. Absent when more orders than are measured were created in one millisecond.',
      ),
    ),
    groups: Type.Array(CostGroup),
  },
  { title: 'WindowCost' },
);

export const WINDOW_COST = {
  ...READING,
  id: 'getWindowCost',
  path: '/api/v2/trading/tca',
  summary: 'Execution cost of the orders of a window',
  description: `Transaction cost analysis of the orders that were created in a window, by strategy, symbol, exchange or side: at most ${COST_ORDERS_MAX} orders, the latest first. A start over ${FIND_HORIZON_MS / 86_400_000} days ago is clipped.`,
  query: Type.Object({
    from: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: INSTANT_MS_MAX,
        description: 'Epoch milliseconds; default a day before `to`.',
      }),
    ),
    to: Type.Optional(
      Type.Integer({ minimum: 0, maximum: INSTANT_MS_MAX, description: 'Epoch milliseconds; default now.' }),
    ),
    by: Type.Optional(
      Type.Array(choice('CostDimension', DIMENSIONS, 'Dimension of the groups; any letter case.'), {
        default: ['strategy'],
        description: 'Separated by commas; the parameter may also be repeated.',
      }),
    ),
    exchange: Type.Optional(described(TradingExchange, 'Only orders on this exchange; any letter case.')),
    symbol: Type.Optional(
      Type.String({
        description: 'Only orders of this symbol, as the orders name it; the slash is optional.',
        examples: ['BTC/USDT'],
      }),
    ),
    strategy: Type.Optional(described(ExecutionStrategy, 'Only orders with this strategy; any letter case.')),
  }),
  success: { status: 200, description: 'The cost report.', schema: WindowCost },
} as const satisfies SignedOperation;

const DEFAULT_WINDOW_MS = 24 * 3600 * 1000;

/** Reads from, to, by, exchange, symbol and strategy. Clips a window that starts too far in the past. */
export function parseCostQuery(query: Query, nowMs: EpochMs): OrRejection<CostWindow> {
  const to = integerValue(query, 'to', 0, INSTANT_MS_MAX);
  if (isRejected(to)) return to;
  const from = integerValue(query, 'from', 0, INSTANT_MS_MAX);
  if (isRejected(from)) return from;
  const toMs = (to ?? nowMs) as EpochMs;
  const fromMs = Math.max(from ?? toMs - DEFAULT_WINDOW_MS, nowMs - FIND_HORIZON_MS) as EpochMs;
  const by = parseDimensions(query);
  if (isRejected(by)) return by;
  const venueText = singleValue(query, 'exchange');
  if (isRejected(venueText)) return venueText;
  const venue = venueText === null ? null : parseTradingVenue(venueText);
  if (isRejected(venue)) return venue;
  const symbol = singleValue(query, 'symbol');
  if (isRejected(symbol)) return symbol;
  const strategyText = singleValue(query, 'strategy');
  if (isRejected(strategyText)) return strategyText;
  const strategy = strategyText === null ? null : choiceOf(STRATEGY_NAMES, strategyText);
  if (strategyText !== null && strategy === null) {
    return reject('INVALID_TRADE_STRATEGY', `strategy ${shown(strategyText)} is unknown`);
  }
  return { fromMs, toMs, by, venue, symbol: symbol === null ? null : withSlash(symbol), strategy };
}

function parseDimensions(query: Query): OrRejection<readonly CostDimension[]> {
  const texts = arrayValues(query, 'by');
  if (texts.length === 0) return ['strategy'];
  const wanted = new Set<CostDimension>();
  for (const text of texts) {
    const dimension = COST_DIMENSIONS.find((name) => name === asciiLower(text));
    if (dimension === undefined) {
      return reject('INVALID_PARAM', `by: ${shown(text)} is not one of ${COST_DIMENSIONS.join(', ')}`);
    }
    wanted.add(dimension);
  }
  return COST_DIMENSIONS.filter((name) => wanted.has(name));
}
