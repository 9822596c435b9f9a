import type { Fill } from '../../src/model/event.js';
import type { Market, TradePrint } from '../../src/model/market.js';
import type { EpochMs } from '../../src/model/time.js';
import type { VenueRequest } from '../../src/model/venue-message.js';
import type { MarketObserver } from '../../src/venue/replay/index.js';
import type { VenueGateway, VenueSink } from '../../src/venue/port.js';

/**
 * Simulated venues with one order in them, and an observer at their door: it is told the market where it is made, not
 * where we hear of it, and of the trades those that were not ours. Every fill of ours is one of the prints.
 */
export class ObservedVenues implements VenueGateway {
  readonly #venues: VenueGateway;
  readonly #observer: MarketObserver;
  #prints: TradePrint[] = [];

  constructor(venues: VenueGateway, observer: MarketObserver) {
    this.#venues = venues;
    this.#observer = observer;
  }

  handle(request: VenueRequest, origin: number, nowMs: EpochMs): void {
    this.#venues.handle(request, origin, nowMs);
  }

  advance(nowMs: EpochMs, sink: VenueSink): void {
    this.#venues.advance(nowMs, {
      report: (report, destination) => {
        if (report.kind === 'Filled') this.#remove(report.fill);
        sink.report(report, destination);
      },
      market: (instrument, market) => {
        this.#observe(market);
        sink.market(instrument, market);
      },
      trade: (print) => {
        this.#prints.push(print);
        sink.trade(print);
      },
    });
    for (const { price, quantity, atMs } of this.#prints) this.#observer.onTrade(price, quantity, atMs);
    this.#prints = [];
  }

  nextWakeMs(): EpochMs {
    return this.#venues.nextWakeMs();
  }

  close(): void {
    this.#venues.close();
  }

  #observe({ bid, ask, atMs }: Market): void {
    if (bid > 0 && ask > 0) this.#observer.onQuote(bid, ask, atMs);
  }

  /** A venue that is asked tells its fills again: then there is no print. */
  #remove({ price, quantity }: Fill): void {
    const index = this.#prints.findIndex((print) => print.price === price && print.quantity === quantity);
    if (index >= 0) this.#prints.splice(index, 1);
  }
}
