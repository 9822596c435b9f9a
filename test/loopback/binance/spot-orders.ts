import type { Exchange } from '../exchange.js';
import { isListed } from '../faults.js';
import type { LoopbackOrder } from '../order.js';
import { ApiError, BAD_SYMBOL, eitherMissing, NO_SUCH_ORDER, UNKNOWN_ORDER } from './api-error.js';
import { accountOf, type Endpoint, type RequestContext } from './endpoint.js';
import { namedOrder, seen, seenOpenOrders, seenOrders } from './order-view.js';
import type { Parameters } from './parameters.js';
import {
  cancelledAnswer,
  orderAnswer,
  placedAnswer,
  type ResponseType,
  standardResponse,
  tradeAnswer,
} from './spot-answers.js';
import { CLIENT_ID_FORM, generatedId, marketOf, readSpotOrder } from './spot-order-form.js';

const RESPONSE_TYPES: readonly ResponseType[] = ['ACK', 'RESULT', 'FULL'];
const LIST_STANDARD = 500;
const LIST_MAX = 1000;

/** Words of the matching engine for what it refuses, code -2010. */
const REFUSALS = {
  DUPLICATE: 'Duplicate order sent.',
  NO_FUNDS: 'Account has insufficient balance for requested action.',
  WOULD_TAKE: 'Order would immediately match and take.',
  NOTHING_TO_REDUCE: 'Unsupported order combination',
  NO_LIQUIDITY: 'Order book liquidity is less than symbol minimum quantity.',
} as const;

/** Orders and trades of the spot API. Every handler reads all its parameters before it changes anything. */
export function spotOrderEndpoints(exchange: Exchange): readonly Endpoint[] {
  const place = (context: RequestContext): object => {
    const { parameters } = context;
    const terms = readSpotOrder(exchange, parameters, accountOf(context));
    const response = responseType(parameters) ?? standardResponse(terms.wireType);
    finish(parameters);
    if (exchange.suspensionOf(terms.instrument.symbol) !== null) throw new ApiError(-1013, 'Market is closed.');
    const placed = exchange.place(terms, context.view);
    if (typeof placed === 'string') throw new ApiError(-2010, REFUSALS[placed]);
    return placedAnswer(placed, response);
  };
  const test = (context: RequestContext): object => {
    readSpotOrder(exchange, context.parameters, accountOf(context));
    responseType(context.parameters);
    context.parameters.flag('computeCommissionRates');
    finish(context.parameters);
    return {};
  };
  const cancel = (context: RequestContext): object => {
    const { parameters } = context;
    const order = readNamed(exchange, context);
    const cancelId = parameters.matching('newClientOrderId', CLIENT_ID_FORM) ?? generatedId();
    const restriction = parameters.optional('cancelRestrictions');
    finish(parameters);
    if (order === null || !order.isOpen) throw UNKNOWN_ORDER();
    requireRestriction(order, restriction);
    exchange.cancel(order, cancelId);
    return cancelledAnswer(order, cancelId);
  };
  const cancelAll = (context: RequestContext): object => {
    const { instrument } = marketOf(exchange, context.parameters);
    finish(context.parameters);
    const orders = exchange.openOrders(accountOf(context), instrument.symbol);
    if (orders.length === 0) throw UNKNOWN_ORDER();
    return orders.map((order) => {
      const cancelId = generatedId();
      exchange.cancel(order, cancelId);
      return cancelledAnswer(order, cancelId);
    });
  };
  const status = (context: RequestContext): object => {
    const order = readNamed(exchange, context);
    finish(context.parameters);
    return orderAnswer(seen(order, context.view, context.nowMs));
  };
  const open = (context: RequestContext): object => {
    const symbol = context.parameters.optional('symbol');
    finish(context.parameters);
    if (symbol !== null && exchange.market(symbol) === null) throw BAD_SYMBOL();
    return seenOpenOrders(exchange, context, symbol).map(orderAnswer);
  };
  return [
    { rest: 'POST /api/v3/order', socket: 'order.place', security: 'SPOT_TRADE', weight: 1, isOrder: true, run: place },
    { rest: 'POST /api/v3/order/test', socket: 'order.test', security: 'SPOT_TRADE', weight: 1, run: test },
    { rest: 'DELETE /api/v3/order', socket: 'order.cancel', security: 'SPOT_TRADE', weight: 1, run: cancel },
    {
      rest: 'DELETE /api/v3/openOrders',
      socket: 'openOrders.cancelAll',
      security: 'SPOT_TRADE',
      weight: 1,
      run: cancelAll,
    },
    { rest: 'GET /api/v3/order', socket: 'order.status', security: 'USER_DATA', weight: 4, run: status },
    { rest: 'GET /api/v3/openOrders', socket: 'openOrders.status', security: 'USER_DATA', weight: 6, run: open },
    {
      rest: 'GET /api/v3/allOrders',
      socket: 'allOrders',
      security: 'USER_DATA',
      weight: 20,
      run: (context) => allOrders(exchange, context),
    },
    {
      rest: 'GET /api/v3/myTrades',
      socket: 'myTrades',
      security: 'USER_DATA',
      weight: 20,
      run: (context) => myTrades(exchange, context),
    },
  ];
}

function responseType(parameters: Parameters): ResponseType | null {
  const failure = new ApiError(-1130, "Data sent for parameter 'newOrderRespType' is not valid.");
  return parameters.oneOf('newOrderRespType', RESPONSE_TYPES, failure);
}

/** Marks the parameters that every signed request may have as read, and refuses all others. */
export function finish(parameters: Parameters): void {
  for (const name of ['timestamp', 'recvWindow', 'signature', 'apiKey', 'returnRateLimits']) parameters.optional(name);
  parameters.requireAllRead();
}

function readNamed(exchange: Exchange, context: RequestContext): LoopbackOrder | null {
  const { parameters } = context;
  const { symbol } = marketOf(exchange, parameters).instrument;
  const orderId = parameters.integer('orderId');
  const clientId = parameters.optional('origClientOrderId');
  if (orderId === null && clientId === null) throw eitherMissing('origClientOrderId', 'orderId');
  return namedOrder(exchange, { account: accountOf(context), symbol, orderId, clientId });
}

function requireRestriction({ state }: LoopbackOrder, restriction: string | null): void {
  const wanted = { ONLY_NEW: 'NEW', ONLY_PARTIALLY_FILLED: 'PARTIALLY_FILLED' }[restriction ?? ''];
  if (restriction !== null && wanted === undefined) {
    const names = '`ONLY_NEW` or `ONLY_PARTIALLY_FILLED`';
    throw new ApiError(-1145, `\`cancelRestrictions\` has to be either ${names}.`);
  }
  if (wanted !== undefined && wanted !== state.status) {
    throw new ApiError(-2011, 'Order was not canceled due to cancel restrictions.');
  }
}

/** By id from `orderId` on, or by the time of acceptance; else the newest. Always oldest first. */
function allOrders(exchange: Exchange, context: RequestContext): object {
  const { parameters } = context;
  const { symbol } = marketOf(exchange, parameters).instrument;
  const firstId = parameters.integer('orderId');
  const { fromMs, toMs } = readPeriod(parameters);
  const limit = parameters.limit(LIST_STANDARD, LIST_MAX);
  finish(parameters);
  const orders = seenOrders(exchange, context, symbol).filter(({ order: { id, acceptedAtMs } }) => {
    return id >= (firstId ?? 0) && acceptedAtMs >= fromMs && acceptedAtMs <= toMs;
  });
  return page(orders, limit, firstId !== null || fromMs > 0).map(orderAnswer);
}

function myTrades(exchange: Exchange, context: RequestContext): object {
  const { parameters, view, nowMs } = context;
  const { symbol } = marketOf(exchange, parameters).instrument;
  const orderId = parameters.integer('orderId');
  const fromId = parameters.integer('fromId');
  const { fromMs, toMs } = readPeriod(parameters);
  const limit = parameters.limit(LIST_STANDARD, LIST_MAX);
  finish(parameters);
  if (orderId !== null && exchange.ledger.order(orderId)?.terms.account !== accountOf(context)) throw NO_SUCH_ORDER();
  const fills = exchange.ledger.fillsOf(accountOf(context)).filter((fill) => {
    const isAsked = fill.symbol === symbol && (orderId === null || fill.orderId === orderId);
    const isInPeriod = fill.atMs >= fromMs && fill.atMs <= toMs && fill.atMs <= nowMs - view.staleMs;
    return isAsked && isInPeriod && fill.tradeId >= (fromId ?? 0) && isListed(view, fill.tradeId);
  });
  return page(fills, limit, fromId !== null || fromMs > 0).map(tradeAnswer);
}

/** Start and end in milliseconds; the period may be at most 24 hours. */
function readPeriod(parameters: Parameters): { readonly fromMs: number; readonly toMs: number } {
  const fromMs = parameters.integer('startTime') ?? 0;
  const toMs = parameters.integer('endTime') ?? Number.MAX_SAFE_INTEGER;
  if (fromMs > 0 && toMs < Number.MAX_SAFE_INTEGER && toMs - fromMs > 86_400_000) {
    throw new ApiError(-1127, 'More than 24 hours between startTime and endTime.');
  }
  return { fromMs, toMs };
}

/** The first entries of a list that has a start, the last entries of one without. */
export function page<Entry>(entries: readonly Entry[], limit: number, hasStart: boolean): readonly Entry[] {
  return hasStart ? entries.slice(0, limit) : entries.slice(-limit);
}
