import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { followOrder } from '../../src/cli/demo/order-follower.js';
import type { Following } from '../../src/cli/demo/order-follower.js';
import type { OrderPicture } from '../../src/cli/demo/order-picture.js';
import { SluiceClient } from '../../src/client/index.js';
import { API_KEY, API_SECRET, FakeService } from '../client/fake-service.js';

const HEAD = { exchange_id: 1, exchange_name: 'BINANCE' };
const DETAILS = {
  order_id: 7,
  symbol: 'BTC/USDT',
  status: 'FILLED',
  side: 'BUY',
  filled_quantity: 1,
  leaves_quantity: 0,
};

let service: FakeService;
let client: SluiceClient;
let statuses: string[];

beforeEach(async () => {
  service = await FakeService.start();
  client = new SluiceClient({ url: service.url, apiKey: API_KEY, apiSecret: API_SECRET });
  statuses = [];
  service.on('GET /api/v2/trading/order/byId', () => ({ content: { orders: [DETAILS] } }));
});
afterEach(async () => {
  client.close();
  await service.stop();
});

function noteStatus(picture: OrderPicture): void {
  statuses.push(picture.status);
}

function following(signal: AbortSignal): Following {
  const order = {
    exchange: 'BINANCE',
    symbol: 'BTC/USDT',
    asset_category: 'SPOT',
    side: 'BUY',
    quantity: '1',
    strategy: 'TWAP',
  } as const;
  return { client, url: service.url, order, seconds: 60, speed: 1, signal, onChange: noteStatus };
}

function orderFrame(seq: number, status: string): void {
  const standing = { order_id: '7', status, filled_quantity: 1, average_price: 100 };
  service.push('order BINANCE', { topic: 'order', seq, ...HEAD, order_status: standing, order: { order_id: '7' } });
}

/** Publishes quotes while the feed has a subscriber. */
function quoting(): NodeJS.Timeout {
  const quote = { topic: 'ticker', exchange: 1, symbol: 'BTC/USDT', bid: 99, ask: 101 };
  return setInterval(() => service.push('ticker BINANCE BTC/USDT', quote), 1);
}

describe('the followed order', () => {
  it('shows every frame that comes before the answer to the create', async () => {
    const quotes = quoting();
    service.on('POST /api/v2/trading/order/create', () => {
      orderFrame(1, 'ACCEPTED');
      orderFrame(2, 'FILLED');
      return { status: 201, content: { order_id: 7, status: 'PENDING_NEW' } };
    });
    const finished = await followOrder(following(new AbortController().signal));
    clearInterval(quotes);
    expect(finished).toEqual(DETAILS);
    expect(statuses).toContain('ACCEPTED');
    expect(statuses.at(-1)).toBe('FILLED');
    expect(service.asked.at(-1)?.query.get('include_trades')).toBe('true');
  });

  it('fails when the order is refused', async () => {
    const quotes = quoting();
    const rejected = { status: 'REJECTED', error_code: 'INVALID_QUANTITY', message: 'no' };
    service.on('POST /api/v2/trading/order/create', () => ({ status: 201, content: rejected }));
    await expect(followOrder(following(new AbortController().signal))).rejects.toThrow('INVALID_QUANTITY: no');
    clearInterval(quotes);
  });

  it('stops at the abort signal, also while it waits for a quote', async () => {
    const stopping = new AbortController();
    const followed = followOrder(following(stopping.signal));
    stopping.abort(new Error('enough'));
    await expect(followed).rejects.toThrow('enough');
  });
});
