import { spanText, type ClockRecord } from './model/clock-judgement.js';
import {
  CLOCK_AGREES_MS_MAX,
  CLOCK_ERROR_MS_MIN,
  CLOCK_SLEW_AHEAD_PPM,
  CLOCK_SLEW_BEHIND_PPM,
  CLOCK_STEP_MS_MIN,
} from './model/limits.js';
import { monotonicMs, type ServiceClock } from './clock.js';
import type { ClockFigures } from './http/metrics/service-figures.js';

const PPM = 1_000_000;

export interface ClockWatchParts {
  readonly clock: ServiceClock;
  readonly wallMs: () => number;
  readonly nowMonotonicMs?: () => number;
  readonly log: { warn(context: object, message: string): void; info(context: object, message: string): void };
}

/**
 * Compares the wall clock with the monotonic clock about once a second. A step of the wall clock is logged and counted.
 * Service time never follows it at once: it runs faster, or slower, until both agree again.
 */
export class ClockWatch {
  readonly #parts: ClockWatchParts;
  readonly #nowMonotonicMs: () => number;
  #seenWallMs: number;
  #seenMonotonicMs: number;
  #stepCount = 0;
  #lastStepMs = 0;

  constructor(parts: ClockWatchParts) {
    this.#parts = parts;
    this.#nowMonotonicMs = parts.nowMonotonicMs ?? monotonicMs;
    this.#seenWallMs = parts.wallMs();
    this.#seenMonotonicMs = this.#nowMonotonicMs();
  }

  get figures(): ClockFigures {
    const { clock, wallMs } = this.#parts;
    return {
      offsetMs: clock.nowMs() - wallMs(),
      errorMs: Math.round(clockErrorMs(clock, wallMs())),
      stepCount: this.#stepCount,
      lastStepMs: Math.round(this.#lastStepMs),
      pace: clock.pace,
    };
  }

  look(): void {
    this.#noticeStep();
    this.#slew();
  }

  #noticeStep(): void {
    const wallMs = this.#parts.wallMs();
    const monotonic = this.#nowMonotonicMs();
    const stepMs = wallMs - this.#seenWallMs - (monotonic - this.#seenMonotonicMs);
    this.#seenWallMs = wallMs;
    this.#seenMonotonicMs = monotonic;
    if (Math.abs(stepMs) < CLOCK_STEP_MS_MIN) return;
    this.#stepCount += 1;
    this.#lastStepMs = stepMs;
    const direction = stepMs > 0 ? 'forward' : 'back';
    const context = { stepMs: Math.round(stepMs), wallTime: new Date(wallMs).toISOString() };
    this.#parts.log.warn(context, `the wall clock was put ${direction} by ${spanText(Math.abs(stepMs))}`);
  }

  #slew(): void {
    const { clock, wallMs, log } = this.#parts;
    const { speed } = clock.origin;
    const errorMs = clockErrorMs(clock, wallMs());
    const isSlewing = clock.pace !== speed;
    const toleratedMs = isSlewing ? CLOCK_AGREES_MS_MAX : CLOCK_ERROR_MS_MIN;
    const pace = Math.abs(errorMs) <= toleratedMs ? speed : slewedPace(speed, errorMs);
    if (pace === clock.pace) return;
    clock.setPace(pace);
    const context = { errorMs: Math.round(errorMs), pace };
    if (pace === speed) log.info(context, 'service time agrees with the wall clock again');
    else log.warn(context, `service time is ${spanText(Math.abs(errorMs))} ${aheadOrBehind(errorMs)} the wall clock`);
  }
}

/** Service time − the time it should be by the wall clock. */
function clockErrorMs(clock: ServiceClock, wallMs: number): number {
  return clock.steadyRealMs() - wallMs;
}

/** What the clock file keeps. */
export function clockRecord(
  clock: ServiceClock,
  machine: { readonly wallMs: number; readonly bootId: string; readonly uptimeMs: number | null },
): ClockRecord {
  const { leadMs, origin } = clock;
  return { ...machine, leadMs, errorMs: clockErrorMs(clock, machine.wallMs), speed: origin.speed };
}

/** Ahead of the wall clock it slows down more than it speeds up when it lags: orders must not be hurried much. */
function slewedPace(speed: number, errorMs: number): number {
  const ppm = errorMs > 0 ? -CLOCK_SLEW_AHEAD_PPM : CLOCK_SLEW_BEHIND_PPM;
  return speed + (ppm / PPM) * Math.min(1, speed);
}

function aheadOrBehind(errorMs: number): string {
  return errorMs > 0 ? 'ahead of' : 'behind';
}
