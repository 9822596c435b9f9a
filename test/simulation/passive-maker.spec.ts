import { describe, expect, it } from 'vitest';
import { MemoryMarketView } from '../../src/backtest/memory-ports.js';
import { SingleThread } from '../../src/backtest/single-thread.js';
import { VENUES } from '../../src/domain/exchange.js';
import type { OrderId } from '../../src/domain/ids.js';
import { InstrumentCatalogue, type Instrument, type InstrumentIndex } from '../../src/domain/instrument.js';
import type { Lots } from '../../src/domain/quantity.js';
import type { EpochMs } from '../../src/domain/time.js';
import { LatentVenues } from '../../src/sim/latency/latent-venues.js';
import { latencyOf } from '../../src/sim/latency/latency-model.js';
import { SimulatedVenues } from '../../src/sim/simulated-venues.js';
import { MemoryVenueStore } from '../sim/memory-store.js';
import { closingAtMs } from '../../src/strategy/schedule/slots.js';
import { buildCatalogue } from '../../src/venue/listing/catalogue.js';
import { VENUE_LISTINGS } from '../../src/venue/listing/exchanges.js';
import { plainOrder } from '../domain/plain-order.js';
import { spread } from '../runs.js';

const START_MS = 1_800_000_000_000 as EpochMs;
const END_MS = (START_MS + 120_000) as EpochMs;
/** By the clock of the exchange, a fill in the window may be slightly before the window. */
const WINDOW_MS = closingAtMs({ startMs: START_MS, endMs: END_MS });
const ORDER = 1 as OrderId;
const SEED = 7;

/** A shard and one simulated market at the distance of its exchange, under a clock that jumps from wake to wake. */
function worked(instrument: Instrument): SingleThread {
  const catalogue = new InstrumentCatalogue([instrument]);
  const gateway = new SimulatedVenues({
    catalogue,
    seed: SEED,
    store: new MemoryVenueStore(),
    startMs: START_MS,
    isWatched: () => true,
    balanceHome: () => 0,
    onRepeated: () => undefined,
  });
  const latency = latencyOf(VENUE_LISTINGS[instrument.venue].latency);
  const venue = new LatentVenues({ gateway, catalogue, latencyOf: () => latency, seed: SEED });
  const thread = new SingleThread({ venue, catalogue, market: new MemoryMarketView() });
  const order = plainOrder(instrument, START_MS, {
    orderId: ORDER,
    style: 'PASSIVE',
    // 0.3 BTC in slices of 0.01 BTC, which every exchange takes.
    quantity: (0.3 * 10 ** instrument.quantityPrecision) as Lots,
    endAtMs: END_MS,
    clip: { type: 'ORDER_COUNT', count: 30 },
  });
  thread.advance(START_MS);
  thread.place(order, START_MS);
  for (
    let nowMs: number = START_MS;
    nowMs < END_MS;
    nowMs = Math.max(nowMs + 1, Math.min(END_MS, thread.nextWakeMs()))
  ) {
    thread.advance(nowMs as EpochMs);
  }
  return thread;
}

describe('a PASSIVE TWAP', () => {
  const listed = buildCatalogue();
  const offering = VENUES.filter((venue) => listed.findCanonical(venue, 'BTC/USDT')?.filters.isPostOnlyOffered);

  it('is checked at every simulated exchange except B2C2, which answers requests for quotes', () => {
    expect(VENUES.filter((venue) => !offering.includes(venue))).toEqual(['B2C2']);
  });

  it.each(spread(offering, 6))(
    'makes all its fills on %s until its deadline window, by post-only children',
    (venue) => {
      const instrument = { ...listed.findCanonical(venue, 'BTC/USDT')!, index: 0 as InstrumentIndex };
      const { journal } = worked(instrument);
      const before = journal.events.flatMap(({ envelope }) =>
        envelope.orderId === ORDER && envelope.eventAtMs < WINDOW_MS ? [envelope.event] : [],
      );
      const children = before.flatMap((event) => (event.kind === 'ChildSubmitted' ? [event.order] : []));
      const fills = before.flatMap((event) => (event.kind === 'ChildFilled' ? [event.fill.liquidity] : []));
      expect(children.length).toBeGreaterThan(0);
      expect(children.filter(({ postOnly }) => !postOnly)).toEqual([]);
      expect(fills.length).toBeGreaterThan(0);
      expect(new Set(fills)).toEqual(new Set(['MAKER']));
    },
  );
});
