import type { Candle } from '../../model/candle.js';
import type { Instrument } from '../../model/instrument.js';
import { CANDLE_HOURS_CACHED_MAX, CANDLE_HOURS_KEPT_COUNT } from '../../model/limits.js';
import type { EpochMs } from '../../model/time.js';
import type { Row, VenueStore } from '../port.js';
import { hourOf, HourOfMinutes } from './hour-of-minutes.js';

interface Seat {
  readonly key: string;
  readonly hour: HourOfMinutes;
  /** Holds a minute that was lived through and is not stored yet. */
  isTouched: boolean;
}

/** Hours counted from the epoch stay below. */
const HOUR_NUMBERS = 2 ** 20;

/**
 * The minutes that are over. Those that markets lived through are stored, an hour a row; the rows of an instrument are
 * used in turn, so that an hour overwrites the one CANDLE_HOURS_KEPT_COUNT before it. Minutes that were made up are only
 * remembered: they can be made up again.
 */
export class CandleArchive {
  readonly #store: VenueStore;
  readonly #seats = new Map<number, Seat>();
  #touched: Seat[] = [];

  constructor(store: VenueStore) {
    this.#store = store;
  }

  /** The minute that begins then; null when it is not known. */
  minute(instrument: Instrument, openAtMs: EpochMs): Candle | null {
    return this.#seat(instrument, openAtMs).hour.at(openAtMs);
  }

  /** A minute that was lived through. One that is known stays as it was told. */
  keep(instrument: Instrument, minute: Candle): void {
    const seat = this.#seat(instrument, minute.openAtMs);
    if (seat.hour.at(minute.openAtMs) !== null) return;
    seat.hour.set(minute);
    if (!seat.isTouched) this.#touched.push(seat);
    seat.isTouched = true;
  }

  /** A minute that was made up. */
  remember(instrument: Instrument, minute: Candle): void {
    this.#seat(instrument, minute.openAtMs).hour.set(minute);
  }

  /** The rows of the hours that gained a lived minute since the last call. */
  takeRows(rows: Row[]): void {
    for (const seat of this.#touched) {
      seat.isTouched = false;
      rows.push({ key: seat.key, value: seat.hour.encode() });
    }
    this.#touched = [];
  }

  #seat(instrument: Instrument, openAtMs: number): Seat {
    const number = hourOf(openAtMs);
    const place = instrument.index * HOUR_NUMBERS + number;
    const known = this.#seats.get(place);
    if (known !== undefined) return known;
    this.#makeRoom();
    const key = `candles/${instrument.venue}/${instrument.symbol}/${number % CANDLE_HOURS_KEPT_COUNT}`;
    const stored = this.#store.get(key);
    const hour = (stored && HourOfMinutes.decode(stored, number)) ?? HourOfMinutes.empty(number);
    const seat = { key, hour, isTouched: false };
    this.#seats.set(place, seat);
    return seat;
  }

  /** Forgets the hour that was looked up first among those that are stored or can be made up again. */
  #makeRoom(): void {
    if (this.#seats.size < CANDLE_HOURS_CACHED_MAX) return;
    for (const [place, seat] of this.#seats) {
      if (seat.isTouched) continue;
      this.#seats.delete(place);
      return;
    }
  }
}
