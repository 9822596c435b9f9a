import { Backoff } from './backoff.js';
import { SluiceError } from './sluice-error.js';

/** How long a request is tried again that was not answered, or was refused only for the moment. */
export interface RetryPolicy {
  /** Tries in all, the first included; 1: there is no second one. */
  readonly triesMax: number;
  /** No try begins later than this after the first. */
  readonly patienceMs: number;
}

/** Long enough for a service that is started again. */
export const RETRY_DEFAULT: RetryPolicy = { triesMax: 8, patienceMs: 30_000 };
/** Every failure is told at once. */
export const NO_RETRY: RetryPolicy = { triesMax: 1, patienceMs: 0 };

/** Time and chance, as waiting needs them. */
export interface Waiting {
  /** Monotonic milliseconds. */
  nowMs(): number;
  /** In [0, 1). */
  chance(): number;
  /** Resolves after the time, or as soon as the signal ends the wait. */
  pause(waitMs: number, signal: AbortSignal): Promise<void>;
}

/**
 * Tries until an answer comes, the refusal is one that waiting does not mend, the policy is spent, or the signal ends
 * it; then it rejects with the latest failure. Whoever asks for more than the policy's patience by Retry-After is not
 * waited for.
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
      if (!isPassing(error) || tries >= policy.triesMax) throw error;
      const waitMs = Math.max(backoff.nextMs(waiting.chance()), error.retryAfterMs ?? 0);
      if (waiting.nowMs() + waitMs > lastStartMs) throw error;
      await waiting.pause(waitMs, signal);
      if (signal.aborted) throw error;
    }
  }
}

const PASSING_CODES = new Set(['RATE_LIMIT_EXCEEDED', 'SYSTEM_BUSY', 'EMS_INSTANCES_DOWN']);
/** No answer, or that of a gateway before the service: too many requests, the service is out of reach. */
const PASSING_STATUSES = new Set([0, 429, 502, 504]);

function isPassing(error: unknown): error is SluiceError {
  if (!(error instanceof SluiceError)) return false;
  return PASSING_CODES.has(error.code) || PASSING_STATUSES.has(error.status);
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
