import { type ClockRecord, judgeClock, spanText } from '../domain/time.js';
import {
  CLOCK_AGREES_MS_MAX,
  CLOCK_ERROR_MS_MIN,
  CLOCK_SLEW_AHEAD_PPM,
  CLOCK_SLEW_BEHIND_PPM,
  CLOCK_STEP_MS_MIN,
} from '../domain/limits/process.js';
import type { ClockFigures } from '../http/metrics/service-figures.js';
import { ClockFile, uptimeMs } from '../storage/clock-record.js';
import { currentBootId } from '../storage/clock-record.js';
import { monotonicMs, ServiceClock, startClock } from './clock.js';

const PPM = 1_000_000;

interface ClockWatchParts {
  readonly clock: ServiceClock;
  readonly wallMs: () => number;
  readonly nowMonotonicMs?: () => number;
  readonly log: { warn(context: object, message: string): void; info(context: object, message: string): void };
}

/**
 * Compares the wall clock with the monotonic clock about once a second. Logs and counts each step of the wall clock.
 * Service time does not follow a step at once: it runs faster or slower until both agree.
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

  check(): void {
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

/** Service time − the service time that the wall clock implies. */
function clockErrorMs(clock: ServiceClock, wallMs: number): number {
  return clock.steadyRealMs() - wallMs;
}

/** The record for the clock file. */
export function clockRecord(
  clock: ServiceClock,
  machine: { readonly wallMs: number; readonly bootId: string; readonly uptimeMs: number | null },
): ClockRecord {
  const { leadMs, origin } = clock;
  return { ...machine, leadMs, errorMs: clockErrorMs(clock, machine.wallMs), speed: origin.speed };
}

/** Slows down more when it is ahead than it speeds up when it is behind, because orders must not be rushed. */
function slewedPace(speed: number, errorMs: number): number {
  const ppm = errorMs > 0 ? -CLOCK_SLEW_AHEAD_PPM : CLOCK_SLEW_BEHIND_PPM;
  return speed + (ppm / PPM) * Math.min(1, speed);
}

function aheadOrBehind(errorMs: number): string {
  return errorMs > 0 ? 'ahead of' : 'behind';
}

/** The wall clock is not plausible. The message states the reason and how to confirm the time. */
export class ClockRefusal extends Error {
  override readonly name = 'ClockRefusal';
}

interface ServiceTimeParts {
  readonly dataDir: string;
  readonly speed: number;
  /** Latest service time in the journal; 0 without events. */
  readonly lastServiceMs: number;
  /** The present time according to the operator. */
  readonly confirmedMs: number | null;
  readonly log: ClockWatchParts['log'];
}

/** Service time of a running process: checked at the start, watched during the run, stored for the next start. */
export class ServiceTime {
  readonly clock: ServiceClock;
  readonly #file: ClockFile;
  readonly #watch: ClockWatch;

  /** Throws ClockRefusal. Writes nothing before the wall clock is accepted. */
  constructor({ dataDir, speed, lastServiceMs, confirmedMs, log }: ServiceTimeParts) {
    this.#file = new ClockFile(dataDir);
    const observation = { ...machineTimes(), lastServiceMs, speed, confirmedMs };
    const verdict = judgeClock(this.#file.read(), observation);
    if (verdict.kind === 'refused') throw new ClockRefusal(verdict.reason);
    this.clock = new ServiceClock(startClock({ ...verdict, speed }));
    this.#watch = new ClockWatch({ clock: this.clock, wallMs: Date.now, log });
    this.#watch.check();
    storeClock(this.#file, this.clock);
  }

  get figures(): ClockFigures {
    return this.#watch.figures;
  }

  /** Call it about once a second. */
  check(): void {
    this.#watch.check();
  }

  /** Stores the clocks at a clean end. */
  close(): void {
    storeClock(this.#file, this.clock);
  }
}

/** Stores the clocks that the next start compares with its wall clock. Synced when it returns. */
export function storeClock(file: ClockFile, clock: ServiceClock): void {
  file.write(clockRecord(clock, machineTimes()));
}

function machineTimes(): { wallMs: number; bootId: string; uptimeMs: number | null } {
  return { wallMs: Date.now(), bootId: currentBootId(), uptimeMs: uptimeMs() };
}
