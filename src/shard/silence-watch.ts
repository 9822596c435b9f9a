import type { Venue } from '../model/exchange.js';
import type { ChildNumber } from '../model/ids.js';
import { ANSWER_SILENCE_MS_MAX, RESTING_SILENCE_MS_MAX } from '../model/limits.js';
import type { LiveChild } from '../model/order.js';
import { tradedBy } from '../model/pair.js';
import type { EpochMs } from '../model/time.js';
import { NO_CHILDREN } from '../model/untraded.js';
import { isAnswerDue } from '../order/children.js';
import type { Actor } from './actor.js';
import { LazyHeap } from './lazy-heap.js';

/**
 * Finds the children of which the venue has told nothing for too long: an answer or a fill may have been lost on its
 * way, and only asking tells.
 *
 *   in flight, being cancelled, unknown, or to be done at once   unchanged from one review to the next, at least
 *                                                                ANSWER_SILENCE_MS_MAX apart
 *   resting in the book                                          once in every RESTING_SILENCE_MS_MAX of its life
 *
 * An order without live children costs nothing; one with some has a single entry here, whatever their number.
 */
export class SilenceWatch {
  readonly #reviews = new LazyHeap<Actor>((actor, atMs) => actor.reviewAtMs === atMs);
  readonly #isVenueUp: (venue: Venue) => boolean;

  constructor(isVenueUp: (venue: Venue) => boolean) {
    this.#isVenueUp = isVenueUp;
  }

  /** Called when something has happened to the order: its next review may be due earlier now. */
  watch(actor: Actor, nowMs: EpochMs): void {
    const { children, order } = actor.state;
    // Nobody can be asked at a venue that is down, and its return asks for every child.
    if (order.pair === null && !this.#isVenueUp(order.venue)) return this.leave(actor);
    let dueMs = Infinity;
    for (const child of children) {
      const isHeard = order.pair === null || this.#isVenueUp(tradedBy(order, child.order.child).venue);
      if (isHeard) dueMs = Math.min(dueMs, reviewMs(child, nowMs));
    }
    if (dueMs >= actor.reviewAtMs) return;
    actor.reviewAtMs = dueMs;
    actor.seenChildren = children;
    actor.seenAtMs = nowMs;
    this.#reviews.push(actor, dueMs);
  }

  /** No review is due any more, until the order is watched again. */
  leave(actor: Actor): void {
    actor.reviewAtMs = Infinity;
    // What it has seen would keep children alive that are long done.
    actor.seenChildren = NO_CHILDREN;
  }

  /** The silence on the child is known not to be the venue's: the next review passes it over, and the one after it counts anew. */
  excuse(actor: Actor, child: ChildNumber): void {
    actor.seenChildren = actor.seenChildren.filter(({ order }) => order.child !== child);
  }

  nextReviewMs(): number {
    return this.#reviews.lowest();
  }

  /** Reviews at most `ordersMax` orders that are due, and calls `ask` with the silent children of each that has some. */
  review(nowMs: EpochMs, ordersMax: number, ask: (actor: Actor, silent: readonly ChildNumber[]) => void): void {
    for (let count = 0; count < ordersMax; count += 1) {
      const actor = this.#reviews.popUpTo(nowMs);
      if (actor === undefined) return;
      const silent = silentChildren(actor, nowMs).filter((child) =>
        this.#isVenueUp(tradedBy(actor.state.order, child).venue),
      );
      this.leave(actor);
      if (silent.length > 0) ask(actor, silent);
      this.watch(actor, nowMs);
    }
  }
}

function silentChildren({ state, seenChildren, seenAtMs }: Actor, nowMs: EpochMs): ChildNumber[] {
  const silent: ChildNumber[] = [];
  for (const child of state.children) {
    // States are never changed but replaced: the same object is the same state.
    const isSilent = isAnswerDue(child) ? seenChildren.includes(child) : reviewMs(child, seenAtMs) <= nowMs;
    if (isSilent) silent.push(child.order.child);
  }
  return silent;
}

/** When a child, as it is now, is to be looked at next. */
function reviewMs(child: LiveChild, nowMs: number): number {
  if (isAnswerDue(child)) return nowMs + ANSWER_SILENCE_MS_MAX;
  const { submittedAtMs } = child.order;
  const restedMs = Math.max(0, nowMs - submittedAtMs);
  const rounds = Math.floor(restedMs / RESTING_SILENCE_MS_MAX) + 1;
  return submittedAtMs + rounds * RESTING_SILENCE_MS_MAX;
}
