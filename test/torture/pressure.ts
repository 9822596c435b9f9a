import { readFileSync } from 'node:fs';

const FILES: readonly string[] = ['/proc/pressure/cpu', '/proc/pressure/io'];
const TOTAL = /^some .*total=(\d+)$/m;
const US_PER_MS = 1000;
/** From here on a thread of the service may wait for seconds until the machine lets it go on. */
const STARVED_SHARE = 0.8;
/** The watchdogs of the service say so of a thread that has not moved for seconds, and has not been given up yet. */
const SILENCE = /^(a thread|the main thread) does not move$/;

/** Watches for how much of a time something on this machine waited for a processor or a disk. */
export class MachinePressure {
  readonly #beganMs = performance.now();
  readonly #beganUs = FILES.map(stalledUs);

  /** True when the machine had too little left for a service that keeps its own bounds; false where it cannot be known. */
  get isStarved(): boolean {
    const passedUs = (performance.now() - this.#beganMs) * US_PER_MS;
    return FILES.some((file, index) => stalledUs(file) - (this.#beganUs[index] ?? 0) > STARVED_SHARE * passedUs);
  }
}

/** A line of the service's log that a machine at its limit explains. */
export function isSilence({ msg }: Readonly<Record<string, unknown>>): boolean {
  return SILENCE.test(String(msg));
}

function stalledUs(file: string): number {
  try {
    return Number(TOTAL.exec(readFileSync(file, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
