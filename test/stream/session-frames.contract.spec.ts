import { describe, expect, it } from 'vitest';
import {
  BURST_SECONDS,
  SESSION_FRAME_BYTES_MAX,
  SESSION_FRAMES_PER_SECOND,
  SESSION_OTHER_FRAMES_BURST_SECONDS,
  SESSION_OTHER_FRAMES_PER_SECOND,
  SESSION_REFUSALS_IN_A_ROW_MAX,
  SESSION_UNPROVEN_FRAMES_MAX,
} from '../../src/domain/limits/clients.js';
import { noRefusals } from '../../src/domain/rejection.js';
import { AddressLimit } from '../../src/http/address-limit.js';
import { requestRateOf } from '../../src/http/rate-limit.js';
import { SYSTEM_TIMERS } from '../../src/stream/port.js';
import { SessionFrames } from '../../src/stream/session-frames.js';
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

describe('the frames of a session that has authenticated', () => {
  const requestRate = 1;
  const burst = (requestRate + SESSION_FRAMES_PER_SECOND) * BURST_SECONDS;

  it('are bounded by the budgets of its key and an allowance', async () => {
    const rig = await SessionRig.start({}, { timers: FROZEN, requestRate });
    const client = await rig.session();
    for (let sent = 0; sent < burst; sent += 1) client.send({ id: 'a', op: 'order.open' });
    await client.take(burst);
    client.send({ id: 'a', op: 'order.open' });
    expect(await client.closed).toEqual({ code: 1008, reason: 'too many messages' });
    expect(rig.rest.refusals.stream_messages).toBe(1);
  });

  it('are counted on in the next session of a key after a close, and not in its other sessions', async () => {
    const rig = await SessionRig.start({}, { timers: FROZEN, requestRate });
    const [client, other] = [await rig.session(), await rig.session()];
    for (let sent = 0; sent <= burst; sent += 1) client.send({ id: 'a', op: 'order.open' });
    expect(await client.closed).toMatchObject({ code: 1008 });
    const next = await rig.session();
    next.send({ id: 'a', op: 'order.open' });
    expect(await next.closed).toEqual({ code: 1008, reason: 'too many messages' });
    expect(await ask(other, 'order.open')).toMatchObject({ status: 200 });
  });

  it('count once for each part of their size', () => {
    const frames = new SessionFrames(requestRate);
    const large = SESSION_FRAME_BYTES_MAX + 1;
    for (let taken = 0; taken < burst; taken += 2) expect(frames.take(large, true, 0)).toBe(true);
    expect(frames.take(0, true, 0)).toBe(false);
    expect(frames.take(large, true, 1_000)).toBe(true);
  });

  it('are not bounded while a budget is off', () => {
    const frames = new SessionFrames(requestRateOf(0, 200));
    for (let taken = 0; taken < 10 * burst; taken += 1) expect(frames.take(0, true, 0)).toBe(true);
    expect(requestRateOf(200, 100)).toBe(500);
  });

  it.each(['ping', 'pong'] as const)('count every %s of the protocol like a ping of the service', async (kind) => {
    const rig = await SessionRig.start({}, { timers: FROZEN });
    const client = await rig.session();
    const others = SESSION_OTHER_FRAMES_PER_SECOND * SESSION_OTHER_FRAMES_BURST_SECONDS;
    for (let sent = 0; sent < others; sent += 1) client.socket[kind]();
    expect(await ask(client, 'order.open')).toMatchObject({ status: 200 });
    client.socket[kind]();
    expect(await client.closed).toMatchObject({ code: 1008 });
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
