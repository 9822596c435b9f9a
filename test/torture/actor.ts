import { SluiceError } from '../../src/client/index.js';
import type { Random } from './random.js';

/** One run of the service, as the actors see it. */
export interface ServiceRun {
  readonly port: number;
  readonly random: Random;
  /**
   * True: no command line operator writes to the data directory, because such writes would mix with lost or restored
   * data.
   */
  readonly isOperatorAway: boolean;
  /** The wall clock of the service's machine. */
  readonly nowMs: () => number;
  /**
   * True: that clock is stepped during the run. A request at that moment may be rejected as signed too early or too
   * late.
   */
  readonly isStepped: boolean;
  /** True: the run ends by SIGTERM, so the service may reject later requests. */
  readonly isStopped: boolean;
  /** Reports a broken promise. */
  readonly report: (problem: string) => void;
}

/** One part of the workload. It remembers the service's promises over all runs. */
export interface Actor {
  /** Checks earlier promises right after a restart, while no actor works. */
  check(run: ServiceRun): Promise<void>;
  /** Works until the service ends. */
  work(run: ServiceRun): Promise<void>;
  /** Waits until all orders of this actor have ended, in a run without other load. */
  settle(run: ServiceRun): Promise<void>;
  /** A backup begins: it contains all promises so far. */
  mark?(): void;
  /** That backup was restored: later promises are void, and may hold or not. */
  restored?(): void;
}

/** Statuses at the end of a run: no answer, or a service that is shutting down. */
const END_STATUSES: ReadonlySet<number> = new Set([0, 503]);

const UNAUTHORIZED = 401;

/** Repeats an action until the service does not answer. */
export async function untilServiceEnds({ isStepped }: ServiceRun, act: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      await act();
    } catch (error) {
      if (isStepped && error instanceof SluiceError && error.status === UNAUTHORIZED) continue;
      if (!(error instanceof SluiceError) || !END_STATUSES.has(error.status)) throw error;
      return;
    }
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
