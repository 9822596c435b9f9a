import { DISK_LIFT_RATIO } from '../model/limits.js';
import type { TradingGate } from './trading-gate.js';

export type DiskState = 'OK' | 'LOW' | 'FULL';

/** How the disk of the data directory is. */
export interface DiskFigures {
  readonly freeBytes: number;
  /** LOW: below the bound of the alarm. FULL: below the bound of trading. */
  readonly state: DiskState;
}

export interface DiskWatchParts {
  readonly freeBytes: () => number;
  /** Below the first an alarm is raised; below the second no order is placed. */
  readonly warningBytes: number;
  readonly haltBytes: number;
  readonly gate: Pick<TradingGate, 'halt' | 'lift'>;
  readonly realNowMs: () => number;
  readonly log: {
    error(context: object, message: string): void;
    warn(context: object, message: string): void;
    info(context: object, message: string): void;
  };
}

const MEGABYTE = 1_000_000;

function megabytes(bytes: number): number {
  return Math.round(bytes / MEGABYTE);
}

/** Compares the free space of the disk with its bounds. While it is full, the service only cancels and reports. */
export class DiskWatch {
  readonly #parts: DiskWatchParts;
  #figures: DiskFigures = { freeBytes: Infinity, state: 'OK' };

  constructor(parts: DiskWatchParts) {
    this.#parts = parts;
  }

  get figures(): DiskFigures {
    return this.#figures;
  }

  /** To be called about once a second, and before the threads start. */
  look(): void {
    const freeBytes = this.#parts.freeBytes();
    const state = this.#stateOf(freeBytes);
    const before = this.#figures.state;
    this.#figures = { freeBytes, state };
    if (state !== before) this.#announce(before, this.#figures);
  }

  /** A bound that was passed is left only with some more room: otherwise every file that comes and goes would pass it. */
  #stateOf(freeBytes: number): DiskState {
    const { warningBytes, haltBytes } = this.#parts;
    const { state } = this.#figures;
    if (freeBytes < haltBytes * (state === 'FULL' ? DISK_LIFT_RATIO : 1)) return 'FULL';
    return freeBytes < warningBytes * (state === 'OK' ? 1 : DISK_LIFT_RATIO) ? 'LOW' : 'OK';
  }

  #announce(before: DiskState, { freeBytes, state }: DiskFigures): void {
    const { gate, realNowMs, haltBytes, log } = this.#parts;
    if (before === 'FULL') gate.lift('DISK_FULL');
    if (state === 'OK') return log.info({ freeBytes }, 'the disk of the data directory has room again');
    if (state === 'LOW') return log.warn({ freeBytes }, 'the disk of the data directory is nearly full');
    const left = `the disk of the data directory has ${megabytes(freeBytes)} MB left, less than ${megabytes(haltBytes)} MB`;
    gate.halt({
      reason: 'DISK_FULL',
      sinceMs: realNowMs(),
      message: `${left}; it ends when there is room`,
      exempt: [],
    });
    log.error({ freeBytes, haltBytes }, 'the disk of the data directory is full: no order is placed');
  }
}
