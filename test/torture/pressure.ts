import { readFileSync } from 'node:fs';

const FILES: readonly string[] = ['/proc/pressure/cpu', '/proc/pressure/io'];
const TOTAL = /^some .*total=(\d+)$/m;
const US_PER_MS = 1000;
/** Share of stalled time above which a thread may wait for seconds. */
const STARVED_SHARE = 0.8;
/** The kernel counts stalls anew every two seconds. */
const SAMPLE_MS = 2_500;
/** Starved time that is left out at most. */
const LEFT_OUT_MS_MAX = 240_000;
/** Watchdog messages about a thread that has not moved for seconds and has not been ended yet. */
const SILENCE = /^(a thread|the main thread) does not move$/;

/** Measures how long tasks on this machine waited for a processor or a disk. */
export class MachinePressure {
  readonly #beganMs = performance.now();
  readonly #beganUs = FILES.map(stalledUs);

  /** True when the machine was too loaded for a service to keep its time limits; false where it cannot be measured. */
  get isStarved(): boolean {
    const passedUs = (performance.now() - this.#beganMs) * US_PER_MS;
    return FILES.some((file, index) => stalledUs(file) - (this.#beganUs[index] ?? 0) > STARVED_SHARE * passedUs);
  }
}

/** Counts the time in which the machine was free enough to keep time limits. */
export class UnstarvedTime {
  readonly #beganMs = performance.now();
  #sampledAtMs = this.#beganMs;
  #pressure = new MachinePressure();
  #starvedMs = 0;

  /** Milliseconds since the beginning without those of a starved machine; at most four minutes are left out. */
  get passedMs(): number {
    const nowMs = performance.now();
    if (nowMs - this.#sampledAtMs >= SAMPLE_MS) {
      if (this.#pressure.isStarved) this.#starvedMs += nowMs - this.#sampledAtMs;
      this.#sampledAtMs = nowMs;
      this.#pressure = new MachinePressure();
    }
    return nowMs - this.#beganMs - Math.min(this.#starvedMs, LEFT_OUT_MS_MAX);
  }
}

/** True for a log line that a starved machine explains. */
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
