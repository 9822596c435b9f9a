import { CANDLE_INTERVAL_MS, flatCandle, joined, openOf, type Candle } from '../../model/candle.js';
import type { Instrument } from '../../model/instrument.js';
import { VENUE_CATCH_UP_STEPS_MAX, VENUE_STEP_MS, VENUE_WARM_UP_STEPS } from '../../model/limits.js';
import type { TradePrint } from '../../model/market.js';
import type { Lots, Ticks } from '../../model/quantity.js';
import type { EpochMs } from '../../model/time.js';
import { pastCandle } from './past-candle.js';
import type { MarketPast } from './port.js';

const MINUTE_MS = CANDLE_INTERVAL_MS.ONE_MINUTE;
/** A market without a sign of life for so long has slept: it leaps over all but the last steps of such a time. */
const SLEEP_MS = (VENUE_CATCH_UP_STEPS_MAX - VENUE_WARM_UP_STEPS) * VENUE_STEP_MS;

export interface CandleTapeParts {
  readonly instrument: Instrument;
  readonly past: MarketPast;
  /** Told of every minute that is over, oldest first. */
  readonly keep: (minute: Candle) => void;
}

/**
 * The running minute of one instrument, from its trades. What the market slept of a minute is filled in from the past it
 * would have had, so that its minutes join those before it woke and after it fell asleep:
 *
 *     ── made up ──┬───────────┬───────────┬───────────┬── made up ──
 *                  │ past│trades   trades    trades│past│
 *                  └───────────┴───────────┴───────────┘
 *                      awake                   asleep
 */
export class CandleTape {
  readonly #parts: CandleTapeParts;
  #minute: Candle;
  /** The last sign of life. */
  #livedMs: number;

  constructor(parts: CandleTapeParts, wokenAtMs: number) {
    this.#parts = parts;
    this.#minute = this.#asleep(openOf(wokenAtMs, 'ONE_MINUTE'), wokenAtMs);
    this.#livedMs = wokenAtMs;
  }

  /** The market has lived until then; a time that is past already changes nothing. */
  live(untilMs: number): void {
    if (untilMs <= this.#livedMs) return;
    if (untilMs - this.#livedMs > SLEEP_MS) this.#wake(untilMs);
    else this.#roll(untilMs);
    this.#livedMs = untilMs;
  }

  /** Trades come by time; one that comes late counts into the running minute. */
  trade({ price, quantity, atMs }: TradePrint): void {
    this.live(atMs);
    const { openAtMs } = this.#minute;
    this.#minute = joined(this.#minute, tradeCandle(openAtMs, price, quantity));
  }

  /** The minute that begins then, as far as it has come by now; null when it is not the running one. */
  minuteAt(openAtMs: number, nowMs: number): Candle | null {
    if (openAtMs !== this.#minute.openAtMs) return null;
    if (nowMs - this.#livedMs <= SLEEP_MS) return this.#minute;
    return joined(this.#minute, this.#asleep(this.#livedMs, Math.min(nowMs, openAtMs + MINUTE_MS)));
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
      this.#minute = joined(this.#minute, this.#asleep(this.#livedMs, atMs));
      return;
    }
    this.#parts.keep(joined(this.#minute, this.#asleep(this.#livedMs, openAtMs + MINUTE_MS)));
    this.#minute = this.#asleep(nowOpenAtMs, atMs);
  }

  #asleep(fromMs: number, toMs: number): Candle {
    return pastCandle(this.#parts.past, this.#parts.instrument, fromMs, toMs);
  }
}

function tradeCandle(openAtMs: EpochMs, price: Ticks, volume: Lots): Candle {
  return { openAtMs, open: price, high: price, low: price, close: price, volume };
}
