import { CANDLE_INTERVAL_MS, joined, openOf, type Candle, type CandleInterval } from '../../model/candle.js';
import type { Instrument, InstrumentIndex } from '../../model/instrument.js';
import type { TradePrint } from '../../model/market.js';
import type { EpochMs } from '../../model/time.js';
import type { Row, VenueStore } from '../port.js';
import { CandleArchive } from './candle-archive.js';
import { CandleTape } from './candle-tape.js';
import { pastCandle, pastMinute } from './past-candle.js';
import type { MarketPast } from './port.js';

const MINUTE_MS = CANDLE_INTERVAL_MS.ONE_MINUTE;

/**
 * Every minute of every instrument: the running one from its tape, one that is over from the archive, and what nobody
 * lived through made up from the past it would have had. The same minute is told alike whenever one asks.
 */
export class CandleHistory {
  readonly #past: MarketPast;
  readonly #archive: CandleArchive;
  readonly #tapes = new Map<InstrumentIndex, CandleTape>();

  constructor(past: MarketPast, store: VenueStore) {
    this.#past = past;
    this.#archive = new CandleArchive(store);
  }

  /** The market has lived until then. */
  live(instrument: Instrument, untilMs: EpochMs): void {
    this.#tape(instrument, untilMs).live(untilMs);
  }

  trade(instrument: Instrument, print: TradePrint): void {
    this.#tape(instrument, print.atMs).trade(print);
  }

  /** The minute that begins then, not after now, as far as it has come. */
  minute(instrument: Instrument, openAtMs: EpochMs, nowMs: EpochMs): Candle {
    const known =
      this.#tapes.get(instrument.index)?.minuteAt(openAtMs, nowMs) ?? this.#archive.minute(instrument, openAtMs);
    if (known !== null) return known;
    if (nowMs < openAtMs + MINUTE_MS) return pastCandle(this.#past, instrument, openAtMs, nowMs);
    const minute = pastMinute(this.#past, instrument, openAtMs);
    this.#archive.remember(instrument, minute);
    return minute;
  }

  /** The candle of an interval that begins then, not after now, as far as it has come. */
  candle(instrument: Instrument, interval: CandleInterval, openAtMs: EpochMs, nowMs: EpochMs): Candle {
    const endMs = Math.min(openAtMs + CANDLE_INTERVAL_MS[interval], openOf(nowMs, 'ONE_MINUTE') + MINUTE_MS);
    let candle = this.minute(instrument, openAtMs, nowMs);
    for (let ms = openAtMs + MINUTE_MS; ms < endMs; ms += MINUTE_MS) {
      candle = joined(candle, this.minute(instrument, ms as EpochMs, nowMs));
    }
    return candle;
  }

  takeRows(rows: Row[]): void {
    this.#archive.takeRows(rows);
  }

  #tape(instrument: Instrument, atMs: EpochMs): CandleTape {
    let tape = this.#tapes.get(instrument.index);
    if (tape === undefined) {
      const keep = (minute: Candle): void => this.#archive.keep(instrument, minute);
      tape = new CandleTape({ instrument, past: this.#past, keep }, atMs);
      this.#tapes.set(instrument.index, tape);
    }
    return tape;
  }
}
