import type { StrategyDecision, StrategyIntent, StrategyView } from '../../domain/intent.js';
import { PAIR_CLIP_SHARE } from '../../domain/limits/trading.js';
import type { Market } from '../../domain/market.js';
import type { Leg } from '../../domain/order.js';
import { inLeadLots } from '../../domain/pair-balance.js';
import { hedgingIndexOf, type Pair } from '../../domain/pair.js';
import { leadingLeg } from '../../domain/order-legs.js';
import { type Amount, type Grid, type Lots, amountOfNotional } from '../../domain/quantity.js';
import { farTouch, minimumAt, unplaced } from '../placement/child.js';
import { clipOf } from '../schedule/slots.js';
import { type LegSight, type PairView, reachOf, sightOf } from './pair-view.js';
import { leastWithin } from './residual-hedge.js';

/** Unhedged quantity of the leading leg, and its maximum. */
export interface Unhedged {
  /** Filled lots of the leading leg that the hedging leg has not matched. */
  readonly lots: Lots;
  /** Value at the mid, in quote currency of the leading leg. null: the mid is unknown. */
  readonly value: Amount | null;
  readonly most: Lots;
}

export function unhedgedOf(view: PairView, pair: Pair): Unhedged {
  const { order } = view.state;
  const [leading, hedging] = [sightOf(view, pair.leadingIndex), sightOf(view, hedgingIndexOf(pair))];
  const lots = Math.max(0, leading.filled - inLeadLots(order, hedging.filled)) as Lots;
  const { market } = leading;
  return {
    lots,
    value: market === null ? null : valueOf(lots, market, leading.traded),
    most: mostOf(view, pair, hedging),
  };
}

/**
 * Maximum of unhedged lots. At least two minimum children of the leading leg and the equivalent of two minimum children
 * of the hedging leg, because the hedge may hold one back.
 */
function mostOf({ places, state }: PairView, pair: Pair, hedging: LegSight): Lots {
  const leading = places[pair.leadingIndex];
  if (leading.market === null || hedging.market === null) return 0 as Lots;
  const { order } = state;
  const least = 2 * minimumAt(leading.instrument, leading.market.bid);
  const ofOther = inLeadLots(order, 2 * leastWithin(hedging, reachOf(pair))) + 1;
  const wanted = pair.maxUnhedgedValue;
  const most =
    wanted === null ? 2 * nominalClip(leadingLeg(order)) : lotsWorth(wanted, leading.market, leadingLeg(order));
  return Math.max(most, least + ofOther) as Lots;
}

/**
 * Clip of the leg in lots: the client's, or a default. The clip of POV is a share of volume, so it takes the default.
 */
export function nominalClip(leg: Leg): Lots {
  const isShare = leg.strategy === 'POV' && leg.clip.type === 'PERCENTAGE';
  return (isShare ? null : clipOf(leg)) ?? (Math.ceil(leg.quantity * PAIR_CLIP_SHARE) as Lots);
}

function valueOf(lots: Lots, { bid, ask }: Market, grid: Grid): Amount {
  return amountOfNotional((BigInt(lots) * BigInt(bid + ask)) / 2n, grid);
}

function lotsWorth(value: Amount, market: Market, grid: Grid): number {
  const ofOne = valueOf(1_000_000 as Lots, market, grid);
  return ofOne === 0n ? 0 : Number((value * 1_000_000n) / ofOne);
}

/**
 * Limits the placements of a leg to the unhedged headroom. A placement is cut or left out, so that neither the
 * placement nor the rest of the order is below the venue's minimum. null: no intent remains; the caller ignores the
 * decision.
 */
export function withinHeadroom(decision: StrategyDecision, view: StrategyView, room: Lots): StrategyDecision | null {
  let free = unplaced(view);
  let left = room - view.working;
  const intents: StrategyIntent[] = [];
  for (const intent of decision.intents) {
    if (intent.kind === 'CancelChild') {
      intents.push(intent);
      continue;
    }
    const quantity = cut(intent.quantity, { left, free, least: leastOf(view, intent) });
    if (quantity === 0) continue;
    intents.push({ ...intent, quantity });
    left -= quantity;
    free = (free - quantity) as Lots;
  }
  return decision.intents.length > 0 && intents.length === 0 ? null : { ...decision, intents };
}

type Placement = Extract<StrategyIntent, { readonly kind: 'Place' }>;

function leastOf({ state, instrument, market }: StrategyView, { limitPrice }: Placement): Lots {
  return minimumAt(instrument, limitPrice ?? farTouch(state.order.legs[0].side, market));
}

interface Bounds {
  readonly left: number;
  readonly free: Lots;
  readonly least: Lots;
}

function cut(wanted: Lots, { left, free, least }: Bounds): Lots {
  if (wanted <= left) return wanted;
  const rest = free - left;
  const quantity = rest > 0 && rest < least ? free - least : left;
  return (quantity < least ? 0 : Math.min(quantity, left)) as Lots;
}
