import type { OrderDetails, OrderSummary, TradeDetails } from '../client/index.js';
import type { Column } from './table.js';

/** Columns of what the API answers, for people. */

type LegMember = 'side' | 'symbol' | 'exchange';

/** What a multi-leg order has in each of its legs, and any other order once. */
export function ofLegs(order: OrderDetails, member: LegMember): readonly string[] {
  return (order.legs ?? [order]).map((leg) => leg[member] ?? '');
}

export const ORDER_COLUMNS: readonly Column<OrderDetails>[] = [
  { title: 'ORDER', text: (order) => String(order.order_id), align: 'RIGHT' },
  { title: 'STATUS', text: (order) => order.status },
  { title: 'STRATEGY', text: (order) => order.strategy ?? order.algo ?? '' },
  { title: 'SIDE', text: (order) => ofLegs(order, 'side').join('+') },
  { title: 'SYMBOL', text: (order) => ofLegs(order, 'symbol').join('+') },
  { title: 'EXCHANGE', text: (order) => ofLegs(order, 'exchange').join('+') },
  { title: 'FILLED', text: (order) => number(order.filled_quantity), align: 'RIGHT' },
  { title: 'LEAVES', text: (order) => number(order.leaves_quantity), align: 'RIGHT' },
  { title: 'AVERAGE', text: (order) => number(order.average_price), align: 'RIGHT' },
  { title: 'CLIENT ID', text: (order) => order.client_order_id ?? '' },
  { title: 'MESSAGE', text: (order) => order.message ?? '' },
];

export const SUMMARY_COLUMNS: readonly Column<OrderSummary>[] = [
  { title: 'ORDER', text: (order) => String(order.order_id ?? ''), align: 'RIGHT' },
  { title: 'STATUS', text: (order) => order.status ?? '' },
  { title: 'CREATED', text: (order) => order.created_at },
  { title: 'CLIENT ID', text: (order) => order.client_order_id ?? '' },
  { title: 'CODE', text: (order) => order.error_code ?? '' },
  { title: 'MESSAGE', text: (order) => order.message ?? '' },
];

export const TRADE_COLUMNS: readonly Column<TradeDetails>[] = [
  { title: 'TIME', text: (trade) => (trade.execTime === undefined ? '' : new Date(trade.execTime).toISOString()) },
  { title: 'TRADE', text: (trade) => String(trade.trade_id ?? ''), align: 'RIGHT' },
  { title: 'SIDE', text: (trade) => trade.direction ?? '' },
  { title: 'QUANTITY', text: (trade) => number(trade.quantity), align: 'RIGHT' },
  { title: 'PRICE', text: (trade) => number(trade.price), align: 'RIGHT' },
  { title: 'ROLE', text: (trade) => trade.makerOrTaker ?? '' },
  { title: 'FEE', text: (trade) => number(trade.fee ?? 0), align: 'RIGHT' },
  { title: 'CURRENCY', text: (trade) => trade.feeCurrency ?? '' },
];

/** At most so many decimals, no exponent, no trailing zeros. */
export function number(value: number, decimals = 8): string {
  return value
    .toFixed(decimals)
    .replace(/(\.\d*?)0+$/, '$1')
    .replace(/\.$/, '');
}
