import { Type } from '@sinclair/typebox';
import {
  FIND_HORIZON_MS,
  FIND_ORDERS_DEFAULT,
  FIND_ORDERS_MAX,
  INSTANT_MS_MAX,
  QUERY_IDS_MAX,
} from '../../domain/limits/clients.js';
import { BalanceList, ListenKey, PositionList } from '../account/account-answer.js';
import { ClientOrderId, OrderIdSchema, Subaccount } from './order-schema.js';
import { described } from '../field/schema.js';
import { READING, type SignedOperation } from '../document/operation.js';
import { OrderDetailsList, TradeDetailsList } from './order-answer.js';
import { TradingExchange } from '../field/vocabulary.js';

const WANTED = {
  include_trades: Type.Optional(Type.Boolean({ default: false, description: 'Includes `trades` of each order.' })),
  include_fees: Type.Optional(Type.Boolean({ default: false, description: 'Includes `fees_infos` of each order.' })),
  include_params: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Includes `clip_size_type`, `clip_size_val` and `params` of each order and leg.',
    }),
  ),
};

const NAMES = {
  orderIds: Type.Optional(
    Type.Array(OrderIdSchema, {
      maxItems: QUERY_IDS_MAX,
      description: 'Separated by commas; the parameter may also be repeated. Unknown ids are left out of the answer.',
    }),
  ),
  clientOrderIds: Type.Optional(
    Type.Array(described(ClientOrderId, 'Client order ids.'), {
      maxItems: QUERY_IDS_MAX,
      description:
        'Client order ids in the same form. At least one of the two parameters is required; the answer is the union.',
    }),
  ),
};

const OWN_EXCHANGE = described(TradingExchange, 'Required; any letter case.');
const orders = { status: 200, description: 'The orders.', schema: OrderDetailsList } as const;
const horizonDays = FIND_HORIZON_MS / 86_400_000;

export const LIST_OPEN_ORDERS = {
  ...READING,
  id: 'listOpenOrders',
  path: '/api/v2/trading/order/open',
  summary: 'Open orders',
  description:
    'Every order of the account whose status is not final at the time of the request. An order that ends while a long list is read has its final state.',
  query: Type.Object(WANTED),
  success: orders,
} as const satisfies SignedOperation;

export const FIND_ORDERS = {
  ...READING,
  id: 'findOrders',
  path: '/api/v2/trading/order/find',
  summary: 'Orders by time of creation',
  description: `Newest first, by service time. Covers the last ${horizonDays} days; an earlier start is clipped.`,
  query: Type.Object({
    startMs: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: INSTANT_MS_MAX,
        description: `Milliseconds since the epoch; ${horizonDays} days ago when absent. Not after endMs.`,
      }),
    ),
    endMs: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: INSTANT_MS_MAX,
        description: 'Milliseconds since the epoch; now when absent.',
      }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: FIND_ORDERS_MAX,
        default: FIND_ORDERS_DEFAULT,
        description: 'Largest number of orders.',
      }),
    ),
    ...WANTED,
  }),
  success: orders,
} as const satisfies SignedOperation;

export const GET_ORDERS = {
  ...READING,
  id: 'getOrders',
  path: '/api/v2/trading/order/byId',
  summary: 'Orders by their ids',
  description: `At most ${QUERY_IDS_MAX} ids. Orders follow the sequence of the request, each once.`,
  query: Type.Object({ ...NAMES, ...WANTED }),
  success: orders,
} as const satisfies SignedOperation;

export const LIST_USER_TRADES = {
  ...READING,
  id: 'listUserTrades',
  path: '/api/v2/trading/userTrades',
  summary: 'Fills of named orders',
  description: `At most ${QUERY_IDS_MAX} ids. Only orders on the exchange, and of the sub-account when it is given.`,
  query: Type.Object({ exchange: OWN_EXCHANGE, subaccount: Type.Optional(Subaccount), ...NAMES }),
  success: { status: 200, description: 'The fills.', schema: TradeDetailsList },
} as const satisfies SignedOperation;

/** Accepted without effect, so that a client may send it in every request. */
const ANY_SUBACCOUNT = Type.Optional(Type.String({ description: 'A simulated account is one unified account.' }));

export const LIST_POSITIONS = {
  ...READING,
  id: 'listPositions',
  path: '/api/v2/trading/position',
  summary: 'Positions at an exchange',
  description:
    'Futures positions, valued at the present mark price. 503 EXCHANGE_NOT_AVAILABLE when the exchange does not answer in time. `subaccount` has no effect.',
  query: Type.Object({ exchange: OWN_EXCHANGE, subaccount: ANY_SUBACCOUNT }),
  success: { status: 200, description: 'The positions.', schema: PositionList },
} as const satisfies SignedOperation;

export const LIST_BALANCES = {
  ...READING,
  id: 'listBalances',
  path: '/api/v2/trading/balance',
  summary: 'Balances at an exchange',
  description:
    'Balances as the exchange reports them. 503 EXCHANGE_NOT_AVAILABLE when it does not answer in time. `subaccount` has no effect.',
  query: Type.Object({ exchange: OWN_EXCHANGE, subaccount: ANY_SUBACCOUNT }),
  success: { status: 200, description: 'The balances.', schema: BalanceList },
} as const satisfies SignedOperation;

export const GET_LISTEN_KEY = {
  ...READING,
  id: 'getListenKey',
  path: '/api/v2/trading/listenKey',
  summary: 'A key for the WebSocket',
  description:
    'The handshake of /api/v2/ws takes it as `?listenKey=` or `Authorization: Bearer`. It is valid until it expires; an open connection stays open.',
  query: null,
  success: { status: 200, description: 'The listen key, a JSON string.', schema: ListenKey },
} as const satisfies SignedOperation;
