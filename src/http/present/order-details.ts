import { formatAmount } from '../../model/amount.js';
import { ZERO_LOTS, averagePrice, formatLots, formatTicks, type Lots } from '../../model/quantity.js';
import { endOf, type FeeTotal, type ParentState } from '../../model/order.js';
import type { Rejection } from '../../model/rejection.js';
import { outcomeMembers, quote } from './json-text.js';

/** What goes into details besides the order's own state. */
export interface DetailsExtras {
  /** Trades as JSON texts; null when they were not asked for. */
  readonly trades: readonly string[] | null;
  readonly withFees: boolean;
  /** Said instead of the order's own outcome; null: the order's own. */
  readonly outcome: Rejection | null;
}

/** OrderDetails of the contract as JSON; absent fields are left out. */
export function detailsText(state: ParentState, extras: DetailsExtras): string {
  const { order, progress } = state;
  const endAtMs = state.endedAtMs ?? endOf(order, state.startedAtMs);
  const leaves = Math.max(order.quantity - progress.filled, ZERO_LOTS) as Lots;
  return (
    `{"order_id":${order.orderId},` +
    (order.clientOrderId === null ? '' : `"client_order_id":${quote(order.clientOrderId)},`) +
    `"symbol":${quote(order.symbol)},"status":"${state.status}","asset_class":"${order.assetCategory}",` +
    `"exchange":"${order.venue}","strategy":"${order.strategy}","start_time":${order.startAtMs},` +
    (endAtMs === null ? '' : `"end_time":${endAtMs},`) +
    `"filled_quantity":${formatLots(progress.filled, order)},"leaves_quantity":${formatLots(leaves, order)},` +
    `"side":"${order.side}","last_quantity":${formatLots(state.lastQuantity, order)},` +
    `"last_price":${formatTicks(state.lastPrice, order)},` +
    `"average_price":${averagePrice(progress.notional, progress.filled, order)}` +
    outcomeMembers(extras.outcome ?? state.outcome) +
    (extras.trades === null ? '' : `,"trades":[${extras.trades.join(',')}]`) +
    (extras.withFees ? `,"fees_infos":${feesText(state.fees)}` : '') +
    '}'
  );
}

function feesText(fees: readonly FeeTotal[]): string {
  return `{${fees.map(({ currency, amount }) => `${quote(currency)}:${formatAmount(amount)}`).join(',')}}`;
}
