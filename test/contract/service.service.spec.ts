import type { TSchema } from '@sinclair/typebox';
import WebSocket from 'ws';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hmacSigner, signedMessage } from '../../src/client/index.js';
import { SERVER_MESSAGES, STREAM_PATH } from '../../src/api/document/asyncapi.js';
import { isSigned } from '../../src/api/document/operation.js';
import { ACCOUNT_TOPICS } from '../../src/domain/event.js';
import { RECV_WINDOW_MS_MAX } from '../../src/domain/limits/clients.js';
import { OPERATIONS } from '../../src/api/document/operations.js';
import { eventually } from '../system/eventually.js';
import { marketOrder, pairOrder, restingOrder } from '../system/sample-orders.js';
import { newSite, type Key } from '../system/site.js';
import { closed, complaintsOf } from './compiled.js';

type Request = string | object;

/** Calls documented operations of the running service and checks every answer by its schema. */
class Inspector {
  readonly driven = new Set<string>();
  readonly problems: string[] = [];
  readonly #url: string;
  readonly #key: Key;

  constructor(port: number, key: Key) {
    this.#url = `http://127.0.0.1:${port}`;
    this.#key = key;
  }

  async ask(id: string, request: Request = ''): Promise<unknown> {
    const operation = OPERATIONS.find((one) => one.id === id);
    if (operation === undefined) throw new Error(`${id} is not documented`);
    const isPost = isSigned(operation) && operation.method === 'POST';
    const payload = typeof request === 'string' ? request : JSON.stringify(request);
    const query = isPost || payload === '' ? '' : `?${payload}`;
    const sent = isPost ? { method: 'POST', body: payload } : {};
    const response = await fetch(this.#url + operation.path + query, { ...sent, headers: this.#headers(payload) });
    const isJson = response.headers.get('content-type') === 'application/json';
    const answer: unknown = isJson ? await response.json() : await response.text();
    const complaint = complaintsOf(closed(operation.success.schema), answer);
    if (response.status !== operation.success.status || complaint !== '') {
      this.problems.push(`${id} ${payload}: ${response.status} ${complaint} ${JSON.stringify(answer).slice(0, 300)}`);
    }
    this.driven.add(id);
    return answer;
  }

  #headers(payload: string): Record<string, string> {
    const { apiKey, apiSecret } = this.#key;
    const timestampMs = Date.now();
    const message = signedMessage({ timestampMs, apiKey, recvWindowMs: RECV_WINDOW_MS_MAX, payload });
    const signature = hmacSigner(apiSecret)(message);
    // The service closes a connection after 10 s without a request. A slow test could send a request at that moment.
    return {
      'X-API-KEY': apiKey,
      'X-TIMESTAMP': String(timestampMs),
      'X-RECV-WINDOW': String(RECV_WINDOW_MS_MAX),
      'X-SIGN': signature,
      connection: 'close',
    };
  }
}

const FRAME_TITLES: { readonly [topic: string]: string } = {
  order: 'OrderFrame',
  child_order: 'ChildOrderFrame',
  trade: 'TradeFrame',
  balance: 'BalanceFrame',
  position: 'PositionFrame',
  position_risk: 'PositionRiskFrame',
  ticker: 'TickerFrame',
  ohlcv: 'OhlcvFrame',
  open_interest: 'OpenInterestFrame',
  ping: 'KeepAlive',
  server: 'ServerNotice',
};

/** Frames that come some time after their cause. */
const LAST_TO_COME = [
  'TradeFrame',
  'PositionFrame',
  'PositionRiskFrame',
  'TickerFrame',
  'OhlcvFrame',
  'OpenInterestFrame',
];

/** Checks every frame of a connection by the schema of its kind. */
class FrameInspector {
  readonly seen = new Set<string>();
  readonly problems: string[] = [];
  readonly #socket: WebSocket;

  constructor(port: number, listenKey: string) {
    this.#socket = new WebSocket(`ws://127.0.0.1:${port}${STREAM_PATH}?listenKey=${listenKey}`);
    this.#socket.on('open', () => {
      for (const topic of ACCOUNT_TOPICS) this.#send({ topic, exchange: 'binance', method: 'subscribe' });
      for (const topic of ['ticker', 'ohlcv', 'open_interest']) {
        this.#send({ topic, exchange: 'BINANCE', symbol: 'BTC/USDT:USDT', method: 'subscribe' });
      }
    });
    this.#socket.on('message', (data: Buffer) => this.#inspect(data.toString()));
    onTestFinished(() => this.#socket.terminate());
  }

  #send(message: object): void {
    this.#socket.send(JSON.stringify(message));
  }

  #inspect(text: string): void {
    const frame = JSON.parse(text) as { topic?: string };
    const title = frame.topic === undefined ? 'Answer' : (FRAME_TITLES[frame.topic] ?? frame.topic);
    const schema = SERVER_MESSAGES.find((message: TSchema) => message.title === title);
    const complaint = schema === undefined ? 'no such message' : complaintsOf(closed(schema), frame);
    if (complaint !== '') this.problems.push(`${title}: ${complaint} ${text}`);
    this.seen.add(title);
  }
}

/** Places orders that end in every status, and sends every request about them. */
async function tradeAndAsk(inspector: Inspector): Promise<void> {
  const filled = (await inspector.ask('createOrder', marketOrder('filled'))) as { order_id: number };
  await inspector.ask('createOrder', marketOrder('filled'));
  await inspector.ask('createOrder', { ...marketOrder(), asset_category: 'FUTURE' });
  await inspector.ask('createOrder', { ...marketOrder(), quantity: 'much' });
  await inspector.ask('previewOrder', marketOrder('filled'));
  await inspector.ask('previewOrder', { ...restingOrder('one'), quantity: 'much' });
  await inspector.ask('createOrders', { orders: [restingOrder('one'), restingOrder('two'), { side: 'BUY' }] });
  await inspector.ask('createMultiLegsOrder', pairOrder('pair'));
  await inspector.ask('createMultiLegsOrders', { orders: [pairOrder('other'), { algo: 'PAIR' }] });
  const details = 'include_fees=true&include_trades=true';
  await eventually(
    () => inspector.ask('getOrders', `${details}&orderIds=${filled.order_id}`),
    (answer) => (answer as { orders: { status: string }[] }).orders[0]?.status === 'FILLED',
  );
  const timeline = (await inspector.ask('getOrderTimeline', 'clientOrderId=two&limit=1000')) as { events: object[] };
  expect(timeline.events.length).toBeGreaterThan(2);
  await inspector.ask('getOrderTimeline', 'clientOrderId=filled&limit=2');
  await inspector.ask('listUserTrades', 'clientOrderIds=filled,one&exchange=BINANCE');
  await inspector.ask('cancelOrder', { client_order_id: 'filled' });
  for (const name of ['filled', 'two', 'pair']) await inspector.ask('getOrderCost', `clientOrderId=${name}`);
  await inspector.ask('getWindowCost', 'by=strategy,side');
  await inspector.ask('pauseOrder', { client_order_id: 'two' });
  await inspector.ask('amendOrder', { client_order_id: 'two', quantity: '0.02' });
  await inspector.ask('amendOrder', { client_order_id: 'two', quantity: 'much' });
  await inspector.ask('resumeOrder', { client_order_id: 'two' });
  await inspector.ask('cancelAllAfter', { timeout_ms: 60_000 });
  await inspector.ask('cancelAllAfter', { timeout_ms: 0 });
  await inspector.ask('cancelOrder', { client_order_id: 'one' });
  await inspector.ask('cancelOrders', { orders: [{ client_order_id: 'one' }, { order_id: 1 }, {}] });
  await inspector.ask('listOpenOrders', details);
  await inspector.ask('cancelAllOrders');
  await inspector.ask('cancelAllOrdersByPost', {});
  await inspector.ask('findOrders', `${details}&limit=5`);
}

/** The service sends a ping once a minute. A short run sees none. */
function withoutPings(titles: readonly string[]): readonly string[] {
  return titles.filter((title) => title !== 'KeepAlive').toSorted();
}

describe('the running service', () => {
  it('answers every documented operation and sends every documented frame by its schema', async () => {
    const site = newSite();
    const key = await site.issueKey();
    const run = site.start();
    const port = await run.ready();
    const inspector = new Inspector(port, key);
    const frames = new FrameInspector(port, (await inspector.ask('getListenKey')) as string);
    await eventually(
      () => frames.seen,
      (seen) => seen.has('BalanceFrame'),
    );

    await tradeAndAsk(inspector);
    for (const exchange of ['BINANCE', 'OKX']) {
      await inspector.ask('listBalances', `exchange=${exchange}`);
      await inspector.ask('listPositions', `exchange=${exchange}`);
    }
    await inspector.ask('listExchanges', 'all=true');
    await inspector.ask('listInstruments');
    await inspector.ask('listFundingRateHistory', 'exchange=BINANCE&symbol=BTC%2FUSDT');
    await inspector.ask('listLastFundingRates');
    for (const id of ['ping', 'health', 'ready', 'metrics', 'openapi', 'asyncapi', 'docs', 'console']) {
      await inspector.ask(id);
    }
    await eventually(
      () => frames.seen,
      (seen) => LAST_TO_COME.every((title) => seen.has(title)),
    );
    await inspector.ask('getGuardrails');
    // The last request: the service accepts nothing afterwards.
    await inspector.ask('engageKillSwitch', { engaged: true });
    await inspector.ask('getGuardrails');
    await run.stop();

    expect(inspector.problems).toEqual([]);
    expect([...inspector.driven].toSorted()).toEqual(OPERATIONS.map(({ id }) => id).toSorted());
    expect(frames.problems).toEqual([]);
    expect(withoutPings([...frames.seen])).toEqual(withoutPings(SERVER_MESSAGES.map(({ title = '' }) => title)));
  });
});
