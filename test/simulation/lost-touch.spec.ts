import { expect, it } from 'vitest';
import { assert } from '../../src/domain/rejection.js';
import type { AccountId, ChildNumber, OrderId } from '../../src/domain/ids.js';
import type { Market } from '../../src/domain/market.js';
import type { Lots, Ticks } from '../../src/domain/quantity.js';
import type { EpochMs } from '../../src/domain/time.js';
import type { ChildSubmission } from '../../src/domain/venue-message.js';
import type { VenueReport } from '../../src/domain/venue-report.js';
import { SimulatedVenues } from '../../src/sim/simulated-venues.js';
import { MemoryVenueStore } from '../sim/memory-store.js';
import { CATALOGUE } from './listed.js';
import { targetOf } from '../venue/child-target.js';

const NOW_MS = 1_800_000_000_000 as EpochMs;
const [BTC] = CATALOGUE.instruments;
assert(BTC !== undefined, 'the first instrument is there');

function childOf(account: string, orderId: number, change: Partial<ChildSubmission>): ChildSubmission {
  return {
    account: account as AccountId,
    venue: 'BINANCE',
    orderId: orderId as OrderId,
    child: 1 as ChildNumber,
    instrument: 0 as ChildSubmission['instrument'],
    side: 'BUY',
    quantity: 100 as Lots,
    type: 'LIMIT',
    timeInForce: 'GTC',
    limitPrice: null,
    postOnly: false,
    reduceOnly: false,
    selfTradePrevention: 'NONE',
    ...change,
  };
}

/**
 * Found by seed 2740: the fills between the restart of the venue and the cancel were not reported, and the order ended.
 */
it('answers a cancel at a restarted venue with the unreported fills first', () => {
  const store = new MemoryVenueStore();
  const reports: VenueReport[] = [];
  let market: Market | null = null;
  const open = (): SimulatedVenues =>
    new SimulatedVenues({
      catalogue: CATALOGUE,
      seed: 1,
      store,
      startMs: NOW_MS,
      isWatched: () => false,
      balanceHome: () => 0,
      onRepeated: () => undefined,
    });
  const advance = (venues: SimulatedVenues): void =>
    venues.advance(NOW_MS, {
      report: (report, destination) => void (destination === 0 && reports.push(report)),
      market: (instrument, row) => void (instrument === BTC.index && (market = row)),
      trade: () => undefined,
    });

  const before = open();
  advance(before);
  assert(market !== null, 'the market was published');
  const { bid } = market as Market;
  // Far enough from the touch that the market does not open beyond it, and larger than the taker.
  const limitPrice = (bid - 300) as Ticks;
  const resting = childOf('alice', 1, { limitPrice, quantity: 1_500_000 as Lots });
  before.handle({ kind: 'Submit', ...resting }, 0, NOW_MS);
  advance(before);

  const after = open();
  const taker = childOf('bob', 2, { side: 'SELL', quantity: 1_000_000 as Lots, limitPrice, timeInForce: 'IOC' });
  after.handle({ kind: 'Submit', ...taker }, 1, NOW_MS);
  advance(after);
  reports.length = 0;
  after.handle({ kind: 'Cancel', ...targetOf(resting) }, 0, NOW_MS);
  advance(after);

  const reported = reports.filter((report) => report.kind !== 'Funds');
  expect(reported).toMatchObject([
    { kind: 'Filled', orderId: 1, fill: { price: limitPrice } },
    { kind: 'Cancelled', orderId: 1, cause: null },
  ]);
});
