import type { Instrument, InstrumentIndex } from '../../domain/instrument.js';
import { VENUE_CATCH_UP_STEPS_MAX, VENUE_STEP_MS, VENUE_WARM_UP_STEPS } from '../../domain/limits/trading.js';
import {
  type Candle,
  CANDLE_INTERVAL_MS,
  type CandleInterval,
  flatCandle,
  joined,
  openOf,
} from '../../domain/market-feed.js';
import type { TradePrint } from '../../domain/market.js';
import type { Lots, Ticks } from '../../domain/quantity.js';
import type { EpochMs } from '../../domain/time.js';
import type { VenueRow, VenueStore } from '../../venue/port.js';
import { CandleArchive } from './candle-archive.js';
import type { MarketPast } from './port.js';

const MINUTE_MS = CANDLE_INTERVAL_MS.ONE_MINUTE;

/**
 * Every minute of every instrument: the running one from its trades, a finished one from the archive, and an unobserved
 * one computed from the fair prices. Repeated reads of a minute return the same candle.
 */
export class CandleHistory {
  readonly #past: MarketPast;
  readonly #archive: CandleArchive;
  readonly #runningMinutes = new Map<InstrumentIndex, RunningMinute>();

  constructor(past: MarketPast, store: VenueStore) {
    this.#past = past;
    this.#archive = new CandleArchive(store);
  }

  /** Records that the market was active until then. */
  noteActive(instrument: Instrument, untilMs: EpochMs): void {
    this.#runningMinute(instrument, untilMs).noteActive(untilMs);
  }

  trade(instrument: Instrument, print: TradePrint): void {
    this.#runningMinute(instrument, print.atMs).trade(print);
  }

  /** The minute that starts then, not later than now, up to now. */
  minute(instrument: Instrument, openAtMs: EpochMs, nowMs: EpochMs): Candle {
    const known =
      this.#runningMinutes.get(instrument.index)?.minuteAt(openAtMs, nowMs) ??
      this.#archive.minute(instrument, openAtMs);
    if (known !== null) return known;
    if (nowMs < openAtMs + MINUTE_MS) return pastCandle(this.#past, instrument, openAtMs, nowMs);
    const minute = pastMinute(this.#past, instrument, openAtMs);
    this.#archive.remember(instrument, minute);
    return minute;
  }

  /** The candle of an interval that starts then, not later than now, up to now. */
  candle(instrument: Instrument, interval: CandleInterval, openAtMs: EpochMs, nowMs: EpochMs): Candle {
    const endMs = Math.min(openAtMs + CANDLE_INTERVAL_MS[interval], openOf(nowMs, 'ONE_MINUTE') + MINUTE_MS);
    let candle = this.minute(instrument, openAtMs, nowMs);
    for (let ms = openAtMs + MINUTE_MS; ms < endMs; ms += MINUTE_MS) {
      candle = joined(candle, this.minute(instrument, ms as EpochMs, nowMs));
    }
    return candle;
  }

  takeRows(rows: VenueRow[]): void {
    this.#archive.takeRows(rows);
  }

  #runningMinute(instrument: Instrument, atMs: EpochMs): RunningMinute {
    let running = this.#runningMinutes.get(instrument.index);
    if (running === undefined) {
      const keep = (minute: Candle): void => this.#archive.keep(instrument, minute);
      running = new RunningMinute({ instrument, past: this.#past, keep }, atMs);
      this.#runningMinutes.set(instrument.index, running);
    }
    return running;
  }
}

/** A market without activity for this time has slept: its model skips all but the last steps. */
const SLEEP_MS = (VENUE_CATCH_UP_STEPS_MAX - VENUE_WARM_UP_STEPS) * VENUE_STEP_MS;

interface RunningMinuteParts {
  readonly instrument: Instrument;
  readonly past: MarketPast;
  /** Receives every finished minute, oldest first. */
  readonly keep: (minute: Candle) => void;
}

/**
 * The running minute of one instrument, from its trades. Times of sleep are filled from fair prices, so the minute
 * joins the synthetic minutes before and after it:
 *
 *     ─ synthetic ─┬───────────┬───────────┬───────────┬─ synthetic ─
 *                  │ fair│trades   trades    trades│fair│
 *                  └───────────┴───────────┴───────────┘
 *                      awake                   asleep
 */
export class RunningMinute {
  readonly #parts: RunningMinuteParts;
  #minute: Candle;
  /** Latest instant of activity. */
  #activeUntilMs: number;

  constructor(parts: RunningMinuteParts, wokenAtMs: number) {
    this.#parts = parts;
    this.#minute = this.#synthetic(openOf(wokenAtMs, 'ONE_MINUTE'), wokenAtMs);
    this.#activeUntilMs = wokenAtMs;
  }

  /** Records activity until then; an earlier time changes nothing. */
  noteActive(untilMs: number): void {
    if (untilMs <= this.#activeUntilMs) return;
    if (untilMs - this.#activeUntilMs > SLEEP_MS) this.#wake(untilMs);
    else this.#roll(untilMs);
    this.#activeUntilMs = untilMs;
  }

  /** Trades arrive in order of time; a late one counts in the running minute. */
  trade({ price, quantity, atMs }: TradePrint): void {
    this.noteActive(atMs);
    const { openAtMs } = this.#minute;
    this.#minute = joined(this.#minute, tradeCandle(openAtMs, price, quantity));
  }

  /** The minute that starts then, up to now; null when it is not the running one. */
  minuteAt(openAtMs: number, nowMs: number): Candle | null {
    if (openAtMs !== this.#minute.openAtMs) return null;
    if (nowMs - this.#activeUntilMs <= SLEEP_MS) return this.#minute;
    return joined(this.#minute, this.#synthetic(this.#activeUntilMs, Math.min(nowMs, openAtMs + MINUTE_MS)));
  }

  #roll(untilMs: number): void {
    const openAtMs = openOf(untilMs, 'ONE_MINUTE');
    while (this.#minute.openAtMs < openAtMs) {
      this.#parts.keep(this.#minute);
      this.#minute = flatCandle((this.#minute.openAtMs + MINUTE_MS) as EpochMs, this.#minute.close);
    }
  }

  #wake(atMs: number): void {
    const { openAtMs } = this.#minute;
    const nowOpenAtMs = openOf(atMs, 'ONE_MINUTE');
    if (nowOpenAtMs === openAtMs) {
      this.#minute = joined(this.#minute, this.#synthetic(this.#activeUntilMs, atMs));
      return;
    }
    this.#parts.keep(joined(this.#minute, this.#synthetic(this.#activeUntilMs, openAtMs + MINUTE_MS)));
    this.#minute = this.#synthetic(nowOpenAtMs, atMs);
  }

  #synthetic(fromMs: number, toMs: number): Candle {
    return pastCandle(this.#parts.past, this.#parts.instrument, fromMs, toMs);
  }
}

function tradeCandle(openAtMs: EpochMs, price: Ticks, volume: Lots): Candle {
  return { openAtMs, open: price, high: price, low: price, close: price, volume };
}

/** Sampling interval of fair prices in times of sleep. */
const SAMPLE_MS = 10_000;

/**
 * The synthetic candle of a minute, or of a part of it: [fromMs, toMs) within one minute. It follows the fair price and
 * has the expected volume, at least one lot.
 */
export function pastCandle(past: MarketPast, instrument: Instrument, fromMs: number, toMs: number): Candle {
  const openAtMs = openOf(fromMs, 'ONE_MINUTE');
  const open = priceAt(past, instrument, fromMs);
  if (toMs <= fromMs) return flatCandle(openAtMs, open);
  const volumeBefore = past.volumeUntil(instrument, fromMs);
  let [high, low] = [open, open];
  for (let ms = fromMs + SAMPLE_MS; ms < toMs; ms += SAMPLE_MS) {
    const price = priceAt(past, instrument, ms);
    if (price > high) high = price;
    if (price < low) low = price;
  }
  const close = priceAt(past, instrument, toMs);
  const volume = Math.max(1, Math.round(past.volumeUntil(instrument, toMs) - volumeBefore)) as Lots;
  return {
    openAtMs,
    open,
    high: Math.max(high, close) as Ticks,
    low: Math.min(low, close) as Ticks,
    close,
    volume,
  };
}

/** The synthetic candle of the whole minute. */
function pastMinute(past: MarketPast, instrument: Instrument, openAtMs: number): Candle {
  return pastCandle(past, instrument, openAtMs, openAtMs + MINUTE_MS);
}

function priceAt(past: MarketPast, instrument: Instrument, ms: number): Ticks {
  return Math.max(1, Math.round(past.priceAt(instrument, ms))) as Ticks;
}
