import type { Clock, ClockOrigin, EpochMs } from './model/time.js';

/** Milliseconds of the machine's monotonic clock, the same in every thread. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}

/** Microseconds of the machine's monotonic clock, the same in every thread. */
export function monotonicUs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e6 + nanoseconds / 1e3;
}

/** Service time starts at the real time, after a restart not before the last journalled time. */
export function clockOrigin(realMs: number, lastServiceMs: number, speed: number): ClockOrigin {
  return { serviceMs: Math.max(realMs, lastServiceMs), monotonicMs: monotonicMs(), speed };
}

/** Whole milliseconds of service time. */
export class ServiceClock implements Clock {
  readonly #origin: ClockOrigin;

  constructor(origin: ClockOrigin) {
    this.#origin = origin;
  }

  nowMs(): EpochMs {
    const { serviceMs, monotonicMs: since, speed } = this.#origin;
    return Math.floor(serviceMs + (monotonicMs() - since) * speed) as EpochMs;
  }

  /** Real milliseconds from now until a service instant; 0 when it is past. */
  realMsUntil(instantMs: number): number {
    const { serviceMs, monotonicMs: since, speed } = this.#origin;
    const nowExact = serviceMs + (monotonicMs() - since) * speed;
    return Math.max(0, (instantMs - nowExact) / speed);
  }
}
