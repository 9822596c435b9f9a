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
  end = {};
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
/** Members of the end. */
let end: object = {};
const AT_MS = Date.parse('2026-11-29T03:00:00.250Z');

function sendFrames(): void {
  const head = { exchange_id: 5, exchange_name: 'OKX' };
  const state = { status: 'FILLED', created_at: AT_MS, filled_quantity: 1, average_price: 10 };
  const terms = { side: 'BUY', quantity: 1, limit_price: 10, reason: 'JOIN_TOUCH' };
  const child = { client_order_id: '7-3', parent_order_id: '7', ...terms };
  service.push('child_order OKX', { topic: 'child_order', seq: 1, ...head, order_status: state, order: child });
  const fee = { fee_cost: 0.01, fee_currency: 'USDT' };
  const trade = {
    taker_or_maker: 'MAKER',
    side: 'BUY',
    amount: 1,
    price: 10,
    order_id: '7-3',
    timestamp: AT_MS,
    ...fee,
  };
  service.push('trade OKX', { topic: 'trade', seq: 1, ...head, parent_order_id: '7', ...trade });
  service.push('trade OKX', { topic: 'trade', seq: 2, ...head, parent_order_id: '8', ...trade });
  const parent = { ...state, status: ending, ...end };
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
      '2026-11-29T03:00:00.250Z child FILLED           #3 BUY 1 at 10 filled 1 JOIN_TOUCH',
      '2026-11-29T03:00:00.250Z trade MAKER            #3 BUY 1 at 10 fee 0.01 USDT',
      '2026-11-29T03:00:00.250Z order FILLED           filled 1 of 1 at 10',
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
    const time = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`;
    expect(error).toMatch(
      new RegExp(`^${time} the connection to the service is lost; trying again\n${time} connected again\n$`),
    );
    for (const line of out.trimEnd().split('\n')) expect(JSON.parse(line)).toHaveProperty('topic');
  });

  it('exits with status 1 when the order is not filled', async () => {
    ending = 'CANCELLED';
    expect(await run()).toMatchObject({ status: 1, error: 'sluice: the order ended CANCELLED\n' });
  });

  it.each([
    [{ cause: { by: 'CLIENT', api_key: 'abc' } }, 'by CLIENT, API key abc'],
    [
      { cause: { by: 'SERVICE' }, error_code: 'SLIPPAGE_EXCEEDED', message: 'a guard' },
      'by SERVICE SLIPPAGE_EXCEEDED a guard',
    ],
  ])('shows who ended the order, and why: %j', async (members, text) => {
    ending = 'CANCELLED';
    end = members;
    expect((await run()).out).toContain(`order CANCELLED        filled 1 of 1 at 10 ${text}\n`);
  });

  it('ends at once for an ended order', async () => {
    status = 'FILLED';
    expect((await run()).status).toBe(0);
  });
});
