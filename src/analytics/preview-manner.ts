import type { Market } from '../model/market.js';
import type { ParentOrder } from '../model/order.js';
import type { Instrument } from '../model/instrument.js';
import type { Ticks } from '../model/quantity.js';
import { rungsOf } from '../strategy/ladder.js';
import { farTouch, isAsAggressive } from '../strategy/placement.js';
import {
  MAKER_PART_OF_CLIPS_AT_LIMIT,
  MAKER_SHARE_OF_CLIPS,
  MAKER_SHARE_ON_SCHEDULE,
  MAKER_SHARE_WITH_VOLUME,
  RISK_OF_SCHEDULE,
  RISK_WITH_VOLUME,
} from './preview-fit.js';

/** Where a part of an order rests. */
export interface Rest {
  readonly price: Ticks;
  /** Of the order's quantity. */
  readonly share: number;
}

/** How an order comes to its fills, as far as its cost depends on it. */
export type Manner =
  /** It takes what the book has, at once. */
  | { readonly kind: 'sweep' }
  /** It stands at prices of its own until the market comes to them, and that part of what is filled there is filled as maker. */
  | { readonly kind: 'rest'; readonly rests: readonly Rest[]; readonly makerPart: number }
  /** It follows the market, and part of it is filled as maker; the risk is a part of its slices' exposure. */
  | { readonly kind: 'follow'; readonly makerShare: number; readonly risk: number };

const SWEEP: Manner = { kind: 'sweep' };

/** A limit that the market has not reached makes any strategy wait there. */
export function mannerOf(order: ParentOrder, instrument: Instrument, market: Market): Manner {
  const { strategy, ladder, limitPrice, style, side } = order;
  if (ladder !== null) return { kind: 'rest', rests: restsOf(order, instrument), makerPart: 1 };
  const isReached = limitPrice === null || isAsAggressive(side, limitPrice, farTouch(side, market));
  if (isReached && (strategy === 'MARKET' || strategy === 'LIMIT')) return SWEEP;
  const restsAtLimit = limitPrice !== null && (strategy === 'ICEBERG' || !isReached);
  if (restsAtLimit) {
    const makerPart = strategy === 'ICEBERG' ? MAKER_PART_OF_CLIPS_AT_LIMIT : 1;
    return { kind: 'rest', rests: [{ price: limitPrice, share: 1 }], makerPart };
  }
  switch (strategy) {
    case 'POV':
      return { kind: 'follow', makerShare: MAKER_SHARE_WITH_VOLUME[style], risk: RISK_WITH_VOLUME };
    case 'ICEBERG':
      return { kind: 'follow', makerShare: MAKER_SHARE_OF_CLIPS[style], risk: RISK_OF_SCHEDULE };
    case 'TWAP':
    case 'VWAP':
    case 'IS':
    case 'SCALE':
    case 'MARKET':
    case 'LIMIT':
      return { kind: 'follow', makerShare: MAKER_SHARE_ON_SCHEDULE[style], risk: RISK_OF_SCHEDULE };
  }
}

function restsOf(order: ParentOrder, instrument: Instrument): Rest[] {
  const rungs = order.ladder === null ? [] : rungsOf(order, order.ladder, instrument);
  return rungs.map(({ price, quantity }) => ({ price, share: quantity / order.quantity }));
}
