import { flatCandle, type Candle } from '../../src/model/candle.js';
import type { Lots, Ticks } from '../../src/model/quantity.js';
import type { EpochMs } from '../../src/model/time.js';
import type { CandlesReport, VenueRequest } from '../../src/model/venue-message.js';

export type CandleQuery = Extract<VenueRequest, { readonly kind: 'QueryCandles' }>;

const BIN_MS = 300_000;

/** The past of a market that has traded since a certain time: a lot every minute, ten in the first half of a day. */
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
