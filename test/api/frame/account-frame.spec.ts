import { describe, expect, it } from 'vitest';
import type { Amount, Lots } from '../../../src/domain/quantity.js';
import { type AccountTopic, type EventEnvelope, topicsOf } from '../../../src/domain/event.js';
import type { EpochMs } from '../../../src/domain/time.js';
import { accountFrames } from '../../../src/api/stream/account-frame.js';
import { balanceSnapshotFrame } from '../../../src/api/account/account-frame.js';
import { progressOf } from '../../../src/api/order/order-frame.js';
import { pairOf } from '../../domain/sample-pair.js';
import {
  ACCEPTED,
  balanceChanged,
  CHILD_SNAPSHOT,
  envelopeOf,
  FILL,
  FILLED,
  PARENT,
} from '../../stream/sample-events.js';
import { withTerms } from '../../domain/plain-order.js';

const parentOf = () => PARENT;

function frame(topic: AccountTopic, envelope: EventEnvelope, seq = 7): unknown {
  const text = accountFrames(parentOf)(topic, seq, envelope);
  return text === null ? null : JSON.parse(text);
}

function noteOf(code: string): EventEnvelope {
  return envelopeOf({
    kind: 'StrategyNoted',
    leg: 0,
    reason: { code, detail: 'the day is taken as flat' },
    memory: null,
  });
}

describe('orderFrame', () => {
  it('shows the order with its status and progress', () => {
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

  it('omits members that the client did not send', () => {
    const bare = withTerms(PARENT, { clientOrderId: null, limitPrice: null, endAtMs: null, requestEcho: '' });
    const text = accountFrames(() => bare)('order', 1, ACCEPTED) ?? '';
    const { order } = JSON.parse(text) as { order: Record<string, unknown> };
    expect(Object.keys(order)).not.toEqual(expect.arrayContaining(['limit_price']));
    for (const name of ['client_order_id', 'limit_price', 'end_time', 'params', 'clip_size_type', 'subaccount']) {
      expect(order).not.toHaveProperty(name);
    }
  });

  it('shows both legs of a pair with their progress, in the feed of each exchange', () => {
    const target = { value: '1.5', ccy: 'USD', isBase: false };
    const pair = pairOf(PARENT, 'OKX', { limitPrice: null, requestEcho: '', target });
    const [leading] = FILLED.parent!.legs;
    const parent = { ...FILLED.parent!, status: 'ACCEPTED', legs: [leading, leading] } as const;
    const accepted = { ...ACCEPTED, parent };
    for (const [venue, id] of [['BINANCE', 1] as const, ['OKX', 5] as const]) {
      const text = accountFrames(() => pair)('order', 2, accepted, venue) ?? '';
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

  it('shows the reason why an order ended', () => {
    const outcome = { code: 'EXPIRY_REACHED', message: 'time ran out at "half"' } as const;
    const expired = envelopeOf({ kind: 'ParentExpired', cause: outcome });
    const ended = { ...expired, parent: { ...FILLED.parent!, status: 'EXPIRED' as const, outcome } };
    expect(frame('order', ended)).toMatchObject({
      order_status: { status: 'EXPIRED', message: 'time ran out at "half"', error_code: 'EXPIRY_REACHED' },
    });
  });

  it('shows a note only for an order that continues without the volume profile it needs', () => {
    const noted = { ...noteOf('VOLUME_UNKNOWN'), parent: FILLED.parent };
    const shown = frame('order', noted) as { order_status: object };
    expect(shown.order_status).toMatchObject({ status: 'PARTIALLY_FILLED', message: 'the day is taken as flat' });
    expect(shown.order_status).not.toHaveProperty('error_code');
    expect(topicsOf(noted.event)).toEqual(['order']);
    expect(topicsOf(noteOf('LIMIT_BINDS').event)).toEqual([]);
  });

  it('takes the order from the event that created it', () => {
    const created = envelopeOf({ kind: 'ParentCreated', order: withTerms(PARENT, { symbol: 'BTC/USDT' }) });
    const text = accountFrames(() => null)('order', 1, created);
    expect(JSON.parse(text ?? '')).toMatchObject({ order: { symbol: 'BTC/USDT' } });
  });

  it('returns null when the order is no longer kept', () => {
    expect(accountFrames(() => null)('order', 1, ACCEPTED)).toBeNull();
  });
});

describe('childOrderFrame', () => {
  it('shows the child, its parent and the reason of the child', () => {
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
        reason: 'JOIN_TOUCH',
        detail: { target: 0.1, filled: 0, working: 0, bid: 63_999.99, ask: 64_000.01 },
      },
      order_progress: 0.25,
    });
  });

  it('omits the price of a market order', () => {
    const order = { ...CHILD_SNAPSHOT.order, type: 'MARKET' as const, limitPrice: null };
    const text = accountFrames(parentOf)('child_order', 1, { ...FILLED, child: { ...CHILD_SNAPSHOT, order } });
    expect(JSON.parse(text ?? '')).not.toHaveProperty('order.limit_price');
  });
});

describe('tradeFrame', () => {
  it('shows one fill', () => {
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

  it('marks a fill that came after the end of its order', () => {
    const late = {
      ...FILLED,
      event: { kind: 'ChildFilled', leg: 0, child: 3, fill: FILL, isLate: true },
    } as EventEnvelope;
    expect(frame('trade', late)).toMatchObject({ is_late: true });
  });
});

describe('balanceFrame', () => {
  it('shows the balance of one asset', () => {
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

  it('keeps every digit of a balance that no JavaScript number can hold', () => {
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
  ])('%d lots filled of %d gives %s', (filled, quantity, progress) => {
    expect(progressOf(filled as Lots, quantity as Lots)).toBe(progress);
  });
});
