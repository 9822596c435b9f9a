import { describe, expect, it, onTestFinished } from 'vitest';
import { SESSION_OPERATIONS, SESSION_PATH as SERVED_PATH } from '../../src/api/stream/session-request.js';
import { NO_RETRY, SluiceClient, SluiceError, type OrderRequest } from '../../src/client/index.js';
import { BATCH_FRAME_BYTES_MAX, FRAME_BYTES_MAX, SESSION_OPS, SESSION_PATH } from '../../src/client/order-session.js';
import type { OrderId } from '../../src/domain/ids.js';
import {
  SESSION_BACKLOG_BYTES_MAX,
  SESSION_BATCH_FRAME_BYTES_MAX,
  SESSION_FRAME_BYTES_MAX,
  SESSION_REFUSALS_IN_A_ROW_MAX,
} from '../../src/domain/limits/clients.js';
import type { ReadHost } from '../../src/domain/query.js';
import { STANDARD_SECRET } from '../http/keys.js';
import { createBody, parentState } from '../http/orders.js';
import { RunningServer } from '../http/running-server.js';
import { eventually } from '../system/eventually.js';
import { SessionRig } from '../stream/session-rig.js';
import { networkTo } from './cut-network.js';

const ORDER = createBody() as unknown as OrderRequest;
const NAMES = ['one', 'two', 'three', 'four'];

function clientOf(rest: RunningServer, options: Partial<ConstructorParameters<typeof SluiceClient>[0]> = {}) {
  const client = new SluiceClient({
    url: `http://127.0.0.1:${rest.server.port}`,
    apiKey: 'TRADER',
    apiSecret: STANDARD_SECRET,
    nowMs: () => rest.realMs,
    transport: 'ws',
    ...options,
  });
  onTestFinished(() => client.close());
  return client;
}

describe("a client with transport 'ws'", () => {
  it('knows the operations and the path of the service', () => {
    expect(SESSION_PATH).toBe(SERVED_PATH);
    const served = Object.entries(SESSION_OPERATIONS).map(([op, { path }]) => [path, op]);
    const reads = new Set(['order.byId', 'order.open']);
    expect([...SESSION_OPS]).toEqual(served.filter(([, op]) => !reads.has(op ?? '')));
  });

  it.each([1, 2] as const)(
    'places, changes and cancels over one session, signature version %d',
    async (signVersion) => {
      const rig = await SessionRig.start();
      const client = clientOf(rig.rest, { signVersion });
      const placed = await Promise.all(NAMES.map((name) => client.create({ ...ORDER, client_order_id: name })));
      expect(placed.map(({ order_id: orderId }) => orderId)).toEqual([1, 2, 3, 4]);
      expect(await client.pause({ order_id: 1 })).toMatchObject({ status: 'PAUSED' });
      expect(await client.cancelMany([{ order_id: 2 }])).toMatchObject([{ status: 'PENDING_CANCEL' }]);
      expect(await client.cancelAll()).toHaveLength(4);
      expect(await client.open()).toHaveLength(4);
      expect(rig.sessions.sessionCount).toBe(1);
      const metrics = await rig.rest.send('GET', '/metrics', '', {});
      expect(metrics.text).toMatch(/route="\/api\/v2\/ws\/trade order\.create"[^\n]* 4\n/);
      expect(metrics.text).not.toMatch(/route="\/api\/v2\/trading\/order\/create"[^\n]* [1-9]/);
    },
  );

  it('rejects a refusal as over REST', async () => {
    const rig = await SessionRig.start();
    const client = clientOf(rig.rest);
    await expect(client.pause({ order_id: 99 })).rejects.toMatchObject({ status: 404, code: 'INVALID_ORDER' });
    await expect(client.pause({ order_id: 99 })).rejects.toBeInstanceOf(SluiceError);
  });

  it('places one order when its session ends before the answer', async () => {
    const rig = await SessionRig.start();
    const client = clientOf(rig.rest);
    await client.create(ORDER);
    rig.rest.book.isInstant = false;
    const second = client.create({ ...ORDER, client_order_id: 'second' });
    await eventually(
      () => rig.rest.book.waitingCount,
      (count) => count === 1,
    );
    rig.sessions.drain();
    rig.rest.book.isInstant = true;
    rig.rest.book.settle();
    expect((await second).order_id).toBe(2);
    expect(rig.rest.book.placedCount).toBe(2);
  });

  it('falls back to REST without sessions, and for a frame that is too large', async () => {
    const plain = new RunningServer();
    await plain.start();
    onTestFinished(() => plain.server.close(0));
    expect((await clientOf(plain).create(ORDER)).order_id).toBe(1);
    const rig = await SessionRig.start();
    const large = { ...ORDER, source: 'x'.repeat(20_000) };
    expect((await clientOf(rig.rest).create(large)).order_id).toBe(1);
    expect(rig.rest.refusals.stream_frame_bytes).toBe(0);
    expect(rig.sessions.sessionCount).toBe(1);
  });

  it('knows the largest frames of the service', () => {
    expect([FRAME_BYTES_MAX, BATCH_FRAME_BYTES_MAX]).toEqual([SESSION_FRAME_BYTES_MAX, SESSION_BATCH_FRAME_BYTES_MAX]);
  });

  it('sends a cancelAll once when its answer is too large for the session', async () => {
    const pages: ReadHost = {
      page: (...[, , onPage]) =>
        onPage({ bytes: Buffer.alloc(SESSION_BACKLOG_BYTES_MAX + 1, ' '), rowsKnown: 100, isLast: false }),
      drop: () => undefined,
    };
    const rig = await SessionRig.start({ readHost: pages });
    for (let id = 1; id <= 100; id += 1) rig.rest.book.put(parentState({ orderId: id as OrderId }));
    const client = clientOf(rig.rest);
    await expect(client.cancelAll()).rejects.toMatchObject({ status: 413 });
    expect(rig.rest.book.stateOf(100 as OrderId).status).toBe('PENDING_CANCEL');
    const { text } = await rig.rest.send('GET', '/metrics', '', {});
    expect(text).toMatch(/route="\/api\/v2\/ws\/trade order\.cancelAll"[^\n]* 1\n/);
    expect(text).not.toMatch(/route="\/api\/v2\/trading\/order\/cancelAll"[^\n]* [1-9]/);
  });

  it('with cancelOnDisconnect resumes a lost session by itself, and the service keeps its orders', async () => {
    const rig = await SessionRig.start();
    const network = await networkTo(rig.rest.server.port);
    const client = clientOf(rig.rest, { cancelOnDisconnect: true, url: `http://127.0.0.1:${network.port}` });
    const { order_id: orderId } = await client.create(ORDER);
    expect(rig.rest.intake.cancelOnDisconnect.recordCount).toBe(1);
    const [id] = rig.rest.sessionRecords.kept.keys();
    network.cut();
    await eventually(
      () => rig.sessions.figures(),
      ({ authenticated, opened }) => authenticated === 1 && opened === 2,
    );
    expect(rig.sessions.figures().closed['client']).toBe(1);
    expect([...rig.rest.sessionRecords.kept.keys()]).toEqual([id]);
    expect(rig.rest.book.stateOf(orderId as OrderId).status).toBe('PENDING_NEW');
    client.close();
    await eventually(
      () => rig.rest.book.stateOf(orderId as OrderId).status,
      (status) => status === 'PENDING_CANCEL',
    );
  });

  it('with cancelOnDisconnect places nothing over REST', async () => {
    const plain = new RunningServer();
    await plain.start();
    onTestFinished(() => plain.server.close(0));
    const client = clientOf(plain, { cancelOnDisconnect: true, retry: NO_RETRY });
    await expect(client.create(ORDER)).rejects.toMatchObject({ status: 0 });
    expect(await client.open()).toEqual([]);
    expect(() => clientOf(plain, { cancelOnDisconnect: true, transport: 'rest' })).toThrow("needs transport 'ws'");
  });

  it('uses REST for a while after the service has closed its session for too many refusals', async () => {
    const rig = await SessionRig.start();
    const client = clientOf(rig.rest);
    const refused = Array.from({ length: SESSION_REFUSALS_IN_A_ROW_MAX }, () => client.pause({ order_id: 99 }));
    await Promise.allSettled(refused);
    await eventually(
      () => rig.sessions.figures().closed['policy_violation'],
      (count) => count === 1,
    );
    expect((await client.create(ORDER)).order_id).toBe(1);
    expect(rig.sessions.figures()).toMatchObject({ opened: 1, open: 0 });
  });

  it('reports a wrong key as REST does', async () => {
    const rig = await SessionRig.start();
    const client = clientOf(rig.rest, { apiKey: 'UNKNOWN' });
    await expect(client.create(ORDER)).rejects.toMatchObject({ status: 401, code: 'INVALID_API_KEY' });
  });
});
