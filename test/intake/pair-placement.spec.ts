import { beforeEach, describe, expect, it } from 'vitest';
import type { EarlierCreates } from '../../src/intake/earlier-creates.js';
import { OrderPlacement } from '../../src/intake/order-placement.js';
import type { OrderSummary } from '../../src/api/order/order-details.js';
import type { OrderId } from '../../src/domain/ids.js';
import { type Rejection, Rejected } from '../../src/domain/rejection.js';
import type { EpochMs } from '../../src/domain/time.js';
import { earlierCreates, FakeOrderBook } from './fake-order-book.js';
import { BY_DEMO, CATALOGUE, NOW_MS, createBody } from '../http/orders.js';
import { pairBody } from '../api/pairs.js';
import { LatePrices } from '../http/prices.js';

const NAMED = { client_order_id: 'once' };
/** The second leg is sized in quote currency without a limit price, so it waits for its market. */
const FOR_MONEY = { ccy: 'USDT', target_value: '30000' };
const PRICELESS: Rejection = { code: 'EXCHANGE_NOT_AVAILABLE', message: 'exchange OKX has no price of BTC/USDT' };

describe('placing a pair', () => {
  let book: FakeOrderBook;
  let prices: LatePrices;
  let earlier: EarlierCreates;
  let placement: OrderPlacement;
  let nowMs: number;
  beforeEach(() => {
    earlier = earlierCreates();
    book = new FakeOrderBook();
    prices = new LatePrices();
    nowMs = NOW_MS;
    const clock = { nowMs: () => nowMs as EpochMs };
    placement = new OrderPlacement({
      commands: book,
      reader: book,
      whenComplete: book.whenComplete,
      catalogue: CATALOGUE,
      market: prices,
      haltOf: () => null,
      earlier,
      clock,
    });
  });

  function place(body: Record<string, unknown>): OrderSummary[] {
    const answers: OrderSummary[] = [];
    placement.placePair(BY_DEMO, body, (summary) => answers.push(summary));
    return answers;
  }

  it('stores both legs, and the leg that leads', () => {
    const params = { max_unhedged_value: '5000', hedge_slippage_bps: 25 };
    const hedge = { limit_price: '59000', params: { is_leading: true, duration_seconds: '30' } };
    const [summary] = place(pairBody({ ...NAMED, subaccount: 'desk', params }, {}, hedge));
    expect(summary).toMatchObject({ status: 'PENDING_NEW', outcome: null });
    const { order } = book.stateOf(summary?.orderId as OrderId);
    expect(order).toMatchObject({
      subaccount: 'desk',
      endAtMs: NOW_MS + 3e4,
      reduceOnly: false,
      legs: [
        {
          venue: 'BINANCE',
          strategy: 'TWAP',
          requestEcho: '{"params":{"duration_seconds":60}}',
          target: { value: '0.5' },
        },
        {
          venue: 'OKX',
          side: 'SELL',
          strategy: 'MARKET',
          instrument: 2,
          limitPrice: 59e5,
          durationMs: 3e4,
          quantity: 5e4,
          ladder: null,
          target: { ccy: 'BTC', isBase: true },
        },
      ],
      pair: {
        leadingIndex: 1,
        maxUnhedgedValue: 5000n * 10n ** 18n,
        maxUnhedgedMs: 3e4,
        hedgeSlippageBps: 25,
        requestEcho: '{"params":{"max_unhedged_value":5000,"hedge_slippage_bps":25}}',
      },
    });
  });

  it('converts the target value to lots at the price and time of the market answer', () => {
    const answers = place(pairBody({}, {}, FOR_MONEY));
    expect([answers.length, prices.waitingCount, book.placedCount]).toEqual([0, 1, 0]);
    nowMs += 700;
    prices.answer(2 * 6_000_100);
    expect(answers[0]).toMatchObject({ status: 'PENDING_NEW', createdAtMs: NOW_MS + 700 });
    const { order } = book.stateOf(answers[0]?.orderId as OrderId);
    expect(order.legs[1]).toMatchObject({ quantity: 49_999, target: { value: '30000', isBase: false } });
  });

  it('stores nothing when the market has no price, and frees the client_order_id', () => {
    const answers = place(pairBody(NAMED, FOR_MONEY, FOR_MONEY));
    prices.answer(new Rejected(PRICELESS));
    const message = `legs[0].${PRICELESS.message}`;
    expect(answers).toMatchObject([{ orderId: null, status: 'REJECTED', outcome: { ...PRICELESS, message } }]);
    expect(book.placedCount).toBe(0);
    expect(place(pairBody(NAMED))[0]?.status).toBe('PENDING_NEW');
  });

  it('refuses a target value that is below the minimum at the market price', () => {
    const answers = place(pairBody({}, {}, { ...FOR_MONEY, target_value: '5' }));
    prices.answer(2 * 6_000_000);
    expect(answers[0]?.outcome).toMatchObject({ code: 'INVALID_QUANTITY' });
    expect(answers[0]?.outcome?.message).toContain('legs[1].target_value of 5 USDT at 60000 is under the minimum');
  });

  it('refuses past times before it requests a price', () => {
    const [answer] = place(pairBody({ end_time: '2020-01-01T00:00:00Z' }, FOR_MONEY));
    expect([answer?.outcome?.code, prices.waitingCount]).toEqual(['INVALID_END_TIME', 0]);
  });
});

describe('the client_order_id of a pair', () => {
  const book = new FakeOrderBook();
  const prices = new LatePrices();
  const clock = { nowMs: () => NOW_MS };
  const placement = new OrderPlacement({
    commands: book,
    reader: book,
    whenComplete: book.whenComplete,
    catalogue: CATALOGUE,
    market: prices,
    haltOf: () => null,
    earlier: earlierCreates(),
    clock,
  });
  const summaries: OrderSummary[] = [];
  const answer = (summary: OrderSummary): void => void summaries.push(summary);
  const pair = (fields: Record<string, unknown> = {}) => pairBody({ ...NAMED, ...fields }, {}, FOR_MONEY);

  it('names one order at any later price of its market', () => {
    placement.placePair(BY_DEMO, pair(), answer);
    placement.placePair(BY_DEMO, pair({ algo: 'pair', params: null }), answer);
    expect(prices.waitingCount).toBe(1);
    prices.answer(2 * 6_000_000);
    placement.placePair(BY_DEMO, pair(), answer);
    expect([book.placedCount, prices.waitingCount, new Set(summaries.map(({ orderId }) => orderId)).size]).toEqual([
      1, 0, 1,
    ]);
    expect(summaries).toHaveLength(3);
  });

  it.each([
    ['another value', pairBody(NAMED, {}, { ...FOR_MONEY, target_value: '30000.01' })],
    ['another currency of the same value', pairBody(NAMED, {}, { ...FOR_MONEY, ccy: 'USD' })],
    ['another leader', pairBody(NAMED, {}, { ...FOR_MONEY, params: { is_leading: true } })],
    ['legs in another order', { ...pair(), legs: (pair()['legs'] as unknown[]).toReversed() }],
    ['other params', pair({ params: { hedge_slippage_bps: 51 } })],
    ['another subaccount', pair({ subaccount: 'x' })],
  ])('is refused for a different order: %s', (_what, body) => {
    placement.placePair(BY_DEMO, body, answer);
    expect(summaries.at(-1)?.outcome?.code).toBe('INVALID_REQUEST');
  });

  it('is shared with single-leg orders', () => {
    placement.place(BY_DEMO, createBody(NAMED), answer);
    expect(summaries.at(-1)?.outcome?.code).toBe('INVALID_REQUEST');
    placement.place(BY_DEMO, createBody({ client_order_id: 'single' }), answer);
    placement.placePair(BY_DEMO, pair({ client_order_id: 'single' }), answer);
    expect(summaries.at(-1)?.outcome?.code).toBe('INVALID_REQUEST');
    expect(book.placedCount).toBe(2);
  });
});
