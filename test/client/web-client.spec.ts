import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SluiceError } from '../../src/client/index.js';
import { FeedStream } from '../../src/client/feed-stream.js';
import { RestClient } from '../../src/client/rest-client.js';
import { SignedRequests } from '../../src/client/signed-requests.js';
import { webSockets } from '../../src/client/web-socket.js';
import { WebTransport } from '../../src/client/web-transport.js';
import { eventually } from '../system/eventually.js';
import { API_KEY, API_SECRET, FakeService } from './fake-service.js';
import { useWebSocketOfPages, webSigning } from './page.js';
import { PLAIN_REQUEST } from './plain-request.js';

/* The client with the network and the cryptography of a page. */

const order = (seq: number) => ({ topic: 'order', seq, exchange_id: 1 });

let service: FakeService;
let client: RestClient;

beforeEach(async () => {
  useWebSocketOfPages();
  service = await FakeService.start();
  const transport = new WebTransport(new URL(`${service.url}/`));
  const retry = { triesMax: 2, patienceMs: 30_000 };
  const sign = await webSigning(API_KEY, API_SECRET);
  client = new RestClient(new SignedRequests({ transport, sign, retry }));
});
afterEach(() => service.stop());

describe('requests of a page', () => {
  it('are signed: a query, and a body with characters of several bytes', async () => {
    service.on('GET /api/v2/trading/order/find', () => ({ content: { orders: [] } }));
    service.on('POST /api/v2/trading/order/create', () => ({ status: 201, content: { order_id: 7 } }));
    expect(await client.find({ limit: 5, startMs: 1 })).toEqual([]);
    expect(await client.create({ ...PLAIN_REQUEST, client_order_id: 'größe ½' })).toEqual({ order_id: 7 });
    expect(service.asked[0]?.query.toString()).toBe('limit=5&startMs=1');
  });

  it('are repeated after the delay that a rate limit asks for', async () => {
    const content = { error_code: 'RATE_LIMIT_EXCEEDED', message: 'slow down' };
    const answers = [{ status: 429, headers: { 'Retry-After': '1' }, content }, { content: { orders: [] } }];
    service.on('GET /api/v2/trading/order/open', () => answers.shift() ?? {});
    const beganMs = performance.now();
    expect(await client.open()).toEqual([]);
    expect(performance.now() - beganMs).toBeGreaterThan(990);
  });

  it('reject with code, reason and request id, and without an answer with status 0', async () => {
    const content = { error_code: 'OTHER', message: 'halted', reason: 'KILL_SWITCH' };
    service.on('POST /api/v2/trading/order/cancel', () => ({ status: 409, content }));
    const refusal = { status: 409, code: 'OTHER', reason: 'KILL_SWITCH', requestId: 'r-1' };
    await expect(client.cancel({ order_id: 1 })).rejects.toMatchObject(refusal);
    service.on('POST /api/v2/trading/order/cancel', () => ({ status: 'DROPPED' }));
    await expect(client.cancel({ order_id: 1 })).rejects.toMatchObject({ status: 0, code: 'NETWORK_ERROR' });
  });
});

describe('a stream of a page', () => {
  let states: string[];

  function streamOf(listenKey: () => Promise<string>): FeedStream {
    const own: string[] = [];
    states = own;
    return new FeedStream({
      openSocket: webSockets(new URL(`${service.url}/api/v2/ws`)),
      listenKey,
      onConnection: (state) => own.push(state),
      onReconnectFailed: (error) => own.push((error as SluiceError).code),
    });
  }

  it('resumes after a lost connection, and replaces one with a gap without its closing handshake', async () => {
    const stream = streamOf(() => client.listenKey());
    const seen: number[] = [];
    stream.follow({ topic: 'order', exchange: 'BINANCE', resumeFrom: 0 }, ({ seq }) => seen.push(seq));
    stream.start();
    const subscribed = (count: number) =>
      eventually(
        () => service.feedMessages.length,
        (length) => length === count,
      );
    await subscribed(1);
    service.push('order BINANCE', order(1));
    service.dropStreams();
    await subscribed(2);
    service.push('order BINANCE', order(2));
    service.broadcast(order(4));
    service.push('order BINANCE', order(3));
    await eventually(
      () => seen,
      (seqs) => seqs.length === 3,
    );
    expect([seen, states]).toEqual([
      [1, 2, 3],
      ['UP', 'DOWN', 'UP', 'DOWN', 'UP'],
    ]);
    stream.close();
  });

  it('tries again after a refused handshake', async () => {
    let tries = 0;
    const stream = streamOf(() => ((tries += 1) === 1 ? Promise.resolve('revoked') : client.listenKey()));
    stream.start();
    await eventually(
      () => states,
      (all) => all.includes('UP'),
    );
    expect(states).toEqual(['NETWORK_ERROR', 'UP']);
    stream.close();
  });
});
