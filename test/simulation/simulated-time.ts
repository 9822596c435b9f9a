import { clockRecord, ClockWatch } from '../../src/runtime/service-time.js';
import { ServiceClock, startClock } from '../../src/runtime/clock.js';
import { type ClockRecord, judgeClock } from '../../src/domain/time.js';

const BOOT_ID = 'the only boot';

export interface SimulatedTimeParts {
  /** True time of the simulation. */
  readonly trueMs: () => number;
  /** Time of the machine's clock. */
  readonly wallMs: () => number;
  /** The record of the previous process, or null. */
  readonly record: ClockRecord | null;
  readonly lastServiceMs: number;
}

/** Service time of one process: the rules of the service on the clocks of the simulation. */
export class SimulatedTime {
  readonly clock: ServiceClock;
  readonly #watch: ClockWatch;
  readonly #parts: SimulatedTimeParts;

  private constructor(parts: SimulatedTimeParts, clock: ServiceClock) {
    const { wallMs, trueMs } = parts;
    const log = { warn: () => undefined, info: () => undefined };
    this.#parts = parts;
    this.clock = clock;
    this.#watch = new ClockWatch({ clock, wallMs, nowMonotonicMs: trueMs, log });
    this.#watch.check();
  }

  /**
   * null: the wall clock is not trusted, and the process does not start. `confirmedMs`: the present time that the
   * operator gives; null: the operator gives no time.
   */
  static start(parts: SimulatedTimeParts, confirmedMs: number | null = null): SimulatedTime | null {
    const { record, lastServiceMs, trueMs } = parts;
    const verdict = judgeClock(record, { ...machineOf(parts), lastServiceMs, speed: 1, confirmedMs });
    if (verdict.kind === 'refused') return null;
    return new SimulatedTime(parts, new ServiceClock(startClock({ ...verdict, speed: 1 }, trueMs()), trueMs));
  }

  /** The record for the next start. Called about once a second. */
  look(): ClockRecord {
    this.#watch.check();
    return clockRecord(this.clock, machineOf(this.#parts));
  }
}

function machineOf({ wallMs, trueMs }: SimulatedTimeParts): { wallMs: number; bootId: string; uptimeMs: number } {
  return { wallMs: wallMs(), bootId: BOOT_ID, uptimeMs: trueMs() };
}
