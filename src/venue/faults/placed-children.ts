import { FAULT_CHILDREN_MAX } from '../../model/limits.js';
import type { Lots, Ticks } from '../../model/quantity.js';
import type { ChildRef, ChildSubmission } from '../../model/venue-message.js';
import type { Subject } from './armed-rule.js';

/** A child as it was sent. */
export interface PlacedChild extends Subject {
  readonly quantity: Lots;
  /** null: a market order. */
  readonly limitPrice: Ticks | null;
}

/**
 * What is known of the children that were sent, for a report says of its child neither instrument nor side. The latest
 * FAULT_CHILDREN_MAX or more are remembered, at most twice as many: reports of older ones are met by no rule that asks
 * for one of the two.
 */
export class PlacedChildren {
  #latest = new Map<string, PlacedChild>();
  #earlier: ReadonlyMap<string, PlacedChild> = new Map();

  note({ account, venue, orderId, child, instrument, side, quantity, limitPrice }: ChildSubmission): void {
    if (this.#latest.size >= FAULT_CHILDREN_MAX) {
      this.#earlier = this.#latest;
      this.#latest = new Map();
    }
    this.#latest.set(`${orderId}-${child}`, { account, venue, instrument, side, quantity, limitPrice });
  }

  subjectOf(ref: ChildRef): Subject {
    const { account, venue } = ref;
    return this.find(ref) ?? { account, venue, instrument: null, side: null };
  }

  /** null: it was never sent, or so many were sent after it that it is forgotten. */
  find({ orderId, child }: ChildRef): PlacedChild | null {
    const name = `${orderId}-${child}`;
    return this.#latest.get(name) ?? this.#earlier.get(name) ?? null;
  }
}
