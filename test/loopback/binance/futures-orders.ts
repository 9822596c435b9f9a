import type { Exchange } from '../exchange.js';
import { isListed } from '../faults.js';
import type { FuturesClearing } from '../futures-clearing.js';
import type { LoopbackOrder } from '../order.js';
import { ApiError, BAD_SYMBOL, eitherMissing, NO_SUCH_ORDER, UNKNOWN_ORDER } from './api-error.js';
import { accountOf, type Endpoint, type RequestContext } from './endpoint.js';
import { acknowledged, futuresOrderAnswer, futuresTradeAnswer } from './futures-answers.js';
import { readFuturesOrder } from './futures-order-form.js';
import { namedOrder, seen, seenOpenOrders, seenOrders } from './order-view.js';
import { marketOf } from './spot-order-form.js';
import { page } from './spot-orders.js';

const REFUSALS = {
  DUPLICATE: [-4116, 'ClientOrderId is duplicated.'],
  NO_FUNDS: [-2019, 'Margin is insufficient.'],
  WOULD_TAKE: [
    -5022,
    'Due to the order could not be executed as maker, the Post Only order will be rejected. The order will not be recorded in the order history.',
  ],
  NOTHING_TO_REDUCE: [-2022, 'ReduceOnly Order is rejected.'],
  NO_LIQUIDITY: [-4131, "The counterparty's best price does not meet the PERCENT_PRICE filter limit."],
} as const;

const LIST_STANDARD = 500;
const LIST_MAX = 1000;

interface FuturesParts {
  readonly exchange: Exchange;
  readonly clearing: FuturesClearing;
}

/** Orders and trades of the futures API. It ignores parameters that it does not know. */
export function futuresOrderEndpoints({ exchange, clearing }: FuturesParts): readonly Endpoint[] {
  const place = (context: RequestContext): object => {
    const { parameters } = context;
    const terms = readFuturesOrder({ exchange, clearing }, parameters, accountOf(context));
    const response = parameters.oneOf(
      'newOrderRespType',
      ['ACK', 'RESULT'],
      new ApiError(-1130, 'Invalid newOrderRespType.'),
    );
    if (exchange.suspensionOf(terms.instrument.symbol) !== null) {
      throw new ApiError(-4140, 'Invalid symbol status for opening position.');
    }
    const placed = exchange.place(terms, context.view);
    if (typeof placed === 'string') {
      const [code, text] = REFUSALS[placed];
      throw new ApiError(code, text);
    }
    const { order } = placed;
    const answered = response === 'RESULT' ? { order, state: order.state } : acknowledged(order);
    return futuresOrderAnswer(answered, { hasTime: false });
  };
  const cancel = (context: RequestContext): object => {
    const order = readNamed(exchange, context);
    if (order === null || !order.isOpen) throw UNKNOWN_ORDER();
    exchange.cancel(order, null);
    return futuresOrderAnswer({ order, state: order.state }, { hasTime: false });
  };
  const cancelAll = (context: RequestContext): object => {
    const { instrument } = marketOf(exchange, context.parameters);
    for (const order of exchange.openOrders(accountOf(context), instrument.symbol)) exchange.cancel(order, null);
    return { code: 200, msg: 'The operation of cancel all open order is done.' };
  };
  const status = (context: RequestContext): object => {
    const { order, state } = seen(readNamed(exchange, context), context.view, context.nowMs);
    // Orders that ended without a fill are kept for a short time only; the loopback keeps all of them.
    return futuresOrderAnswer({ order, state }, { hasTime: true });
  };
  const openOne = (context: RequestContext): object => {
    const found = seen(readNamed(exchange, context), context.view, context.nowMs);
    if (found.state.status !== 'NEW' && found.state.status !== 'PARTIALLY_FILLED') throw NO_SUCH_ORDER();
    return futuresOrderAnswer(found, { hasTime: true });
  };
  const open = (context: RequestContext): object => {
    const symbol = context.parameters.optional('symbol');
    if (symbol !== null && exchange.market(symbol) === null) throw BAD_SYMBOL();
    return seenOpenOrders(exchange, context, symbol).map((order) => futuresOrderAnswer(order, { hasTime: true }));
  };
  return [
    {
      rest: 'POST /fapi/v1/order',
      socket: 'order.place',
      security: 'FUTURES_TRADE',
      weight: 1,
      isOrder: true,
      run: place,
    },
    {
      rest: 'POST /fapi/v1/order/test',
      security: 'FUTURES_TRADE',
      weight: 1,
      run: (context) => {
        readFuturesOrder(
          {
            exchange,
            clearing,
          },
          context.parameters,
          accountOf(context),
        );
        return {};
      },
    },
    { rest: 'DELETE /fapi/v1/order', socket: 'order.cancel', security: 'FUTURES_TRADE', weight: 1, run: cancel },
    { rest: 'DELETE /fapi/v1/allOpenOrders', security: 'FUTURES_TRADE', weight: 1, run: cancelAll },
    { rest: 'GET /fapi/v1/order', socket: 'order.status', security: 'FUTURES_DATA', weight: 1, run: status },
    { rest: 'GET /fapi/v1/openOrder', security: 'FUTURES_DATA', weight: 1, run: openOne },
    { rest: 'GET /fapi/v1/openOrders', security: 'FUTURES_DATA', weight: 1, run: open },
    {
      rest: 'GET /fapi/v1/allOrders',
      security: 'FUTURES_DATA',
      weight: 5,
      run: (context) => allOrders(exchange, context),
    },
    {
      rest: 'GET /fapi/v1/userTrades',
      security: 'FUTURES_DATA',
      weight: 5,
      run: (context) => userTrades(exchange, context),
    },
  ];
}

function readNamed(exchange: Exchange, context: RequestContext): LoopbackOrder | null {
  const { parameters } = context;
  const { symbol } = marketOf(exchange, parameters).instrument;
  const orderId = parameters.integer('orderId');
  const clientId = parameters.optional('origClientOrderId');
  if (orderId === null && clientId === null) throw eitherMissing('origClientOrderId', 'orderId');
  // The exchange's id decides when both are sent.
  return namedOrder(exchange, {
    account: accountOf(context),
    symbol,
    orderId,
    clientId: orderId === null ? clientId : null,
  });
}

function allOrders(exchange: Exchange, context: RequestContext): object {
  const { parameters } = context;
  const { symbol } = marketOf(exchange, parameters).instrument;
  const firstId = parameters.integer('orderId');
  const fromMs = parameters.integer('startTime');
  const toMs = parameters.integer('endTime') ?? Number.MAX_SAFE_INTEGER;
  const found = seenOrders(exchange, context, symbol).filter(({ order: { id, acceptedAtMs } }) => {
    return id >= (firstId ?? 0) && acceptedAtMs >= (fromMs ?? 0) && acceptedAtMs <= toMs;
  });
  const shown = page(found, parameters.limit(LIST_STANDARD, LIST_MAX), firstId !== null || fromMs !== null);
  return shown.map((order) => futuresOrderAnswer(order, { hasTime: true }));
}

function userTrades(exchange: Exchange, context: RequestContext): object {
  const { parameters, view, nowMs } = context;
  const { instrument } = marketOf(exchange, parameters);
  const orderId = parameters.integer('orderId');
  const fromId = parameters.integer('fromId');
  const fromMs = parameters.integer('startTime');
  const toMs = parameters.integer('endTime') ?? Number.MAX_SAFE_INTEGER;
  const fills = exchange.ledger.fillsOf(accountOf(context)).filter((fill) => {
    const isAsked = fill.symbol === instrument.symbol && (orderId === null || fill.orderId === orderId);
    const isInPeriod = fill.atMs >= (fromMs ?? 0) && fill.atMs <= toMs && fill.atMs <= nowMs - view.staleMs;
    return isAsked && isInPeriod && fill.tradeId >= (fromId ?? 0) && isListed(view, fill.tradeId);
  });
  const shown = page(fills, parameters.limit(LIST_STANDARD, LIST_MAX), fromId !== null || fromMs !== null);
  return shown.map((fill) => futuresTradeAnswer(fill, instrument));
}
