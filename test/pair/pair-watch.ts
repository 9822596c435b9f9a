import { assert } from '../../src/domain/rejection.js';
import type { OrderEvent } from '../../src/domain/event.js';
import type { Instrument } from '../../src/domain/instrument.js';
import type { ParentState } from '../../src/domain/order-state.js';
import type { Clip, Leg, ParentOrder } from '../../src/domain/order.js';
import { hedgingIndexOf, legAt, type LegIndex } from '../../src/domain/pair.js';
import { leadingIndexOf, leadingLeg } from '../../src/domain/order-legs.js';

/** Lower bound of all prices, hedges included. */
const WORST_PRICE = 6_000_000;
const AHEAD_MAX = 0.02;
const AUTOMATIC_CLIP = 0.1;

/** Checks a pair at each of its events by independent formulas. Throws the first violation. */
export class PairWatch {
  readonly #instruments: readonly [Instrument, Instrument];
  /** Largest unhedged value of the leading leg, as a share of its maximum. */
  worstShare = 0;
  /** Maximum of unhedged lots and the mid at the latest child of the leading leg. */
  #most = 0;
  #mid = 1;

  constructor(instruments: readonly [Instrument, Instrument]) {
    this.#instruments = instruments;
  }

  /** `mid`: of the leading leg, in ticks. */
  see(before: ParentState, event: OrderEvent, after: ParentState, mid: number): void {
    if (event.kind === 'ChildSubmitted' && !isLevelling(event.order.reason.code)) {
      if (before.order.pair?.isLed !== true) return throttled(before, event.order.leg);
      [this.#most, this.#mid] = [this.#cap(before, mid), mid];
      const together = unhedged(before) + leadWorking(before) + event.order.quantity;
      assert(together <= this.#most, `${together} lots at work and unhedged, of ${this.#most} that may be`);
    }
    if (event.kind !== 'ChildFilled' || after.order.pair?.isLed !== true || after.lateFills > 0) return;
    const alone = unhedged(after);
    // A child keeps the maximum of its placement when terms or prices change later.
    const most = Math.max(this.#most, this.#cap(before, mid));
    assert(alone <= most, `${alone} lots unhedged, of ${most} that may be`);
    this.worstShare = Math.max(this.worstShare, (alone * mid) / (most * this.#mid));
  }

  /** Maximum of unhedged lots of the leading leg: the client's limit, but no less than the venues can trade. */
  #cap({ order }: ParentState, mid: number): number {
    const { pair } = order;
    const { quantity, quantityPrecision, clip, strategy } = leadingLeg(order);
    const [lead, other] = this.#instruments.map(leastOf) as [number, number];
    const least = 2 * lead + (2 * other * quantity) / hedgingTerms(order).quantity + 2;
    const price = (mid / 100) * 10 ** -quantityPrecision;
    const value = pair!.maxUnhedgedValue;
    const allowed = value === null ? 2 * Math.ceil(shareOf(clip, strategy) * quantity) : Number(value) / 1e18 / price;
    // Rounded up to whole lots.
    return Math.ceil(Math.max(allowed, least)) + 1;
  }
}

function hedgingTerms({ legs, pair }: ParentOrder): Leg {
  return legAt(legs, hedgingIndexOf(pair!));
}

/** Checks a pair without a leading leg: a leg that is ahead by more than a clip and 2 % waits. */
function throttled(state: ParentState, leg: LegIndex): void {
  const { order } = state;
  const [lead, other] = [leadingLeg(order), hedgingTerms(order)];
  const isHedging = leg !== leadingIndexOf(order);
  const [own, theirs] = [ledOf(state) / lead.quantity, hedgedOf(state) / other.quantity];
  const { clip, strategy, quantity } = isHedging ? other : lead;
  const ahead = isHedging ? theirs - own : own - theirs;
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

function ledOf({ order, legs }: ParentState): number {
  return legAt(legs, leadingIndexOf(order)).progress.filled;
}

function hedgedOf({ order, legs }: ParentState): number {
  return legAt(legs, hedgingIndexOf(order.pair!)).progress.filled;
}

function unhedged(state: ParentState): number {
  const { order } = state;
  const ofOther = hedgedOf(state) * (leadingLeg(order).quantity / hedgingTerms(order).quantity);
  return Math.max(0, ledOf(state) - ofOther);
}

function leadWorking({ order, legs }: ParentState): number {
  let working = 0;
  for (const { order: child, progress } of legAt(legs, leadingIndexOf(order)).children) {
    working += child.quantity - progress.filled;
  }
  return working;
}

/** Minimum quantity of the venue at any price of these markets. */
export function leastOf({ quantityMin, notionalMin }: Instrument): number {
  return Math.max(quantityMin, Math.ceil(notionalMin / WORST_PRICE));
}
