import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import {
  BURST_SECONDS,
  KEY_UNPAID_FRAMES_PER_SECOND,
  SESSION_AUTH_MS_MAX,
  SESSION_BACKLOG_BYTES_MAX,
  SESSION_BATCH_FRAME_BYTES_MAX,
  SESSION_FAREWELLS_MAX,
  SESSION_FAULTY_FRAMES_MAX,
  SESSION_FRAME_BYTES_MAX,
  SESSION_KEEP_ALIVE_BYTES_MAX,
  SESSIONS_PER_ACCOUNT_MAX,
  SESSIONS_UNPROVEN_MAX,
  SESSIONS_UNPROVEN_PER_ADDRESS_MAX,
} from '../../src/domain/limits/clients.js';
import type { OrderId } from '../../src/domain/ids.js';
import type { ReadHost, ReadPage } from '../../src/domain/query.js';
import { noRefusals } from '../../src/domain/rejection.js';
import { AddressLimit } from '../../src/http/address-limit.js';
import { SYSTEM_TIMERS } from '../../src/stream/port.js';
import { EXPIRES_AT_MS, STANDARD_SECRET, signHmac } from '../http/keys.js';
import { createBody, parentState } from '../http/orders.js';
import { eventually } from '../system/eventually.js';
import { ask, codeOf, SessionRig } from './session-rig.js';
import type { StreamClient } from './stream-rig.js';
import { STREAM_SETTINGS } from './stream-settings.js';

const OPEN = '/api/v2/trading/order/open';

describe('the authentication of a session', () => {
  it.each(['TRADER', 'READER', 'RSA', 'HERE'])('accepts a POST signature with an empty body: %s', async (key) => {
    const rig = await SessionRig.start();
    const client = await rig.open();
    const permissions = key === 'READER' || key === 'HERE' ? ['read'] : ['read', 'trade'];
    expect(await ask(client, 'auth', rig.credentials(key))).toEqual({
      id: 'a',
      op: 'auth',
      status: 200,
      data: { account: 'demo', permissions, session: 'session-1', cancel_on_disconnect: false, resumed: false },
    });
  });

  it('accepts time stamp and receive window as numbers, and answers the expiry of the key', async () => {
    const rig = await SessionRig.start();
    rig.rest.realMs = EXPIRES_AT_MS - 1;
    const client = await rig.open();
    const timestamp = rig.rest.realMs;
    const sign = signHmac(STANDARD_SECRET, `${timestamp}EXPIRING60000`, '');
    const answer = await ask(client, 'auth', { api_key: 'EXPIRING', timestamp, recv_window: 60_000, sign });
    expect(answer).toMatchObject({ status: 200, data: { expires_at: EXPIRES_AT_MS } });
  });

  it('accepts signature version 2, and each nonce once', async () => {
    const rig = await SessionRig.start();
    const timestamp = String(rig.rest.realMs);
    const nonce = 'n'.repeat(20);
    const empty = createHash('sha256').digest('hex');
    const lines = ['2', 'POST', '/api/v2/ws/trade', '', timestamp, 'SECOND', '5000', nonce, empty];
    const sign = signHmac(STANDARD_SECRET, lines.join('\n'), '');
    const args = { api_key: 'SECOND', timestamp, sign, sign_version: '2', nonce };
    expect(await ask(await rig.open(), 'auth', args)).toMatchObject({ status: 200 });
    const again = await ask(await rig.open(), 'auth', args);
    expect([again['status'], codeOf(again)]).toEqual([401, 'INVALID_SIGNATURE']);
  });

  it.each<[string, string, object, number, string]>([
    ['no key', 'TRADER', { api_key: undefined }, 401, 'INVALID_API_KEY'],
    ['an unknown key', 'UNKNOWN', {}, 401, 'INVALID_API_KEY'],
    ['no signature', 'TRADER', { sign: undefined }, 401, 'INVALID_SIGNATURE'],
    ['a wrong signature', 'TRADER', { sign: 'AAAA' }, 401, 'INVALID_SIGNATURE'],
    ['an old time stamp', 'TRADER', { timestamp: 1_799_999_994_999 }, 401, 'INVALID_TIMESTAMP'],
    ['a wrong receive window', 'TRADER', { recv_window: '60001' }, 401, 'INVALID_TIMESTAMP'],
    ['version 1 for a key that needs version 2', 'SECOND', {}, 401, 'INVALID_SIGNATURE'],
    ['another network', 'ELSEWHERE', {}, 403, 'AUTHENTICATION_ERROR'],
  ])('refuses %s, then closes with 1008', async (_name, key, changes, status, code) => {
    const rig = await SessionRig.start();
    const client = await rig.open();
    const answer = await ask(client, 'auth', { ...rig.credentials(key), ...changes });
    expect([answer['status'], codeOf(answer)]).toEqual([status, code]);
    expect(await client.closed).toMatchObject({ code: 1008 });
  });

  it.each<[string, unknown, string, string]>([
    ['args that are no object', 'text', 'INVALID_REQUEST', 'args'],
    ['a signature that is no text', { sign: [] }, 'INVALID_PARAM', 'sign'],
    ['a fraction as time stamp', { timestamp: 1.5 }, 'INVALID_PARAM', 'timestamp'],
    ['cancel_on_disconnect as text', { cancel_on_disconnect: 'false' }, 'INVALID_PARAM', 'cancel_on_disconnect'],
    ['an empty id to resume', { resume: '' }, 'INVALID_PARAM', 'resume'],
    ['a number to resume', { resume: 1 }, 'INVALID_PARAM', 'resume'],
    ['an id to resume of 65 characters', { resume: 'x'.repeat(65) }, 'INVALID_PARAM', 'resume'],
  ])('answers 400 to %s and lets the client try again', async (_name, wrong, code, field) => {
    const rig = await SessionRig.start();
    const client = await rig.open();
    const right = rig.credentials();
    const refused = await ask(client, 'auth', typeof wrong === 'object' ? { ...right, ...wrong } : wrong);
    expect([refused['status'], codeOf(refused)]).toEqual([400, code]);
    expect(JSON.stringify(refused['error'])).toContain(field);
    expect(await ask(client, 'auth', { ...right, cancel_on_disconnect: false })).toMatchObject({ status: 200 });
  });

  it('accepts a signature once, also after a restart', async () => {
    const rig = await SessionRig.start();
    const args = rig.credentials();
    expect(await ask(await rig.open(), 'auth', args)).toMatchObject({ status: 200 });
    const again = await ask(await rig.open(), 'auth', args);
    expect([again['status'], codeOf(again)]).toEqual([401, 'INVALID_SIGNATURE']);
    const next = await SessionRig.start({ signatures: rig.rest.signatures });
    expect(await ask(await next.open(), 'auth', args)).toMatchObject({ status: 401 });
  });

  it('refuses the signature of a GET without a query', async () => {
    const rig = await SessionRig.start();
    const args = rig.credentials();
    const headers = { 'X-API-KEY': 'TRADER', 'X-TIMESTAMP': String(args['timestamp']), 'X-SIGN': String(args['sign']) };
    expect((await rig.rest.send('GET', OPEN, '', headers)).status).toBe(200);
    const refused = await ask(await rig.open(), 'auth', args);
    expect([refused['status'], codeOf(refused)]).toEqual([401, 'INVALID_SIGNATURE']);
    expect((await rig.rest.send('GET', OPEN, '', headers)).status).toBe(200);
  });

  it('answers SYSTEM_BUSY when the signature cannot be stored, and lets the client try again', async () => {
    const rig = await SessionRig.start();
    const client = await rig.open();
    rig.rest.signatures.isFailing = true;
    expect(codeOf(await ask(client, 'auth', rig.credentials()))).toBe('SYSTEM_BUSY');
    rig.rest.signatures.isFailing = false;
    expect(await ask(client, 'auth', rig.credentials())).toMatchObject({ status: 200 });
  });

  it('happens once, and requests before its answer are not placed', async () => {
    const rig = await SessionRig.start();
    const client = await rig.open();
    client.send({ id: '1', op: 'order.create', args: createBody() });
    client.send({ id: '2', op: 'auth', args: rig.credentials() });
    client.send({ id: '3', op: 'order.create', args: createBody() });
    client.send({ id: '4', op: 'auth', args: rig.credentials() });
    const answers = await client.take(4);
    const statuses = new Map(answers.map(({ id, status }) => [id, status]));
    expect(['1', '2', '3', '4'].map((id) => statuses.get(id))).toEqual([401, 200, 401, 400]);
    expect(rig.rest.book.placedCount).toBe(0);
  });

  it('must come in time: a session without it is closed with 1008, also one that sends pings', async () => {
    const rig = await SessionRig.start();
    const [early, silent] = [await rig.session(), await rig.open()];
    rig.aheadMs = SESSION_AUTH_MS_MAX / 2;
    await ask(silent, 'ping');
    rig.aheadMs = SESSION_AUTH_MS_MAX;
    expect(await silent.closed).toMatchObject({ code: 1008 });
    expect(await ask(early, 'order.open')).toMatchObject({ status: 200 });
  });
});

describe('a session whose key', () => {
  it('is revoked is closed with 1008 within a second', async () => {
    const rig = await SessionRig.start();
    const [client, other] = [await rig.session(), await rig.session('READER')];
    rig.revoked.add('TRADER');
    const beganMs = performance.now();
    expect(await client.closed).toEqual({ code: 1008, reason: 'the API key was revoked' });
    expect(performance.now() - beganMs).toBeLessThan(1_000);
    expect(await ask(other, 'order.open')).toMatchObject({ status: 200 });
  });

  it('is revoked places nothing more', async () => {
    const rig = await SessionRig.start();
    const client = await rig.session();
    rig.revoked.add('TRADER');
    client.send({ id: 'a', op: 'order.create', args: createBody() });
    expect(await client.closed).toMatchObject({ code: 1008 });
    expect(rig.rest.book.placedCount).toBe(0);
  });

  it('expires is closed with 1008', async () => {
    const rig = await SessionRig.start();
    rig.rest.realMs = EXPIRES_AT_MS - 1;
    const client = await rig.session('EXPIRING');
    rig.rest.realMs = EXPIRES_AT_MS;
    expect(await client.closed).toEqual({ code: 1008, reason: 'the API key has expired' });
  });
});

it('the figures of sessions count connections, open requests, refusals and closes by reason', async () => {
  const rig = await SessionRig.start();
  const [client, unproven, closing] = [await rig.session(), await rig.open(), await rig.session()];
  await ask(unproven, 'auth', { ...rig.credentials(), resume: 1 });
  rig.rest.book.isInstant = false;
  for (const id of ['a', 'b']) client.send({ id, op: 'order.create', args: createBody() });
  closing.socket.close();
  await closing.closed;
  await eventually(
    () => rig.sessions.figures(),
    ({ openRequests, open }) => openRequests === 2 && open === 2,
  );
  expect(rig.sessions.figures()).toMatchObject({ open: 2, authenticated: 1, opened: 3, refused: 1, records: 0 });
  rig.revoked.add('TRADER');
  await client.closed;
  rig.sessions.drain();
  await unproven.closed;
  await eventually(
    () => rig.sessions.figures(),
    ({ open }) => open === 0,
  );
  const closed = { client: 1, policy_violation: 1, going_away: 1 };
  expect(rig.sessions.figures()).toMatchObject({ authenticated: 0, openRequests: 0, closed });
});

describe('the number of sessions', () => {
  it('is bounded for one account, until one ends', async () => {
    const rig = await SessionRig.start();
    const [first] = await Promise.all(Array.from({ length: SESSIONS_PER_ACCOUNT_MAX }, () => rig.session()));
    const client = await rig.open();
    const refused = await ask(client, 'auth', rig.credentials('RSA'));
    expect([refused['status'], codeOf(refused)]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
    expect(rig.rest.refusals.stream_account_connections).toBe(1);
    await rig.session('STRANGER');
    first?.socket.close();
    await first?.closed;
    expect(await ask(client, 'auth', rig.credentials())).toMatchObject({ status: 200 });
  });

  it('is bounded before authentication: the oldest session is closed with 1013', async () => {
    // The clock of the sessions stands still: a slow machine takes longer for this many than a session may.
    const rig = await SessionRig.start({}, { timers: { ...SYSTEM_TIMERS, nowMs: () => 0 } });
    const [proven, oldest, second] = [await rig.session(), await rig.open(), await rig.open()];
    await Promise.all(Array.from({ length: SESSIONS_UNPROVEN_MAX - 2 }, () => rig.open()));
    const latest = await rig.open();
    expect(await oldest.closed).toMatchObject({ code: 1013 });
    for (const client of [second, latest]) {
      expect(await ask(client, 'auth', rig.credentials())).toMatchObject({ status: 200 });
    }
    expect(await ask(proven, 'order.open')).toMatchObject({ status: 200 });
    expect(rig.rest.refusals.stream_connections).toBe(1);
  });
});

describe('the sessions of one address before authentication', () => {
  it('are bounded: the oldest is closed with 1013, and one of many is terminated', async () => {
    const frozen = { ...SYSTEM_TIMERS, nowMs: () => 0 };
    const networks = [1, 2];
    const rig = await SessionRig.start({}, { timers: frozen, subscriberOf: () => networks.shift() ?? 2 });
    const other = await rig.open();
    const clients: StreamClient[] = [];
    const count = SESSIONS_UNPROVEN_PER_ADDRESS_MAX + SESSION_FAREWELLS_MAX + 1;
    while (clients.length < count) clients.push(await rig.open());
    const evicted = await Promise.all(clients.slice(0, SESSION_FAREWELLS_MAX + 1).map(({ closed }) => closed));
    expect(new Set(evicted.slice(0, -1).map(({ code }) => code))).toEqual(new Set([1013]));
    expect(evicted.at(-1)).toMatchObject({ code: 1006 });
    for (const client of [other, clients.at(-1) as StreamClient]) {
      expect(await ask(client, 'auth', rig.credentials())).toMatchObject({ status: 200 });
    }
    expect(rig.sessions.sessionCount).toBe(SESSIONS_UNPROVEN_PER_ADDRESS_MAX + 1);
  });
});

describe('an address that closes its sessions before they authenticate', () => {
  it('is refused with 429 while the library may keep them', async () => {
    const waiting: (() => void)[] = [];
    const timers = { ...SYSTEM_TIMERS, after: (_: number, run: () => void) => void waiting.push(run) };
    const rig = await SessionRig.start({}, { timers, subscriberOf: () => 1 });
    for (let count = 0; count < SESSIONS_UNPROVEN_PER_ADDRESS_MAX; count += 1) {
      const client = await rig.open();
      client.socket.close(1000);
      await client.closed;
    }
    await eventually(
      () => rig.closedCount,
      (count) => count === SESSIONS_UNPROVEN_PER_ADDRESS_MAX,
    );
    expect(await handshakeStatus(rig.url)).toBe(429);
    for (const run of waiting.splice(0)) run();
    expect((await rig.session()).frames).toEqual([]);
  });
});

describe('the descriptor of a closed session', () => {
  it('counts as open after a close frame of either side, and only then', async () => {
    const rig = await SessionRig.start();
    const closedCount = (count: number): Promise<number> =>
      eventually(
        () => rig.closedCount,
        (closed) => closed === count,
      );
    const [lost, leaving, silent] = [await rig.session(), await rig.session(), await rig.open()];
    lost.socket.terminate();
    await closedCount(1);
    expect(rig.keptCount).toBe(0);
    leaving.socket.close(1000);
    await closedCount(2);
    expect(rig.keptCount).toBe(1);
    rig.aheadMs = SESSION_AUTH_MS_MAX + 1;
    expect(await silent.closed).toMatchObject({ code: 1008 });
    await closedCount(3);
    expect(rig.keptCount).toBe(2);
  });
});

describe('the frames that no budget counts', () => {
  it.each([{ topic: 'ping' }, { topic: 'pong' }, { id: 'a', op: 'ping' }])('%o are bounded', async (frame) => {
    const rig = await SessionRig.start({}, { timers: { ...SYSTEM_TIMERS, nowMs: () => 0 } });
    const client = await rig.session();
    // The session itself begins with one.
    const burst = KEY_UNPAID_FRAMES_PER_SECOND * BURST_SECONDS + 1;
    for (let sent = 0; sent < burst; sent += 1) client.send(frame);
    client.send({ id: 'last', op: 'order.open' });
    await eventually(
      () => client.frames.some(({ id }) => id === 'last'),
      (isAnswered) => isAnswered,
    );
    client.send(frame);
    expect(await client.closed).toMatchObject({ code: 1008 });
    expect(rig.rest.refusals.stream_messages).toBe(1);
  });

  it.each([
    ['a pong', '{"topic":"pong"}', SESSION_KEEP_ALIVE_BYTES_MAX],
    ['a ping', '{"id":"a","op":"ping"}', SESSION_KEEP_ALIVE_BYTES_MAX],
    ['a request', '{"id":"a","op":"order.open"}', SESSION_FRAME_BYTES_MAX],
  ])('count as malformed when they are too large: %s', async (_, text, bytesMax) => {
    const rig = await SessionRig.start();
    const client = await rig.session();
    for (let sent = 0; sent < SESSION_FAULTY_FRAMES_MAX; sent += 1) client.send(text.padEnd(bytesMax + 1));
    expect(await client.closed).toMatchObject({ code: 1008 });
    expect(new Set(client.frames.map(({ status }) => status))).toEqual(new Set([413]));
  });
});

describe('the size of frames', () => {
  it('is bounded: a larger frame is answered 413 and the session continues', async () => {
    const rig = await SessionRig.start();
    const client = await rig.session();
    client.send(spaced('order.create', createBody(), SESSION_FRAME_BYTES_MAX));
    expect(await client.next()).toMatchObject({ status: 201 });
    client.send(spaced('order.create', createBody(), SESSION_FRAME_BYTES_MAX + 1));
    expect(await client.next()).toMatchObject({ id: 'a', status: 413, error: { error_code: 'INVALID_REQUEST' } });
    expect(rig.rest.book.placedCount).toBe(1);
  });

  it.each(['order.createMany', 'order.createManyMultiLegs', 'order.cancelMany'])('is larger for %s', async (op) => {
    const rig = await SessionRig.start();
    const client = await rig.session();
    client.send(spaced(op, { orders: [createBody()] }, SESSION_BATCH_FRAME_BYTES_MAX));
    expect(await client.next()).toMatchObject({ op, data: expect.anything() as unknown });
  });

  it.each([
    [1, 1009],
    [SESSION_FRAME_BYTES_MAX + 1, 1006],
  ])('ends the session %d bytes beyond the largest frame with %d', async (beyond, code) => {
    const rig = await SessionRig.start();
    const client = await rig.session();
    client.send(spaced('order.createMany', { orders: [createBody()] }, SESSION_BATCH_FRAME_BYTES_MAX + beyond));
    expect(await client.closed).toMatchObject({ code });
    expect(rig.rest.book.placedCount).toBe(0);
    await eventually(
      () => rig.rest.refusals.stream_frame_bytes,
      (count) => count === 1,
    );
  });

  it('ends a session that has not authenticated with 1009 beyond the smaller bound', async () => {
    const rig = await SessionRig.start();
    const client = await rig.open();
    client.send(spaced('order.createMany', { orders: [] }, SESSION_FRAME_BYTES_MAX + 1));
    expect(await client.closed).toMatchObject({ code: 1009 });
  });
});

describe('a session', () => {
  it('is closed with 1008 after the maximum of malformed frames', async () => {
    const rig = await SessionRig.start();
    const client = await rig.session();
    for (let sent = 0; sent < SESSION_FAULTY_FRAMES_MAX; sent += 1) client.send('{}');
    expect(await client.closed).toMatchObject({ code: 1008 });
    expect(client.frames).toHaveLength(SESSION_FAULTY_FRAMES_MAX);
  });

  it('is closed with 1013 when it does not read its answers, and others continue', async () => {
    const answer = JSON.stringify('x'.repeat((3 / 4) * SESSION_BACKLOG_BYTES_MAX));
    const rig = await startedWith({ page: (...[, , onPage]) => onPage(pageOf(answer, true)), drop: () => undefined });
    const [slow, other] = [await rig.session(), await rig.session('STRANGER')];
    slow.stall();
    // More than both kernel buffers and our own limit hold.
    const asks = 40;
    for (let sent = 0; sent < asks; sent += 1) {
      slow.send({ id: 'a', op: 'order.open' });
      for (let turn = 0; turn < 5; turn += 1) await ask(other, 'ping');
    }
    slow.resume();
    expect(await slow.closed).toMatchObject({ code: 1013 });
    expect(slow.frames.length).toBeLessThan(asks);
    expect(await ask(other, 'order.open')).toMatchObject({ status: 200 });
  });

  it('gets the address budget of REST: a request beyond it is answered 429', async () => {
    const addressLimit = new AddressLimit(2, noRefusals(), () => false);
    const rig = await SessionRig.start({ addressLimit });
    const client = await rig.session();
    for (let sent = 0; sent < 3; sent += 1) await ask(client, 'order.open');
    const refused = await ask(client, 'order.create', createBody());
    expect([refused['status'], codeOf(refused)]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
    expect(rig.rest.book.placedCount).toBe(0);
  });

  it('gets pings, and is closed with 1001 when it stays silent', async () => {
    const rig = await SessionRig.start({}, { settings: { ...STREAM_SETTINGS, pingMs: 50, silenceMs: 400 } });
    const client = await rig.session();
    expect(await client.next()).toEqual({ topic: 'ping' });
    client.send({ topic: 'pong' });
    expect(await client.closed).toMatchObject({ code: 1001 });
  });

  it('is notified of a shutdown and closed with 1001; later handshakes are answered 503', async () => {
    const rig = await SessionRig.start();
    const [client, unproven] = [await rig.session(), await rig.open()];
    rig.sessions.drain();
    for (const one of [client, unproven]) {
      expect(await one.next()).toEqual({ topic: 'server', message: 'shutting down' });
      expect(await one.closed).toMatchObject({ code: 1001 });
    }
    expect(await handshakeStatus(rig.url)).toBe(503);
    expect(rig.closedCount).toBe(2);
    expect(rig.sessions.sessionCount).toBe(0);
  });
});

describe('a large answer of a session', () => {
  it('is one frame with all its parts', async () => {
    const rig = await startedWith(new Pages(['[1', ',2', ',3]']));
    const client = await rig.session();
    expect(await ask(client, 'order.open')).toMatchObject({ status: 200, data: [1, 2, 3] });
  });

  it('is refused when it is larger than the answers that may wait, and its reading ends', async () => {
    const pages = Array.from({ length: 100 }, () => ' '.repeat(SESSION_BACKLOG_BYTES_MAX / 32));
    const host = new Pages(pages);
    const rig = await startedWith(host);
    const client = await rig.session();
    const refused = await ask(client, 'order.open');
    expect([refused['status'], codeOf(refused)]).toEqual([413, 'INVALID_REQUEST']);
    await eventually(
      () => host.droppedCount,
      (count) => count === 1,
    );
    expect(await ask(client, 'order.byId', { orderIds: 1 })).toMatchObject({ status: 200 });
  });
});

async function handshakeStatus(url: string): Promise<unknown> {
  const socket = new WebSocket(url);
  socket.on('error', () => undefined);
  return new Promise((resolve) => {
    socket.on('unexpected-response', (_request, response) => resolve(response.statusCode));
  });
}

function spaced(op: string, args: object, bytes: number): string {
  return JSON.stringify({ id: 'a', op, args }).padEnd(bytes, ' ');
}

function pageOf(text: string, isLast: boolean): ReadPage {
  return { bytes: Buffer.from(text), rowsKnown: 100, isLast };
}

/** A read host that answers with these pages. It counts the jobs that are dropped. */
class Pages implements ReadHost {
  droppedCount = 0;
  readonly #pages: readonly string[];
  #next = 0;

  constructor(pages: readonly string[]) {
    this.#pages = pages;
  }

  page(...[, , answer]: Parameters<ReadHost['page']>): void {
    setImmediate(() => {
      const text = this.#pages[this.#next] ?? '';
      this.#next += 1;
      answer(pageOf(text, this.#next === this.#pages.length));
    });
  }

  drop(): void {
    this.droppedCount += 1;
  }
}

async function startedWith(readHost: ReadHost): Promise<SessionRig> {
  const rig = await SessionRig.start({ readHost });
  for (let id = 1; id <= 100; id += 1) rig.rest.book.put(parentState({ orderId: id as OrderId }));
  return rig;
}
