import { assert } from '../../src/model/assert.js';
import type { OrderEvent } from '../../src/model/event.js';
import type { Instrument } from '../../src/model/instrument.js';
import type { Clip, ParentState } from '../../src/model/order.js';
import { followingLeg, isFollowers } from '../../src/model/pair.js';

/** Prices of these markets stay above it, and a hedge sells at most so much below them. */
const WORST_PRICE = 6_000_000;
const AHEAD_MAX = 0.02;
const AUTOMATIC_CLIP = 0.1;

/** Checks a pair at every one of its events, by formulas of its own. Throws what is wrong. */
export class PairWatch {
  readonly #instruments: readonly [Instrument, Instrument];
  /** Most of the leading leg's value that stood unhedged, as a part of what may. */
  worstShare = 0;
  /** Lots that may be unhedged after the leading leg's latest child, and what one of them was worth then. */
  #most = 0;
  #mid = 1;

  constructor(instruments: readonly [Instrument, Instrument]) {
    this.#instruments = instruments;
  }

  /** `mid` is the leading leg's, in ticks. */
  see(before: ParentState, event: OrderEvent, after: ParentState, mid: number): void {
    if (event.kind === 'ChildSubmitted' && !isLevelling(event.order.reason.code)) {
      if (before.order.pair?.isLed !== true) return throttled(before, isFollowers(before.order, event.order.child));
      [this.#most, this.#mid] = [this.#cap(before, mid), mid];
      const together = unhedged(before) + leadWorking(before) + event.order.quantity;
      assert(together <= this.#most, `${together} lots at work and unhedged, of ${this.#most} that may be`);
    }
    if (event.kind !== 'ChildFilled' || after.order.pair?.isLed !== true || after.lateFills > 0) return;
    const alone = unhedged(after);
    // What was under way when the terms were amended, or when prices moved, was placed by what might be then.
    const most = Math.max(this.#most, this.#cap(before, mid));
    assert(alone <= most, `${alone} lots unhedged, of ${most} that may be`);
    this.worstShare = Math.max(this.worstShare, (alone * mid) / (most * this.#mid));
  }

  /** In lots of the leading leg: what the client allows, but what the venues can trade. */
  #cap({ order }: ParentState, mid: number): number {
    const { pair, quantity, quantityPrecision, clip, strategy } = order;
    const [lead, other] = this.#instruments.map(leastOf) as [number, number];
    const least = 2 * lead + (2 * other * quantity) / followingLeg(pair!).quantity + 2;
    const price = (mid / 100) * 10 ** -quantityPrecision;
    const value = pair!.maxUnhedgedValue;
    const allowed = value === null ? 2 * Math.ceil(shareOf(clip, strategy) * quantity) : Number(value) / 1e18 / price;
    // Whole lots, at a price of whole ticks.
    return Math.ceil(Math.max(allowed, least)) + 1;
  }
}

/** Of a pair that neither leg leads: the one that is ahead by more than a clip and 2 % waits. */
function throttled({ order, progress, follower }: ParentState, ofFollower: boolean): void {
  const other = followingLeg(order.pair!);
  const [own, theirs] = [progress.filled / order.quantity, follower!.progress.filled / other.quantity];
  const { clip, strategy, quantity } = ofFollower ? other : order;
  const ahead = ofFollower ? theirs - own : own - theirs;
  const allowed = Math.max(AHEAD_MAX, shareOf(clip, strategy) + 1 / quantity);
  assert(ahead <= allowed + 1e-9, `a leg goes on that is ahead by ${ahead}, of ${allowed} that it may be`);
}

function isLevelling(code: string): boolean {
  return code === 'HEDGE' || code === 'TOP_UP';
}

function shareOf(clip: Clip, strategy: string): number {
  if (clip.type === 'ORDER_COUNT') return 1 / clip.count;
  return clip.type === 'PERCENTAGE' && strategy !== 'POV' ? clip.ppmOfPercent / 1e8 : AUTOMATIC_CLIP;
}

function unhedged({ order, progress, follower }: ParentState): number {
  const ofOther = follower!.progress.filled * (order.quantity / followingLeg(order.pair!).quantity);
  return Math.max(0, progress.filled - ofOther);
}

function leadWorking({ order, children }: ParentState): number {
  let working = 0;
  for (const { order: child, progress } of children) {
    if (!isFollowers(order, child.child)) working += child.quantity - progress.filled;
  }
  return working;
}

/** The least that the venue takes at any price of these markets. */
export function leastOf({ quantityMin, notionalMin }: Instrument): number {
  return Math.max(quantityMin, Math.ceil(notionalMin / WORST_PRICE));
}
