import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, type RunOptions } from './service-run.js';

const PRELOAD = join(ROOT, 'dist/test/system/shifted-clock-peer.js');

/** Shifts the wall clock that a service sees, before its start and while it runs. */
export class ShiftedClock {
  readonly #file: string;
  #shiftMs = 0;

  /** In a folder of the test's own. */
  constructor({ folder }: { readonly folder: string }) {
    this.#file = join(folder, 'wall-clock-shift');
    this.shift(0);
  }

  /** The options with which the service must be started. */
  options(env: Readonly<Record<string, string>> = {}): RunOptions {
    return { nodeArgs: [`--import=${PRELOAD}`], env: { ...env, SHIFTED_CLOCK: this.#file } };
  }

  /** Sets the difference of the service's wall clock from the clock of this machine, in milliseconds. */
  shift(shiftMs: number): void {
    this.#shiftMs = shiftMs;
    // The service reads it meanwhile: it must never see half a number.
    writeFileSync(`${this.#file}.draft`, String(shiftMs));
    renameSync(`${this.#file}.draft`, this.#file);
  }

  /** Difference of the service's wall clock from the clock of this machine, in milliseconds. */
  get shiftMs(): number {
    return this.#shiftMs;
  }

  /** Time of the service's wall clock. */
  nowMs(): number {
    return Date.now() + this.#shiftMs;
  }
}
