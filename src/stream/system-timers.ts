import type { Timers } from './port.js';

/** The timers of this process. */
export const SYSTEM_TIMERS: Timers = {
  nowMs: () => performance.now(),
  after: (delayMs, run) => void setTimeout(run, delayMs),
  soon: (run) => void setImmediate(run),
  every: (intervalMs, run) => {
    const timer = setInterval(run, intervalMs);
    return () => clearInterval(timer);
  },
};
