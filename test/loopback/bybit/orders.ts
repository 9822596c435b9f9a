import type { Units } from '../decimal.js';
import { isListed } from '../faults.js';
import type { FuturesClearing } from '../futures-clearing.js';
import type { OrderRefusal } from '../clearing.js';
import { isOpenStatus, type LoopbackOrder } from '../order.js';
import { ApiError, noSuchOrder, parameterError } from './api-error.js';
import type { Endpoint, RequestContext } from './endpoint.js';
import { orderIdOf, orderIdText } from './exchange-ids.js';
import type { Category } from './instruments.js';
import { executionRow, orderRow, type ReportedOrder } from './order-answers.js';
import { checkRules, readOrder, shownClientId } from './order-form.js';
import { pageOf, type Parameters } from './parameters.js';
import { marketOf, optionalMarket, type Section, sectionOf, type Sections } from './section.js';

const ORDER_PAGE = { standard: 20, most: 50 };
const EXECUTION_PAGE = { standard: 50, most: 100 };
/** Ended orders that `realtime` knows. */
const RECENT_MAX = 500;
const WEEK_MS = 7 * 86_400_000;

interface OrderParts {
  readonly sections: Sections;
  readonly clearing: FuturesClearing;
}

/** Orders and executions of the V5 API. */
export function orderEndpoints(parts: OrderParts): readonly Endpoint[] {
  const { sections } = parts;
  const change = (name: string, run: (section: Section, context: RequestContext) => object): Endpoint => ({
    rest: `POST /v5/order/${name}`,
    ...(name !== 'cancel-all' && { socket: `order.${name}` }),
    security: 'TRADE',
    isOrder: true,
    run: (context) => run(sectionOf(sections, context.parameters), context),
  });
  const read = (path: string, run: (section: Section, context: RequestContext) => object): Endpoint => ({
    rest: `GET /v5/${path}`,
    security: 'READ',
    run: (context) => run(sectionOf(sections, context.parameters), context),
  });
  return [
    change('create', (section, context) => create(section, parts.clearing, context)),
    change('cancel', (section, context) => {
      const order = openOrder(section, context);
      section.exchange.cancel(order, null);
      return namesOf(section.category, order);
    }),
    change('amend', amend),
    change('cancel-all', cancelAll),
    read('order/realtime', realtime),
    read('order/history', history),
    read('execution/list', executions),
  ];
}

function namesOf(category: Category, order: LoopbackOrder): object {
  return { orderId: orderIdText(category, order.id), orderLinkId: shownClientId(order.terms) };
}

function create(section: Section, clearing: FuturesClearing, { parameters, account, view }: RequestContext): object {
  const { category, exchange } = section;
  const terms = readOrder(section, clearing, { parameters, account });
  const placed = exchange.place(terms, view);
  if (typeof placed === 'string') throw refusalError(category, placed);
  return namesOf(category, placed.order);
}

function refusalError(category: Category, refusal: OrderRefusal): ApiError {
  switch (refusal) {
    case 'NO_FUNDS':
      return category === 'spot'
        ? new ApiError(170131, 'Insufficient balance.')
        : new ApiError(110007, 'ab not enough for new order');
    case 'NOTHING_TO_REDUCE':
      return new ApiError(110017, 'current position is zero, cannot fix reduce-only order qty');
    case 'DUPLICATE':
      return category === 'spot'
        ? new ApiError(170141, 'Duplicate clientOrderId.')
        : new ApiError(110072, 'OrderLinkedID is duplicate');
    case 'WOULD_TAKE':
    case 'NO_LIQUIDITY':
      // This exchange accepts such an order and ends it.
      throw new RangeError(`an order refused by ${refusal}`);
    default:
      refusal satisfies never;
      throw new RangeError('no such refusal');
  }
}

/** The newest order that a request names by the exchange's id or by the client's; null: it names an unknown one. */
function namedOrder({ category, exchange }: Section, parameters: Parameters, account: number): LoopbackOrder | null {
  const orderId = parameters.optional('orderId');
  const clientId = parameters.optional('orderLinkId');
  if (orderId !== null) {
    const id = orderIdOf(category, orderId);
    const order = id === null ? null : exchange.ledger.order(id);
    return order?.terms.account === account ? order : null;
  }
  return exchange.ledger.ordersOf(account).findLast(({ terms }) => terms.clientId === clientId) ?? null;
}

function openOrder(section: Section, { parameters, account }: RequestContext): LoopbackOrder {
  marketOf(section, parameters);
  if (!isNamed(parameters)) throw parameterError('params error: Either orderId or orderLinkId is required');
  const order = namedOrder(section, parameters, account);
  if (order === null || !order.isOpen) throw noSuchOrder(section.category);
  return order;
}

function isNamed(parameters: Parameters): boolean {
  return parameters.optional('orderId') !== null || parameters.optional('orderLinkId') !== null;
}

function amend(section: Section, context: RequestContext): object {
  const { category, exchange } = section;
  const order = openOrder(section, context);
  const { terms, state } = order;
  const price = context.parameters.decimal('price') ?? terms.price;
  const quantity = context.parameters.decimal('qty') ?? terms.quantity;
  if (price === terms.price && quantity === terms.quantity) throw parameterError('order not modified');
  checkRules(category, exchange.market(terms.instrument.symbol)!, { side: terms.side, price, quantity, openOrders: 0 });
  if (quantity <= state.filled) {
    throw new ApiError(110064, 'The number of contracts modified cannot be less than or equal to the filled quantity');
  }
  const refusal = exchange.amend(order, { price, quantity });
  if (refusal !== null) throw refusalError(category, refusal);
  return namesOf(category, order);
}

function cancelAll(section: Section, { parameters, account }: RequestContext): object {
  const { category, exchange } = section;
  requireScope(section, parameters);
  const market = optionalMarket(section, parameters);
  const cancelled = exchange.openOrders(account, market?.instrument.symbol);
  for (const order of cancelled) exchange.cancel(order, null);
  return { list: cancelled.map((order) => namesOf(category, order)), success: '1' };
}

/** A linear list needs a symbol or a coin. */
function requireScope({ category }: Section, parameters: Parameters): void {
  const names = ['symbol', 'baseCoin', 'settleCoin'];
  if (category === 'spot' || names.some((name) => parameters.optional(name) !== null)) return;
  throw parameterError('Missing some parameters that must be filled in, symbol or settleCoin or baseCoin');
}

/** The orders of the account as the request sees them, the newest first. */
function seenOrders(section: Section, { parameters, account, view, nowMs }: RequestContext): readonly ReportedOrder[] {
  const market = isNamed(parameters) ? null : optionalMarket(section, parameters);
  const named = isNamed(parameters) ? namedOrder(section, parameters, account) : null;
  const coin = isNamed(parameters) ? null : parameters.optional('settleCoin');
  const own = isNamed(parameters)
    ? [named].filter((order) => order !== null)
    : section.exchange.ledger.ordersOf(account).toReversed();
  return own.flatMap((order) => {
    const { instrument } = order.terms;
    const isOther =
      (market !== null && instrument !== market.instrument) || (coin !== null && instrument.quote !== coin);
    const isHidden = nowMs - order.acceptedAtMs < view.absentMs || (named === null && !isListed(view, order.id));
    const state = isOther || isHidden ? null : order.stateAt(nowMs - view.staleMs);
    return state === null ? [] : [{ order, state }];
  });
}

function realtime(section: Section, context: RequestContext): object {
  const { parameters } = context;
  if (!isNamed(parameters)) requireScope(section, parameters);
  const showsEnded = isNamed(parameters) || (parameters.integer('openOnly') ?? 0) > 0;
  const seen = seenOrders(section, context);
  const recent = new Set(seen.filter(({ state }) => !isOpenStatus(state.status)).slice(0, RECENT_MAX));
  const shown = seen.filter((one) => isOpenStatus(one.state.status) || (showsEnded && recent.has(one)));
  return written(section, shown, parameters);
}

/** Ended orders of the last 7 days, or of the period of the request. */
function history(section: Section, context: RequestContext): object {
  const isInPeriod = periodOf(context);
  const ended = seenOrders(section, context).filter(({ order, state }) => {
    return !isOpenStatus(state.status) && isInPeriod(order.acceptedAtMs);
  });
  return written(section, ended, context.parameters);
}

function written({ category, exchange }: Section, orders: readonly ReportedOrder[], parameters: Parameters): object {
  const { list, nextPageCursor } = pageOf(orders, parameters, ORDER_PAGE);
  const feeOf = (id: number): Units => {
    return exchange.ledger.fills.reduce((sum, fill) => (fill.orderId === id ? sum + fill.fee : sum), 0n);
  };
  const rows = list.map((seen) => orderRow(category, seen, feeOf(seen.order.id)));
  return { list: rows, nextPageCursor, category };
}

function executions(section: Section, context: RequestContext): object {
  const { category, exchange } = section;
  const { parameters, account, view, nowMs } = context;
  const market = isNamed(parameters) ? null : optionalMarket(section, parameters);
  const order = isNamed(parameters) ? namedOrder(section, parameters, account) : null;
  const isInPeriod = periodOf(context);
  const leaves = new Map<number, Units>();
  const rows = exchange.ledger.fillsOf(account).map((fill) => {
    const owner = exchange.ledger.order(fill.orderId)!;
    const rest = (leaves.get(owner.id) ?? owner.terms.quantity) - fill.quantity;
    leaves.set(owner.id, rest);
    return {
      fill,
      row: executionRow(category, fill, { order: owner, leaves: rest, market: exchange.market(fill.symbol)! }),
    };
  });
  const shown = rows.filter(({ fill }) => {
    const isAsked = !isNamed(parameters) || fill.orderId === order?.id;
    const isHere = market === null || fill.symbol === market.instrument.symbol;
    return (
      isAsked && isHere && isInPeriod(fill.atMs) && fill.atMs <= nowMs - view.staleMs && isListed(view, fill.tradeId)
    );
  });
  const { list, nextPageCursor } = pageOf(shown.toReversed(), parameters, EXECUTION_PAGE);
  return { nextPageCursor, category, list: list.map(({ row }) => row) };
}

/** The period of the request: at most 7 days, the last ones when it names none. */
function periodOf({ parameters, nowMs }: RequestContext): (atMs: number) => boolean {
  const [start, end] = [parameters.integer('startTime'), parameters.integer('endTime')];
  const toMs = end ?? (start === null ? Number.MAX_SAFE_INTEGER : start + WEEK_MS);
  const fromMs = start ?? (end ?? nowMs) - WEEK_MS;
  if (start !== null && end !== null && end - start > WEEK_MS) {
    throw parameterError('The time range between startTime and endTime cannot exceed 7 days.');
  }
  return (atMs) => atMs >= fromMs && atMs <= toMs;
}
