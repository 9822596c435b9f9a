import { Type, type TSchema } from '@sinclair/typebox';
import { COST_ORDERS_MAX, FIND_HORIZON_MS, INSTANT_MS_MAX } from '../model/limits.js';
import { OrderId } from './cancel-request.js';
import { choice, decimal, described, epochMs } from './field.js';
import { READING, type SignedOperation } from './operation.js';
import { ClientOrderId } from './order-request.js';
import { ExecutionStrategy, OrderStatus, Side, TradingExchange } from './vocabulary.js';

/** A figure that may not be known: then it is null. */
function known<Schema extends TSchema>(schema: Schema, description: string) {
  return Type.Union([schema, Type.Null()], { description });
}

const bps = (description: string) => known(Type.Number(), `${description} Basis points, positive is cost.`);
const ratio = (description: string) => known(Type.Number(), description);
const price = (description: string) => known(Type.Number(), description);
const count = (description: string) => Type.Integer({ minimum: 0, description });

const Fees = Type.Record(Type.String(), Type.Number(), { description: 'Fees by currency, as charged.' });

const ARRIVAL = 'Average price against the arrival price.';
const ALL_IN = 'The same with the fees.';
const SHORTFALL =
  'Perold: what was filled against the arrival price, what was not at the mid of the end (now, while it works), and the fees, of all that was wanted.';
const VWAP = 'Average price against the volume-weighted price at which others traded meanwhile.';
const VWAP_WITH_OWN = 'The same with the own fills in the market price.';
const TWAP = 'Average price against the time-weighted mid meanwhile.';
const SPREAD = 'Twice the distance of the fills from the mid at that moment: negative when the spread was earned.';
const CAPTURE = 'Distance of the fills from the mid in half spreads: 1 all at the own touch, -1 all at the far one.';
const PARTICIPATION = 'Own volume of all volume, own included.';
const MAKER = 'Filled as maker, of all filled.';
const FEES_BPS = 'Fees, of the filled value.';
const MARKOUT =
  'Mid so long after the fills against their prices, in basis points: positive when the market went the way of the order.';

const ImplementationShortfall = Type.Object(
  {
    currency: Type.String({ description: 'Quote currency, which the amounts are in.', examples: ['USDT'] }),
    trading: decimal('What was filled, against the arrival price.'),
    missed: known(Type.Number(), 'What was not filled, at the mid of the end or of now; null while that is not known.'),
    fees: known(Type.Number(), 'null when a fee was charged in a currency that has no price here.'),
    total: known(Type.Number(), 'Their sum.'),
  },
  { description: 'The implementation shortfall in money, exact: positive is cost.' },
);

const LegCost = Type.Object(
  {
    start_time: epochMs('When it first could trade.'),
    end_time: epochMs('When it ended, or when it was looked at.'),
    on_time: known(
      Type.Boolean(),
      'Done by its end time; null: it still can be, it has no end time, or it was cancelled.',
    ),
    arrival_price: price('Mid price when it first could trade.'),
    average_price: price('Of its fills.'),
    arrival_slippage_bps: bps(ARRIVAL),
    all_in_slippage_bps: bps(ALL_IN),
    implementation_shortfall_bps: bps(SHORTFALL),
    implementation_shortfall: ImplementationShortfall,
    vwap_slippage_bps: bps(VWAP),
    vwap_with_own_slippage_bps: bps(VWAP_WITH_OWN),
    twap_slippage_bps: bps(TWAP),
    schedule_deviation: known(
      Type.Object({
        largest: Type.Number({ description: 'The largest.' }),
        rms: Type.Number({ description: 'Root of the mean square over time.' }),
      }),
      'Distance of what was filled from the schedule, as a part of the quantity: a straight line for TWAP, the trajectory of Almgren and Chriss for IS, the volume of others for VWAP (known once its time is over) and POV; null for what follows none.',
    ),
    participation: ratio(PARTICIPATION),
    participation_target: ratio('What a POV order wants to be; null for any other.'),
    effective_spread_bps: bps(SPREAD),
    spread_capture: ratio(CAPTURE),
    markouts: Type.Array(
      Type.Object({
        horizon_ms: Type.Integer({ description: 'How long after each fill.', examples: [1000, 5000, 60000] }),
        bps: known(Type.Number(), MARKOUT),
        coverage: Type.Number({
          description:
            'Part of what was filled whose mid was known then, 0 to 1: less while it is still to come, and when the market was not observed, as while the service was down.',
        }),
      }),
    ),
    maker_share: ratio(MAKER),
    fees_bps: bps(FEES_BPS),
    market: Type.Object(
      {
        observed_from: known(Type.Integer(), 'Observation from which on volumes are counted.'),
        observed_to: known(Type.Integer(), 'Observation up to which they are.'),
        volume: known(Type.Number(), 'Traded by others in between.'),
        vwap: price('Their volume-weighted price.'),
        vwap_with_own: price('The same with the own fills.'),
        twap: price('Time-weighted mid from start to end, as far as it is known.'),
      },
      {
        description:
          'The market it is measured against: observed about once a second and whenever an order does something, each observation good until the next one and for 5 s at most.',
      },
    ),
  },
  { title: 'LegCost', description: 'What a leg cost, up to its end or to now. A figure that is not known is null.' },
);

const OrderCostLeg = Type.Object(
  {
    exchange: TradingExchange,
    symbol: Type.String(),
    side: Side,
    strategy: ExecutionStrategy,
    quantity: decimal('Wanted, by the terms as last amended.'),
    filled_quantity: decimal('Filled so far.'),
    completion: Type.Number({ description: 'Filled part of what is wanted, 0 to 1.' }),
    children: Type.Object(
      {
        sent: count('Child orders placed.'),
        filled: count('With a fill at least.'),
        rejected: count('Refused by the exchange.'),
        cancelled: count('Ended with quantity left, withdrawn or not.'),
        fills: count('Fills of all of them.'),
        fill_rate: ratio('Filled quantity, of the quantity sent.'),
        sent_per_fill: ratio('Child orders, of fills.'),
        cancelled_per_fill: ratio('Cancelled child orders, of fills.'),
        messages_per_fill: ratio('Child orders and cancels sent, of fills.'),
      },
      { description: 'What became of its child orders.' },
    ),
    fees_infos: Fees,
    cost: Type.Union([LegCost, Type.Null()], { description: 'null: it could not trade yet, or never could.' }),
  },
  { title: 'OrderCostLeg' },
);

export const OrderCost = Type.Object(
  {
    order_id: OrderId,
    client_order_id: Type.Optional(Type.String()),
    status: OrderStatus,
    as_of: epochMs('Service time of the report.'),
    is_final: Type.Boolean({
      description: 'No later report can tell anything else: it is over, and its markouts are in.',
    }),
    legs: Type.Array(OrderCostLeg, { description: 'One, or the two of a multi-leg order.' }),
  },
  { title: 'OrderCost' },
);

export const ORDER_COST = {
  ...READING,
  id: 'getOrderCost',
  path: '/api/v2/trading/order/tca',
  summary: 'What an order cost',
  description:
    'Transaction cost analysis of one order, while it works and afterwards, from the journal alone. An unknown order: 404 INVALID_ORDER. Neither id, or two that name different orders: 400 INVALID_REQUEST.',
  query: Type.Object({
    orderId: Type.Optional(OrderId),
    clientOrderId: Type.Optional(described(ClientOrderId, "The caller's own name of the order.")),
  }),
  success: { status: 200, description: 'What it cost.', schema: OrderCost },
} as const satisfies SignedOperation;

const DIMENSIONS = ['strategy', 'symbol', 'exchange', 'side'] as const;

const CostGroup = Type.Object(
  {
    strategy: Type.Optional(ExecutionStrategy),
    symbol: Type.Optional(Type.String()),
    exchange: Type.Optional(TradingExchange),
    side: Type.Optional(Side),
    currency: Type.String({
      description: 'Quote currency: money of two currencies is never added.',
      examples: ['USDT'],
    }),
    legs: count('Orders, or legs of them, in the group.'),
    wanted_value: Type.Number({ description: 'Wanted, at the arrival prices.' }),
    filled_value: Type.Number({ description: 'Filled, at the arrival prices.' }),
    completion: ratio('Filled value of the wanted one.'),
    on_time_share: ratio('Done by their end time, of those of which it can be told.'),
    arrival_slippage_bps: bps(ARRIVAL),
    arrival_slippage_stderr_bps: ratio('Its standard error; null with fewer than two.'),
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
    markouts: Type.Array(Type.Object({ horizon_ms: Type.Integer(), bps: known(Type.Number(), MARKOUT) })),
    fees_infos: Fees,
    children: Type.Object({
      sent: count('Child orders placed.'),
      filled: count('With a fill at least.'),
      rejected: count('Refused by the exchange.'),
      cancelled: count('Ended with quantity left.'),
      fills: count('Fills of all of them.'),
    }),
  },
  {
    title: 'CostGroup',
    description:
      'Means weighted by the filled value, the shortfall by the wanted one. What is not known of an order is left out of its mean.',
  },
);

export const WindowCost = Type.Object(
  {
    from: epochMs('Orders created since then,'),
    to: epochMs('and until then.'),
    as_of: epochMs('Service time of the report.'),
    orders: count('Orders that were measured: those that could trade.'),
    is_complete: Type.Boolean({
      description: `False: there are more than ${COST_ORDERS_MAX}; only the latest are measured.`,
    }),
    next_to: Type.Optional(epochMs('`to` of the report over the rest.')),
    groups: Type.Array(CostGroup),
  },
  { title: 'WindowCost' },
);

export const WINDOW_COST = {
  ...READING,
  id: 'getWindowCost',
  path: '/api/v2/trading/tca',
  summary: 'What the orders of a window cost',
  description: `Transaction cost analysis of the orders that were created in a window, by strategy, symbol, exchange or side: at most ${COST_ORDERS_MAX} orders, the latest first. A window that reaches back over ${FIND_HORIZON_MS / 86_400_000} days is clipped.`,
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
      Type.Array(choice('CostDimension', DIMENSIONS, 'What groups are told apart by; any letter case.'), {
        default: ['strategy'],
        description: 'Joined by commas; the parameter may also be repeated.',
      }),
    ),
    exchange: Type.Optional(described(TradingExchange, 'Only there; any letter case.')),
    symbol: Type.Optional(
      Type.String({ description: 'Only of this symbol, as the orders have it.', examples: ['BTC/USDT'] }),
    ),
    strategy: Type.Optional(described(ExecutionStrategy, 'Only by this strategy; any letter case.')),
  }),
  success: { status: 200, description: 'What they cost.', schema: WindowCost },
} as const satisfies SignedOperation;
