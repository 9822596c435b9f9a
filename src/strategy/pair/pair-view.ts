import type { Instrument } from '../../model/instrument.js';
import type { Market } from '../../model/market.js';
import type { LiveChild, ParentOrder, ParentState } from '../../model/order.js';
import { followingLeg, isFollowers, type Traded } from '../../model/pair.js';
import type { Lots } from '../../model/quantity.js';
import type { EpochMs } from '../../model/time.js';
import { restOf } from '../placement.js';

/** Where a leg trades. */
export interface LegPlace {
  readonly instrument: Instrument;
  /** null: its venue is lost, or its book is stale, crossed or one-sided. Nothing is priced by it. */
  readonly market: Market | null;
}

/** All that the hedge of a pair may know. */
export interface PairView {
  readonly state: ParentState;
  readonly lead: LegPlace;
  readonly follower: LegPlace;
  /** What one unit of the other leg's quote currency is worth in the leading one's; null while no price tells. */
  readonly quoteRate: number | null;
  readonly nowMs: EpochMs;
  /** The order is bound for its end, or its strategy wants to end it: nothing more will fill but what is under way. */
  readonly isEnding: boolean;
}

/** One leg as the hedge sees it. */
export interface LegSight extends LegPlace {
  readonly traded: Traded;
  readonly filled: Lots;
  /** Unfilled rest of its live children. */
  readonly working: Lots;
  /** The part of it that is taken at once or not at all: hedges under way. */
  readonly taking: Lots;
  readonly childCount: number;
  readonly refusals: number;
}

export function leadSight({ state, lead }: PairView): LegSight {
  const { order, progress, refusals } = state;
  return { ...lead, traded: order, filled: progress.filled, refusals, ...atWork(order, state.children, false) };
}

export function followerSight({ state, follower: place }: PairView): LegSight {
  const { order, children, follower } = state;
  const traded = order.pair === null ? order : followingLeg(order.pair);
  const { filled } = follower?.progress ?? { filled: 0 as Lots };
  return { ...place, traded, filled, refusals: follower?.refusals ?? 0, ...atWork(order, children, true) };
}

function atWork(
  order: ParentOrder,
  children: readonly LiveChild[],
  ofFollower: boolean,
): Pick<LegSight, 'working' | 'taking' | 'childCount'> {
  let [working, taking, childCount] = [0, 0, 0];
  for (const child of children) {
    if (isFollowers(order, child.order.child) !== ofFollower) continue;
    working += restOf(child);
    if (child.order.timeInForce === 'IOC') taking += restOf(child);
    childCount += 1;
  }
  return { working: working as Lots, taking: taking as Lots, childCount };
}
