import { VENUES, type Venue } from '../src/model/exchange.js';
import type { ChildNumber, OrderId } from '../src/model/ids.js';
import type { DurationMs, EpochMs } from '../src/model/time.js';
import type { VenueRequest } from '../src/model/venue-message.js';
import { BudgetedVenues, createBudgetMemory, type VenueRates } from '../src/venue/budget/index.js';
import type { VenueGateway, VenueSink } from '../src/venue/port.js';
import { PLAIN_CHILD } from '../test/model/plain-child.js';
import { repeated, type MicroGroup } from './micro-case.js';
import { ACCOUNT, INSTRUMENT, NOW_MS } from './micro-sample.js';

const SHARD = 0;
/** Far more than is ever sent, and a sixteenth of what is. */
const WIDE = ratesOf(1_000_000_000);
const NARROW = ratesOf(16);
const SILENT: VenueSink = { report: () => undefined, market: () => undefined, trade: () => undefined };
const NOWHERE: VenueGateway = {
  handle: () => undefined,
  advance: () => undefined,
  nextWakeMs: () => Infinity as EpochMs,
  close: () => undefined,
};

/** What a budget adds to each request: while it lasts, and when nearly every request waits for its turn. */
export function budgetCases(): MicroGroup {
  const free = new BudgetedVenues({ gateway: NOWHERE, rates: WIDE, figures: createBudgetMemory() });
  const strained = new BudgetedVenues({ gateway: NOWHERE, rates: NARROW, figures: createBudgetMemory() });
  let sent = 0;
  return repeated({
    'request within its budget': () => free.handle(submission(1), SHARD, NOW_MS),
    'request that waits for its budget': () => {
      sent += 1;
      const nowMs = (NOW_MS + sent) as EpochMs;
      strained.handle(submission(sent), SHARD, nowMs);
      strained.advance(nowMs, SILENT);
    },
  });
}

/** Requests a second, of every venue. */
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
