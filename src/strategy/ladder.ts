import { childCountOf } from '../model/clip.js';
import type { Instrument } from '../model/instrument.js';
import { LADDER_RUNGS_DEFAULT, LADDER_RUNGS_MAX, LADDER_RUNGS_MIN } from '../model/limits.js';
import type { Clip, Ladder, ParentOrder, Side } from '../model/order.js';
import type { Lots, Ticks } from '../model/quantity.js';
import { isAsAggressive, minimumAt } from './placement.js';

const PPM = 1_000_000;

export interface Rung {
  readonly price: Ticks;
  readonly quantity: Lots;
}

/** How many rungs a ladder has: by the clip, 10 when that is automatic; 2 to 200. */
export function rungCount(clip: Clip, quantity: Lots): number {
  const wanted = childCountOf(clip, quantity) ?? LADDER_RUNGS_DEFAULT;
  return Math.max(LADDER_RUNGS_MIN, Math.min(LADDER_RUNGS_MAX, wanted));
}

/**
 * The order laid out from the ladder's start to its end: prices evenly apart, rounded away from crossing, sizes linear
 * from 1 at the start to the skew at the end, cut to lots by their running sum, so that the last takes the residual.
 * A rung below the venue's minimum goes into the next one, the last such into the one before.
 */
export function rungsOf(order: ParentOrder, ladder: Ladder, instrument: Instrument): Rung[] {
  const { side, quantity, clip } = order;
  const count = rungCount(clip, quantity);
  const skew = ladder.skewPpm / PPM;
  const weightOf = (index: number): number => index + ((skew - 1) * index * (index - 1)) / (2 * (count - 1));
  const whole = weightOf(count);
  const rungs: Rung[] = [];
  let laid = 0;
  for (let index = 0; index < count; index += 1) {
    const until = index === count - 1 ? quantity : Math.floor((quantity / whole) * weightOf(index + 1));
    const price = priceOf(side, ladder, index / (count - 1));
    if (until - laid < minimumAt(instrument, price)) continue;
    const last = rungs.at(-1);
    // A ladder narrower than its count of rungs in ticks has several at one price.
    if (last?.price === price) rungs.pop();
    rungs.push({ price, quantity: (until - laid + (last?.price === price ? last.quantity : 0)) as Lots });
    laid = until;
  }
  return withRest(rungs, (quantity - laid) as Lots, ladder.end);
}

function withRest(rungs: Rung[], rest: Lots, end: Ticks): Rung[] {
  const last = rungs.pop();
  if (rest === 0) return last === undefined ? [] : [...rungs, last];
  return [...rungs, { price: last?.price ?? end, quantity: ((last?.quantity ?? 0) + rest) as Lots }];
}

function priceOf(side: Side, { start, end }: Ladder, share: number): Ticks {
  const price = start + (end - start) * share;
  // Away from crossing; the ends lie on the grid already, whatever the product's last digit says.
  const nearest = Math.round(price);
  if (Math.abs(price - nearest) < 1e-6) return nearest as Ticks;
  return (side === 'BUY' ? Math.floor(price) : Math.ceil(price)) as Ticks;
}

/** Rungs by order: an order's terms lay them out, and every look at it needs them. */
const LAID = new WeakMap<ParentOrder, readonly Rung[]>();

/** All rungs of an order, those nearest the market first: they trade first. */
export function nearestFirst(order: ParentOrder, ladder: Ladder, instrument: Instrument): readonly Rung[] {
  const known = LAID.get(order);
  if (known !== undefined) return known;
  const rungs = rungsOf(order, ladder, instrument).toSorted((left, right) =>
    left.price === right.price ? 0 : isAsAggressive(order.side, left.price, right.price) ? -1 : 1,
  );
  LAID.set(order, rungs);
  return rungs;
}

/** The rung that trades next when so much of the order is filled, and what is left of it; null when none is. */
export function nextRung(order: ParentOrder, ladder: Ladder, instrument: Instrument, filled: Lots): Rung | null {
  let done: number = filled;
  for (const { price, quantity } of nearestFirst(order, ladder, instrument)) {
    if (done < quantity) return { price, quantity: (quantity - done) as Lots };
    done -= quantity;
  }
  return null;
}
