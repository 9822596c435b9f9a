import type { ParentOrder, ParentState } from './order.js';
import { followingLeg } from './pair.js';
import type { Lots } from './quantity.js';

/** One leg of a pair is behind the other by so many of its lots. */
export interface Shortfall {
  readonly ofFollower: boolean;
  /** What it is to have filled for what the other has: h · filled, h being the ratio of their quantities. */
  readonly wanted: Lots;
  /** Above 0. */
  readonly lots: Lots;
}

/**
 * What is still to be traded on one side for what is filled on the other; null when nothing is. Wanted are whole lots of
 * the sum, so that what is under a lot is carried into the next fill. A leading leg is never behind: the other follows it.
 */
export function shortfallOf({ order, progress, follower }: ParentState): Shortfall | null {
  if (order.pair === null || follower === null) return null;
  const [lead, other] = [progress.filled, follower.progress.filled];
  const whole = followingLeg(order.pair).quantity;
  const ofOther = scaled(lead, order.quantity, whole);
  if (ofOther > other) return { ofFollower: true, wanted: ofOther, lots: (ofOther - other) as Lots };
  const ofLead = order.pair.isLed ? 0 : scaled(other, whole, order.quantity);
  return ofLead > lead ? { ofFollower: false, wanted: ofLead as Lots, lots: (ofLead - lead) as Lots } : null;
}

/** So many whole lots of the leading leg as the other leg's are by the ratio of their quantities. */
export function inLeadLots({ pair, quantity }: ParentOrder, lots: number): Lots {
  return pair === null ? (0 as Lots) : (scaledDown(lots, followingLeg(pair).quantity, quantity) as Lots);
}

/** What one leg is to have filled for what the other has: the whole is wanted for the whole, and never more. */
export function scaled(done: number, ofWhole: number, whole: number): Lots {
  return (done >= ofWhole ? whole : scaledDown(done, ofWhole, whole)) as Lots;
}

function scaledDown(done: number, ofWhole: number, whole: number): number {
  return Number((BigInt(whole) * BigInt(done)) / BigInt(ofWhole));
}
