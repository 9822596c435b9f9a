import { describe, expect, test } from 'vitest';
import type { OrderEvent } from '../../src/domain/event.js';
import type { Venue } from '../../src/domain/exchange.js';
import type { OrderId } from '../../src/domain/ids.js';
import { InstrumentCatalogue, type Instrument, type InstrumentIndex } from '../../src/domain/instrument.js';
import { ENDED_AGAIN_MS } from '../../src/domain/limits/trading.js';
import type { Lots, Ticks } from '../../src/domain/quantity.js';
import type { EpochMs } from '../../src/domain/time.js';
import { MemoryMarketView } from '../../src/backtest/memory-ports.js';
import { SingleThread } from '../../src/backtest/single-thread.js';
import { SimulatedVenues } from '../../src/sim/simulated-venues.js';
import { MemoryVenueStore } from '../sim/memory-store.js';
import { buildCatalogue } from '../../src/venue/listing/catalogue.js';
import { orderOf } from '../shard/sample-orders.js';
import type { FlatTerms } from '../domain/plain-order.js';

const START_MS = 1_800_000_000_000 as EpochMs;
const SELLER = 1 as OrderId;
const BUYER = 2 as OrderId;

function openVenues(catalogue: InstrumentCatalogue): SimulatedVenues {
  return new SimulatedVenues({
    catalogue,
    seed: 1,
    store: new MemoryVenueStore(),
    startMs: START_MS,
    isWatched: () => true,
    balanceHome: () => 0,
    onRepeated: () => undefined,
  });
}

/** A shard and the simulated market of one instrument, under a clock that jumps from wake to wake. */
class Floor {
  readonly instrument: Instrument;
  readonly #thread: SingleThread;
  nowMs: number = START_MS;
  /** Time at which the market opened. */
  bid = 0 as Ticks;

  constructor(venue: Venue) {
    const listed = buildCatalogue().findCanonical(venue, 'BTC/USDT')!;
    this.instrument = { ...listed, index: 0 as InstrumentIndex };
    const catalogue = new InstrumentCatalogue([this.instrument]);
    this.#thread = new SingleThread({ venue: openVenues(catalogue), catalogue, market: new MemoryMarketView() });
    // A market opens in the same state every time.
    openVenues(catalogue).advance(START_MS, {
      report: () => undefined,
      market: (_, { bid }) => void (this.bid = bid),
      trade: () => undefined,
    });
  }

  place(change: Partial<FlatTerms>): void {
    const { instrument } = this;
    const { quantityPrecision, pricePrecision, venue } = instrument;
    const times = { createdAtMs: this.nowMs as EpochMs, startAtMs: this.nowMs as EpochMs };
    const order = orderOf(0, { venue, quantityPrecision, pricePrecision, ...times, ...change });
    this.#thread.place(order, this.nowMs as EpochMs);
    this.pass(0);
  }

  pass(ms: number): void {
    const untilMs = this.nowMs + ms;
    this.#thread.advance(this.nowMs as EpochMs);
    while (this.nowMs < untilMs) {
      this.nowMs = Math.min(untilMs, Math.max(this.nowMs + 1, this.#thread.nextWakeMs()));
      this.#thread.advance(this.nowMs as EpochMs);
    }
  }

  status(orderId: OrderId): string | undefined {
    return this.#thread.journal.state(orderId)?.status;
  }

  events<Kind extends OrderEvent['kind']>(orderId: OrderId, kind: Kind): Extract<OrderEvent, { kind: Kind }>[] {
    return this.#thread.journal.events.flatMap(({ envelope }) =>
      envelope.orderId === orderId && envelope.event.kind === kind
        ? [envelope.event as Extract<OrderEvent, { kind: Kind }>]
        : [],
    );
  }
}

/** Alice's LIMIT parent offers 5 BTC at the touch of the bids; her MARKET parent wants 0.5 BTC. */
function opposed(venue: Venue): Floor {
  const floor = new Floor(venue);
  const lots = 10 ** floor.instrument.quantityPrecision;
  floor.place({ orderId: SELLER, side: 'SELL', quantity: (5 * lots) as Lots, limitPrice: floor.bid });
  floor.place({ orderId: BUYER, side: 'BUY', quantity: (lots / 2) as Lots, strategy: 'MARKET', limitPrice: null });
  return floor;
}

const CAUSE = { code: 'INVALID_ORDER', message: expect.stringContaining('self-trade prevention') };

describe('Two parents of one account on opposite sides of one book', () => {
  test('where the newcomer ends: it tries again when the other has had time to go, and both are filled', () => {
    const floor = opposed('BINANCE');
    expect(floor.events(BUYER, 'ChildCancelled')).toMatchObject([{ cause: CAUSE }]);
    expect(floor.events(BUYER, 'ChildFilled')).toEqual([]);
    floor.pass(ENDED_AGAIN_MS - 1);
    expect(floor.events(BUYER, 'ChildSubmitted')).toHaveLength(1);
    floor.pass(60_000);
    expect([floor.status(SELLER), floor.status(BUYER)]).toEqual(['FILLED', 'FILLED']);
    expect(floor.events(SELLER, 'ChildCancelled')).toEqual([]);
  });

  test('where the resting child ends: its parent places it again, and both parents are filled', () => {
    const floor = opposed('HYPERLIQUID');
    expect(floor.events(SELLER, 'ChildCancelled')).toMatchObject([{ cause: CAUSE }]);
    floor.pass(600_000);
    expect([floor.status(SELLER), floor.status(BUYER)]).toEqual(['FILLED', 'FILLED']);
  });
});
