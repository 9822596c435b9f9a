import { describe, expect, test } from 'vitest';
import type { InstrumentIndex } from '../../../src/domain/instrument.js';
import { ARRIVAL_AGE_MS_MAX, VENUE_STEP_MS } from '../../../src/domain/limits/trading.js';
import type { Market } from '../../../src/domain/market.js';
import type { EpochMs } from '../../../src/domain/time.js';
import { MarketCacheReader, MarketCacheWriter, createMarketCache } from '../../../src/marketdata/market-cache.js';
import { SimulatedVenues } from '../../../src/sim/simulated-venues.js';
import { BellRinger, createBell } from '../../../src/wire/bell.js';
import { CATALOGUE } from '../../simulation/listed.js';
import { MemoryVenueStore } from '../memory-store.js';
import { START_MS } from '../simulated-exchange.js';

const ROWS = CATALOGUE.instruments.length;
/** A row of a real exchange, after those of the simulated catalogue. */
const REAL = ROWS as InstrumentIndex;
const [FIRST, SECOND] = [0, 1] as [InstrumentIndex, InstrumentIndex];
/** A turn between two steps, after a long sleep. */
const BETWEEN_STEPS_MS = 60 * VENUE_STEP_MS + 1;

/** The simulated venues with a last-value cache whose rows end with one of a real exchange. */
function openVenues({ wakesAtOnce = true } = {}) {
  const memory = createMarketCache(ROWS + 1, 1);
  const cache = new MarketCacheWriter(memory, [new BellRinger(createBell())]);
  const reader = new MarketCacheReader(memory, 0);
  const venues = new SimulatedVenues({
    catalogue: CATALOGUE,
    seed: 1,
    store: new MemoryVenueStore(),
    startMs: START_MS,
    isWatched: (instrument) => cache.isWanted(instrument),
    ...(wakesAtOnce && { takeNewlyWatched: (wake) => cache.takeNewlyWanted(ROWS, wake) }),
    balanceHome: () => 0,
    onRepeated: () => undefined,
  });
  /** Advances to a time after the start. Returns the markets that this turn published, by instrument. */
  const advance = (afterMs: number): Map<InstrumentIndex, Market> => {
    const markets = new Map<InstrumentIndex, Market>();
    venues.advance((START_MS + afterMs) as EpochMs, {
      report: () => undefined,
      market: (instrument, market) => markets.set(instrument, market),
      trade: () => undefined,
    });
    return markets;
  };
  advance(0);
  advance(BETWEEN_STEPS_MS - 1);
  return { venues, reader, advance };
}

describe('a market that begins to be watched between two steps', () => {
  test('is published in the same turn with the present time, and the others sleep on', () => {
    const { reader, advance } = openVenues();
    reader.keepAwake(SECOND, true);
    const markets = advance(BETWEEN_STEPS_MS);
    expect([...markets.keys()]).toEqual([SECOND]);
    expect(markets.get(SECOND)?.atMs).toBe(START_MS + BETWEEN_STEPS_MS);
  });

  test('is published once, then with every step', () => {
    const { reader, advance } = openVenues();
    reader.watch(FIRST, true);
    expect(advance(BETWEEN_STEPS_MS).size).toBe(1);
    reader.keepAwake(FIRST, true);
    expect(advance(BETWEEN_STEPS_MS + 1).size).toBe(0);
    expect([...advance(BETWEEN_STEPS_MS + VENUE_STEP_MS).keys()]).toEqual([FIRST]);
  });

  test('is published again at once after it fell asleep', () => {
    const { reader, advance } = openVenues();
    reader.keepAwake(FIRST, true);
    advance(BETWEEN_STEPS_MS);
    reader.keepAwake(FIRST, false);
    expect(advance(2 * BETWEEN_STEPS_MS).size).toBe(0);
    reader.keepAwake(FIRST, true);
    expect(advance(2 * BETWEEN_STEPS_MS + 1).get(FIRST)?.atMs).toBe(START_MS + 2 * BETWEEN_STEPS_MS + 1);
  });

  test('gives an arrival price at once, which a step gives only later', () => {
    const [fresh, stale] = [true, false].map((wakesAtOnce) => {
      const { reader, advance } = openVenues({ wakesAtOnce });
      reader.keepAwake(FIRST, true);
      const row = advance(BETWEEN_STEPS_MS).get(FIRST);
      return row !== undefined && START_MS + BETWEEN_STEPS_MS - row.atMs <= ARRIVAL_AGE_MS_MAX;
    });
    expect([fresh, stale]).toEqual([true, false]);
  });

  test('moves as if the next step had woken it', () => {
    const [early, late] = [true, false].map((wakesAtOnce) => {
      const { reader, advance } = openVenues({ wakesAtOnce });
      reader.keepAwake(FIRST, true);
      advance(BETWEEN_STEPS_MS);
      // The estimate of the volatility counts the looks.
      const { volatility: _, ...row } = advance(BETWEEN_STEPS_MS + VENUE_STEP_MS).get(FIRST)!;
      return row;
    });
    expect(early).toEqual(late);
  });
});

test('the venues never touch the row of a real exchange', () => {
  const { reader, advance } = openVenues();
  reader.keepAwake(REAL, true);
  reader.watch(REAL, true);
  expect(advance(BETWEEN_STEPS_MS).size).toBe(0);
  expect(advance(BETWEEN_STEPS_MS + VENUE_STEP_MS).size).toBe(0);
  expect(reader.read(REAL).atMs).toBe(0);
});
