import type { ParentStanding } from '../../model/event.js';
import type { Progress } from '../../model/order.js';
import type { OrderLeg, Pair } from '../../model/pair.js';
import {
  averagePrice,
  formatLots,
  formatNotional,
  formatTicks,
  ZERO_LOTS,
  ZERO_NOTIONAL,
} from '../../model/quantity.js';
import { exchangeMembers } from './feed-members.js';
import { optional, quoted } from './json-text.js';
import { echoedMembers } from './request-echo.js';

const UNFILLED: Progress = { filled: ZERO_LOTS, notional: ZERO_NOTIONAL };

/** What only a multi-leg order has: `,"algo":"PAIR","legs":[…]`; nothing for any other. */
export function pairMembers(pair: Pair | null, parent: ParentStanding): string {
  if (pair === null) return '';
  const legs = pair.legs.map((leg, index) => {
    const isLeading = index === pair.leadingIndex;
    return legJson(leg, isLeading && pair.isLed, isLeading ? parent : (parent.follower ?? UNFILLED));
  });
  return `,"algo":"PAIR","legs":[${legs.join(',')}]`;
}

/** The leg as submitted, and how far it has come. */
function legJson(leg: OrderLeg, isLeading: boolean, { filled, notional }: Progress): string {
  return (
    `{${exchangeMembers(leg.venue)},"symbol":${quoted(leg.symbol)},"asset_class":"${leg.assetCategory}"` +
    `,"side":"${leg.side}","is_leading":${isLeading},"target_value":${leg.targetValue},"ccy":${quoted(leg.ccy)}` +
    `,"quantity":${formatLots(leg.quantity, leg)}` +
    optional('limit_price', leg.limitPrice === null ? null : formatTicks(leg.limitPrice, leg)) +
    `,"strategy":"${leg.strategy}"${echoedMembers(leg.requestEcho)}` +
    `,"filled_quantity":${formatLots(filled, leg)},"average_price":${averagePrice(notional, filled, leg)}` +
    `,"filled_value":${leg.isBaseTarget ? formatLots(filled, leg) : formatNotional(notional, leg)}}`
  );
}
