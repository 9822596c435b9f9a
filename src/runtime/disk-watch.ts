import type { DiskFigures } from '../http/metrics/service-figures.js';
import { readdirSync, readFileSync } from 'node:fs';
import { CONNECTIONS_MAX, DESCRIPTORS_KEPT_COUNT } from '../domain/limits/clients.js';
import { DISK_LIFT_RATIO } from '../domain/limits/process.js';
import type { TradingGate } from '../intake/trading-gate.js';

type DiskState = DiskFigures['state'];

interface DiskWatchParts {
  readonly freeBytes: () => number;
  /** Free bytes below which an alarm is raised, and below which no order is placed. */
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

/** Compares the free disk space with its bounds. While the disk is full, the service only cancels and reports. */
export class DiskWatch {
  readonly #parts: DiskWatchParts;
  #figures: DiskFigures = { freeBytes: Infinity, state: 'OK' };

  constructor(parts: DiskWatchParts) {
    this.#parts = parts;
  }

  get figures(): DiskFigures {
    return this.#figures;
  }

  /** Call it about once a second, and before the threads start. */
  check(): void {
    const freeBytes = this.#parts.freeBytes();
    const state = this.#stateOf(freeBytes);
    const before = this.#figures.state;
    this.#figures = { freeBytes, state };
    if (state !== before) this.#onChange(before, this.#figures);
  }

  /**
   * Leaving a state needs more room than entering it. Otherwise temporary files would change the state all the time.
   */
  #stateOf(freeBytes: number): DiskState {
    const { warningBytes, haltBytes } = this.#parts;
    const { state } = this.#figures;
    if (freeBytes < haltBytes * (state === 'FULL' ? DISK_LIFT_RATIO : 1)) return 'FULL';
    return freeBytes < warningBytes * (state === 'OK' ? 1 : DISK_LIFT_RATIO) ? 'LOW' : 'OK';
  }

  #onChange(before: DiskState, { freeBytes, state }: DiskFigures): void {
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

interface Descriptors {
  /** Files and sockets that the process may open; null: unknown. */
  readonly limit: number | null;
  /** Most connections, so that enough descriptors remain for the service. */
  readonly connectionsMax: number;
}

const CONNECTIONS_MIN = 8;

/** Reads the limits of the operating system (Linux). Call it when everything except the sockets is open. */
export function readDescriptors(limits = '/proc/self/limits', open = '/proc/self/fd'): Descriptors {
  const limit = openFilesLimit(limits);
  if (limit === null) return { limit, connectionsMax: CONNECTIONS_MAX };
  const free = limit - openCount(open) - DESCRIPTORS_KEPT_COUNT;
  return { limit, connectionsMax: Math.min(CONNECTIONS_MAX, Math.max(CONNECTIONS_MIN, free)) };
}

function openFilesLimit(path: string): number | null {
  try {
    const soft = /^Max open files\s+(\d+)\s/m.exec(readFileSync(path, 'utf8'))?.[1];
    return soft === undefined ? null : Number(soft);
  } catch {
    return null;
  }
}

function openCount(path: string): number {
  try {
    return readdirSync(path).length;
  } catch {
    return 0;
  }
}
