import { isListed } from '../faults.js';
import type { LedgerFill } from '../ledger.js';
import { isOpenStatus } from '../order.js';
import { OkxError } from './api-error.js';
import { accountOf, type Endpoint, type Envelope, LIMIT_PER_MS, type RequestContext } from './endpoint.js';
import { billId, fillEntry, orderEntry } from './order-view.js';
import type { RequestFields } from './request-fields.js';
import type { RequestLimit } from './request-limits.js';
import { tradeAnswer, type TradeRequests } from './trade-requests.js';
import { type ReportedOrder, type TradingAccounts, wireOrderId } from './trading-account.js';

const DAY_MS = 86_400_000;
/** Orders and fills of the short lists are at most this old. */
const RECENT_ORDERS_MS = 7 * DAY_MS;
const RECENT_FILLS_MS = 3 * DAY_MS;
const ARCHIVE_MS = 90 * DAY_MS;

/** Orders, their look-ups and their fills. */
export function tradeEndpoints(trading: TradingAccounts, requests: TradeRequests): readonly Endpoint[] {
  return [
    act('order', 60, true, (context) => tradeAnswer([requests.place(accountOf(context), context.fields)])),
    act('batch-orders', 300, true, (context) => {
      return tradeAnswer(requests.batch(context.orders, (fields) => requests.place(accountOf(context), fields)));
    }),
    act('cancel-order', 60, false, (context) => tradeAnswer([requests.cancel(accountOf(context), context.fields)])),
    act('cancel-batch-orders', 300, false, (context) => {
      return tradeAnswer(requests.batch(context.orders, (fields) => requests.cancel(accountOf(context), fields)));
    }),
    act('amend-order', 60, true, (context) => tradeAnswer([requests.amend(accountOf(context), context.fields)])),
    {
      rest: 'POST /api/v5/trade/cancel-all-after',
      security: 'TRADE',
      limit: { limit: 1, perMs: 1_000, by: 'ACCOUNT' },
      run: (context) => ({ data: [requests.cancelAllAfter(accountOf(context), context.fields)] }),
    },
    read('order', 60, (context) => orderDetails(trading, context)),
    read('orders-pending', 60, (context) => {
      return orderList(trading, context, ({ state }) => isOpenStatus(state.status));
    }),
    read('orders-history', 40, (context) => history(trading, context, RECENT_ORDERS_MS)),
    read('orders-history-archive', 20, (context) => history(trading, context, ARCHIVE_MS)),
    read('fills', 60, (context) => fillList(trading, context, RECENT_FILLS_MS)),
    read('fills-history', 10, (context) => fillList(trading, context, ARCHIVE_MS)),
  ];
}

function act(path: string, limit: number, isOrder: boolean, run: Endpoint['run']): Endpoint {
  return { rest: `POST /api/v5/trade/${path}`, security: 'TRADE', limit: limitOf(limit, 'INSTRUMENT'), isOrder, run };
}

function read(path: string, limit: number, run: Endpoint['run']): Endpoint {
  return { rest: `GET /api/v5/trade/${path}`, security: 'READ', limit: limitOf(limit, 'ACCOUNT'), run };
}

function limitOf(limit: number, by: RequestLimit['by']): RequestLimit {
  return { limit, perMs: LIMIT_PER_MS, by };
}

function orderDetails(trading: TradingAccounts, context: RequestContext): Envelope {
  const { fields, view } = context;
  const order = trading.named(accountOf(context), fields);
  const seen = order === null ? null : trading.seen(order, view);
  if (seen === null) throw new OkxError('51603');
  return { data: [orderEntry(trading, seen.order, seen.state)] };
}

/** Ended orders; `instType` is required here. */
function history(trading: TradingAccounts, context: RequestContext, keptMs: number): Envelope {
  context.fields.required('instType');
  return orderList(trading, context, ({ state }) => {
    return !isOpenStatus(state.status) && context.nowMs - state.atMs <= keptMs;
  });
}

/** Newest first, in pages by order id: older than `after`, newer than `before`. */
function orderList(
  trading: TradingAccounts,
  context: RequestContext,
  isShown: (seen: ReportedOrder) => boolean,
): Envelope {
  const { fields, view } = context;
  const isAsked = instrumentFilter(trading, fields);
  const ordType = fields.optional('ordType');
  const [fromMs, toMs] = [fields.integer('begin') ?? 0, fields.integer('end') ?? Infinity];
  const seen = trading
    .ordersOf(accountOf(context))
    .flatMap((order) => trading.seen(order, view) ?? [])
    .filter((one) => isAsked(one.order.terms.instrument.symbol) && isShown(one) && isListed(view, one.order.id))
    .filter(({ order }) => order.acceptedAtMs >= fromMs && order.acceptedAtMs <= toMs)
    .filter(({ order }) => ordType === null || ordType.split(',').includes(order.terms.wireType));
  const shown = paged(seen, fields, ({ order }) => wireOrderId(order.id));
  return { data: shown.map(({ order, state }) => orderEntry(trading, order, state)) };
}

function fillList(trading: TradingAccounts, context: RequestContext, keptMs: number): Envelope {
  const { fields, view, nowMs } = context;
  if (keptMs === ARCHIVE_MS) fields.required('instType');
  const isAsked = instrumentFilter(trading, fields);
  const ordId = fields.optional('ordId');
  const [fromMs, toMs] = [fields.integer('begin') ?? 0, fields.integer('end') ?? Infinity];
  const fills = trading.fillsOf(accountOf(context)).filter((fill) => {
    const isNamed = isAsked(fill.symbol) && (ordId === null || wireOrderId(fill.orderId) === ordId);
    const isInTime = fill.atMs >= fromMs && fill.atMs <= toMs && nowMs - fill.atMs <= keptMs;
    return isNamed && isInTime && fill.atMs <= nowMs - view.staleMs && isListed(view, fill.tradeId);
  });
  return { data: paged(fills, fields, billId).map((fill: LedgerFill) => fillEntry(trading, fill)) };
}

function instrumentFilter(trading: TradingAccounts, fields: RequestFields): (symbol: string) => boolean {
  const instType = fields.choice('instType', ['SPOT', 'SWAP', 'MARGIN', 'FUTURES', 'OPTION']);
  const instId = fields.optional('instId');
  return (symbol) => {
    if (instId !== null && symbol !== instId) return false;
    return instType === null || trading.market(symbol).instrument.instType === instType;
  };
}

function paged<Entry>(
  entries: readonly Entry[],
  fields: RequestFields,
  idOf: (entry: Entry) => string,
): readonly Entry[] {
  const [after, before] = [fields.matching('after', /^\d{1,20}$/), fields.matching('before', /^\d{1,20}$/)];
  const id = (entry: Entry): bigint => BigInt(idOf(entry));
  return entries
    .filter((entry) => (after === null || id(entry) < BigInt(after)) && (before === null || id(entry) > BigInt(before)))
    .toSorted((one, other) => (id(one) < id(other) ? 1 : -1))
    .slice(0, fields.limit());
}
