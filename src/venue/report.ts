import type { ChildRef } from '../model/venue-message.js';
import type { VenueOrder } from './venue-order.js';

/** The part of a message that names the child. */
export function refOf({ submission }: VenueOrder): ChildRef {
  return namesOf(submission);
}

/** The names alone, of a message that may carry more. */
export function namesOf({ account, venue, orderId, child }: ChildRef): ChildRef {
  return { account, venue, orderId, child };
}
