import { assert } from '../../../src/domain/rejection.js';
import type { AccountId, ChildNumber, CorrelationId, OrderId } from '../../../src/domain/ids.js';
import type { Instrument, SelfTradePrevention } from '../../../src/domain/instrument.js';
import type { Lots, Ticks } from '../../../src/domain/quantity.js';
import type { ChildSubmission, VenueRequest } from '../../../src/domain/venue-message.js';
import { Random } from '../../../src/sim/prng.js';
import { CATALOGUE } from '../../simulation/listed.js';
import { targetOf } from '../../venue/child-target.js';

/** A request and its service time at the venue. */
export interface Input {
  readonly atMs: number;
  readonly origin: number;
  readonly request: VenueRequest;
}

const ACCOUNTS = ['alice', 'bob', 'bob/desk'] as const;
const MODES: readonly SelfTradePrevention[] = ['NONE', 'EXPIRE_TAKER', 'EXPIRE_MAKER', 'EXPIRE_BOTH'];
const GAP_MS_MAX = 400;
/** Notional of one order, in whole units of the quote currency. */
const NOTIONAL = 40_000;
const BPS = 10_000;
/** Largest distance of an order from the opening price. */
const REACH_BPS = 25;

/** Orders and other requests of several accounts near the opening prices, at irregular times. */
export function scriptOf(seed: number, startMs: number, endMs: number, openingBids: readonly number[]): Input[] {
  const random = new Random(`script/${seed}`);
  const placed: ChildSubmission[] = [];
  const inputs: Input[] = [];
  const below = (bound: number): number => Math.floor(random.uniform() * bound);
  for (let atMs = startMs + 1; atMs < endMs; atMs += 1 + below(GAP_MS_MAX)) {
    const old = placed[below(placed.length)];
    const draw = random.uniform();
    const origin = below(2);
    if (old === undefined || draw < 0.6) {
      const instrument = CATALOGUE.instruments[below(CATALOGUE.instruments.length)];
      assert(instrument !== undefined, 'a drawn instrument is listed');
      const order = orderOf(placed.length + 1, instrument, openingBids[instrument.index] ?? 0, below);
      placed.push(order);
      inputs.push({ atMs, origin, request: { kind: 'Submit', ...order } });
    } else {
      inputs.push({ atMs, origin, request: laterRequest(old, draw) });
    }
  }
  return inputs;
}

type Draw = (bound: number) => number;

function orderOf(number: number, instrument: Instrument, bid: number, below: Draw): ChildSubmission {
  const { quantityPrecision, pricePrecision, venue, index } = instrument;
  const price = Math.round(bid * (1 + (below(2 * REACH_BPS + 1) - REACH_BPS) / BPS));
  const isMarket = below(5) === 0;
  const quantity = Math.ceil(((1 + below(10)) * NOTIONAL * 10 ** (quantityPrecision + pricePrecision)) / (10 * bid));
  return {
    account: ACCOUNTS[below(ACCOUNTS.length)] as AccountId,
    venue,
    orderId: number as OrderId,
    child: 1 as ChildNumber,
    instrument: index,
    side: below(2) === 0 ? 'BUY' : 'SELL',
    quantity: quantity as Lots,
    type: isMarket ? 'MARKET' : 'LIMIT',
    timeInForce: isMarket || below(4) === 0 ? 'IOC' : 'GTC',
    limitPrice: isMarket ? null : (price as Ticks),
    postOnly: false,
    reduceOnly: false,
    selfTradePrevention: MODES[below(MODES.length)] ?? 'NONE',
  };
}

function laterRequest(order: ChildSubmission, draw: number): VenueRequest {
  const { account, venue } = order;
  const correlationId = 1 as CorrelationId;
  if (draw < 0.75) return { kind: 'Cancel', ...targetOf(order) };
  if (draw < 0.9) return { kind: 'QueryStatus', ...targetOf(order) };
  return draw < 0.95
    ? { kind: 'QueryFunds', correlationId, account, venue }
    : { kind: 'QueryPositions', correlationId, account, venue };
}
