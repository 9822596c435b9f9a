import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { API_KEY, API_SECRET, FakeService } from '../client/fake-service.js';
import { sluice } from './command-line.js';
import type { Outcome } from './command-line.js';

let service: FakeService;
let status: string;
/** The connection is cut once, before the frames. */
let isCut: boolean;

beforeEach(async () => {
  service = await FakeService.start();
  status = 'ACCEPTED';
  isCut = false;
  const details = {
    symbol: 'BTC/USDT',
    side: 'BUY',
    exchange: 'OKX',
    filled_quantity: 0,
    leaves_quantity: 1,
    average_price: 0,
  };
  service.on('GET /api/v2/trading/order/byId', () => {
    // The second read follows the subscriptions. All later changes come as frames.
    if (service.feedMessages.length === 3) setImmediate(isCut ? cut : sendFrames);
    return { content: { orders: [{ order_id: 7, status, ...details }] } };
  });
});
afterEach(() => service.stop());

const run = (...args: string[]): Promise<Outcome> =>
  sluice(['watch', '7', ...args], { SLUICE_URL: service.url, SLUICE_API_KEY: API_KEY, SLUICE_API_SECRET: API_SECRET });

let ending = 'FILLED';

function sendFrames(): void {
  const head = { exchange_id: 5, exchange_name: 'OKX' };
  const standing = { status: 'FILLED', filled_quantity: 1, average_price: 10 };
  const child = { parent_order_id: '7', side: 'BUY', quantity: 1, limit_price: 10 };
  service.push('child_order OKX', { topic: 'child_order', seq: 1, ...head, order_status: standing, order: child });
  const trade = { taker_or_maker: 'MAKER', side: 'BUY', amount: 1, price: 10, fee_cost: 0.01, fee_currency: 'USDT' };
  service.push('trade OKX', { topic: 'trade', seq: 1, ...head, parent_order_id: '7', ...trade });
  service.push('trade OKX', { topic: 'trade', seq: 2, ...head, parent_order_id: '8', ...trade });
  const parent = { ...standing, status: ending };
  service.push('order OKX', {
    topic: 'order',
    seq: 1,
    ...head,
    order_status: parent,
    order: { order_id: '7', quantity: 1 },
  });
}

/** Ends the connection, and sends the frames after the subscriptions of the next one. */
function cut(): void {
  service.dropStreams();
  const look = setInterval(() => {
    if (service.feedMessages.length < 6) return;
    clearInterval(look);
    sendFrames();
  }, 5);
}

describe('sluice watch', () => {
  it('prints the frames of the order and ends with the order', async () => {
    ending = 'FILLED';
    const { status: exit, out, error } = await run();
    expect({ exit, error }).toEqual({ exit: 0, error: '' });
    expect(out.trimEnd().split('\n')).toEqual([
      'order 7 BUY BTC/USDT ACCEPTED filled 0 of 1 at 0',
      'child   FILLED           BUY 1 at 10 filled 1',
      'trade   MAKER            BUY 1 at 10 fee 0.01 USDT',
      'order   FILLED           filled 1 of 1 at 10',
    ]);
  });

  it('prints one frame a line as JSON', async () => {
    ending = 'FILLED';
    const lines = (await run('--json')).out.trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { topic: string }).topic)).toEqual([
      'child_order',
      'trade',
      'order',
    ]);
  });

  it('says that the connection is lost and is back, beside the frames', async () => {
    ending = 'FILLED';
    isCut = true;
    const { status: exit, out, error } = await run('--json');
    expect(exit).toBe(0);
    expect(error).toBe('the connection to the service is lost; trying again\nconnected again\n');
    for (const line of out.trimEnd().split('\n')) expect(JSON.parse(line)).toHaveProperty('topic');
  });

  it('exits with status 1 when the order is not filled', async () => {
    ending = 'CANCELLED';
    expect(await run()).toMatchObject({ status: 1, error: 'sluice: the order ended CANCELLED\n' });
  });

  it('ends at once for an ended order', async () => {
    status = 'FILLED';
    expect((await run()).status).toBe(0);
  });
});
