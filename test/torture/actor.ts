import { SluiceError } from '../../src/client/index.js';
import type { Random } from './random.js';

/** One life of the service, as those who work it know it. */
export interface Life {
  readonly port: number;
  readonly random: Random;
  /** Whoever writes to the data directory beside the service would mix with what is lost or restored. */
  readonly isOperatorAway: boolean;
  /** The wall clock of the service's machine. */
  readonly nowMs: () => number;
  /** That clock is stepped while it is worked: a request of that moment may be refused as signed too early or too late. */
  readonly isStepped: boolean;
  /** It ends by SIGTERM: then it may refuse what comes meanwhile. */
  readonly isStopped: boolean;
  /** A promise that was not kept. */
  readonly report: (problem: string) => void;
}

/** One part of the workload. It remembers over all lives what it was promised. */
export interface Actor {
  /** Right after a restart, while nobody works: what was promised before holds. */
  check(life: Life): Promise<void>;
  /** Until the service dies. */
  work(life: Life): Promise<void>;
  /** In a life that is left alone until everything of this actor has ended. */
  settle(life: Life): Promise<void>;
  /** A backup begins: what was promised so far is in it. */
  mark?(): void;
  /** That backup was restored: what was promised since is void, and may hold or not. */
  restored?(): void;
}

/** No answer at all; or a service that is shutting down. */
const END_STATUSES: ReadonlySet<number> = new Set([0, 503]);

const UNAUTHORIZED = 401;

/** Acts again and again until nobody answers any more. */
export async function untilDeath({ isStepped }: Life, act: () => Promise<void>): Promise<void> {
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
