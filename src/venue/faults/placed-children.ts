import { FAULT_CHILDREN_MAX } from '../../model/limits.js';
import type { ChildRef, ChildSubmission } from '../../model/venue-message.js';
import type { Subject } from './armed-rule.js';

/**
 * What is known of the children that were sent, for a report says of its child neither instrument nor side. The latest
 * FAULT_CHILDREN_MAX or more are remembered, at most twice as many: reports of older ones are met by no rule that asks
 * for one of the two.
 */
export class PlacedChildren {
  #latest = new Map<string, Subject>();
  #earlier: ReadonlyMap<string, Subject> = new Map();

  note({ account, venue, orderId, child, instrument, side }: ChildSubmission): void {
    if (this.#latest.size >= FAULT_CHILDREN_MAX) {
      this.#earlier = this.#latest;
      this.#latest = new Map();
    }
    this.#latest.set(`${orderId}-${child}`, { account, venue, instrument, side });
  }

  subjectOf({ account, venue, orderId, child }: ChildRef): Subject {
    const name = `${orderId}-${child}`;
    return this.#latest.get(name) ?? this.#earlier.get(name) ?? { account, venue, instrument: null, side: null };
  }
}
