import { SluiceError } from './sluice-error.js';

const FIRST_MS = 100;
const LAST_MS = 5_000;

/** Exponential delays from 100 ms to 5 s. A random part spreads the clients, so that they do not return together. */
export class Backoff {
  #failures = 0;

  /** Milliseconds to wait before the next attempt. `chance` is in [0, 1). */
  nextMs(chance: number): number {
    const ceilingMs = Math.min(LAST_MS, FIRST_MS * 2 ** Math.min(this.#failures, 10));
    this.#failures += 1;
    return ceilingMs * (0.5 + chance / 2);
  }

  reset(): void {
    this.#failures = 0;
  }
}

/** Limits the retries of a request that got no answer or a temporary refusal. */
export interface RetryPolicy {
  /** Number of tries including the first. 1 means no retry. */
  readonly triesMax: number;
  /** Time from the first try to the start of the last one, in milliseconds. */
  readonly patienceMs: number;
}

/** Covers a restart of the service. */
export const RETRY_DEFAULT: RetryPolicy = { triesMax: 8, patienceMs: 30_000 };
/** Rejects on the first failure. */
export const NO_RETRY: RetryPolicy = { triesMax: 1, patienceMs: 0 };

/** Time and randomness for the delays between tries. */
export interface Waiting {
  /** Monotonic milliseconds. */
  nowMs(): number;
  /** In [0, 1). */
  chance(): number;
  /** Resolves after `waitMs`, or at once when the signal aborts. */
  pause(waitMs: number, signal: AbortSignal): Promise<void>;
}

/**
 * Repeats `attempt` until it resolves. Rejects with the latest failure when that failure is permanent, when the policy
 * allows no further try, or when the signal aborts. A Retry-After beyond the policy's patience ends the retries at
 * once.
 */
export async function retried<Answer>(
  attempt: () => Promise<Answer>,
  policy: RetryPolicy,
  signal: AbortSignal,
  waiting = REAL_WAITING,
): Promise<Answer> {
  const backoff = new Backoff();
  const lastStartMs = waiting.nowMs() + policy.patienceMs;
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!isTemporary(error) || tries >= policy.triesMax) throw error;
      const waitMs = Math.max(backoff.nextMs(waiting.chance()), error.retryAfterMs ?? 0);
      if (waiting.nowMs() + waitMs > lastStartMs) throw error;
      await waiting.pause(waitMs, signal);
      if (signal.aborted) throw error;
    }
  }
}

const TEMPORARY_CODES = new Set(['RATE_LIMIT_EXCEEDED', 'SYSTEM_BUSY', 'EMS_INSTANCES_DOWN']);
/** 0: no answer. The others come from the service or from a gateway between client and service. */
const TEMPORARY_STATUSES = new Set([0, 429, 502, 504]);

function isTemporary(error: unknown): error is SluiceError {
  if (!(error instanceof SluiceError)) return false;
  return TEMPORARY_CODES.has(error.code) || TEMPORARY_STATUSES.has(error.status);
}

const REAL_WAITING: Waiting = {
  nowMs: () => performance.now(),
  chance: () => Math.random(),
  pause: (waitMs, signal) =>
    new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, waitMs);
      signal.addEventListener('abort', end);
      if (signal.aborted) end();
    }),
};
