import { type Venue, VENUES } from '../../src/domain/exchange.js';
import type { ChildNumber, OrderId } from '../../src/domain/ids.js';
import type { Lots } from '../../src/domain/quantity.js';
import type { DurationMs, EpochMs } from '../../src/domain/time.js';
import type { VenueRequest } from '../../src/domain/venue-message.js';
import { SimulatedVenues } from '../../src/sim/simulated-venues.js';
import { MemoryVenueStore } from '../../test/sim/memory-store.js';
import type { VenueGateway, VenueSink } from '../../src/venue/port.js';
import { createThrottleMemory } from '../../src/venue/throttle/throttle-figures.js';
import { ThrottledVenues } from '../../src/venue/throttle/throttled-venues.js';
import type { VenueRates } from '../../src/venue/throttle/request-rates.js';
import { PLAIN_CHILD } from '../../test/domain/plain-child.js';
import { type MicroGroup, repeated } from './case.js';
import { ACCOUNT, CATALOGUE, INSTRUMENT, NOW_MS } from './sample.js';

const SHARD = 0;
const QUANTITY = 100 as Lots;
const SILENT: VenueSink = { report: () => undefined, market: () => undefined, trade: () => undefined };

/** A market order from its request to its fills, in a running market. Sides alternate. */
export function venueCases(): MicroGroup {
  const venues = new SimulatedVenues({
    catalogue: CATALOGUE,
    seed: 1,
    store: new MemoryVenueStore(),
    startMs: NOW_MS,
    isWatched: () => false,
    balanceHome: () => SHARD,
    onRepeated: () => undefined,
  });
  let submitted = 0;
  const run = (): void => {
    submitted += 1;
    const nowMs = (NOW_MS + submitted) as EpochMs;
    const request: VenueRequest = {
      kind: 'Submit',
      account: ACCOUNT,
      venue: INSTRUMENT.venue,
      orderId: submitted as OrderId,
      child: 1 as ChildNumber,
      instrument: INSTRUMENT.index,
      side: submitted % 2 === 0 ? 'SELL' : 'BUY',
      quantity: QUANTITY,
      type: 'MARKET',
      timeInForce: 'IOC',
      limitPrice: null,
      postOnly: false,
      reduceOnly: false,
      selfTradePrevention: 'NONE',
    };
    venues.handle(request, SHARD, nowMs);
    venues.advance(nowMs, SILENT);
  };
  return { cases: [{ name: 'venue submit and fill', operations: 1, run }], close: () => venues.close() };
}

const HOME_SHARD = 0;
/** Request rates far above and a sixteenth of the sent rate. */
const WIDE = ratesOf(1_000_000_000);
const NARROW = ratesOf(16);
const IGNORED: VenueSink = { report: () => undefined, market: () => undefined, trade: () => undefined };
const NOWHERE: VenueGateway = {
  handle: () => undefined,
  advance: () => undefined,
  nextWakeMs: () => Infinity as EpochMs,
  close: () => undefined,
};

/** Measures the cost of the request throttle: with free capacity, and when nearly each request waits. */
export function throttleCases(): MicroGroup {
  const free = new ThrottledVenues({ gateway: NOWHERE, rates: WIDE, figures: createThrottleMemory() });
  const strained = new ThrottledVenues({ gateway: NOWHERE, rates: NARROW, figures: createThrottleMemory() });
  let sent = 0;
  return repeated({
    'request below its rate limit': () => free.handle(submission(1), HOME_SHARD, NOW_MS),
    'request that waits for its rate limit': () => {
      sent += 1;
      const nowMs = (NOW_MS + sent) as EpochMs;
      strained.handle(submission(sent), HOME_SHARD, nowMs);
      strained.advance(nowMs, IGNORED);
    },
  });
}

/** Requests per second of each venue. */
function ratesOf(count: number): VenueRates {
  const rate = { count, perMs: 1_000 as DurationMs };
  return Object.fromEntries(VENUES.map((venue) => [venue, rate])) as Record<Venue, typeof rate>;
}

function submission(orderId: number): VenueRequest {
  return {
    kind: 'Submit',
    account: ACCOUNT,
    venue: INSTRUMENT.venue,
    orderId: orderId as OrderId,
    child: 1 as ChildNumber,
    instrument: INSTRUMENT.index,
    ...PLAIN_CHILD,
    selfTradePrevention: 'NONE',
  };
}
