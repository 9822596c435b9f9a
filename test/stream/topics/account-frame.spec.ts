import { describe, expect, it } from 'vitest';
import type { Amount } from '../../../src/model/amount.js';
import type { EventEnvelope } from '../../../src/model/event.js';
import { topicsOf } from '../../../src/model/feed.js';
import type { Lots, Notional } from '../../../src/model/quantity.js';
import type { EpochMs } from '../../../src/model/time.js';
import { accountFrame } from '../../../src/stream/topics/account-frame.js';
import { balanceSnapshotFrame } from '../../../src/stream/topics/balance.js';
import { progressOf } from '../../../src/stream/topics/order-status.js';
import { pairOf } from '../../model/sample-pair.js';
import { ACCEPTED, balanceChanged, CHILD_STANDING, envelopeOf, FILL, FILLED, PARENT } from '../sample-events.js';

const parentOf = () => PARENT;

function frame(topic: Parameters<typeof accountFrame>[0], envelope: EventEnvelope, seq = 7): unknown {
  const text = accountFrame(topic, seq, envelope, parentOf);
  return text === null ? null : JSON.parse(text);
}

function noteOf(code: string): EventEnvelope {
  return envelopeOf({ kind: 'StrategyNoted', reason: { code, detail: 'the day is taken as flat' }, memory: [] });
}

describe('order frames', () => {
  it('tell the order and where it stands', () => {
    expect(frame('order', FILLED)).toEqual({
      topic: 'order',
      seq: 7,
      exchange_id: 1,
      exchange_name: 'BINANCE',
      order_status: {
        source: 'SLUICE',
        order_id: '4711',
        client_order_id: 'mine "1"',
        exchange_id: 1,
        status: 'PARTIALLY_FILLED',
        created_at: 3_000,
        filled_quantity: 0.025,
        leaves_quantity: 1.475,
        side: 'BUY',
        average_price: 63_999.99,
      },
      order: {
        order_id: '4711',
        client_order_id: 'mine "1"',
        exchange_id: 1,
        exchange_name: 'BINANCE',
        symbol: 'btc/usdt',
        asset_class: 'SPOT',
        side: 'BUY',
        quantity: 1.5,
        limit_price: 64_000.5,
        strategy: 'TWAP',
        order_type: 'TWAP',
        created_at: 1_000,
        start_time: 1_500,
        end_time: 61_500,
        clip_size_type: 'AUTOMATIC',
        params: { duration_seconds: 60 },
      },
      order_progress: 0.016666,
    });
  });

  it('leave out what the client did not give', () => {
    const bare = { ...PARENT, clientOrderId: null, limitPrice: null, endAtMs: null, requestEcho: '' };
    const text = accountFrame('order', 1, ACCEPTED, () => bare) ?? '';
    const { order } = JSON.parse(text) as { order: Record<string, unknown> };
    expect(Object.keys(order)).not.toEqual(expect.arrayContaining(['limit_price']));
    for (const name of ['client_order_id', 'limit_price', 'end_time', 'params', 'clip_size_type', 'subaccount']) {
      expect(order).not.toHaveProperty(name);
    }
  });

  it('tell of a pair both legs and how far each has come, in the feed of either venue', () => {
    const follower = { filled: 2_500 as Lots, notional: (2_500n * 6_399_999n) as Notional, quoteRate: 1 };
    const pair = pairOf(PARENT, 'OKX', { limitPrice: null, requestEcho: '', isBaseTarget: false, ccy: 'USD' });
    const accepted = { ...ACCEPTED, parent: { ...FILLED.parent!, status: 'ACCEPTED' as const, follower } };
    for (const [venue, id] of [['BINANCE', 1] as const, ['OKX', 5] as const]) {
      const text = accountFrame('order', 2, accepted, () => pair, venue) ?? '';
      expect(JSON.parse(text)).toMatchObject({
        seq: 2,
        exchange_id: id,
        exchange_name: venue,
        mishedge: 0,
        order_status: {
          exchange_id: 1,
          status: 'ACCEPTED',
        },
        order: {
          exchange_name: 'BINANCE',
          side: 'BUY',
          strategy: 'TWAP',
          algo: 'PAIR',
          legs: [
            {
              exchange_name: 'OKX',
              side: 'SELL',
              is_leading: false,
              target_value: 1.5,
              ccy: 'USD',
              quantity: 1.5,
              filled_quantity: 0.025,
              filled_value: 1599.99975,
            },
            {
              exchange_name: 'BINANCE',
              is_leading: true,
              ccy: 'BTC',
              limit_price: 64000.5,
              params: { duration_seconds: 60 },
            },
          ],
        },
      });
      expect(text).not.toContain('error_code');
    }
  });

  it('say why an order ended', () => {
    const outcome = { code: 'EXPIRY_REACHED', message: 'time ran out at "half"' } as const;
    const expired = envelopeOf({ kind: 'ParentExpired', cause: outcome });
    const ended = { ...expired, parent: { ...FILLED.parent!, status: 'EXPIRED' as const, outcome } };
    expect(frame('order', ended)).toMatchObject({
      order_status: { status: 'EXPIRED', message: 'time ran out at "half"', error_code: 'EXPIRY_REACHED' },
    });
  });

  it('tell of an order that goes on without the volume that it needs, and of no other note', () => {
    const noted = { ...noteOf('VOLUME_UNKNOWN'), parent: FILLED.parent };
    const told = frame('order', noted) as { order_status: object };
    expect(told.order_status).toMatchObject({ status: 'PARTIALLY_FILLED', message: 'the day is taken as flat' });
    expect(told.order_status).not.toHaveProperty('error_code');
    expect(topicsOf(noted.event)).toEqual(['order']);
    expect(topicsOf(noteOf('LIMIT_BINDS').event)).toEqual([]);
  });

  it('take the order from the event that created it', () => {
    const created = envelopeOf({ kind: 'ParentCreated', order: { ...PARENT, symbol: 'BTC/USDT' } });
    const text = accountFrame('order', 1, created, () => null);
    expect(JSON.parse(text ?? '')).toMatchObject({ order: { symbol: 'BTC/USDT' } });
  });

  it('cannot be made of an order that is no longer kept', () => {
    expect(accountFrame('order', 1, ACCEPTED, () => null)).toBeNull();
  });
});

describe('child order frames', () => {
  it('tell the child, its parent and the reason', () => {
    expect(frame('child_order', FILLED)).toMatchObject({
      topic: 'child_order',
      seq: 7,
      order_status: { order_id: '4711-3', client_order_id: '4711-3', filled_quantity: 0.025, leaves_quantity: 0.075 },
      order: {
        order_id: '4711-3',
        client_order_id: '4711-3',
        parent_order_id: '4711',
        quantity: 0.1,
        limit_price: 64_000,
        strategy: 'TWAP',
        order_type: 'LIMIT',
        tif: 'GTC',
        created_at: 2_000,
        reason: 'SLICE target=10000 filled=0',
      },
      order_progress: 0.25,
    });
  });

  it('leave out the price of a market order', () => {
    const order = { ...CHILD_STANDING.order, type: 'MARKET' as const, limitPrice: null };
    const text = accountFrame('child_order', 1, { ...FILLED, child: { ...CHILD_STANDING, order } }, parentOf);
    expect(JSON.parse(text ?? '')).not.toHaveProperty('order.limit_price');
  });
});

describe('trade frames', () => {
  it('tell one fill', () => {
    expect(frame('trade', FILLED)).toEqual({
      topic: 'trade',
      seq: 7,
      exchange_id: 1,
      exchange_name: 'BINANCE',
      trade_id: '99',
      order_id: '4711-3',
      parent_order_id: '4711',
      symbol: 'btc/usdt',
      side: 'BUY',
      taker_or_maker: 'MAKER',
      price: 63_999.99,
      amount: 0.025,
      cost: 1_599.99975,
      fee_currency: 'USDT',
      fee_cost: 0.6399999,
      timestamp: 3_000,
      ext_trade_id: '99',
      ext_order_id: 'v-7',
      client_order_id: 'mine "1"',
    });
  });

  it('flag a fill that came after the end', () => {
    const late = { ...FILLED, event: { kind: 'ChildFilled', child: 3, fill: FILL, isLate: true } } as EventEnvelope;
    expect(frame('trade', late)).toMatchObject({ is_late: true });
  });
});

describe('balance frames', () => {
  it('tell one asset', () => {
    expect(frame('balance', balanceChanged(5n))).toEqual({
      topic: 'balance',
      seq: 7,
      exchange_id: 1,
      exchange_name: 'BINANCE',
      symbol: 'USDT',
      balance: 5,
      free: 5,
      timestamp: 3_000,
    });
  });

  it('carry every digit, which a JavaScript number could not', () => {
    const total = 123_456_789_012_345_678_901_234_567n as Amount;
    const text = balanceSnapshotFrame({
      seq: 0,
      venue: 'OKX',
      balance: { asset: 'USDT', total, free: total },
      atMs: 1 as EpochMs,
    });
    expect(text).toContain('"balance":123456789.012345678901234567,');
    expect(text).toContain('"snapshot":true');
  });
});

describe('order_progress', () => {
  it.each([
    [0, 3, '0'],
    [1, 3, '0.333333'],
    [29, 100, '0.29'],
    [999_999_999, 1_000_000_000, '0.999999'],
    [3, 3, '1'],
  ])('%d of %d is %s', (filled, quantity, progress) => {
    expect(progressOf(filled as Lots, quantity as Lots)).toBe(progress);
  });
});
