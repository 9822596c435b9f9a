import type { DiskFigures } from '../http/metrics/service-figures.js';
import { readdirSync, readFileSync } from 'node:fs';
import { CONNECTIONS_MAX, DESCRIPTORS_KEPT_COUNT } from '../domain/limits/clients.js';
import type { AccountId } from '../domain/ids.js';
import { DISK_LIFT_RATIO } from '../domain/limits/process.js';
import type { TradingGate } from '../intake/trading-gate.js';
import type { AccountWrite, AccountWrites } from './account-writes.js';

type DiskState = DiskFigures['state'];

interface DiskWatchParts {
  readonly freeBytes: () => number;
  /** Free bytes below which an alarm is raised, and below which no order is placed. */
  readonly warningBytes: number;
  readonly haltBytes: number;
  readonly gate: Pick<TradingGate, 'halt' | 'lift'>;
  readonly writes: Pick<AccountWrites, 'heaviest' | 'total'>;
  readonly realNowMs: () => number;
  readonly log: {
    error(context: object, message: string): void;
    warn(context: object, message: string): void;
    info(context: object, message: string): void;
  };
}

const MEGABYTE = 1_000_000;
/** Below this multiple of the bound of trading the account that fills the disk is halted alone. */
const HEAVIEST_RATIO = 2;
/** Only an account that writes this share of the journal and this much, in bytes per second, fills the disk. */
const HEAVIEST_SHARE_MIN = 0.5;
const HEAVIEST_RATE_MIN = 100_000;

function megabytes(bytes: number): number {
  return Math.round(bytes / MEGABYTE);
}

/**
 * Compares the free disk space with its bounds. While the disk is full, the service only cancels and reports. Shortly
 * before, it does so for the account that fills the disk, so that the others can go on.
 *
 *     free space   warning bound      2 × bound of trading             bound of trading
 *     ─────────────────┴───────────────────────┴────────────────────────────────┴─────────▶ 0
 *           trading    │       log warning     │ heaviest writer is halted too  │ all are halted
 */
export class DiskWatch {
  readonly #parts: DiskWatchParts;
  #figures: DiskFigures = { freeBytes: Infinity, state: 'OK' };
  /** The account that is halted alone; null: none. */
  #halted: AccountId | null = null;

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
    if (state !== 'FULL') this.#checkHeaviest(freeBytes);
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

  #checkHeaviest(freeBytes: number): void {
    const { gate, writes, haltBytes, realNowMs, log } = this.#parts;
    const bound = haltBytes * HEAVIEST_RATIO;
    if (this.#halted !== null) {
      if (freeBytes < bound * DISK_LIFT_RATIO) return;
      log.info({ freeBytes, account: this.#halted }, 'the account that fills the disk may trade again');
      this.#halted = null;
      return gate.lift('DISK_FULL');
    }
    if (freeBytes >= bound) return;
    const [heaviest] = writes.heaviest(1);
    if (heaviest === undefined || !isFilling(heaviest, writes.total)) return;
    const { account, bytesPerSecond } = heaviest;
    const sinceMs = realNowMs();
    this.#halted = account;
    // The halt is shown without a key, so its message does not name the account.
    const message = `the disk has ${megabytes(freeBytes)} MB left, and the account writes the most; it ends when there is room`;
    gate.halt({ reason: 'DISK_FULL', sinceMs, message, exempt: [], only: account });
    log.error({ freeBytes, account, bytesPerSecond }, 'the account that fills the disk is halted: it places no order');
  }

  #onChange(before: DiskState, { freeBytes, state }: DiskFigures): void {
    const { gate, realNowMs, haltBytes, log } = this.#parts;
    if (before === 'FULL') gate.lift('DISK_FULL');
    // The halt of all accounts replaces that of one, which begins again if the disk is still nearly full.
    if (state === 'FULL') this.#halted = null;
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

function isFilling({ bytesPerSecond }: AccountWrite, total: number): boolean {
  return bytesPerSecond >= HEAVIEST_RATE_MIN && bytesPerSecond >= total * HEAVIEST_SHARE_MIN;
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
