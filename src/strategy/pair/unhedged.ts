import { AMOUNT_PRECISION, amountOf, type Amount } from '../../model/amount.js';
import { PAIR_CLIP_SHARE } from '../../model/limits.js';
import type { Market } from '../../model/market.js';
import type { ParentOrder } from '../../model/order.js';
import type { Pair } from '../../model/pair.js';
import { inLeadLots } from '../../model/pair-balance.js';
import type { Lots } from '../../model/quantity.js';
import { minimumAt } from '../placement.js';
import { clipOf } from '../schedule.js';
import { reachOf } from './hedge-price.js';
import { followerSight, leadSight, type PairView } from './pair-view.js';
import { leastWithin } from './topping-up.js';

/** How much of the leading leg stands alone, and how much may. */
export interface Unhedged {
  /** Filled of the leading leg and of no fill of the other. */
  readonly lots: Lots;
  /** At the mid, in quote currency of the leading leg; 0 while no price tells. */
  readonly value: Amount;
  readonly most: Lots;
}

export function unhedgedOf(view: PairView, pair: Pair): Unhedged {
  const { order } = view.state;
  const [lead, follower] = [leadSight(view), followerSight(view)];
  const lots = Math.max(0, lead.filled - inLeadLots(order, follower.filled)) as Lots;
  const { market } = view.lead;
  return { lots, value: market === null ? (0n as Amount) : valueOf(lots, market, order), most: mostOf(view, pair) };
}

/**
 * Never so little that the legs could not be hedged lot by lot: two of the least children of the leading leg, and what
 * two of the other's stand for, since one may be kept back.
 */
function mostOf(view: PairView, pair: Pair): Lots {
  const { lead, follower, state } = view;
  if (lead.market === null || follower.market === null) return 0 as Lots;
  const { order } = state;
  const least = 2 * minimumAt(lead.instrument, lead.market.bid);
  const ofOther = inLeadLots(order, 2 * leastWithin(followerSight(view), reachOf(pair))) + 1;
  const wanted = pair.maxUnhedgedValue;
  const most = wanted === null ? 2 * nominalClip(order) : lotsWorth(wanted, lead.market, order);
  return Math.max(most, least + ofOther) as Lots;
}

/** The clip that the client has set, or what is taken for it. Of POV it is a share of the market's volume. */
export function nominalClip(order: ParentOrder): Lots {
  const isShare = order.strategy === 'POV' && order.clip.type === 'PERCENTAGE';
  return (isShare ? null : clipOf(order)) ?? (Math.ceil(order.quantity * PAIR_CLIP_SHARE) as Lots);
}

function valueOf(lots: Lots, { bid, ask }: Market, order: ParentOrder): Amount {
  const notional = (BigInt(lots) * BigInt(bid + ask)) / 2n;
  return amountOf(notional, Math.min(AMOUNT_PRECISION, order.quantityPrecision + order.pricePrecision));
}

function lotsWorth(value: Amount, market: Market, order: ParentOrder): number {
  const ofOne = valueOf(1_000_000 as Lots, market, order);
  return ofOne === 0n ? 0 : Number((value * 1_000_000n) / ofOne);
}
