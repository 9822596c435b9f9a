import { ClockWatch, clockRecord } from '../../src/clock-watch.js';
import { ServiceClock, startClock } from '../../src/clock.js';
import { judgeClock, type ClockRecord } from '../../src/model/clock-judgement.js';

const BOOT_ID = 'the only boot';

export interface SimulatedTimeParts {
  /** Time as it passes. */
  readonly trueMs: () => number;
  /** What the clock of the machine shows. */
  readonly wallMs: () => number;
  /** What the process before has stored; null: there was none. */
  readonly record: ClockRecord | null;
  readonly lastServiceMs: number;
}

/** Service time of one process, by the rules of the service, on clocks of the simulation. */
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
    this.#watch.look();
  }

  /**
   * null: the wall clock is not believed, and the process does not start. `confirmedMs`: the present time as the operator
   * states it; null: not stated.
   */
  static start(parts: SimulatedTimeParts, confirmedMs: number | null = null): SimulatedTime | null {
    const { record, lastServiceMs, trueMs } = parts;
    const verdict = judgeClock(record, { ...machineOf(parts), lastServiceMs, speed: 1, confirmedMs });
    if (verdict.kind === 'refused') return null;
    return new SimulatedTime(parts, new ServiceClock(startClock({ ...verdict, speed: 1 }, trueMs()), trueMs));
  }

  /** Called about once a second; what the next start is to know. */
  look(): ClockRecord {
    this.#watch.look();
    return clockRecord(this.clock, machineOf(this.#parts));
  }
}

function machineOf({ wallMs, trueMs }: SimulatedTimeParts): { wallMs: number; bootId: string; uptimeMs: number } {
  return { wallMs: wallMs(), bootId: BOOT_ID, uptimeMs: trueMs() };
}
