import { monotonicMs } from './clock.js';
import { SHUTDOWN_POLL_MS } from './model/limits.js';

/**
 * Calls `isSo` until it returns true, every SHUTDOWN_POLL_MS, at the latest at `endMs` of the monotonic clock. Resolves
 * with what it returned last. It is called at least once.
 */
export async function isSoBy(endMs: number, isSo: () => boolean): Promise<boolean> {
  while (!isSo()) {
    if (monotonicMs() >= endMs) return false;
    await new Promise((resolve) => setTimeout(resolve, SHUTDOWN_POLL_MS));
  }
  return true;
}
