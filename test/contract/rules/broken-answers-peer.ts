/**
 * Makes the answer to one client_order_id fail inside the service, as a bug would. It is loaded before the service's
 * own code (node --import), because the product has no switch for this.
 */
import { isMainThread } from 'node:worker_threads';

/** The client_order_id whose answers fail. */
export const FATAL_ID = 'provokes-a-bug';

if (isMainThread && process.argv[1]?.endsWith('main.js') === true) {
  const { stringify } = JSON;
  JSON.stringify = ((value: unknown, ...rest: []) => {
    if (value === FATAL_ID) throw new Error('the test makes this answer fail');
    return stringify(value, ...rest);
  }) as typeof JSON.stringify;
}
