/**
 * Loaded into a service before its own code (node --import), it makes the answer to one client_order_id fail within the
 * service: a bug of ours, which the public interface must report as such. The product has no door for this.
 */
import { isMainThread } from 'node:worker_threads';

/** The client_order_id whose answers cannot be written. */
export const FATAL_ID = 'provokes-a-bug';

if (isMainThread && process.argv[1]?.endsWith('main.js') === true) {
  const { stringify } = JSON;
  JSON.stringify = ((value: unknown, ...rest: []) => {
    if (value === FATAL_ID) throw new Error('this answer was told to fail');
    return stringify(value, ...rest);
  }) as typeof JSON.stringify;
}
