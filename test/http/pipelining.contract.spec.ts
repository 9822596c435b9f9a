import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OrderId } from '../../src/domain/ids.js';
import type { ReadHost } from '../../src/domain/query.js';
import { eventually } from '../system/eventually.js';
import { DEMO, createBody, parentState } from './orders.js';
import { RunningServer } from './running-server.js';

const ORDER = '/api/v2/trading/order';
const PING = 'GET /status/ping HTTP/1.1\r\nHost: a\r\n\r\n';
const PING_ANSWER = 'service_time';

/** A connection that sends its bytes without waiting for answers. */
class Pipeline {
  received = '';
  isClosed = false;
  readonly #socket: Socket;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk) => (this.received += chunk.toString('latin1')));
    socket.on('error', () => undefined);
    socket.on('end', () => (this.isClosed = true));
    socket.on('close', () => (this.isClosed = true));
  }

  static open({ server }: RunningServer): Promise<Pipeline> {
    return new Promise((resolve) => {
      const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true }, () =>
        resolve(new Pipeline(socket)),
      );
    });
  }

  /** Writes one packet. */
  send(bytes: string): void {
    this.#socket.write(bytes);
  }

  /** Sends nothing more, but still reads. */
  finish(): void {
    this.#socket.end();
  }

  /** Lets the client start or stop reading. */
  setReading(isReading: boolean): void {
    if (isReading) this.#socket.resume();
    else this.#socket.pause();
  }

  /** Ends the connection without reading. */
  leave(): void {
    this.#socket.resetAndDestroy();
  }

  /** The status lines of the answers so far. */
  get statuses(): string[] {
    return this.received.match(/HTTP\/1\.1 \d+/g) ?? [];
  }

  async until(isDone: (pipeline: this) => boolean): Promise<void> {
    await eventually(() => this, isDone);
  }
}

/** Several turns of the event loop: bytes that were sent before have arrived. */
async function turns(count = 20): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

describe('pipelined requests', () => {
  let running: RunningServer;
  let pipeline: Pipeline;

  /** Orders become durable when the test says so, as with a disk that takes its time. */
  beforeEach(async () => {
    running = new RunningServer();
    await running.start();
    running.book.isInstant = false;
    pipeline = await Pipeline.open(running);
  });
  afterEach(async () => {
    pipeline.leave();
    running.book.settle();
    await running.server.close();
  });

  function post(path: string, value: object): string {
    const body = JSON.stringify(value);
    const signed = Object.entries(running.signed(body, 'TRADER')).map(([name, text]) => `${name}: ${text}`);
    return [`POST ${path} HTTP/1.1`, 'Host: a', ...signed, `Content-Length: ${body.length}`, '', body].join('\r\n');
  }

  function get(path: string): string {
    const signed = Object.entries(running.signed('', 'TRADER')).map(([name, text]) => `${name}: ${text}`);
    return [`GET ${path} HTTP/1.1`, 'Host: a', ...signed, '', ''].join('\r\n');
  }

  const create = (name: string): string => post(`${ORDER}/create`, createBody({ client_order_id: name }));

  const isWaiting = (count = 1): Promise<unknown> =>
    eventually(
      () => running.book.waitingCount,
      (waiting) => waiting === count,
    );

  it.each([
    ['a ping', () => PING],
    ['another create', () => create('second')],
    ['the first half of a create', () => create('second').slice(0, -50)],
  ])('places nothing when %s follows a create in one packet, and closes the connection', async (_name, next) => {
    pipeline.send(create('first') + next());
    await pipeline.until(({ isClosed }) => isClosed);
    await turns();
    expect(pipeline.received).toBe('');
    expect([running.book.waitingCount, running.book.placedCount]).toEqual([0, 0]);
  });

  it('leaves the signature of a create that it did not begin unused', async () => {
    const bytes = post(`${ORDER}/create`, createBody());
    pipeline.send(bytes + PING);
    await pipeline.until(({ isClosed }) => isClosed);
    pipeline = await Pipeline.open(running);
    pipeline.send(bytes);
    await isWaiting();
    running.book.settle();
    await pipeline.until(({ statuses }) => statuses.length === 1);
    expect(pipeline.statuses).toEqual(['HTTP/1.1 201']);
  });

  it('cancels nothing when a ping follows cancelAll in one packet', async () => {
    running.book.put(parentState({ orderId: 7 as OrderId, account: DEMO }));
    pipeline.send(get(`${ORDER}/cancelAll`) + PING);
    await pipeline.until(({ isClosed }) => isClosed);
    await turns();
    expect(running.book.waitingCount).toBe(0);
  });

  it('answers a create before a ping that arrives while the create waits for the disk', async () => {
    pipeline.send(create('first'));
    await isWaiting();
    pipeline.send(PING);
    await turns();
    expect([pipeline.received, pipeline.isClosed]).toEqual(['', false]);
    running.book.settle();
    await pipeline.until(({ received }) => received.includes(PING_ANSWER));
    expect(pipeline.statuses).toEqual(['HTTP/1.1 201', 'HTTP/1.1 200']);
    expect(running.book.placedCount).toBe(1);
  });

  it('places and answers creates that are sent without waiting, one after the other', async () => {
    pipeline.send(create('first'));
    await isWaiting();
    for (const name of ['second', 'third']) {
      pipeline.send(create(name));
      await turns();
      expect(running.book.waitingCount).toBe(1);
      running.book.settle();
      await isWaiting();
    }
    running.book.settle();
    await pipeline.until(({ statuses }) => statuses.length === 3);
    const names = pipeline.received.match(/"client_order_id":"\w+"/g);
    expect(names).toEqual(['first', 'second', 'third'].map((name) => `"client_order_id":"${name}"`));
    expect(running.book.placedCount).toBe(3);
  });

  it('answers both creates when the end of the first arrives with the beginning of the second', async () => {
    const [first, second] = [create('first'), create('second')];
    pipeline.send(first.slice(0, -40));
    await turns();
    // The second is only known as a request when its head is complete.
    pipeline.send(first.slice(-40) + second.slice(0, 60));
    await isWaiting();
    pipeline.send(second.slice(60, -40));
    await turns();
    pipeline.send(second.slice(-40));
    await turns();
    expect(running.book.waitingCount).toBe(1);
    running.book.settle();
    await isWaiting();
    running.book.settle();
    await pipeline.until(({ statuses }) => statuses.length === 2);
    expect(pipeline.statuses).toEqual(['HTTP/1.1 201', 'HTTP/1.1 201']);
    expect(running.book.placedCount).toBe(2);
  });

  it('places nothing when the whole head of the second arrives with the end of the first', async () => {
    const first = create('first');
    pipeline.send(first.slice(0, -40));
    await turns();
    pipeline.send(first.slice(-40) + PING);
    await pipeline.until(({ isClosed }) => isClosed);
    await turns();
    expect([pipeline.received, running.book.waitingCount, running.book.placedCount]).toEqual(['', 0, 0]);
  });

  it('answers a client that sends nothing more', async () => {
    pipeline.send(create('first'));
    pipeline.finish();
    await isWaiting();
    await turns();
    running.book.settle();
    await pipeline.until(({ isClosed }) => isClosed);
    expect(pipeline.statuses).toEqual(['HTTP/1.1 201']);
  });

  it('keeps running when a client leaves before its answer', async () => {
    pipeline.send(create('first'));
    await isWaiting();
    pipeline.leave();
    await turns();
    running.book.settle();
    await turns();
    pipeline = await Pipeline.open(running);
    pipeline.send(create('first'));
    // The order exists: it is answered at once.
    await pipeline.until(({ statuses }) => statuses.length === 1);
    expect([pipeline.statuses, running.book.placedCount, running.errors]).toEqual([['HTTP/1.1 201'], 1, []]);
  });

  it('loses no answer of a client that reads late', async () => {
    running.book.isInstant = true;
    const count = 40;
    pipeline.setReading(false);
    for (let batch = 0; batch < count; batch += 1) {
      const orders = Array.from({ length: 500 }, (_, index) =>
        createBody({ client_order_id: `${batch}-${index}-`.padEnd(128, 'x') }),
      );
      pipeline.send(post(`${ORDER}/createMany`, { orders }));
      await eventually(
        () => running.book.placedCount,
        (placed) => placed === 500 * (batch + 1),
      );
    }
    pipeline.setReading(true);
    await pipeline.until(({ statuses, isClosed }) => isClosed || statuses.length === count);
    expect(pipeline.statuses).toHaveLength(count);
    expect(pipeline.isClosed).toBe(false);
  });

  it('answers a list in parts before the request that arrives meanwhile', async () => {
    await running.server.close();
    running = new RunningServer();
    for (let id = 1; id <= 100; id += 1) running.book.put(parentState({ orderId: id as OrderId }));
    const answers: Parameters<ReadHost['page']>[2][] = [];
    const page: ReadHost['page'] = (_job, _question, answer) => void answers.push(answer);
    await running.start({ readHost: { page, drop: () => undefined } });
    pipeline = await Pipeline.open(running);
    pipeline.send(get(`${ORDER}/open`));
    await turns();
    pipeline.send(PING);
    await turns();
    expect([pipeline.received, pipeline.isClosed]).toEqual(['', false]);
    answers[0]?.({ bytes: Buffer.from('{"orders":[]}'), rowsKnown: 100, isLast: true });
    await pipeline.until(({ received }) => received.includes(PING_ANSWER));
    expect(pipeline.received.indexOf('"orders"')).toBeLessThan(pipeline.received.indexOf(PING_ANSWER));
  });

  it('answers requests that need no wait in one packet, in order', async () => {
    pipeline.send(PING + get('/api/v2/data/exchanges') + get(`${ORDER}/open`) + PING);
    await pipeline.until(({ statuses }) => statuses.length === 4);
    expect(pipeline.statuses).toEqual(Array.from({ length: 4 }, () => 'HTTP/1.1 200'));
    expect(pipeline.received.lastIndexOf(PING_ANSWER)).toBeGreaterThan(pipeline.received.indexOf('"orders"'));
  });
});
