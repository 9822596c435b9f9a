import { FAULT_CHILDREN_MAX } from '../../model/limits.js';
import type { ChildRef, ChildSubmission } from '../../model/venue-message.js';
import type { Subject } from './armed-rule.js';

/**
 * What is known of the children that were sent, for a report says of its child neither instrument nor side. The oldest
 * are forgotten: their reports are met by no rule that asks for one of the two.
 */
export class PlacedChildren {
  readonly #children = new Map<string, Subject>();

  note({ account, venue, orderId, child, instrument, side }: ChildSubmission): void {
    this.#children.set(`${orderId}-${child}`, { account, venue, instrument, side });
    if (this.#children.size <= FAULT_CHILDREN_MAX) return;
    const [oldest] = this.#children.keys();
    if (oldest !== undefined) this.#children.delete(oldest);
  }

  subjectOf({ account, venue, orderId, child }: ChildRef): Subject {
    return this.#children.get(`${orderId}-${child}`) ?? { account, venue, instrument: null, side: null };
  }
}
