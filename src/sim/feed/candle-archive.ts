import type { Instrument } from '../../domain/instrument.js';
import { CANDLE_HOURS_CACHED_MAX, CANDLE_HOURS_KEPT_COUNT } from '../../domain/limits/trading.js';
import { type Candle, CANDLE_INTERVAL_MS } from '../../domain/market-feed.js';
import type { Lots, Ticks } from '../../domain/quantity.js';
import type { EpochMs } from '../../domain/time.js';
import type { VenueRow, VenueStore } from '../../venue/port.js';

interface CachedHour {
  readonly key: string;
  readonly hour: HourOfMinutes;
  /** Contains an observed minute that is not stored yet. */
  isTouched: boolean;
}

/** Upper bound of hour numbers since the epoch. */
const HOUR_NUMBERS = 2 ** 20;

/**
 * Finished minutes. Observed minutes are stored, one row an hour; an instrument reuses its rows, so an hour overwrites
 * the one CANDLE_HOURS_KEPT_COUNT before it. Synthetic minutes are only cached: they can be computed again.
 */
export class CandleArchive {
  readonly #store: VenueStore;
  readonly #hours = new Map<number, CachedHour>();
  #touched: CachedHour[] = [];

  constructor(store: VenueStore) {
    this.#store = store;
  }

  /** The minute that starts then; null when unknown. */
  minute(instrument: Instrument, openAtMs: EpochMs): Candle | null {
    return this.#hour(instrument, openAtMs).hour.at(openAtMs);
  }

  /** Records an observed minute. A known minute stays as it was published. */
  keep(instrument: Instrument, minute: Candle): void {
    const cached = this.#hour(instrument, minute.openAtMs);
    if (cached.hour.at(minute.openAtMs) !== null) return;
    cached.hour.set(minute);
    if (!cached.isTouched) this.#touched.push(cached);
    cached.isTouched = true;
  }

  /** Caches a synthetic minute. */
  remember(instrument: Instrument, minute: Candle): void {
    this.#hour(instrument, minute.openAtMs).hour.set(minute);
  }

  /** The rows of hours with new observed minutes since the last call. */
  takeRows(rows: VenueRow[]): void {
    for (const cached of this.#touched) {
      cached.isTouched = false;
      rows.push({ key: cached.key, value: cached.hour.encode() });
    }
    this.#touched = [];
  }

  #hour(instrument: Instrument, openAtMs: number): CachedHour {
    const number = hourOf(openAtMs);
    const place = instrument.index * HOUR_NUMBERS + number;
    const known = this.#hours.get(place);
    if (known !== undefined) return known;
    this.#makeRoom();
    const key = `candles/${instrument.venue}/${instrument.symbol}/${number % CANDLE_HOURS_KEPT_COUNT}`;
    const stored = this.#store.get(key);
    const hour = (stored && HourOfMinutes.decode(stored, number)) ?? HourOfMinutes.empty(number);
    const cached = { key, hour, isTouched: false };
    this.#hours.set(place, cached);
    return cached;
  }

  /** Evicts the earliest loaded hour that is stored or can be computed again. */
  #makeRoom(): void {
    if (this.#hours.size < CANDLE_HOURS_CACHED_MAX) return;
    for (const [place, cached] of this.#hours) {
      if (cached.isTouched) continue;
      this.#hours.delete(place);
      return;
    }
  }
}

const MINUTE_MS = CANDLE_INTERVAL_MS.ONE_MINUTE;
const HOUR_MS = CANDLE_INTERVAL_MS.ONE_HOUR;
const MINUTES = 60;
/** Open, high, low, close and volume of a minute; an open of 0 marks an unknown minute. */
const MINUTE_NUMBERS = 5;
/** The hour's number, then its minutes. */
const NUMBERS = 1 + MINUTES * MINUTE_NUMBERS;
const BYTES = NUMBERS * Float64Array.BYTES_PER_ELEMENT;

/** Hours from the epoch to the hour of the instant. */
function hourOf(atMs: number): number {
  return Math.floor(atMs / HOUR_MS);
}

/** Known minutes of one hour of one instrument, in one flat array. */
class HourOfMinutes {
  readonly #numbers: Float64Array;

  private constructor(numbers: Float64Array) {
    this.#numbers = numbers;
  }

  static empty(hour: number): HourOfMinutes {
    const numbers = new Float64Array(NUMBERS);
    numbers[0] = hour;
    return new HourOfMinutes(numbers);
  }

  /** Reads the bytes of `encode`, from a machine of the same byte order; null when they belong to another hour. */
  static decode(bytes: Uint8Array, hour: number): HourOfMinutes | null {
    if (bytes.length !== BYTES) return null;
    const numbers = new Float64Array(bytes.slice().buffer);
    return numbers[0] === hour ? new HourOfMinutes(numbers) : null;
  }

  encode(): Uint8Array {
    return new Uint8Array(this.#numbers.slice().buffer);
  }

  /** The minute that starts then; it must be in this hour. */
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
