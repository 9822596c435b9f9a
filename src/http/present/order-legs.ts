import { assert } from '../../model/assert.js';
import { mishedge } from '../../model/mishedge.js';
import { endOf, type ParentState, type RestingStatus } from '../../model/order.js';
import { followingLeg, quoteRateOf, type OrderLeg, type Pair } from '../../model/pair.js';
import { formatLots, formatNotional, type Lots } from '../../model/quantity.js';
import { feesText } from './fees.js';
import { fillMembers } from './fill-members.js';
import { quote } from './json-text.js';

/** What only the details of a multi-leg order have: `,"mishedge":0,"legs":[…]`. */
export function pairMembers(state: ParentState, pair: Pair, withFees: boolean): string {
  const { order, progress, follower } = state;
  assert(follower !== null, `order ${order.orderId} has another leg`);
  const texts = pair.legs.map((leg, index) => {
    const isLeading = index === pair.leadingIndex;
    return legText(state, leg, {
      isLeading: isLeading && pair.isLed,
      standing: isLeading ? state : follower,
      withFees,
    });
  });
  const followed = { ...follower.progress, quoteRate: quoteRateOf(follower) };
  return `,"mishedge":${mishedge(order, progress, followingLeg(pair), followed)},"legs":[${texts.join(',')}]`;
}

interface LegStanding {
  readonly isLeading: boolean;
  readonly standing: Pick<ParentState, 'progress' | 'lastQuantity' | 'lastPrice' | 'fees'>;
  readonly withFees: boolean;
}

function legText(state: ParentState, leg: OrderLeg, { isLeading, standing, withFees }: LegStanding): string {
  const { order, status } = state;
  const { side, quantity } = leg;
  const { filled, notional } = standing.progress;
  const endAtMs = state.endedAtMs ?? endOf(order, state.startedAtMs);
  return (
    `{"order_id":${order.orderId},` +
    (order.clientOrderId === null ? '' : `"client_order_id":${quote(order.clientOrderId)},`) +
    `"symbol":${quote(leg.symbol)},"status":"${legStatus(status, filled, quantity)}"` +
    `,"asset_class":"${leg.assetCategory}","exchange":"${leg.venue}"` +
    `,"strategy":"${leg.strategy}","start_time":${order.startAtMs}${endAtMs === null ? '' : `,"end_time":${endAtMs}`}` +
    `${fillMembers({ ...standing, side, quantity }, leg, true)},"is_leading":${isLeading}` +
    `,"target_value":${leg.targetValue},"ccy":${quote(leg.ccy)}` +
    `,"filled_value":${leg.isBaseTarget ? formatLots(filled, leg) : formatNotional(notional, leg)}` +
    `${withFees ? `,"fees_infos":${feesText(standing.fees)}` : ''}}`
  );
}

/** That of the order, unless the leg alone is done, or has traded nothing yet. */
function legStatus(status: RestingStatus, filled: Lots, quantity: Lots): RestingStatus {
  if (status !== 'PARTIALLY_FILLED') return status;
  if (filled >= quantity) return 'FILLED';
  return filled === 0 ? 'ACCEPTED' : status;
}
