import { describe, expect, it } from 'vitest';
import { DISCONNECT_CAUSE } from '../../src/domain/cancel-cause.js';
import type { OrderId } from '../../src/domain/ids.js';
import { SESSION_RESUME_MS, SESSIONS_PER_ACCOUNT_MAX } from '../../src/domain/limits/clients.js';
import { createBody } from '../http/orders.js';
import { eventually } from '../system/eventually.js';
import { ask, codeOf, SessionRig } from './session-rig.js';
import type { Frame, StreamClient } from './stream-rig.js';

interface Started {
  readonly client: StreamClient;
  readonly data: Frame;
}

async function started(rig: SessionRig, wishes: object = { cancel_on_disconnect: true }, key = 'TRADER') {
  const client = await rig.open();
  const answer = await ask(client, 'auth', { ...rig.credentials(key), ...wishes });
  expect(answer).toMatchObject({ status: 200 });
  return { client, data: answer['data'] as Frame } satisfies Started;
}

async function placed(client: StreamClient): Promise<OrderId> {
  const answer = await ask(client, 'order.create', createBody());
  return (answer['data'] as Frame)['order_id'] as OrderId;
}

/** Resolves when the order has its cancel. */
async function cancelled(rig: SessionRig, orderId: OrderId): Promise<void> {
  await eventually(
    () => rig.rest.book.stateOf(orderId).status,
    (status) => status === 'PENDING_CANCEL',
  );
}

async function dropped({ client }: Started): Promise<void> {
  client.socket.terminate();
  await client.closed;
}

const past = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

describe('a session with cancel_on_disconnect', () => {
  it('answers its id, and cancels the orders placed in it when it ends: no others', async () => {
    const rig = await SessionRig.start();
    const [first, second, plain] = [await started(rig), await started(rig), await started(rig, {})];
    expect(first.data).toMatchObject({ session: expect.any(String) as unknown, cancel_on_disconnect: true });
    const own = [await placed(first.client), await placed(first.client)];
    const batch = await ask(first.client, 'order.createMany', { orders: [createBody()] });
    own.push(((batch['data'] as { orders: Frame[] }).orders[0] ?? {})['order_id'] as OrderId);
    const others = [await placed(second.client), await placed(plain.client)];
    const rest = JSON.parse((await rig.rest.post('/api/v2/trading/order/create', createBody())).text) as Frame;
    others.push(rest['order_id'] as OrderId);
    await dropped(plain);
    await dropped(first);
    for (const orderId of own) {
      await cancelled(rig, orderId);
      expect(rig.rest.book.stateOf(orderId).cancelCause).toEqual(DISCONNECT_CAUSE);
    }
    for (const orderId of others) expect(rig.rest.book.stateOf(orderId).status).toBe('PENDING_NEW');
    await eventually(
      () => rig.rest.sessionRecords.kept.size,
      (count) => count === 1,
    );
  });

  it('cancels at a close of the client and when its key is revoked', async () => {
    const rig = await SessionRig.start();
    const [closing, revoked] = [await started(rig), await started(rig, undefined, 'RSA')];
    const orderIds = [await placed(closing.client), await placed(revoked.client)];
    closing.client.socket.close();
    rig.revoked.add('RSA');
    expect(await revoked.client.closed).toMatchObject({ code: 1008 });
    for (const orderId of orderIds) await cancelled(rig, orderId);
  });

  it('cancels an order whose create was in flight when it ended', async () => {
    const rig = await SessionRig.start();
    const session = await started(rig);
    rig.rest.book.isInstant = false;
    session.client.send({ id: 'late', op: 'order.create', args: createBody() });
    await eventually(
      () => rig.rest.book.waitingCount,
      (count) => count === 1,
    );
    await dropped(session);
    await past(SESSION_RESUME_MS + 500);
    expect(rig.rest.sessionRecords.kept.size).toBe(1);
    rig.rest.book.isInstant = true;
    rig.rest.book.settle();
    await eventually(
      () => rig.rest.sessionRecords.kept.size,
      (count) => count === 0,
    );
    expect(rig.rest.book.stateOf(1 as OrderId).status).toBe('PENDING_CANCEL');
  });

  it('authenticates when its record is on disk, and not before', async () => {
    const rig = await SessionRig.start();
    rig.rest.sessionRecords.isSlow = true;
    const client = await rig.open();
    client.send({ id: 'a', op: 'auth', args: { ...rig.credentials(), cancel_on_disconnect: true } });
    client.send({ id: 'b', op: 'order.create', args: createBody() });
    expect(await client.next()).toMatchObject({ id: 'b', status: 401 });
    rig.rest.sessionRecords.sync();
    expect(await client.next()).toMatchObject({ id: 'a', status: 200 });
  });

  it('leaves no record when it ends during its authentication', async () => {
    const rig = await SessionRig.start();
    rig.rest.sessionRecords.isSlow = true;
    const client = await rig.open();
    client.send({ id: 'a', op: 'auth', args: { ...rig.credentials(), cancel_on_disconnect: true } });
    await eventually(
      () => rig.rest.sessionRecords.kept.size,
      (count) => count === 1,
    );
    client.socket.terminate();
    await client.closed;
    await eventually(
      () => rig.sessions.sessionCount,
      (count) => count === 0,
    );
    rig.rest.sessionRecords.isSlow = false;
    rig.rest.sessionRecords.sync();
    await eventually(
      () => rig.rest.sessionRecords.kept.size,
      (count) => count === 0,
    );
  });
});

describe('a session that resumes', () => {
  it('keeps the orders of the session, and cancels all of them when it ends', async () => {
    const rig = await SessionRig.start();
    const first = await started(rig);
    const orderId = await placed(first.client);
    await dropped(first);
    const again = await started(rig, { resume: first.data['session'] });
    expect(again.data).toMatchObject({ session: first.data['session'], resumed: true, cancel_on_disconnect: true });
    await past(SESSION_RESUME_MS + 500);
    expect(rig.rest.book.stateOf(orderId).status).toBe('PENDING_NEW');
    const later = await placed(again.client);
    await dropped(again);
    for (const one of [orderId, later]) await cancelled(rig, one);
  });

  it('closes a connection of the session that still seems open', async () => {
    const rig = await SessionRig.start();
    const first = await started(rig);
    const orderId = await placed(first.client);
    const again = await started(rig, { resume: first.data['session'] });
    expect(await first.client.closed).toEqual({ code: 1008, reason: 'another connection has resumed the session' });
    await past(SESSION_RESUME_MS + 500);
    expect(rig.rest.book.stateOf(orderId).status).toBe('PENDING_NEW');
    expect(await ask(again.client, 'ping')).toMatchObject({ status: 200 });
  });

  it('takes over a connection also when the account has the maximum of sessions', async () => {
    const rig = await SessionRig.start();
    const first = await started(rig);
    await Promise.all(Array.from({ length: SESSIONS_PER_ACCOUNT_MAX - 1 }, () => rig.session()));
    const client = await rig.open();
    expect(codeOf(await ask(client, 'auth', rig.credentials()))).toBe('RATE_LIMIT_EXCEEDED');
    const again = await started(rig, { resume: first.data['session'] });
    expect(again.data).toMatchObject({ resumed: true });
    await first.client.closed;
    expect(codeOf(await ask(client, 'auth', rig.credentials()))).toBe('RATE_LIMIT_EXCEEDED');
  });

  it('with another key of the account is a new session', async () => {
    const rig = await SessionRig.start();
    const first = await started(rig);
    const orderId = await placed(first.client);
    await dropped(first);
    const other = await started(rig, { resume: first.data['session'] }, 'RSA');
    expect(other.data).toMatchObject({ resumed: false, cancel_on_disconnect: true });
    await cancelled(rig, orderId);
  });
});

it('a session beyond the records of its account is refused, and another one without the wish is not', async () => {
  const rig = await SessionRig.start({
    sessionRecords: {
      load: () =>
        Array.from({ length: 256 }, (_, number) => {
          const record = { account: 'demo', apiKey: 'TRADER', number, isOver: false };
          return [`old-${number}`, record] as never;
        }),
      put: (_id, _record, onDisk) => onDisk(),
    },
  });
  const client = await rig.open();
  const refused = await ask(client, 'auth', { ...rig.credentials(), cancel_on_disconnect: true });
  expect([refused['status'], codeOf(refused)]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
  expect(rig.rest.refusals.stream_account_connections).toBe(1);
  expect(await ask(client, 'auth', rig.credentials())).toMatchObject({ status: 200 });
  rig.rest.intake.close();
});
