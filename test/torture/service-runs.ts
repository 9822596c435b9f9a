import { ShiftedClock } from '../system/shifted-clock.js';
import type { LosingDisk } from './lost-writes.js';
import type { RoundPlan } from './round-plan.js';
import { ServiceProcess } from './service-process.js';
import { wrongShiftMs } from './wrong-shift.js';

const REFUSED = 2;

/** A run of the service that is ready. */
export interface ReadyRun {
  readonly service: ServiceProcess;
  readonly port: number;
  readonly readyMs: number;
}

/**
 * Starts the service repeatedly on one data directory, on a machine whose wall clock may be wrong. When a start doubts
 * the clock, the clock is corrected or the time is confirmed, as an operator would do.
 */
export class ServiceRuns {
  readonly clock: ShiftedClock;
  readonly #dataDir: string;
  readonly #disk: LosingDisk;
  #hasRun = false;
  /** The last run ended by a power loss, so the machine was off for an unknown time. */
  #hasRebooted = false;
  refusals = 0;
  confirmations = 0;

  /** `folder`: for files outside the data directory. */
  constructor(dataDir: string, folder: string, disk: LosingDisk) {
    this.clock = new ShiftedClock({ folder });
    this.#dataDir = dataDir;
    this.#disk = disk;
  }

  /** Throws when the service is not ready in time, or starts with a clock that it must refuse. */
  async begin(plan: RoundPlan): Promise<ReadyRun> {
    const lastShiftMs = this.clock.shiftMs;
    this.clock.shift(0);
    // Only a service that has run before can detect a wrong clock.
    if (plan.clock.kind === 'wrong start' && this.#hasRun) {
      await this.#startWrong(plan, wrongShiftMs(plan.clock.byMs, { lastShiftMs, hasRebooted: this.#hasRebooted }));
    }
    const startMs = performance.now();
    let service = this.#start(plan);
    const refusal = await this.#readyOrRefused(service);
    if (refusal === null) {
      this.confirmations += 1;
      service = this.#start(plan, { SLUICE_CLOCK_CONFIRM: new Date().toISOString() });
    }
    const port = refusal ?? (await service.ready());
    this.#hasRun = true;
    this.#hasRebooted = plan.ending === 'power loss';
    return { service, port, readyMs: Math.round(performance.now() - startMs) };
  }

  async #startWrong(plan: RoundPlan, byMs: number): Promise<void> {
    this.clock.shift(byMs);
    const service = this.#start(plan);
    const port = await this.#readyOrRefused(service);
    await service.kill();
    this.clock.shift(0);
    if (port !== null) throw new Error(`the service starts with a clock that is wrong by ${byMs} ms`);
    this.refusals += 1;
  }

  /** Returns the port; null when the start is refused because of the clock. */
  async #readyOrRefused(service: ServiceProcess): Promise<number | null> {
    try {
      return await service.ready();
    } catch (error) {
      if (service.hasEnded && (await service.exited()) === REFUSED && /clock/.test(service.output)) return null;
      throw error;
    }
  }

  #start({ shards, rates, ending }: RoundPlan, env: Readonly<Record<string, string>> = {}): ServiceProcess {
    const { nodeArgs = [], env: clockEnv = {} } = this.clock.options();
    const all = {
      ...env,
      ...clockEnv,
      SLUICE_SHARDS: String(shards),
      ...(rates === null ? {} : { SLUICE_VENUE_RATES: rates }),
      ...(ending === 'power loss' ? this.#disk.begin() : {}),
    };
    return new ServiceProcess(this.#dataDir, all, nodeArgs);
  }
}
