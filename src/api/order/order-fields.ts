import type { FieldTable } from '../field/field-row.js';
import { type AssetCategory, VENUES } from '../../domain/exchange.js';
import {
  CLIENT_ORDER_ID_CHARACTERS_MAX,
  CLIP_COUNT_MAX,
  LADDER_RUNGS_MAX,
  LADDER_RUNGS_MIN,
  SUBACCOUNT_CHARACTERS_MAX,
} from '../../domain/limits/trading.js';
import { CLIP_SIZE_TYPES, type Side, STRATEGY_NAMES } from '../../domain/order.js';
import { ORDER_PARAMS } from './param-fields.js';

/*
 * The fields of order requests, as plain data. From these rows come the parser, the violations of a preview, the JSON
 * Schema, the echo in frames, the digest for idempotency, amendments and the flags of the command line. Those of
 * `params` are in param-fields.ts, those of legs and multi-leg orders in pair/pair-fields.ts.
 */

const ASSET_CATEGORIES: readonly AssetCategory[] = ['SPOT', 'FUTURE'];
const SIDES: readonly Side[] = ['BUY', 'SELL'];

/** A create of one order with one leg, in the order in which the parser reads the fields. */
export const ORDER_FIELDS = {
  client_order_id: {
    kind: 'text',
    member: 'clientOrderId',
    charactersMax: CLIENT_ORDER_ID_CHARACTERS_MAX,
    description:
      "The client's id of the order: printable characters, no comma. Idempotent for the account while the order is open and 3 days after. The same id with the same request is answered with the first order and places nothing; with another request it is refused with INVALID_REQUEST.",
    example: 'rebalance-7',
    cli: { flags: '--client-order-id <id>', help: 'client order id; makes the create safe to repeat' },
  },
  exchange: {
    kind: 'exchange',
    member: 'venue',
    required: true,
    code: 'INVALID_EXCHANGE',
    title: 'TradingExchange',
    names: VENUES,
    description: 'An exchange that takes orders. Any letter case in requests, upper case in answers.',
    cli: { flags: '--exchange <name>', help: 'for example BINANCE' },
  },
  subaccount: {
    kind: 'text',
    member: 'subaccount',
    charactersMax: SUBACCOUNT_CHARACTERS_MAX,
    description: 'Name of a sub-account: printable characters, no comma. A simulated account is one unified account.',
    cli: { flags: '--subaccount <name>', help: 'subaccount to trade under' },
  },
  symbol: {
    kind: 'symbol',
    member: 'symbol',
    required: true,
    code: 'INVALID_SYMBOL',
    description:
      'BASE/QUOTE of an instrument of the exchange. With FUTURE, `BTC/USDT` and `BTC/USDT:USDT` name the same linear perpetual. `BTCUSDT` is accepted too where it names exactly one instrument of the exchange and the asset category. Answers echo the symbol as it was sent. Else INVALID_SYMBOL.',
    example: 'BTC/USDT',
    cli: { flags: '--symbol <symbol>', help: 'for example BTC/USDT' },
  },
  asset_category: {
    kind: 'choice',
    member: 'symbol',
    required: true,
    title: 'AssetCategory',
    names: ASSET_CATEGORIES,
    description: 'SPOT trades the asset, FUTURE its linear perpetual.',
    cli: { flags: '--category <category>', help: 'asset category', default: 'SPOT', checked: true },
  },
  side: {
    kind: 'choice',
    member: 'side',
    required: true,
    title: 'Side',
    names: SIDES,
    description: 'BUY or SELL.',
    cli: { flags: '--side <side>', help: 'side', checked: true },
  },
  quantity: {
    kind: 'lots',
    member: 'quantity',
    required: true,
    code: 'INVALID_QUANTITY',
    description:
      "Base units to trade; a multiple of the instrument's lot (10^-quantityPrecision) within its limits. Its value is at least `minCostLimit`: at `limit_price`, at the lowest price of a ladder, or else at the mid price, as soon as that is known. Else INVALID_QUANTITY, above the maximum QUANTITY_EXCEED. An order whose rest falls under these minimums, and has no child at the exchange, ends CANCELLED with INVALID_QUANTITY.",
    example: '0.5',
    amend: {
      of: 'any',
      description:
        'New total quantity, under the rules of a create and not below the filled quantity. It leaves no rest under the minimum of the exchange. Of a multi-leg order, the quantity of the leading leg: the other leg and both target values change in proportion.',
      help: 'new total quantity',
    },
    cli: { flags: '--quantity <decimal>', help: 'in base units' },
  },
  strategy: {
    kind: 'choice',
    member: 'strategy',
    required: true,
    code: 'INVALID_TRADE_STRATEGY',
    title: 'ExecutionStrategy',
    names: STRATEGY_NAMES,
    description:
      "How the order is executed. TWAP: evenly over its time. VWAP: along the usual volume of the day. ICEBERG: one visible clip at a time. POV: a share of the market's volume. MARKET: at once. LIMIT: rests at its limit price. IS: by urgency against the arrival price. SCALE: a ladder of limit orders.",
    cli: { flags: '--strategy <name>', help: 'execution strategy' },
  },
  limit_price: {
    kind: 'price',
    member: 'limitPrice',
    code: 'INVALID_LIMIT_PRICE',
    description:
      "Worst price in quote units, never traded through; a multiple of the tick (10^-pricePrecision) within the instrument's limits. LIMIT requires it. Else INVALID_LIMIT_PRICE.",
    example: '60000',
    amend: {
      of: 'any',
      description: 'New worst price, under the rules of a create. Of a multi-leg order, that of the leading leg.',
      help: 'new worst price',
    },
    cli: { flags: '--limit, --limit-price <decimal>', help: 'worst price' },
  },
  start_time: {
    kind: 'instant',
    member: 'startAtMs',
    code: 'INVALID_TRADE_TIME',
    description:
      'When trading may start; at once when absent. At most 60 s in the past and 30 days ahead, service time. Else INVALID_TRADE_TIME.',
    cli: { flags: '--start, --start-time <time>', help: 'ISO 8601, UTC' },
  },
  end_time: {
    kind: 'instant',
    member: 'endAtMs',
    code: 'INVALID_END_TIME',
    description:
      'When trading ends: after the start and after now, and at most 30 days after the start; service time. Else INVALID_END_TIME.',
    amend: {
      of: 'any',
      description:
        'New end of trading: in the future, after the start and at most 30 days after it. It and `duration_seconds` belong together: an amendment with either replaces both.',
      help: 'new end time, ISO 8601 with Z',
    },
    cli: { flags: '--end, --end-time <time>', help: 'ISO 8601, UTC' },
  },
  clip_size_type: {
    kind: 'choice',
    member: 'clip',
    default: 'AUTOMATIC',
    title: 'ClipSizeType',
    names: CLIP_SIZE_TYPES,
    description:
      "Largest size of a child order: ABSOLUTE in base units, PERCENTAGE of the parent (with POV: the share of the market's volume), ORDER_COUNT children in total, or AUTOMATIC: the strategy decides.",
    echo: '',
    group: 'Execution:',
    cli: {
      flags: '--clip <type:value>',
      help: 'size of a child: ABSOLUTE:0.05, PERCENTAGE:10, ORDER_COUNT:20, AUTOMATIC',
      rest: 'clip_size_val',
    },
  },
  clip_size_val: {
    kind: 'clip',
    member: 'clip',
    description: `Required unless clip_size_type is AUTOMATIC, which ignores it. ABSOLUTE: base units on the lot grid, at least the instrument's minimum. PERCENTAGE: above 0 and up to 100, with POV up to 50 (10 when AUTOMATIC), at most 6 digits after the point. ORDER_COUNT: an integer from 1 to ${CLIP_COUNT_MAX}. With SCALE it must give ${LADDER_RUNGS_MIN} to ${LADDER_RUNGS_MAX} rungs. Else INVALID_PARAM.`,
    example: '0.05',
    echo: 'As it was sent.',
  },
  params: {
    kind: 'object',
    title: 'OrderParams',
    fields: ORDER_PARAMS,
    description: 'How the order is executed. A wrong value is refused with INVALID_PARAM unless another code is named.',
    group: 'Execution:',
  },
} as const satisfies FieldTable;
