import { ClockWatch, clockRecord, type ClockWatchParts } from './clock-watch.js';
import { ServiceClock, startClock } from './clock.js';
import type { ClockFigures } from './http/metrics/service-figures.js';
import { ClockFile, uptimeMs } from './journal/clock-record.js';
import { currentBootId } from './journal/trust-stamp.js';
import { judgeClock } from './model/clock-judgement.js';

/** The wall clock cannot be believed; the message says why, and how to confirm it. */
export class ClockRefusal extends Error {
  override readonly name = 'ClockRefusal';
}

export interface ServiceTimeParts {
  readonly dataDir: string;
  readonly speed: number;
  /** Latest service time in the journal; 0: there is none. */
  readonly lastServiceMs: number;
  /** The present time as the operator states it. */
  readonly confirmedMs: number | null;
  readonly log: ClockWatchParts['log'];
}

/** Service time of a running process: judged at the start, watched while it runs, stored for the next start. */
export class ServiceTime {
  readonly clock: ServiceClock;
  readonly #file: ClockFile;
  readonly #watch: ClockWatch;

  /** Throws ClockRefusal. Nothing is written before the wall clock is believed. */
  constructor({ dataDir, speed, lastServiceMs, confirmedMs, log }: ServiceTimeParts) {
    this.#file = new ClockFile(dataDir);
    const sighting = { ...machineTimes(), lastServiceMs, speed, confirmedMs };
    const verdict = judgeClock(this.#file.read(), sighting);
    if (verdict.kind === 'refused') throw new ClockRefusal(verdict.reason);
    this.clock = new ServiceClock(startClock({ ...verdict, speed }));
    this.#watch = new ClockWatch({ clock: this.clock, wallMs: Date.now, log });
    this.#watch.look();
    storeClock(this.#file, this.clock);
  }

  get figures(): ClockFigures {
    return this.#watch.figures;
  }

  /** To be called about once a second. */
  look(): void {
    this.#watch.look();
  }

  /** Stores the clocks of a clean end. */
  close(): void {
    storeClock(this.#file, this.clock);
  }
}

/** Stores what the next start compares its wall clock with; synced when it returns. */
export function storeClock(file: ClockFile, clock: ServiceClock): void {
  file.write(clockRecord(clock, machineTimes()));
}

function machineTimes(): { wallMs: number; bootId: string; uptimeMs: number | null } {
  return { wallMs: Date.now(), bootId: currentBootId(), uptimeMs: uptimeMs() };
}
