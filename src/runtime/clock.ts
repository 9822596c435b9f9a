import type { Clock, EpochMs } from '../domain/time.js';
import type { ClockOrigin } from '../wire/worker-data.js';

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

/**
 * Two slots that are written alternately, so that a reader never waits for the writer:
 *
 *     word 0: number of paces set so far; its lowest bit selects the valid slot
 *     slot:   service time and monotonic time at the start of the pace, service milliseconds in a real millisecond
 */
const COUNT_BYTES = 8;
const SLOT_NUMBERS = 3;
const MEMORY_BYTES = COUNT_BYTES + 2 * SLOT_NUMBERS * Float64Array.BYTES_PER_ELEMENT;

export interface ClockStart {
  readonly serviceMs: number;
  /** The part of service time − wall clock that earlier simulated speeds caused. */
  readonly leadMs: number;
  readonly speed: number;
}

/** Starts service time now, at its regular speed. */
export function startClock({ serviceMs, leadMs, speed }: ClockStart, nowMonotonicMs = monotonicMs()): ClockOrigin {
  const origin = { monotonicMs: nowMonotonicMs, leadMs, speed, pace: new SharedArrayBuffer(MEMORY_BYTES) };
  writePace(origin, 0, serviceMs, nowMonotonicMs, speed);
  return origin;
}

/** Service time. It never goes back in a thread: not after a step of the wall clock, and not after a change of pace. */
export class ServiceClock implements Clock {
  readonly origin: ClockOrigin;
  readonly #nowMonotonicMs: () => number;
  readonly #count: Int32Array;
  readonly #slots: Float64Array;
  #latestMs = 0;

  constructor(origin: ClockOrigin, nowMonotonicMs = monotonicMs) {
    this.origin = origin;
    this.#nowMonotonicMs = nowMonotonicMs;
    this.#count = new Int32Array(origin.pace, 0, 1);
    this.#slots = new Float64Array(origin.pace, COUNT_BYTES);
  }

  /** Whole milliseconds. */
  nowMs(): EpochMs {
    return Math.floor(this.exactMs()) as EpochMs;
  }

  exactMs(): number {
    const monotonic = this.#nowMonotonicMs();
    for (;;) {
      const count = Atomics.load(this.#count, 0);
      const slot = (count & 1) * SLOT_NUMBERS;
      const serviceMs = this.#slots[slot]! + (monotonic - this.#slots[slot + 1]!) * this.#slots[slot + 2]!;
      if (Atomics.load(this.#count, 0) !== count) continue;
      this.#latestMs = Math.max(this.#latestMs, serviceMs);
      return this.#latestMs;
    }
  }

  /** Present number of service milliseconds in a real millisecond. */
  get pace(): number {
    return this.#slots[(Atomics.load(this.#count, 0) & 1) * SLOT_NUMBERS + 2]!;
  }

  /** Real milliseconds until a service instant at the present pace; 0 after the instant. */
  realMsUntil(instantMs: number): number {
    return Math.max(0, (instantMs - this.exactMs()) / this.pace);
  }

  /** The part of service time − wall clock that simulated speeds caused. It grows unless the speed is 1. */
  get leadMs(): number {
    const { leadMs, speed, monotonicMs: since } = this.origin;
    return leadMs + (speed - 1) * (this.#nowMonotonicMs() - since);
  }

  /** Real time of this service in whole milliseconds. It follows the wall clock without jumps. */
  steadyRealMs(): number {
    return Math.floor(this.exactMs() - this.leadMs);
  }

  /** Changes the pace for every thread, from now on. Only one thread may call it. */
  setPace(pace: number): void {
    const serviceMs = this.exactMs();
    writePace(this.origin, Atomics.load(this.#count, 0) + 1, serviceMs, this.#nowMonotonicMs(), pace);
  }
}

function writePace({ pace: memory }: ClockOrigin, count: number, ...numbers: [number, number, number]): void {
  new Float64Array(memory, COUNT_BYTES).set(numbers, (count & 1) * SLOT_NUMBERS);
  Atomics.store(new Int32Array(memory, 0, 1), 0, count);
}
