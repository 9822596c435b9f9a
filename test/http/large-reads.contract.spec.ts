import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { OrderId } from '../../src/domain/ids.js';
import { READ_ROWS_PER_REQUEST, READS_PER_ACCOUNT_MAX } from '../../src/domain/limits/clients.js';
import type { ReadHost, ReadPage, ReadRequest } from '../../src/domain/query.js';
import { eventually } from '../system/eventually.js';
import { parentState } from './orders.js';
import { RunningServer } from './running-server.js';

const OPEN = '/api/v2/trading/order/open';
const COUNT = 2_000;
const RATE = 200;

/** More orders than the main thread answers itself. */
const ROWS = 100;
const PAGE_BYTES = 64 * 1024;

/** A read host whose answers never end. */
class EndlessHost implements ReadHost {
  pageCount = 0;
  readonly #jobs = new Set<number>();

  /** Jobs that have started and were not dropped. */
  get jobCount(): number {
    return this.#jobs.size;
  }

  page(job: number, _question: ReadRequest | null, answer: (page: ReadPage) => void): void {
    this.#jobs.add(job);
    setImmediate(() => {
      this.pageCount += 1;
      answer({ bytes: Buffer.alloc(PAGE_BYTES, ' '), rowsKnown: ROWS, isLast: false });
    });
  }

  drop(job: number): void {
    this.#jobs.delete(job);
  }
}

/** Resolves when the figure has stayed the same for many checks. */
async function settled(figure: () => number): Promise<void> {
  let [last, looks] = [-1, 0];
  await eventually(
    () => figure(),
    (value) => {
      looks = value === last && value > 0 ? looks + 1 : 0;
      last = value;
      return looks > 25;
    },
  );
}

interface List {
  readonly orders: readonly { readonly order_id: number }[];
}

async function serverOf(count: number, overrides: Parameters<RunningServer['start']>[0] = {}): Promise<RunningServer> {
  const running = new RunningServer();
  for (let id = 1; id <= count; id += 1) running.book.put(parentState({ orderId: id as OrderId }));
  await running.start(overrides);
  return running;
}

/** A client that has sent its request and reads when the test allows it. */
function stalledReader(running: RunningServer): Promise<Socket> {
  const headers = Object.entries(running.signed('', 'TRADER')).map(([name, value]) => `${name}: ${value}\r\n`);
  return new Promise((resolve) => {
    const socket = connect({ port: running.server.port, host: '127.0.0.1' }, () => {
      socket.write(`GET ${OPEN} HTTP/1.1\r\nHost: localhost\r\n${headers.join('')}\r\n`);
      socket.pause();
      resolve(socket);
    });
    socket.on('error', () => undefined);
  });
}

describe('large answers over HTTP', () => {
  let running: RunningServer;
  afterEach(() => running.server.close());

  it('sends 2,000 orders as one complete JSON text', async () => {
    running = await serverOf(COUNT);
    const answer = await running.get(OPEN);
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('application/json');
    const { orders } = JSON.parse(answer.text) as List;
    expect(orders.map(({ order_id }) => order_id)).toEqual(Array.from({ length: COUNT }, (_, index) => index + 1));
  });

  it('answers the next request of the connection after a large answer', async () => {
    running = await serverOf(COUNT);
    const headers = Object.entries(running.signed('', 'TRADER')).map(([name, value]) => `${name}: ${value}\r\n`);
    const request = `GET ${OPEN} HTTP/1.1\r\nHost: localhost\r\n${headers.join('')}\r\n`;
    const ping = 'GET /status/ping HTTP/1.1\r\nHost: localhost\r\n\r\n';
    let hasPinged = false;
    const { received } = await new Promise<{ received: string }>((resolve) => {
      const socket = connect(running.server.port, '127.0.0.1', () => socket.write(request));
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk.toString('latin1');
        if (!hasPinged && text.endsWith('\r\n0\r\n\r\n')) {
          hasPinged = true;
          socket.write(ping);
        }
        if (hasPinged && text.includes('"service_time"')) {
          socket.destroy();
          resolve({ received: text });
        }
      });
    });
    expect(received.split('HTTP/1.1 200 OK')).toHaveLength(3);
  });

  it('charges the rows of a large answer to its RateLimit headers and to the next request', async () => {
    running = await serverOf(COUNT, { readRate: RATE / 10 });
    const answer = await running.get(OPEN);
    expect(answer.status).toBe(200);
    expect(answer.headers['ratelimit-limit']).toBe(String(RATE / 10));
    expect(answer.headers['ratelimit-remaining']).toBe('20');
    expect(answer.headers['ratelimit-reset']).toBe(String(COUNT / READ_ROWS_PER_REQUEST / (RATE / 10)));
    const statuses = [];
    for (let requests = 0; requests < 3; requests += 1) statuses.push((await running.get(OPEN)).status);
    expect(statuses).toEqual([200, 429, 429]);
    running.monotonicMs += 10_000;
    expect((await running.get(OPEN)).status).toBe(200);
  });

  it('charges one request for a small answer', async () => {
    running = await serverOf(20, { readRate: RATE });
    expect((await running.get(OPEN)).headers['ratelimit-remaining']).toBe(String(2 * RATE - 1));
  });

  it('reads no further pages for a client that does not read, answers others, and continues when it reads', async () => {
    const host = new EndlessHost();
    running = await serverOf(ROWS, { readHost: host });
    const sockets = await Promise.all(Array.from({ length: 4 }, () => stalledReader(running)));
    await settled(() => host.pageCount);
    // Two answers are read at once. Each fills the buffers of its socket and one more page.
    expect(host.pageCount * PAGE_BYTES).toBeLessThan(64 * 1024 * 1024);
    expect((await running.send('GET', '/status/ping', '', {})).status).toBe(200);
    const stalledAt = host.pageCount;
    for (const socket of sockets) socket.resume();
    await eventually(
      () => host.pageCount,
      (count) => count > 2 * stalledAt + 10,
    );
    for (const socket of sockets) socket.destroy();
    await eventually(
      () => host.jobCount,
      (count) => count === 0,
    );
  });

  it('drops the answer of a client that disconnects in the middle, so that the next answers are read', async () => {
    const host = new EndlessHost();
    running = await serverOf(ROWS, { readHost: host });
    for (let rounds = 0; rounds < 3; rounds += 1) {
      const sockets = await Promise.all(Array.from({ length: READS_PER_ACCOUNT_MAX }, () => stalledReader(running)));
      await eventually(
        () => host.jobCount,
        (count) => count > 0,
      );
      for (const socket of sockets) socket.destroy();
      await eventually(
        () => host.jobCount,
        (count) => count === 0,
      );
    }
    expect(running.errors).toEqual([]);
  });

  it('cuts the connection when a page cannot be read in the middle of an answer', async () => {
    const pages = { bytes: Buffer.from('{"orders":['), rowsKnown: COUNT, isLast: false };
    running = await serverOf(COUNT, {
      readHost: {
        page: (_job, question, answer) => void setImmediate(() => answer(question === null ? null : pages)),
        drop: () => undefined,
      },
    });
    const headers = Object.entries(running.signed('', 'TRADER')).map(([name, value]) => `${name}: ${value}\r\n`);
    const request = `GET ${OPEN} HTTP/1.1\r\nHost: localhost\r\n${headers.join('')}\r\n`;
    const { received, isClosed } = await running.raw(request, () => false);
    expect([isClosed, received.includes('{"orders":['), received.endsWith('\r\n0\r\n\r\n')]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('answers 503 when the first page cannot be read', async () => {
    running = await serverOf(COUNT, {
      readHost: { page: (_job, _question, answer) => void setImmediate(() => answer(null)), drop: () => undefined },
    });
    const answer = await running.get(OPEN);
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '1']);
  });
});
