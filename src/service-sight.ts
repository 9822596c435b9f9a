import type { Clock } from './model/time.js';
import type { MarketSight } from './http/port.js';
import { BookDesk } from './route/book-desk.js';
import type { MarketDesk } from './route/market-desk.js';
import { PriceDesk } from './route/price-desk.js';
import { VolumeDesk } from './route/volume-desk.js';
import type { DepthSlateReader } from './wire/depth-slate.js';
import type { BellRinger } from './wire/doorbell.js';
import type { SlateReader } from './wire/slate.js';

export interface ServiceSightParts {
  readonly slate: SlateReader;
  readonly books: DepthSlateReader;
  readonly market: MarketDesk;
  /** Rung for a market that is to wake. */
  readonly venueBell: BellRinger;
  readonly isVenueUp: () => boolean;
  readonly clock: Clock;
  readonly nowRealMs: () => number;
}

/** What a request may learn of a market that perhaps nobody watches, put together. */
export interface ServiceSight {
  readonly prices: PriceDesk;
  readonly sight: MarketSight;
}

export function serviceSight(parts: ServiceSightParts): ServiceSight {
  const { slate, books, market, venueBell, isVenueUp, clock, nowRealMs } = parts;
  const looking = { isVenueUp, clock, nowRealMs, after };
  const waking =
    (rows: Pick<SlateReader, 'keepAwake'>): SlateReader['keepAwake'] =>
    (instrument, isAwake) => {
      rows.keepAwake(instrument, isAwake);
      if (isAwake) venueBell.ring();
    };
  const prices = new PriceDesk({
    ...looking,
    read: (instrument) => slate.read(instrument),
    keepAwake: waking(slate),
  });
  const depths = new BookDesk({
    ...looking,
    read: (instrument, into) => books.read(instrument, into),
    keepAwake: waking(books),
  });
  const volumes = new VolumeDesk({ ...looking, candles: (question, answer) => market.candles(question, answer) });
  const sight: MarketSight = {
    market: (instrument, answer) => prices.market(instrument, answer),
    book: (instrument, answer) => depths.book(instrument, answer),
    volume: (instrument, account, answer) => volumes.volume(instrument, account, answer),
  };
  return { prices, sight };
}

function after(delayMs: number, run: () => void): void {
  setTimeout(run, delayMs);
}
