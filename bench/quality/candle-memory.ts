import type { Candle } from '../../src/model/candle.js';
import type { EpochMs } from '../../src/model/time.js';
import type { CandlesReport, VenueReport, VenueRequest } from '../../src/model/venue-message.js';
import type { VenueGateway, VenueSink } from '../../src/venue/port.js';

type CandleQuery = Extract<VenueRequest, { readonly kind: 'QueryCandles' }>;

/** Answers that were given, by question. */
export type KnownCandles = Map<string, readonly Candle[]>;

/**
 * Venues whose past is made up once: worlds of one seed have one past, and the candles that strategies learn from take
 * longer to make than the orders to be worked.
 */
export class CandleMemory implements VenueGateway {
  readonly #venues: VenueGateway;
  readonly #known: KnownCandles;
  /** Questions that are being answered, by correlation. */
  readonly #asked = new Map<number, string>();
  #answers: { readonly report: VenueReport; readonly origin: number }[] = [];

  constructor(venues: VenueGateway, known: KnownCandles) {
    this.#venues = venues;
    this.#known = known;
  }

  handle(request: VenueRequest, origin: number, nowMs: EpochMs): void {
    if (request.kind !== 'QueryCandles') return this.#venues.handle(request, origin, nowMs);
    const candles = this.#known.get(keyOf(request));
    if (candles !== undefined) {
      this.#answers.push({ report: answerOf(request, candles, nowMs), origin });
      return undefined;
    }
    this.#asked.set(request.correlationId, keyOf(request));
    return this.#venues.handle(request, origin, nowMs);
  }

  advance(nowMs: EpochMs, sink: VenueSink): void {
    this.#venues.advance(nowMs, {
      ...sink,
      report: (report, destination) => {
        if (report.kind === 'Candles') this.#learn(report);
        sink.report(report, destination);
      },
    });
    for (const { report, origin } of this.#answers) sink.report(report, origin);
    this.#answers = [];
  }

  nextWakeMs(): EpochMs {
    return this.#venues.nextWakeMs();
  }

  close(): void {
    this.#venues.close();
  }

  #learn({ correlationId, candles }: CandlesReport): void {
    const key = this.#asked.get(correlationId);
    if (key !== undefined) this.#known.set(key, candles);
  }
}

function keyOf({ instrument, interval, fromMs, toMs, limit }: CandleQuery): string {
  return [instrument, interval, fromMs, toMs, limit].join('/');
}

function answerOf(query: CandleQuery, candles: readonly Candle[], atMs: EpochMs): CandlesReport {
  const { correlationId, account, venue, instrument, interval } = query;
  return { kind: 'Candles', correlationId, account, venue, atMs, instrument, interval, candles };
}
