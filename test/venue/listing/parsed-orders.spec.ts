import fc from 'fast-check';
import { expect, test } from 'vitest';
import { draftOf } from '../../../src/api/order/order-parser.js';
import { parseOrderRequest } from '../../../src/api/order/order-parser.js';
import type { AccountId, OrderId } from '../../../src/domain/ids.js';
import type { Instrument } from '../../../src/domain/instrument.js';
import { formatSteps } from '../../../src/domain/quantity.js';
import { isRejected } from '../../../src/domain/rejection.js';
import type { ChildSubmission } from '../../../src/domain/venue-message.js';
import { strategyFor } from '../../../src/strategy/registry.js';
import { buildCatalogue } from '../../../src/venue/listing/catalogue.js';
import { filterRefusal } from '../../../src/venue/listing/order-filter.js';
import { PAIR_LISTINGS } from '../../../src/venue/listing/pair-listing.js';
import { OrderRig } from '../../order/order-rig.js';
import { marketOf, START_MS } from '../../order/orders.js';
import { runs } from '../../runs.js';

const CATALOGUE = buildCatalogue();
const DURATION_S = 20;

interface Drawn {
  readonly instrument: Instrument;
  readonly strategy: 'LIMIT' | 'MARKET' | 'TWAP';
  readonly style: 'PASSIVE' | 'AGGRESSIVE' | 'HYBRID';
  readonly side: 'BUY' | 'SELL';
  /** Logarithmic size: 0 is one lot, 100 the largest quantity; above 100 exceeds it. */
  readonly quantityPercent: number;
  /** Basis points from the market to the limit price, logarithmic. */
  readonly limitBps: number;
  readonly hasLimit: boolean;
  readonly spreadTicks: number;
}

const drawn: fc.Arbitrary<Drawn> = fc.record({
  instrument: fc.constantFrom(...CATALOGUE.instruments),
  strategy: fc.constantFrom('LIMIT', 'MARKET', 'TWAP'),
  style: fc.constantFrom('PASSIVE', 'AGGRESSIVE', 'HYBRID'),
  side: fc.constantFrom('BUY', 'SELL'),
  quantityPercent: fc.noBias(fc.integer({ min: 0, max: 105 })),
  limitBps: fc.noBias(fc.oneof(fc.integer({ min: -100, max: 100 }), fc.integer({ min: -100_000, max: 100_000 }))),
  hasLimit: fc.boolean(),
  spreadTicks: fc.integer({ min: 1, max: 20 }),
});

/** Children that the strategy places within the order's duration; none when the parser refuses the request. */
function childrenOf(order: Drawn): ChildSubmission[] {
  const { instrument, strategy, spreadTicks } = order;
  const bid = priceOf(instrument);
  const request = parseOrderRequest(bodyOf(order, bid), CATALOGUE);
  if (isRejected(request)) return [];
  const draft = draftOf(request, 'digest', 'alice' as AccountId, START_MS);
  const found = strategyFor({ ...draft, orderId: 1 as OrderId });
  if (found === null) throw new Error(`${strategy} has no implementation`);
  const rig = new OrderRig({ ...draft, orderId: 1 as OrderId }, found, instrument);
  rig.venue.market = marketOf({ bid, ask: bid + spreadTicks, last: bid });
  rig.look();
  rig.passUntil(START_MS + DURATION_S * 1_000);
  return rig.venue.submissions;
}

function priceOf({ base, quote, pricePrecision }: Instrument): number {
  const pair = PAIR_LISTINGS.find((listing) => listing.base === base && listing.quote === quote);
  if (pair === undefined) throw new Error(`${base}/${quote} is not listed`);
  return Math.round(pair.referencePrice * 10 ** pricePrecision);
}

function bodyOf(order: Drawn, bid: number): Record<string, unknown> {
  const { instrument, strategy, style, side, quantityPercent, limitBps, hasLimit } = order;
  const lots = Math.round(instrument.quantityMax ** (quantityPercent / 100));
  const limit = Math.round(bid * Math.exp(limitBps / 10_000));
  return {
    exchange: instrument.venue,
    symbol: instrument.symbol,
    asset_category: instrument.assetCategory,
    side,
    quantity: formatSteps(lots, instrument.quantityPrecision),
    strategy,
    ...(hasLimit || strategy === 'LIMIT' ? { limit_price: formatSteps(limit, instrument.pricePrecision) } : {}),
    params: { duration_seconds: String(DURATION_S), trading_style: style },
  };
}

const ORDERS_COUNT = runs(200, 1_000);

test('the venue filters never refuse a child of an order that the parser accepted', () => {
  let childCount = 0;
  fc.assert(
    fc.property(drawn, (order) => {
      const { instrument, spreadTicks, side } = order;
      const bid = priceOf(instrument);
      const touchPrice = (side === 'BUY' ? bid + spreadTicks : bid) as NonNullable<ChildSubmission['limitPrice']>;
      for (const child of childrenOf(order)) {
        childCount += 1;
        // No price band: it depends on the market, which the parser does not know.
        const view = { referencePrice: null, touchPrice, restingCount: 0 };
        expect(filterRefusal(child, instrument, view)).toBeNull();
      }
    }),
    { numRuns: ORDERS_COUNT },
  );
  expect(childCount).toBeGreaterThan(ORDERS_COUNT);
});
