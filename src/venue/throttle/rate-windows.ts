import {
  ADDRESS_STOP_AGAIN_MS,
  ADDRESS_STOP_MS_MAX,
  DEADLINE_LIMIT_PERCENT,
  HEDGE_LIMIT_PERCENT,
  LATE_COUNT_MS,
  LOOK_UP_LIMIT_PERCENT,
  QUEUED_BURST_PERCENT,
  QUEUED_LIMIT_PERCENT,
  READ_LIMIT_PERCENT,
  STOPPED_CANCEL_GAP_MS,
} from '../../domain/limits/live.js';
import type { RequestClass } from '../../domain/venue-message.js';

/** A limit that an exchange publishes: at most `max` in each interval of its clock. */
export interface RateLimit {
  /** The exchange's name, such as `REQUEST_WEIGHT 1m`. */
  readonly name: string;
  readonly lengthMs: number;
  readonly max: number;
}

/**
 * What a class of requests may use of a limit, so that the last parts are left to what is more urgent. The queue of an
 * account uses a part of a spread share at once and the rest evenly.
 */
interface ClassShare {
  readonly percent: number;
  readonly isSpread: boolean;
}

const SHARES: Readonly<Record<RequestClass, ClassShare>> = {
  CANCEL: { percent: 100, isSpread: false },
  HEDGE: { percent: HEDGE_LIMIT_PERCENT, isSpread: false },
  STATUS: { percent: LOOK_UP_LIMIT_PERCENT, isSpread: false },
  DEADLINE: { percent: DEADLINE_LIMIT_PERCENT, isSpread: false },
  TAKING: { percent: QUEUED_LIMIT_PERCENT, isSpread: true },
  RESTING: { percent: QUEUED_LIMIT_PERCENT, isSpread: true },
  ROUTINE: { percent: READ_LIMIT_PERCENT, isSpread: true },
};

interface RateWindow extends RateLimit {
  /** Number of the interval that the counts belong to. */
  interval: number;
  used: number;
  /** What was spent so shortly before the end of the interval that the exchange may count it in the next one. */
  late: number;
  /** What was late at the end of the interval before, or had no answer then. */
  carried: number;
  /** A bucket that empties evenly, in any interval: what was spent lately. */
  debt: number;
  debtAtMs: number;
}

/**
 * What an exchange has counted of its own limits. The exchange counts in fixed intervals and names its count in each
 * answer. Its count includes other programs at the same address; ours includes requests that have no answer yet. The
 * larger one decides.
 */
export class RateWindows {
  #windows: RateWindow[];
  /** Cost of the requests without an answer: the exchange may count them in any later interval. */
  #openCost = 0;
  /** Until then nothing leaves but cancels. */
  #stoppedUntilMs = 0;
  /** Until then nothing leaves. */
  #barredUntilMs = 0;
  /** In a stop the next cancel leaves at this time. */
  #cancelAtMs = 0;
  /** Length of the last stop of the address. */
  #addressStopMs = 0;

  constructor(limits: readonly RateLimit[]) {
    this.#windows = limits.map((limit) => ({ ...limit, ...UNUSED }));
  }

  /** Replaces the limits by those that the exchange publishes now. Counts of known limits stay. */
  setLimits(limits: readonly RateLimit[]): void {
    this.#windows = limits.map((limit) => {
      const known = this.#windows.find(({ name }) => name === limit.name) ?? UNUSED;
      return { ...known, ...limit };
    });
  }

  /** Milliseconds until a request may be sent; 0: now. `nowMs` is the exchange's time. */
  waitMs(cost: number, requestClass: RequestClass, nowMs: number): number {
    let waitMs = this.#stopMs(requestClass, nowMs);
    for (const window of this.#windows) {
      const bound = Math.max(1, Math.floor((window.max * SHARES[requestClass].percent) / 100));
      this.#enter(window, nowMs);
      if (window.used + cost <= bound) continue;
      waitMs = Math.max(waitMs, window.lengthMs - (nowMs % window.lengthMs));
    }
    return waitMs;
  }

  /**
   * Milliseconds until the queue of an account sends a request of that class; 0: now. Never shorter than `waitMs`, and
   * longer for placements: a limit is used up slowly, and its last part is left to what is more urgent.
   */
  turnMs(cost: number, requestClass: RequestClass, nowMs: number): number {
    const { percent, isSpread } = SHARES[requestClass];
    let waitMs = this.#stopMs(requestClass, nowMs);
    for (const window of this.#windows) {
      const { lengthMs, max } = window;
      const bound = Math.max(1, Math.floor((max * percent) / 100));
      this.#enter(window, nowMs);
      const used = window.used + window.carried;
      if (used + cost > bound) waitMs = Math.max(waitMs, lengthMs - (nowMs % lengthMs));
      else if (isSpread) waitMs = Math.max(waitMs, spreadMs(window, cost, nowMs));
    }
    return waitMs;
  }

  /** Counts a request that is sent now. */
  spend(cost: number, nowMs: number): void {
    for (const window of this.#windows) {
      const { lengthMs } = window;
      this.#enter(window, nowMs);
      window.debt = debtAt(window, nowMs) + cost;
      window.debtAtMs = nowMs;
      window.used += cost;
      if (lengthMs - (nowMs % lengthMs) <= Math.min(LATE_COUNT_MS, lengthMs / 4)) window.late += cost;
    }
  }

  /** Counts a request as `spend` does, until its answer: `answered` must follow, also when there is none. */
  open(cost: number, requestClass: RequestClass, nowMs: number): void {
    this.spend(cost, nowMs);
    const isStopped = nowMs < this.#stoppedUntilMs;
    if (requestClass === 'CANCEL' && isStopped) this.#cancelAtMs = nowMs + STOPPED_CANCEL_GAP_MS;
    this.#openCost += cost;
  }

  /** Call it after the counts of the answer are taken. */
  answered(cost: number): void {
    this.#openCost = Math.max(0, this.#openCost - cost);
  }

  /**
   * Takes a count that the exchange has stated in the answer to a request of `sentAtMs`. An unknown name has no effect.
   * Neither has the answer to a request of an earlier interval: it may state the count of that one.
   */
  stated(name: string, used: number, nowMs: number, sentAtMs = nowMs): void {
    const window = this.#windows.find((each) => each.name === name);
    if (window === undefined || !Number.isFinite(used)) return;
    this.#enter(window, nowMs);
    if (Math.floor(sentAtMs / window.lengthMs) < window.interval) return;
    window.used = Math.max(window.used, used);
  }

  /** The exchange has refused a request for its rate: nothing is sent before then, not even cancels. */
  stop(untilMs: number): void {
    this.#barredUntilMs = Math.max(this.#barredUntilMs, untilMs);
  }

  /**
   * The exchange has refused the whole address for `waitMs`. A refusal soon after the end of the last one stops twice
   * as long: bans become longer with each repetition. Requests that were under way at the first refusal get the same
   * one: they do not count again. Cancels go on, one in each STOPPED_CANCEL_GAP_MS. Returns the length of the stop.
   */
  stopAddress(waitMs: number, nowMs: number): number {
    const sinceMs = nowMs - this.#stoppedUntilMs;
    const isAgain = sinceMs >= 0 && sinceMs < ADDRESS_STOP_AGAIN_MS;
    const doubledMs = isAgain ? Math.min(ADDRESS_STOP_MS_MAX, 2 * this.#addressStopMs) : 0;
    const stopMs = Math.max(waitMs, doubledMs);
    this.#addressStopMs = sinceMs < 0 ? Math.max(this.#addressStopMs, stopMs) : stopMs;
    this.#stoppedUntilMs = Math.max(this.#stoppedUntilMs, nowMs + stopMs);
    return stopMs;
  }

  /** Milliseconds in which nothing leaves, not even a cancel; 0: cancels may leave. */
  barredMs(nowMs: number): number {
    return Math.max(0, this.#barredUntilMs - nowMs);
  }

  /** The limits with their present counts, those that are nearly used up first. */
  usedLimits(nowMs: number): readonly { readonly name: string; readonly used: number; readonly max: number }[] {
    const rows = this.#windows.map((window) => {
      this.#enter(window, nowMs);
      const { name, used, max } = window;
      return { name, used, max };
    });
    return rows.toSorted((one, other) => other.used / other.max - one.used / one.max);
  }

  #stopMs(requestClass: RequestClass, nowMs: number): number {
    const isStopped = nowMs < this.#stoppedUntilMs;
    const untilMs = requestClass !== 'CANCEL' ? this.#stoppedUntilMs : isStopped ? this.#cancelAtMs : 0;
    return Math.max(0, untilMs - nowMs, this.barredMs(nowMs));
  }

  /** Begins the counts of the present interval. */
  #enter(window: RateWindow, nowMs: number): void {
    const interval = Math.floor(nowMs / window.lengthMs);
    if (interval === window.interval) return;
    const late = interval === window.interval + 1 ? window.late : 0;
    window.carried = Math.max(late, this.#openCost);
    window.interval = interval;
    window.used = 0;
    window.late = 0;
  }
}

const UNUSED = { interval: 0, used: 0, late: 0, carried: 0, debt: 0, debtAtMs: 0 } as const;

/** What a limit allows at once, and per millisecond after that. No span of its length then has more than the share. */
function spreadOf({ max, lengthMs }: RateLimit): { readonly atOnce: number; readonly perMs: number } {
  const bound = Math.max(1, Math.floor((max * QUEUED_LIMIT_PERCENT) / 100));
  const atOnce = Math.max(1, Math.floor((bound * QUEUED_BURST_PERCENT) / 100));
  return { atOnce, perMs: Math.max(1, bound - atOnce) / lengthMs };
}

function debtAt(window: RateWindow, nowMs: number): number {
  return Math.max(0, window.debt - Math.max(0, nowMs - window.debtAtMs) * spreadOf(window).perMs);
}

/** Milliseconds until the bucket has room. A cost above what may go at once needs an empty one. */
function spreadMs(window: RateWindow, cost: number, nowMs: number): number {
  const { atOnce, perMs } = spreadOf(window);
  return Math.max(0, debtAt(window, nowMs) + Math.min(cost, atOnce) - atOnce) / perMs;
}
