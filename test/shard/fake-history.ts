import { type Candle, flatCandle } from '../../src/domain/market-feed.js';
import type { Lots, Ticks } from '../../src/domain/quantity.js';
import type { EpochMs } from '../../src/domain/time.js';
import type { VenueRequest } from '../../src/domain/venue-message.js';
import type { CandlesReport } from '../../src/domain/venue-report.js';

export type CandleQuery = Extract<VenueRequest, { readonly kind: 'QueryCandles' }>;

const BIN_MS = 300_000;

/** Candles of a market since its first trade: ten lots a minute in the first half of a day, one in the second. */
export class FakeHistory {
  readonly #sinceMs: number;

  constructor(sinceMs: number) {
    this.#sinceMs = sinceMs;
  }

  answer({ correlationId, account, venue, instrument, interval, fromMs, toMs, limit }: CandleQuery): CandlesReport {
    const candles: Candle[] = [];
    const firstMs = Math.ceil(Math.max(fromMs, this.#sinceMs) / BIN_MS) * BIN_MS;
    for (let ms = firstMs; ms <= toMs && candles.length < limit; ms += BIN_MS) {
      const isMorning = ms % 86_400_000 < 43_200_000;
      candles.push({ ...flatCandle(ms as EpochMs, 100 as Ticks), volume: (isMorning ? 50 : 5) as Lots });
    }
    return { kind: 'Candles', correlationId, account, venue, atMs: toMs, instrument, interval, candles };
  }
}
