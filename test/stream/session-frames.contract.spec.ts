import { describe, expect, it } from 'vitest';
import {
  ACCOUNT_UNPAID_FRAMES_PER_SECOND,
  BUDGET_KEYS_MAX,
  BURST_SECONDS,
  KEY_UNPAID_FRAMES_PER_SECOND,
  SESSION_FAREWELLS_MAX,
  SESSION_FRAME_BYTES_MAX,
  SESSION_REFUSALS_IN_A_ROW_MAX,
  SESSION_UNPAID_FRAMES_PER_SECOND,
  SESSION_UNPROVEN_FRAMES_MAX,
} from '../../src/domain/limits/clients.js';
import type { AccountId, ApiKeyId } from '../../src/domain/ids.js';
import { noRefusals } from '../../src/domain/rejection.js';
import { AddressLimit } from '../../src/http/address-limit.js';
import { SYSTEM_TIMERS, type SessionHolder } from '../../src/stream/port.js';
import { SessionFrames } from '../../src/stream/session-frames.js';
import { UnpaidFrames } from '../../src/stream/unpaid-frames.js';
import { createBody } from '../http/orders.js';
import { eventually } from '../system/eventually.js';
import { ask, SessionRig } from './session-rig.js';
import type { StreamClient } from './stream-rig.js';

const FROZEN = { ...SYSTEM_TIMERS, nowMs: () => 0 };
const PING = { id: 'a', op: 'ping' };

const KINDS: readonly (readonly [string, (client: StreamClient) => void])[] = [
  ['pings', (client) => client.send(PING)],
  ['keep-alive pings', (client) => client.send({ topic: 'ping' })],
  ['pongs', (client) => client.send({ topic: 'pong' })],
  ['pings of the protocol', ({ socket }) => socket.ping()],
  ['pongs of the protocol', ({ socket }) => socket.pong()],
  ['requests', (client) => client.send({ id: 'a', op: 'order.open' })],
  ['malformed frames', (client) => client.send('{')],
  ['empty frames', (client) => client.send('')],
  ['binary frames', ({ socket }) => socket.send(Buffer.from('{}'))],
  ['wrong authentications', (client) => client.send({ id: 'a', op: 'auth', args: { resume: 1 } })],
];

describe('the frames of a session that has not authenticated', () => {
  it.each(KINDS)('are bounded: %s', async (_, send) => {
    const rig = await SessionRig.start();
    const client = await rig.open();
    for (let sent = 0; sent < SESSION_UNPROVEN_FRAMES_MAX - 1; sent += 1) send(client);
    client.send({ id: 'a', op: 'auth', args: rig.credentials() });
    await eventually(
      () => client.frames.some(({ op, status }) => op === 'auth' && status === 200),
      (isProven) => isProven,
    );
    const late = await rig.open();
    for (let sent = 0; sent <= SESSION_UNPROVEN_FRAMES_MAX; sent += 1) send(late);
    expect(await late.closed).toEqual({
      code: 1008,
      reason: `more than ${SESSION_UNPROVEN_FRAMES_MAX} frames before the answer to auth`,
    });
    expect(late.frames.length).toBeLessThanOrEqual(SESSION_UNPROVEN_FRAMES_MAX);
    expect(rig.rest.refusals.stream_messages).toBe(1);
    expect(client.socket.readyState).toBe(client.socket.OPEN);
  });

  it('take from the budget of its address, the authentication once', async () => {
    const addressLimit = new AddressLimit(2, noRefusals(), () => false);
    const waitOf = (address: ArrayBuffer): number => addressLimit.take(address, 0)?.retryAfterS ?? 0;
    const rig = await SessionRig.start({ addressLimit }, { waitOf, timers: FROZEN });
    const client = await rig.open();
    await ask(client, 'ping');
    expect(await ask(client, 'auth', rig.credentials())).toMatchObject({ status: 200 });
    const late = await rig.open();
    late.send(PING);
    expect(await late.closed).toEqual({ code: 1008, reason: 'too many requests from this address' });
  });
});

const UNPAID_BURST = KEY_UNPAID_FRAMES_PER_SECOND * BURST_SECONDS;
const KEY_REASON = `more than ${KEY_UNPAID_FRAMES_PER_SECOND} pings and refused requests a second of this key`;

describe('the frames of sessions that no budget counts', () => {
  it.each(['ping', 'pong'] as const)('include every %s of the protocol', async (kind) => {
    const rig = await SessionRig.start({}, { timers: FROZEN });
    const client = await rig.session();
    for (let sent = 0; sent <= UNPAID_BURST; sent += 1) client.socket[kind]();
    expect(await ask(client, 'order.open')).toMatchObject({ status: 200 });
    client.socket[kind]();
    expect(await client.closed).toEqual({ code: 1008, reason: KEY_REASON });
    expect(rig.rest.refusals.stream_messages).toBe(1);
  });

  it.each([true, false])(
    'include the further parts of a large frame while keys have budgets: %s',
    async (hasBudgets) => {
      const rig = await SessionRig.start({}, { timers: FROZEN, hasBudgets });
      const client = await rig.session();
      const further = 3;
      for (let sent = 0; sent < UNPAID_BURST + 1 - further - 1; sent += 1) client.send(PING);
      await client.take(UNPAID_BURST - further);
      // The frame is refused too, so it counts once more.
      const large = JSON.stringify({ id: 'a', op: 'order.createMany', args: 5 });
      client.send(large.padEnd((further + 1) * SESSION_FRAME_BYTES_MAX));
      expect(await client.next()).toMatchObject({ status: 400 });
      const left = hasBudgets ? 0 : further;
      for (let sent = 0; sent < left; sent += 1) expect(await ask(client, 'ping')).toMatchObject({ op: 'pong' });
      client.send(PING);
      expect(await client.closed).toEqual({ code: 1008, reason: KEY_REASON });
    },
  );

  it('are bounded over all sessions of a key: the flooding ones end, the others and a victim go on', async () => {
    const readRate = 1;
    const rig = await SessionRig.start({ readRate }, { timers: FROZEN });
    const quiet = await rig.session('READER');
    const victim = await rig.session('TRADER');
    const flooding = await Promise.all(Array.from({ length: 10 }, () => rig.open()));
    // Budgets have the clock of REST: ten authentications need ten seconds of it.
    for (const client of flooding) {
      rig.rest.monotonicMs += 1_000;
      expect(await ask(client, 'auth', rig.credentials('READER'))).toMatchObject({ status: 200 });
    }
    const answeredCount = (): number => flooding.reduce((sum, client) => sum + client.frames.length, 0);
    const flood = (count: number): void => {
      for (const client of flooding) {
        for (let sent = 0; sent < count; sent += 1) client.send({ id: 'a', op: 'order.open' });
      }
    };
    flood(UNPAID_BURST / flooding.length);
    await eventually(answeredCount, (answered) => answered >= UNPAID_BURST);
    // The sessions have used their shares. The bucket of the key has a token for each of them and each accepted
    // request.
    flood(2 * flooding.length + readRate * BURST_SECONDS);
    const ends = await Promise.all(flooding.map((client) => client.closed));
    expect(new Set(ends.map(({ code }) => code))).toEqual(new Set([1008]));
    expect(answeredCount()).toBeLessThanOrEqual(UNPAID_BURST + 2 * flooding.length + readRate * BURST_SECONDS);
    expect(await ask(quiet, 'ping')).toMatchObject({ op: 'pong', status: 200 });
    expect(await ask(victim, 'order.create', createBody())).toMatchObject({ status: 201 });
  });

  it('are bounded over the next sessions of a key too', async () => {
    const rig = await SessionRig.start({}, { timers: FROZEN });
    const client = await rig.session();
    for (let sent = 0; sent <= UNPAID_BURST + 1; sent += 1) client.send(PING);
    expect(await client.closed).toEqual({ code: 1008, reason: KEY_REASON });
    const next = await rig.session();
    expect(await ask(next, 'ping')).toMatchObject({ op: 'pong' });
    next.send(PING);
    expect(await next.closed).toEqual({ code: 1008, reason: KEY_REASON });
  });

  it('end with a close frame for the first of many flooding sessions, and without one for the rest', async () => {
    const rig = await SessionRig.start({}, { timers: FROZEN });
    const first = await rig.session();
    for (let sent = 0; sent <= UNPAID_BURST + 1; sent += 1) first.send(PING);
    const codes = [(await first.closed).code];
    while (codes.length < SESSION_FAREWELLS_MAX + 2) {
      const next = await rig.session();
      for (let sent = 0; sent < 2; sent += 1) next.send(PING);
      codes.push((await next.closed).code);
    }
    expect([codes.filter((code) => code === 1008).length, codes.slice(-2)]).toEqual([
      SESSION_FAREWELLS_MAX,
      [1006, 1006],
    ]);
  });
});

function holderOf(account: string, apiKey: string): SessionHolder {
  return { account: account as AccountId, apiKey: apiKey as ApiKeyId, address: '127.0.0.1', creates: null };
}

describe('the count of frames that no budget counts', () => {
  it('takes the share of the session first, which grows by the time', () => {
    const shared = new UnpaidFrames();
    const holder = holderOf('a', 'k');
    expect(shared.take(holder, UNPAID_BURST, 0)).toBeNull();
    const frames = new SessionFrames(shared, 0);
    expect(frames.takeUnpaid(holder, 1, 0)).toBeNull();
    expect(frames.takeUnpaid(holder, 1, 0)).toBe(KEY_REASON);
    // The bucket of the key is used up again, and the session has a full share.
    shared.take(holder, UNPAID_BURST, 1_000 * BURST_SECONDS);
    for (let sent = 0; sent < SESSION_UNPAID_FRAMES_PER_SECOND; sent += 1) {
      expect(frames.takeUnpaid(holder, 1, 1_000 * BURST_SECONDS)).toBeNull();
    }
    expect(frames.takeUnpaid(holder, 1, 1_000 * BURST_SECONDS)).toBe(KEY_REASON);
  });

  it('bounds the keys of one account together', () => {
    const shared = new UnpaidFrames();
    const keys = Array.from({ length: 3 }, (_, index) => holderOf('a', `k${index}`));
    const refusals = keys.map((holder) => shared.take(holder, UNPAID_BURST, 0));
    const rule = `more than ${ACCOUNT_UNPAID_FRAMES_PER_SECOND} pings and refused requests a second of this account`;
    expect(refusals).toEqual([null, null, rule]);
    expect(shared.take(holderOf('b', 'other'), UNPAID_BURST, 0)).toBeNull();
  });

  it('forgets full buckets only', () => {
    const shared = new UnpaidFrames();
    const busy = holderOf('a', 'busy');
    shared.take(busy, UNPAID_BURST, 1_000);
    for (let index = 0; index <= BUDGET_KEYS_MAX; index += 1) shared.take(holderOf(`b${index}`, `k${index}`), 1, 0);
    expect(shared.take(busy, 1, 1_000)).toBe(KEY_REASON);
  });
});

describe('the requests of a session that are refused in a row', () => {
  const refused = { id: 'a', op: 'order.byId', args: { orderIds: 'x' } };

  it('are bounded, and an accepted one begins a new row', async () => {
    const rig = await SessionRig.start();
    const client = await rig.session();
    for (let row = 0; row < 2; row += 1) {
      for (let sent = 1; sent < SESSION_REFUSALS_IN_A_ROW_MAX; sent += 1) client.send(refused);
      client.send({ id: 'b', op: 'order.open' });
      const answers = await client.take(SESSION_REFUSALS_IN_A_ROW_MAX);
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([400, 200]));
    }
    for (let sent = 0; sent <= SESSION_REFUSALS_IN_A_ROW_MAX; sent += 1) client.send(refused);
    const reason = `${SESSION_REFUSALS_IN_A_ROW_MAX} requests in a row were refused`;
    expect(await client.closed).toEqual({ code: 1008, reason });
    expect(client.frames).toHaveLength(SESSION_REFUSALS_IN_A_ROW_MAX);
    expect(rig.rest.refusals.stream_messages).toBe(1);
  });

  it('are bounded for a read key beyond its budget', async () => {
    const rig = await SessionRig.start({ readRate: 1 });
    const client = await rig.session('READER');
    for (let sent = 0; sent <= SESSION_REFUSALS_IN_A_ROW_MAX; sent += 1) client.send({ id: 'a', op: 'order.open' });
    expect(await client.closed).toMatchObject({ code: 1008 });
  });
});

describe('the answers that a client without a proven key leaves unread', () => {
  it('are shorter than one frame', async () => {
    const rig = await SessionRig.start();
    const client = await rig.open();
    const id = '\u0800'.repeat(64);
    for (let sent = 0; sent < SESSION_UNPROVEN_FRAMES_MAX; sent += 1)
      client.send({ id, op: 'order.createManyMultiLegs' });
    const answers = await client.take(SESSION_UNPROVEN_FRAMES_MAX);
    const bytes = answers.reduce((sum, answer) => sum + Buffer.byteLength(JSON.stringify(answer)), 0);
    expect(bytes).toBeLessThan(SESSION_FRAME_BYTES_MAX);
  });

  it('do not keep its session: it counts as unauthenticated until it has ended', async () => {
    const rig = await SessionRig.start();
    const clients = await Promise.all([rig.open(), rig.open()]);
    for (const client of clients) {
      client.stall();
      for (let sent = 0; sent <= SESSION_UNPROVEN_FRAMES_MAX; sent += 1) client.send(PING);
    }
    const figures = await eventually(
      () => rig.sessions.figures(),
      ({ open, authenticated }) => open === 0 || authenticated > 0,
    );
    expect(figures).toMatchObject({ open: 0, authenticated: 0 });
  });
});
