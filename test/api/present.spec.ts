import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { balancesText } from '../../src/api/account/account-answer.js';
import { instantText } from '../../src/api/field/json-text.js';
import { detailsText, summaryText, tradeText } from '../../src/api/order/order-details.js';
import { type Amount, amountOf, type Lots, type Notional, type Ticks, ZERO_AMOUNT } from '../../src/domain/quantity.js';
import type { EventEnvelope, Fill, OrderEvent } from '../../src/domain/event.js';
import type { ChildNumber, ClientOrderId, OrderId, Seq, VenueOrderId, VenueTradeId } from '../../src/domain/ids.js';
import type { EpochMs } from '../../src/domain/time.js';
import { pairOf } from '../domain/sample-pair.js';
import { DEMO, NOW_MS, parentOrder, parentState } from '../http/orders.js';
import type { ParentState } from '../../src/domain/order-state.js';
import { acknowledged, given, submitted, unknown, WORKABLE } from '../order/orders.js';

const NOTHING_ELSE = { trades: null, withFees: false, withParams: false, outcome: null };

const FILL: Fill = {
  tradeId: 42 as VenueTradeId,
  exchangeTradeId: '',
  venueOrderId: 'V-1' as VenueOrderId,
  quantity: 12_345 as Lots,
  price: 6_000_050 as Ticks,
  liquidity: 'MAKER',
  fee: amountOf(-15n, 4),
  feeCurrency: 'USDT',
};

function filled(fill: Fill): EventEnvelope {
  return {
    seq: 1 as Seq,
    slot: 7,
    account: DEMO,
    venue: 'BINANCE',
    otherVenue: null,
    orderId: 7 as OrderId,
    eventAtMs: NOW_MS,
    recordedAtMs: NOW_MS,
    correlationId: 0 as EventEnvelope['correlationId'],
    causationSeq: 0,
    event: { kind: 'ChildFilled', leg: 0, child: 1 as ChildNumber, fill, isLate: false },
    parent: null,
    child: null,
  };
}

/** The details of an order after these events. */
function shown(events: readonly OrderEvent[]): object {
  return JSON.parse(detailsText(given(events), NOTHING_ELSE)) as object;
}

describe('OrderDetails', () => {
  it('shows a new order with zeros and without absent members', () => {
    expect(JSON.parse(detailsText(parentState(), NOTHING_ELSE))).toEqual({
      order_id: 7,
      symbol: 'BTC/USDT',
      status: 'ACCEPTED',
      asset_class: 'SPOT',
      exchange: 'BINANCE',
      strategy: 'TWAP',
      quantity: 0.5,
      created_at: NOW_MS,
      start_time: NOW_MS,
      filled_quantity: 0,
      leaves_quantity: 0.5,
      side: 'BUY',
      last_quantity: 0,
      last_price: 0,
      average_price: 0,
    });
  });

  it.each([
    ['starts', { startedAtMs: (NOW_MS + 2) as EpochMs }, NOW_MS + 2],
    ['is created', {}, NOW_MS],
  ])('shows no end before the order %s, although the clock of the exchange is late', (_what, started, endTime) => {
    const endedAtMs = (NOW_MS - 129) as EpochMs;
    const text = detailsText(parentState({}, { status: 'FILLED', endedAtMs, ...started }), NOTHING_ELSE);
    expect(JSON.parse(text)).toMatchObject({ start_time: NOW_MS, end_time: endTime });
  });

  it('shows progress exactly, and the actual end instead of the planned one', () => {
    const state = parentState(
      { clientOrderId: 'say "hi"' as ClientOrderId, endAtMs: (NOW_MS + 9) as EpochMs },
      {
        status: 'EXPIRED',
        endedAtMs: (NOW_MS + 5) as EpochMs,
        outcome: { code: 'EXPIRY_REACHED', message: 'time ran out' },
      },
      {
        progress: { filled: 3 as Lots, notional: 20_000_001n as Notional },
        lastQuantity: 1 as Lots,
        lastPrice: 6_666_667 as Ticks,
        fees: [
          { currency: 'USDT', amount: amountOf(12n, 9) },
          { currency: 'BTC', amount: amountOf(1n, 18) },
        ],
      },
    );
    const text = detailsText(state, {
      ...NOTHING_ELSE,
      trades: [tradeText(state.order, filled(FILL))],
      withFees: true,
    });
    expect(text).toContain('"filled_quantity":0.00003,"leaves_quantity":0.49997,');
    expect(text).toContain('"average_price":66666.67');
    expect(text).toContain('"fees_infos":{"USDT":0.000000012,"BTC":0.000000000000000001}');
    expect(JSON.parse(text)).toMatchObject({
      client_order_id: 'say "hi"',
      end_time: NOW_MS + 5,
      message: 'time ran out',
      error_code: 'EXPIRY_REACHED',
      trades: [{ trade_id: 42 }],
    });
  });

  it('shows the limit price, and clip and params when they are wanted', () => {
    const requestEcho = '{"clip_size_type":"ORDER_COUNT","clip_size_val":4,"params":{"duration_seconds":60}}';
    const state = parentState({ limitPrice: 6_000_050 as Ticks, requestEcho });
    const plain = JSON.parse(detailsText(state, NOTHING_ELSE)) as object;
    expect(plain).toMatchObject({ quantity: 0.5, limit_price: 60_000.5, created_at: NOW_MS });
    expect(plain).not.toHaveProperty('params');
    expect(JSON.parse(detailsText(state, { ...NOTHING_ELSE, withParams: true }))).toEqual({
      ...plain,
      clip_size_type: 'ORDER_COUNT',
      clip_size_val: 4,
      params: { duration_seconds: 60 },
    });
  });

  it('names the oldest child of unknown state in the message of an open order', () => {
    const sent = [...WORKABLE, submitted(1), submitted(2), submitted(3)];
    expect(shown([...sent, acknowledged(1)])).not.toHaveProperty('message');
    const one = shown([...sent, acknowledged(1), unknown(2)]);
    expect(one).toMatchObject({
      message: expect.stringMatching(/^waits for BINANCE to report .* child 4711-2 of 20.*Z$/),
    });
    expect(one).not.toHaveProperty('error_code');
    const two = shown([...sent, acknowledged(1), unknown(3), unknown(2)]);
    expect(two).toMatchObject({ message: expect.stringMatching(/child 4711-2 of .*, and of 1 more$/) });
    expect(shown([...sent, acknowledged(1), unknown(2), acknowledged(2)])).not.toHaveProperty('message');
  });

  it('is valid JSON with exact digits for any quantity', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
        fc.integer({ min: 0, max: 12 }),
        (lots, digits) => {
          const text = detailsText(parentState({ quantity: lots as Lots, quantityPrecision: digits }), NOTHING_ELSE);
          JSON.parse(text);
          const [, whole = '', fraction = ''] = /"leaves_quantity":(\d+)(?:\.(\d+))?,/.exec(text) ?? [];
          expect(BigInt(whole + fraction.padEnd(digits, '0'))).toBe(BigInt(lots));
        },
      ),
    );
  });
});

describe('OrderDetails of a pair', () => {
  const LEG = { order_id: 7, status: 'ACCEPTED', asset_class: 'SPOT', symbol: 'BTC/USDT', start_time: NOW_MS };
  const UNFILLED = {
    quantity: 0.5,
    created_at: NOW_MS,
    filled_quantity: 0,
    leaves_quantity: 0.5,
    last_quantity: 0,
    last_price: 0,
    average_price: 0,
  };

  it('shows legs instead of the members that belong to a leg', () => {
    const target = { value: '30000', ccy: 'USD', isBase: false };
    const state = parentState(pairOf(parentOrder(), 'OKX', { target }));
    expect(JSON.parse(detailsText(state, { ...NOTHING_ELSE, trades: [], withFees: true }))).toEqual({
      order_id: 7,
      status: 'ACCEPTED',
      asset_class: 'SPOT',
      algo: 'PAIR',
      start_time: NOW_MS,
      ...UNFILLED,
      mishedge: 0,
      legs: [
        {
          ...LEG,
          ...UNFILLED,
          exchange: 'OKX',
          strategy: 'TWAP',
          side: 'SELL',
          is_leading: false,
          target_value: 3e4,
          ccy: 'USD',
          filled_value: 0,
          fees_infos: {},
        },
        {
          ...LEG,
          ...UNFILLED,
          exchange: 'BINANCE',
          strategy: 'TWAP',
          side: 'BUY',
          is_leading: true,
          target_value: 0.5,
          ccy: 'BTC',
          filled_value: 0,
          fees_infos: {},
        },
      ],
      trades: [],
      fees_infos: {},
    });
  });

  it('shows the params of the pair and of each leg when they are wanted', () => {
    const order = pairOf(parentOrder({ requestEcho: '{"params":{"duration_seconds":60}}' }), 'OKX', {
      requestEcho: '',
    });
    const pair = { ...order, pair: { ...order.pair!, requestEcho: '{"params":{"hedge_slippage_bps":5}}' } };
    expect(JSON.parse(detailsText(parentState(pair), { ...NOTHING_ELSE, withParams: true }))).toMatchObject({
      params: { hedge_slippage_bps: 5 },
      legs: [
        expect.not.objectContaining({ params: expect.anything() as unknown }),
        { params: { duration_seconds: 60 } },
      ],
    });
  });

  it('shows the filled quantity of each leg and the unhedged value', () => {
    const state = parentState(pairOf(parentOrder(), 'OKX'), { status: 'PARTIALLY_FILLED' });
    const progress = { filled: 30_000 as Lots, notional: 3_000_000_000n as Notional };
    const behind = { filled: 20_000 as Lots, notional: 2_001_000_000n as Notional };
    const fees = [{ currency: 'USDT', amount: (10n ** 18n) as Amount }];
    const legs: ParentState['legs'] = [
      { ...state.legs[0], progress: behind, fees },
      { ...state.legs[0], progress, fees },
    ];
    const shown = JSON.parse(detailsText({ ...state, legs }, { ...NOTHING_ELSE, withFees: true })) as object;
    expect(shown).toMatchObject({
      filled_quantity: 0.3,
      mishedge: 99.9,
      fees_infos: { USDT: 2 },
      legs: [
        { filled_quantity: 0.2, average_price: 1000.5, fees_infos: { USDT: 1 } },
        { filled_quantity: 0.3, average_price: 1000, fees_infos: { USDT: 1 } },
      ],
    });
  });

  it('shows the reason of the end once the pair has ended', () => {
    const outcome = { code: 'EXPIRY_REACHED', message: 'time ran out' } as const;
    const state = parentState(pairOf(parentOrder(), 'OKX'), { status: 'EXPIRED', outcome });
    expect(JSON.parse(detailsText(state, NOTHING_ELSE))).toMatchObject({ message: 'time ran out' });
    const cancelled = parentState(pairOf(parentOrder(), 'OKX'), { status: 'CANCELLED' });
    expect(JSON.parse(detailsText(cancelled, NOTHING_ELSE))).not.toHaveProperty('message');
  });
});

describe('an instant', () => {
  it('is written as Date.toISOString writes it, for instants in any order', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 253_402_300_799_999 }), (atMs) => {
        for (const nearMs of [atMs, atMs + 1, atMs]) {
          expect(instantText(nearMs)).toBe(`"${new Date(nearMs).toISOString()}"`);
        }
      }),
    );
  });
});

describe('trades, summaries and balances', () => {
  it('shows a trade with a rebate as a negative fee', () => {
    const order = parentOrder({ side: 'SELL', clientOrderId: 'mine' as ClientOrderId });
    expect(tradeText(order, filled(FILL))).toBe(
      '{"trade_id":42,"symbol":"BTC/USDT","exchangeOrderId":"V-1","clientOrderId":"mine","quantity":0.12345,' +
        `"price":60000.5,"direction":"SELL","makerOrTaker":"MAKER","execTime":${NOW_MS},"fee":-0.0015,"feeCurrency":"USDT"}`,
    );
  });

  it('shows the summary of a rejected create without an order id', () => {
    const text = summaryText({
      orderId: null,
      clientOrderId: null,
      status: 'REJECTED',
      createdAtMs: NOW_MS,
      outcome: { code: 'INVALID_PARAM', message: 'side "UP"\n is wrong' },
    });
    expect(JSON.parse(text)).toEqual({
      status: 'REJECTED',
      created_at: '2026-11-21T12:00:00.000Z',
      message: 'side "UP"\n is wrong',
      error_code: 'INVALID_PARAM',
    });
  });

  it('omits balances of 0 and below', () => {
    const balances = [ZERO_AMOUNT, amountOf(-1, 0), amountOf(25n, 1)].map((total: Amount) => ({
      asset: 'BTC',
      total,
      free: ZERO_AMOUNT,
    }));
    expect(balancesText(balances)).toBe('[{"balance":2.5,"free":0,"symbol":"BTC"}]');
  });
});
