import { endOf, type ParentState } from '../../model/order.js';
import type { OrderLeg, Pair } from '../../model/pair.js';
import { formatLots, formatNotional } from '../../model/quantity.js';
import { fillMembers, UNFILLED, type Filling } from './fill-members.js';
import { quote } from './json-text.js';

/** What only the details of a multi-leg order have: `,"mishedge":0,"legs":[…]`. */
export function pairMembers(state: ParentState, { legs, leadingIndex }: Pair): string {
  const texts = legs.map((leg, index) => legText(state, leg, index === leadingIndex));
  // Neither leg trades yet: nothing is filled on one side alone.
  return `,"mishedge":0,"legs":[${texts.join(',')}]`;
}

/** The fills that the state counts are the leading leg's. */
function legText(state: ParentState, leg: OrderLeg, isLeading: boolean): string {
  const { order, status } = state;
  const { side, quantity } = leg;
  const filling: Filling = isLeading ? { ...state, side, quantity } : { ...UNFILLED, side, quantity };
  const { filled, notional } = filling.progress;
  const endAtMs = state.endedAtMs ?? endOf(order, state.startedAtMs);
  return (
    `{"order_id":${order.orderId},` +
    (order.clientOrderId === null ? '' : `"client_order_id":${quote(order.clientOrderId)},`) +
    `"symbol":${quote(leg.symbol)},"status":"${status}","asset_class":"${leg.assetCategory}","exchange":"${leg.venue}"` +
    `,"strategy":"${leg.strategy}","start_time":${order.startAtMs}${endAtMs === null ? '' : `,"end_time":${endAtMs}`}` +
    `${fillMembers(filling, leg, true)},"is_leading":${isLeading},"target_value":${leg.targetValue}` +
    `,"ccy":${quote(leg.ccy)}` +
    `,"filled_value":${leg.isBaseTarget ? formatLots(filled, leg) : formatNotional(notional, leg)}}`
  );
}
