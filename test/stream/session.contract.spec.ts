import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { OrderId } from '../../src/domain/ids.js';
import {
  BATCH_MEMBERS_PER_TURN_MAX,
  SESSION_REQUEST_ID_CHARACTERS_MAX,
  SESSION_REQUESTS_OPEN_MAX,
} from '../../src/domain/limits/clients.js';
import { SESSION_REQUESTS } from '../../src/api/document/asyncapi.js';
import { parseSessionFrame } from '../../src/api/stream/session-request.js';
import { SessionAnswer } from '../../src/api/stream/session-schema.js';
import { pairBody } from '../api/pairs.js';
import { closed, complaintsOf } from '../contract/compiled.js';
import { createBody, parentState } from '../http/orders.js';
import { eventually } from '../system/eventually.js';
import { ask, codeOf, SessionRig } from './session-rig.js';
import type { Frame } from './stream-rig.js';

const ORDER = '/api/v2/trading/order';
const NAMED = { ...createBody(), client_order_id: 'one' };

/** Each op with its path, its args, and the query of a GET. */
const OPS: readonly [string, string, unknown, string?][] = [
  ['order.create', `${ORDER}/create`, createBody()],
  ['order.create', `${ORDER}/create`, createBody({ quantity: '-1' })],
  ['order.create', `${ORDER}/create`, ['no object']],
  ['order.createMany', `${ORDER}/createMany`, { orders: [NAMED, createBody({ side: 'UP' })] }],
  ['order.createMany', `${ORDER}/createMany`, { orders: [] }],
  ['order.createMultiLegs', `${ORDER}/create_multiLegs`, pairBody()],
  ['order.createManyMultiLegs', `${ORDER}/createMany/multilegs`, { orders: [pairBody()] }],
  ['order.cancel', `${ORDER}/cancel`, { order_id: 7 }],
  ['order.cancel', `${ORDER}/cancel`, {}],
  ['order.cancelMany', `${ORDER}/cancelMany`, { orders: [{ order_id: 7 }, { order_id: 9 }, {}] }],
  ['order.cancelAll', `${ORDER}/cancelAll`, undefined, ''],
  ['order.pause', `${ORDER}/pause`, { order_id: 7 }],
  ['order.resume', `${ORDER}/resume`, { order_id: 7 }],
  ['order.amend', `${ORDER}/amend`, { order_id: 7, quantity: '0.7' }],
  ['order.amend', `${ORDER}/amend`, { order_id: 99, quantity: '0.7' }],
  ['order.preview', `${ORDER}/preview`, createBody()],
  ['order.cancelAllAfter', `${ORDER}/cancelAllAfter`, { timeout_ms: 60_000 }],
  ['order.cancelAllAfter', `${ORDER}/cancelAllAfter`, { timeout_ms: 1 }],
  ['killSwitch', '/api/v2/trading/killSwitch', { engaged: true }],
  ['order.byId', `${ORDER}/byId`, { orderIds: [7, 8], include_trades: true }, 'orderIds=7,8&include_trades=true'],
  ['order.byId', `${ORDER}/byId`, { include_fees: 'maybe' }, 'include_fees=maybe'],
  ['order.open', `${ORDER}/open`, {}, ''],
];

async function startedWithOrders(): Promise<SessionRig> {
  const rig = await SessionRig.start();
  for (const id of [7, 8]) rig.rest.book.put(parentState({ orderId: id as OrderId }));
  rig.rest.book.refresh();
  return rig;
}

/** The answer without the id of the request, which no two answers share. */
function withoutRequestId(text: string): unknown {
  const { request_id: _, ...rest } = JSON.parse(text) as Record<string, unknown>;
  return Array.isArray(JSON.parse(text)) ? JSON.parse(text) : rest;
}

describe('an operation of a session', () => {
  it.each(OPS)('%s answers as %s does, case %#', async (op, path, args, query) => {
    const [rig, twin] = [await startedWithOrders(), await startedWithOrders()];
    const client = await rig.session();
    const answer = await ask(client, op, args, 'the id');
    const expected = query === undefined ? await twin.rest.post(path, args) : await twin.rest.get(path, query);
    expect(complaintsOf(closed(SessionAnswer), answer)).toBe('');
    const { id, op: echoed, status, data, error } = answer;
    expect({ id, op: echoed, status }).toEqual({ id: 'the id', op, status: expected.status });
    expect(withoutRequestId(JSON.stringify(data ?? error))).toEqual(withoutRequestId(expected.text));
    expect(rig.rest.book.placedCount).toBe(twin.rest.book.placedCount);
    expect(rig.rest.errors).toEqual([]);
  });

  it('answers a ping with the server time, also before it has authenticated', async () => {
    const rig = await SessionRig.start();
    const client = await rig.open();
    expect(await ask(client, 'ping')).toEqual({
      id: 'a',
      op: 'pong',
      status: 200,
      data: { timestamp: rig.rest.realMs },
    });
    client.send({ topic: 'ping' });
    expect(await client.next()).toEqual({ topic: 'pong' });
  });

  it('needs the permission that REST needs', async () => {
    const rig = await SessionRig.start();
    const client = await rig.session('READER');
    const refused = await ask(client, 'order.create', createBody());
    expect([refused['status'], codeOf(refused)]).toEqual([403, 'AUTHENTICATION_ERROR']);
    expect(await ask(client, 'order.open')).toMatchObject({ status: 200 });
    expect(rig.rest.book.placedCount).toBe(0);
  });

  it('takes from the same budget as a request over REST', async () => {
    const rig = await SessionRig.start({ orderRate: 1 });
    const client = await rig.session();
    expect((await rig.rest.post(`${ORDER}/create`, createBody())).status).toBe(201);
    expect(await ask(client, 'order.create', createBody())).toMatchObject({ status: 201 });
    const refused = await ask(client, 'order.create', createBody());
    expect([refused['status'], codeOf(refused)]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
    expect((await rig.rest.post(`${ORDER}/create`, createBody())).status).toBe(429);
    expect(await ask(client, 'order.cancel', { order_id: 1 })).toMatchObject({ status: 200 });
    expect(rig.rest.refusals.key_orders).toBe(2);
  });

  it('takes one request for each member of a batch', async () => {
    const rig = await SessionRig.start({ orderRate: 1 });
    const client = await rig.session();
    const orders = [createBody(), createBody()];
    expect(await ask(client, 'order.createMany', { orders })).toMatchObject({ status: 201 });
    expect(await ask(client, 'order.create', createBody())).toMatchObject({ status: 429 });
  });

  it('finds the order of a client_order_id that REST has created', async () => {
    const rig = await SessionRig.start();
    const client = await rig.session();
    const first = await rig.rest.post(`${ORDER}/create`, NAMED);
    const again = await ask(client, 'order.create', NAMED);
    expect(again['data']).toEqual(JSON.parse(first.text));
    expect(rig.rest.book.placedCount).toBe(1);
  });

  it('refuses a query member that has no form in a query', async () => {
    const rig = await SessionRig.start();
    const client = await rig.session();
    for (const args of [{ orderIds: { a: 1 } }, { orderIds: [[1]] }, { exchange: '\ud800' }]) {
      const refused = await ask(client, 'order.byId', args);
      expect([refused['status'], codeOf(refused)]).toEqual([400, 'INVALID_PARAM']);
    }
    expect(codeOf(await ask(client, 'order.open', 'text'))).toBe('INVALID_REQUEST');
  });

  it('answers 500 for a failure of the service and continues', async () => {
    const rig = await SessionRig.start();
    const client = await rig.session();
    rig.rest.book.create = () => {
      throw new Error('broken');
    };
    const failed = await ask(client, 'order.create', createBody());
    expect([failed['status'], codeOf(failed)]).toEqual([500, 'SYSTEM_ERROR']);
    expect(rig.rest.errors).toHaveLength(1);
    expect(await ask(client, 'order.open')).toMatchObject({ status: 200 });
  });

  it('is refused while the service stops, as over REST', async () => {
    const rig = await SessionRig.start();
    const client = await rig.session();
    rig.rest.server.stopAccepting();
    const refused = await ask(client, 'order.create', createBody());
    expect([refused['status'], codeOf(refused)]).toEqual([503, 'SYSTEM_BUSY']);
    expect(await ask(client, 'order.cancelAll')).toMatchObject({ status: 200 });
  });
});

describe('the requests of a session', () => {
  it('are admitted in the order sent', async () => {
    const rig = await SessionRig.start();
    const client = await rig.session();
    const ids = Array.from({ length: 200 }, (_, index) => `c${index}`);
    for (const id of ids) client.send({ id, op: 'order.create', args: createBody() });
    const answers = await client.take(ids.length);
    const orderIds = new Map(answers.map((one) => [one['id'], (one['data'] as Frame)['order_id']]));
    expect(ids.map((id) => orderIds.get(id))).toEqual(ids.map((_, index) => index + 1));
  });

  it('are admitted in the order sent, also after a batch that takes several turns', async () => {
    const rig = await SessionRig.start();
    const client = await rig.session();
    const orders = Array.from({ length: 2 * BATCH_MEMBERS_PER_TURN_MAX + 1 }, () => createBody());
    client.send({ id: 'batch', op: 'order.createMany', args: { orders } });
    client.send({ id: 'one', op: 'order.create', args: createBody() });
    client.send({ id: 'pairs', op: 'order.createManyMultiLegs', args: { orders: [pairBody(), pairBody()] } });
    client.send({ id: 'cancels', op: 'order.cancelMany', args: { orders: orders.map(() => ({ order_id: 1 })) } });
    client.send({ id: 'last', op: 'order.create', args: createBody() });
    const answers = new Map((await client.take(5)).map(({ id, data }) => [id, data as Frame & { orders: Frame[] }]));
    const idsOf = (id: string): unknown[] => (answers.get(id)?.orders ?? []).map((one) => one['order_id']);
    const count = orders.length;
    expect(idsOf('batch')).toEqual(orders.map((_, index) => index + 1));
    expect(answers.get('one')?.['order_id']).toBe(count + 1);
    expect(idsOf('pairs')).toEqual([count + 2, count + 3]);
    expect(answers.get('last')?.['order_id']).toBe(count + 4);
  });

  it('wait for a create whose order gets its id later', async () => {
    const waiting: (() => void)[] = [];
    const rig = await SessionRig.start({
      commands: {
        create: (draft, answer, by) => {
          if (draft.clientOrderId === 'slow') waiting.push(() => rig.rest.book.create(draft, answer));
          else rig.rest.book.create(draft, answer);
          expect(by).toBe('TRADER');
        },
        change: (change, answer) => rig.rest.book.change(change, answer),
      },
    });
    const client = await rig.session();
    client.send({ id: 'slow', op: 'order.create', args: createBody({ client_order_id: 'slow' }) });
    client.send({ id: 'fast', op: 'order.create', args: createBody() });
    client.send({ id: 'ping', op: 'ping' });
    expect(await client.next()).toMatchObject({ id: 'ping' });
    for (const run of waiting) run();
    const answers = await client.take(2);
    expect(answers.map(({ id, data }) => [id, (data as Frame)['order_id']])).toEqual([
      ['slow', 1],
      ['fast', 2],
    ]);
  });

  it('start after a batch also when the client has left', async () => {
    const rig = await SessionRig.start();
    const client = await rig.session();
    const orders = Array.from({ length: 3 * BATCH_MEMBERS_PER_TURN_MAX }, () => createBody());
    client.send({ id: 'batch', op: 'order.createMany', args: { orders } });
    client.send({ id: 'one', op: 'order.create', args: createBody() });
    client.socket.close();
    await eventually(
      () => rig.rest.book.placedCount,
      (count) => count === orders.length + 1,
    );
  });

  it('are answered in the order of completion', async () => {
    const rig = await SessionRig.start();
    const client = await rig.session();
    rig.rest.book.isInstant = false;
    client.send({ id: 'slow', op: 'order.create', args: createBody() });
    expect(await ask(client, 'order.open', {}, 'quick')).toMatchObject({ id: 'quick', status: 200 });
    rig.rest.book.settle();
    expect(await client.next()).toMatchObject({ id: 'slow', status: 201 });
  });

  it('may have equal ids', async () => {
    const rig = await SessionRig.start();
    const client = await rig.session();
    client.send({ id: 'x', op: 'order.create', args: createBody() });
    client.send({ id: 'x', op: 'order.create', args: createBody() });
    client.send({ id: 'x', op: 'order.open' });
    const answers = await client.take(3);
    expect(answers.map(({ id, op, status }) => [id, op, status])).toEqual([
      ['x', 'order.create', 201],
      ['x', 'order.create', 201],
      ['x', 'order.open', 200],
    ]);
  });

  it('are answered SYSTEM_BUSY and not placed beyond the maximum without an answer', async () => {
    const rig = await SessionRig.start();
    const client = await rig.session();
    rig.rest.book.isInstant = false;
    const count = SESSION_REQUESTS_OPEN_MAX;
    for (let n = 0; n <= count; n += 1) client.send({ id: String(n), op: 'order.create', args: createBody() });
    const refused = await client.next();
    expect([refused['id'], refused['status'], codeOf(refused)]).toEqual([String(count), 503, 'SYSTEM_BUSY']);
    expect(rig.rest.book.waitingCount).toBe(count);
    rig.rest.book.settle();
    expect(await client.take(count)).toHaveLength(count);
    rig.rest.book.isInstant = true;
    expect(await ask(client, 'order.create', createBody())).toMatchObject({ status: 201 });
    expect(rig.rest.book.placedCount).toBe(count + 1);
  });

  it('are carried out when the client leaves before their answers', async () => {
    const rig = await SessionRig.start();
    const client = await rig.session();
    rig.rest.book.isInstant = false;
    client.send({ id: 'a', op: 'order.create', args: createBody() });
    await eventually(
      () => rig.rest.book.waitingCount,
      (count) => count === 1,
    );
    client.socket.terminate();
    await eventually(
      () => rig.closedCount,
      (count) => count === 1,
    );
    rig.rest.book.settle();
    expect(rig.rest.book.placedCount).toBe(1);
    expect(rig.rest.errors).toEqual([]);
    expect(rig.faults).toEqual([]);
  });
});

describe('a malformed frame', () => {
  it.each<[string, string | Buffer, unknown]>([
    ['no JSON', '{"id":"a",', null],
    ['an array', '[]', null],
    ['no id', '{"op":"order.open"}', null],
    ['a number as id', '{"id":1,"op":"order.open"}', null],
    ['an empty id', '{"id":"","op":"order.open"}', null],
    ['a control character in the id', String.raw`{"id":"a\u0007","op":"order.open"}`, null],
    ['a long id', JSON.stringify({ id: 'x'.repeat(SESSION_REQUEST_ID_CHARACTERS_MAX + 1), op: 'ping' }), null],
    ['no op', '{"id":"a"}', 'a'],
    ['an unknown op', '{"id":"a","op":"order.destroy"}', 'a'],
    ['a member of objects as op', '{"id":"a","op":"constructor"}', 'a'],
    ['a binary frame', Buffer.from('{"id":"a","op":"ping"}'), null],
  ])('is answered 400 and the session continues: %s', async (_name, frame, id) => {
    const rig = await SessionRig.start();
    const client = await rig.session();
    client.socket.send(frame);
    const answer = await client.next();
    expect(answer).toMatchObject({ id, status: 400, error: { error_code: 'INVALID_REQUEST' } });
    expect(await ask(client, 'order.open')).toMatchObject({ status: 200 });
  });

  it('has an id of 64 characters of any script at most', async () => {
    const rig = await SessionRig.start();
    const client = await rig.session();
    const id = 'é"\\'.repeat(21) + '😀';
    expect(await ask(client, 'ping', undefined, id)).toMatchObject({ id, status: 200 });
  });
});

describe('the documents of order entry', () => {
  it('have only examples that are requests', () => {
    const examples = SESSION_REQUESTS.flatMap((schema) => (schema.examples ?? []) as readonly unknown[]);
    expect(examples.length).toBeGreaterThan(4);
    for (const example of examples) {
      expect(parseSessionFrame(Buffer.from(JSON.stringify(example))).kind, JSON.stringify(example)).not.toBe('faulty');
    }
  });
});

describe('the path of order entry', () => {
  it('answers 426 to a request that is no handshake', async () => {
    const rig = await SessionRig.start();
    const answer = await rig.rest.send('GET', '/api/v2/ws/trade', '', {});
    expect(answer).toMatchObject({ status: 426, headers: { upgrade: 'websocket' } });
  });

  it('answers 429 to an address above its rate', async () => {
    const rig = await SessionRig.start({}, { waitOf: () => 7 });
    const socket = new WebSocket(rig.url);
    socket.on('error', () => undefined);
    const status = await new Promise((resolve) => {
      socket.on('unexpected-response', (_request, response) => resolve(response.statusCode));
    });
    expect(status).toBe(429);
  });
});
