import type { ChildNumber, OrderId } from '../src/model/ids.js';
import type { Lots } from '../src/model/quantity.js';
import type { EpochMs } from '../src/model/time.js';
import type { VenueRequest } from '../src/model/venue-message.js';
import type { VenueSink } from '../src/venue/port.js';
import { MemoryVenueStore, SimulatedVenues } from '../src/venue/index.js';
import type { MicroGroup } from './micro-case.js';
import { ACCOUNT, CATALOGUE, INSTRUMENT, NOW_MS } from './micro-sample.js';

const SHARD = 0;
const QUANTITY = 100 as Lots;
const SILENT: VenueSink = { report: () => undefined, market: () => undefined, trade: () => undefined };

/** A market order from its request to its fills, in a market that goes on living. Bought and sold in turn. */
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
