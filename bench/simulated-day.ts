import type { EpochMs } from '../src/model/time.js';
import { buildCatalogue, MemoryVenueStore, SimulatedVenues } from '../src/venue/index.js';

const START_MS = Date.UTC(2027, 0, 15) as EpochMs;
/** One turn a second, as with a service time that runs ten times as fast. */
const TURN_MS = 1_000;
const HOUR_MS = 3_600_000;

export interface LiveDay {
  readonly seconds: number;
  /** Printed at all markets. */
  readonly trades: number;
}

/** Lets markets of one exchange live for hours without a client, as the venue worker does, and takes the time. */
export function liveDay(symbols: readonly string[], hours: number): LiveDay {
  const catalogue = buildCatalogue();
  const watched = new Set(symbols.map((symbol) => catalogue.findCanonical('BINANCE', symbol)?.index));
  const venues = new SimulatedVenues({
    catalogue,
    seed: 1,
    store: new MemoryVenueStore(),
    startMs: START_MS,
    isWatched: (instrument) => watched.has(instrument),
    balanceHome: () => 0,
    onRepeated: () => undefined,
  });
  let trades = 0;
  const sink = { report: () => undefined, market: () => undefined, trade: () => void (trades += 1) };
  const startMs = performance.now();
  for (let passedMs = 0; passedMs <= hours * HOUR_MS; passedMs += TURN_MS) {
    venues.advance((START_MS + passedMs) as EpochMs, sink);
  }
  const seconds = (performance.now() - startMs) / 1_000;
  venues.close();
  return { seconds, trades };
}
