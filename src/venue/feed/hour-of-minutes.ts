import { CANDLE_INTERVAL_MS, type Candle } from '../../model/candle.js';
import type { Lots, Ticks } from '../../model/quantity.js';
import type { EpochMs } from '../../model/time.js';

const MINUTE_MS = CANDLE_INTERVAL_MS.ONE_MINUTE;
const HOUR_MS = CANDLE_INTERVAL_MS.ONE_HOUR;
const MINUTES = 60;
/** Open, high, low, close and volume of a minute; an open of 0: not known. */
const MINUTE_NUMBERS = 5;
/** The hour's number stands before its minutes. */
const NUMBERS = 1 + MINUTES * MINUTE_NUMBERS;
const BYTES = NUMBERS * Float64Array.BYTES_PER_ELEMENT;

/** Number of the hour that holds the instant, counted from the epoch. */
export function hourOf(atMs: number): number {
  return Math.floor(atMs / HOUR_MS);
}

/** The minutes of one hour of one instrument, as far as they are known: flat, for there are many. */
export class HourOfMinutes {
  readonly #numbers: Float64Array;

  private constructor(numbers: Float64Array) {
    this.#numbers = numbers;
  }

  static empty(hour: number): HourOfMinutes {
    const numbers = new Float64Array(NUMBERS);
    numbers[0] = hour;
    return new HourOfMinutes(numbers);
  }

  /** Reads what `encode` wrote on a machine of the same kind; null when it is another hour's. */
  static decode(bytes: Uint8Array, hour: number): HourOfMinutes | null {
    if (bytes.length !== BYTES) return null;
    const numbers = new Float64Array(bytes.slice().buffer);
    return numbers[0] === hour ? new HourOfMinutes(numbers) : null;
  }

  encode(): Uint8Array {
    return new Uint8Array(this.#numbers.slice().buffer);
  }

  /** The minute that begins then, which lies in this hour. */
  at(openAtMs: EpochMs): Candle | null {
    const place = placeOf(openAtMs);
    const numbers = this.#numbers;
    if (numbers[place] === 0) return null;
    return {
      openAtMs,
      open: numbers[place] as Ticks,
      high: numbers[place + 1] as Ticks,
      low: numbers[place + 2] as Ticks,
      close: numbers[place + 3] as Ticks,
      volume: numbers[place + 4] as Lots,
    };
  }

  set({ openAtMs, open, high, low, close, volume }: Candle): void {
    const place = placeOf(openAtMs);
    this.#numbers[place] = open;
    this.#numbers[place + 1] = high;
    this.#numbers[place + 2] = low;
    this.#numbers[place + 3] = close;
    this.#numbers[place + 4] = volume;
  }
}

function placeOf(openAtMs: number): number {
  return 1 + ((openAtMs % HOUR_MS) / MINUTE_MS) * MINUTE_NUMBERS;
}
