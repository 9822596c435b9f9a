import { endOf, type ParentState } from '../../model/order.js';
import type { Rejection } from '../../model/rejection.js';
import { feesText, feesTogether } from './fees.js';
import { fillMembers } from './fill-members.js';
import { outcomeMembers, quarantineMember, quote } from './json-text.js';
import { pairMembers } from './order-legs.js';

/** What goes into details besides the order's own state. */
export interface DetailsExtras {
  /** Trades as JSON texts; null when they were not asked for. */
  readonly trades: readonly string[] | null;
  readonly withFees: boolean;
  /** Said instead of the order's own outcome; null: the order's own. */
  readonly outcome: Rejection | null;
}

/** OrderDetails of the contract as JSON; absent fields are left out. A multi-leg order has what is its legs' in them. */
export function detailsText(state: ParentState, extras: DetailsExtras): string {
  const { order, status } = state;
  const { pair, quantity, side } = order;
  const endAtMs = state.endedAtMs ?? endOf(order, state.startedAtMs);
  return (
    `{"order_id":${order.orderId},` +
    (order.clientOrderId === null ? '' : `"client_order_id":${quote(order.clientOrderId)},`) +
    `${pair === null ? `"symbol":${quote(order.symbol)},` : ''}"status":"${status}"` +
    `,"asset_class":"${order.assetCategory}"` +
    (pair === null ? `,"exchange":"${order.venue}","strategy":"${order.strategy}"` : ',"algo":"PAIR"') +
    `,"start_time":${order.startAtMs}${endAtMs === null ? '' : `,"end_time":${endAtMs}`}` +
    fillMembers({ ...state, side, quantity }, order, pair === null) +
    outcomeMembers(extras.outcome ?? state.outcome) +
    quarantineMember(state.quarantine) +
    (pair === null ? '' : pairMembers(state, pair, extras.withFees)) +
    (extras.trades === null ? '' : `,"trades":[${extras.trades.join(',')}]`) +
    (extras.withFees ? `,"fees_infos":${feesText(feesTogether(state.fees, state.follower?.fees ?? []))}` : '') +
    '}'
  );
}
