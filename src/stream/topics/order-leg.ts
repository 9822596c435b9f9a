import type { OrderLeg, Pair } from '../../model/pair.js';
import { formatLots, formatTicks } from '../../model/quantity.js';
import { exchangeMembers } from './feed-members.js';
import { optional, quoted } from './json-text.js';
import { echoedMembers } from './request-echo.js';

/** What only a multi-leg order has: `,"algo":"PAIR","legs":[…]`; nothing for any other. */
export function pairMembers(pair: Pair | null): string {
  if (pair === null) return '';
  const legs = pair.legs.map((leg, index) => legJson(leg, index === pair.leadingIndex));
  return `,"algo":"PAIR","legs":[${legs.join(',')}]`;
}

/** The leg as submitted. */
function legJson(leg: OrderLeg, isLeading: boolean): string {
  return (
    `{${exchangeMembers(leg.venue)},"symbol":${quoted(leg.symbol)},"asset_class":"${leg.assetCategory}"` +
    `,"side":"${leg.side}","is_leading":${isLeading},"target_value":${leg.targetValue},"ccy":${quoted(leg.ccy)}` +
    `,"quantity":${formatLots(leg.quantity, leg)}` +
    optional('limit_price', leg.limitPrice === null ? null : formatTicks(leg.limitPrice, leg)) +
    `,"strategy":"${leg.strategy}"${echoedMembers(leg.requestEcho)}}`
  );
}
