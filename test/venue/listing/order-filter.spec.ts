import { describe, expect, test } from 'vitest';
import type { AccountId, ChildNumber, OrderId } from '../../../src/domain/ids.js';
import type { Instrument } from '../../../src/domain/instrument.js';
import type { Lots, Ticks } from '../../../src/domain/quantity.js';
import type { RejectionCode } from '../../../src/domain/rejection.js';
import type { ChildSubmission } from '../../../src/domain/venue-message.js';
import { plainInstrument } from '../../domain/plain-instrument.js';
import { filterRefusal, type FilterView } from '../../../src/venue/listing/order-filter.js';

/** Lots of 0.001 and ticks of 0.1: a notional of one is 0.0001 USDT. */
const SPOT = plainInstrument({
  quantityPrecision: 3,
  pricePrecision: 1,
  quantityMin: 2 as Lots,
  quantityMax: 9_000 as Lots,
  notionalMin: 50_000,
  filters: {
    priceMin: 1_000 as Ticks,
    priceMax: 600_000 as Ticks,
    buyBand: { minPpm: 200_000, maxPpm: 5_000_000 },
    sellBand: { minPpm: 500_000, maxPpm: 4_000_000 },
    marketQuantityMax: 5_000 as Lots,
    notionalMax: 900_000_000,
    isReducingExempt: false,
    openOrdersMax: 200,
    isPostOnlyOffered: true,
    selfTradePreventions: ['EXPIRE_TAKER', 'EXPIRE_BOTH'],
  },
  makerFeePpm: 0,
  takerFeePpm: 0,
});
const PERPETUAL: Instrument = {
  ...SPOT,
  assetCategory: 'FUTURE',
  filters: {
    ...SPOT.filters,
    buyBand: { minPpm: null, maxPpm: 1_050_000 },
    sellBand: { minPpm: 950_000, maxPpm: null },
    isReducingExempt: true,
  },
};
const VIEW: FilterView = { referencePrice: 100_000, touchPrice: 100_000 as Ticks, restingCount: 0 };

interface OrderFields extends Omit<Partial<ChildSubmission>, 'quantity' | 'limitPrice'> {
  readonly quantity?: number;
  readonly limitPrice?: number | null;
}

function verdict(fields: OrderFields, instrument: Instrument = SPOT, view: Partial<FilterView> = {}): string {
  const order: ChildSubmission = {
    account: 'alice' as AccountId,
    venue: instrument.venue,
    orderId: 1 as OrderId,
    child: 1 as ChildNumber,
    instrument: instrument.index,
    side: 'BUY',
    type: 'LIMIT',
    timeInForce: 'GTC',
    postOnly: false,
    reduceOnly: false,
    selfTradePrevention: 'NONE',
    ...fields,
    quantity: (fields.quantity ?? 100) as Lots,
    limitPrice: (fields.limitPrice === undefined ? 100_000 : fields.limitPrice) as Ticks | null,
  };
  const rejection = filterRefusal(order, instrument, { ...VIEW, ...view });
  return rejection === null ? 'passes' : `${rejection.code}: ${rejection.message}`;
}

function refused(code: RejectionCode, rule: string): unknown {
  return expect.stringMatching(new RegExp(`^${code}: .*${rule.replaceAll('.', '\\.')}`));
}

describe('lot size', () => {
  test.each([
    [{ quantity: 2 }, 'passes'],
    [{ quantity: 1 }, refused('INVALID_QUANTITY', 'quantity 1 lots of 0.001: BTC/USDT takes 0.002 to 9 BTC')],
    [{ quantity: 9_000, limitPrice: 100_000 }, 'passes'],
    [{ quantity: 9_001, limitPrice: 1_000 }, refused('INVALID_QUANTITY', '0.002 to 9 BTC in a LIMIT order')],
    [{ quantity: 0 }, refused('INVALID_QUANTITY', '0.002')],
    [{ quantity: -5 }, refused('INVALID_QUANTITY', '0.002')],
    [{ quantity: 2.5 }, refused('INVALID_QUANTITY', 'quantity 2.5 lots of 0.001')],
  ])('checks %o', (fields, expected) => expect(verdict(fields)).toEqual(expected));
});

describe('market lot size', () => {
  const market = { type: 'MARKET', timeInForce: 'IOC', limitPrice: null } as const;
  test.each([
    [{ ...market, quantity: 5_000 }, 'passes'],
    [{ ...market, quantity: 5_001 }, refused('INVALID_QUANTITY', '0.002 to 5 BTC in a MARKET order')],
    [{ ...market, quantity: 2 }, 'passes'],
    [{ ...market, quantity: 1 }, refused('INVALID_QUANTITY', '0.002')],
    [{ ...market, limitPrice: 100_000 }, refused('INVALID_ORDER', 'limit_price: a MARKET order has none')],
    [{ limitPrice: null }, refused('INVALID_ORDER', 'limit_price: a LIMIT order needs one')],
  ])('checks %o', (fields, expected) => expect(verdict(fields)).toEqual(expected));
});

describe('price', () => {
  const wide = { referencePrice: null };
  test.each([
    [{ limitPrice: 1_000 }, 'passes'],
    [{ limitPrice: 999 }, refused('INVALID_ORDER', 'limit_price 999 ticks of 0.1: BTC/USDT takes 100 to 60000 USDT')],
    [{ limitPrice: 600_000 }, 'passes'],
    [{ limitPrice: 600_001 }, refused('INVALID_ORDER', 'takes 100 to 60000 USDT')],
    [{ limitPrice: 1_000.5 }, refused('INVALID_ORDER', 'limit_price 1000.5 ticks of 0.1')],
  ])('checks %o', (fields, expected) => expect(verdict(fields, SPOT, wide)).toEqual(expected));
});

describe('percent price', () => {
  test.each([
    [{ limitPrice: 20_000 }, 'passes'],
    [
      { limitPrice: 19_999 },
      refused('INVALID_ORDER', 'limit_price 1999.9: a BUY of BTC/USDT lies at 0.2 times or above'),
    ],
    [{ limitPrice: 500_000 }, 'passes'],
    [{ limitPrice: 500_001 }, refused('INVALID_ORDER', '5 times or below the reference price 10000')],
    [{ side: 'SELL', limitPrice: 50_000 }, 'passes'],
    [{ side: 'SELL', limitPrice: 49_999 }, refused('INVALID_ORDER', 'a SELL of BTC/USDT lies at 0.5 times or above')],
    [{ side: 'SELL', limitPrice: 400_000 }, 'passes'],
    [{ side: 'SELL', limitPrice: 400_001 }, refused('INVALID_ORDER', '4 times or below')],
  ] as const)('applies the band of the side: %o', (fields, expected) => expect(verdict(fields)).toEqual(expected));

  test.each([
    [{ limitPrice: 105_000 }, 'passes'],
    [{ limitPrice: 105_001 }, refused('INVALID_ORDER', 'lies at 1.05 times or below the reference price 10000')],
    [{ limitPrice: 1_000 }, 'passes'],
    [{ side: 'SELL', limitPrice: 95_000 }, 'passes'],
    [{ side: 'SELL', limitPrice: 94_999 }, refused('INVALID_ORDER', 'lies at 0.95 times or above')],
    [{ side: 'SELL', limitPrice: 600_000 }, 'passes'],
  ] as const)('bounds only prices that cross: %o', (fields, expected) =>
    expect(verdict(fields, PERPETUAL)).toEqual(expected),
  );

  test('measures from half ticks, and skips the band without a market', () => {
    expect(verdict({ limitPrice: 20_000 }, SPOT, { referencePrice: 100_000.5 })).not.toBe('passes');
    expect(verdict({ limitPrice: 600_000 }, SPOT, { referencePrice: null })).toBe('passes');
  });
});

describe('notional', () => {
  const market = { type: 'MARKET', timeInForce: 'IOC', limitPrice: null, quantity: 4 } as const;
  test.each([
    [{ quantity: 2, limitPrice: 25_000 }, 'passes'],
    [{ quantity: 2, limitPrice: 24_999 }, refused('INVALID_ORDER', 'notional 4.9998 USDT: BTC/USDT takes 5 or more')],
    [{ quantity: 9_000, limitPrice: 100_000 }, 'passes'],
    [{ quantity: 9_000, limitPrice: 100_001 }, refused('INVALID_ORDER', 'takes 90000 or less')],
    [{ quantity: 2, limitPrice: 24_999, reduceOnly: true }, refused('INVALID_ORDER', '5 or more')],
  ])('checks %o', (fields, expected) => expect(verdict(fields)).toEqual(expected));

  test('values a MARKET order at the touch; without a touch only its quantity is bounded', () => {
    expect(verdict(market, SPOT, { touchPrice: 12_500 as Ticks })).toBe('passes');
    expect(verdict(market, SPOT, { touchPrice: 12_499 as Ticks })).toEqual(refused('INVALID_ORDER', '5 or more'));
    expect(verdict(market, SPOT, { touchPrice: null })).toBe('passes');
    expect(verdict({ ...market, quantity: 5_000 }, SPOT, { touchPrice: 500_000 as Ticks })).toBe('passes');
  });

  test('allows a smaller order that only reduces a futures position', () => {
    expect(verdict({ quantity: 2, limitPrice: 24_999, reduceOnly: true }, PERPETUAL)).toBe('passes');
    expect(verdict({ quantity: 2, limitPrice: 24_999 }, PERPETUAL)).toEqual(refused('INVALID_ORDER', '5 or more'));
  });
});

describe('open orders', () => {
  test('refuses one order above the account maximum for now, unless the order cannot rest', () => {
    const full = { restingCount: 200 };
    expect(verdict({}, SPOT, { restingCount: 199 })).toBe('passes');
    expect(verdict({}, SPOT, full)).toEqual(
      refused('RATE_LIMIT_EXCEEDED', 'open orders 200: BTC/USDT takes 200 of an account at once'),
    );
    expect(verdict({ timeInForce: 'IOC' }, SPOT, full)).toBe('passes');
    expect(verdict({ type: 'MARKET', timeInForce: 'IOC', limitPrice: null }, SPOT, full)).toBe('passes');
  });
});
