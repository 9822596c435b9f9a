import { describe, expect, it } from 'vitest';
import type { OrderId } from '../../src/domain/ids.js';
import { hedgeBody, legBody, pairBody } from '../api/pairs.js';
import { createBody, parentState } from '../http/orders.js';
import { ask, SessionRig } from '../stream/session-rig.js';

/*
 * Members of requests that the service does not know, from outside, over REST and in a session (decisions §4). The
 * members of each object of each request are tested in test/api/member-names.spec.ts.
 */

const ORDER = '/api/v2/trading/order';
type Fields = Record<string, unknown>;

interface Outcome {
  readonly status: number;
  readonly body: unknown;
}

/** Sends a request with an open order 7. Each way must give the same answer. */
type Send = (op: string, path: string, text: string) => Promise<Outcome & { readonly placedCount: number }>;

async function started(): Promise<SessionRig> {
  const rig = await SessionRig.start();
  rig.rest.book.put(parentState({ orderId: 7 as OrderId }));
  rig.rest.book.refresh();
  return rig;
}

const overRest: Send = async (_op, path, text) => {
  const { rest } = await started();
  const { status, text: answer } = await rest.post(path, text);
  return { status, body: JSON.parse(answer), placedCount: rest.book.placedCount };
};

const inSession: Send = async (op, _path, text) => {
  const rig = await started();
  const client = await rig.session();
  client.socket.send(`{"id":"a","op":"${op}","args":${text}}`);
  const { id, status, data, error } = await client.next();
  expect(id).toBe('a');
  return { status: status as number, body: data ?? error, placedCount: rig.rest.book.placedCount };
};

const UNKNOWN = { error_code: 'INVALID_PARAM', reason: 'UNKNOWN_FIELD' };
const REJECTED = { status: 'REJECTED', ...UNKNOWN };

function named(member: string, nearest: string | null): { message: string } {
  const advice = nearest === null ? 'no known field is near' : `the nearest is ${nearest}`;
  return { message: `${member} is not a known field of this request; ${advice}` };
}

/** Op, path, body, status, and what the answer contains. */
type Case = readonly [op: string, path: string, body: Fields, status: number, answer: unknown];

const LIMITED = createBody({ limitprice: '1000' });
const WORD = named('limitprice', 'limit_price');

const REFUSED: readonly Case[] = [
  ['order.create', 'create', LIMITED, 201, { ...REJECTED, ...WORD }],
  [
    'order.create',
    'create',
    createBody({ clientOrderId: 'mine', params: { duration_seconds: '60', would: { would_prise: '1' } } }),
    201,
    { ...REJECTED, client_order_id: 'mine', ...named('params.would.would_prise', 'params.would.would_price') },
  ],
  ['order.createMultiLegs', 'create_multiLegs', pairBody({ legz: [] }), 201, { ...REJECTED, ...named('legz', 'legs') }],
  [
    'order.createMultiLegs',
    'create_multiLegs',
    { algo: 'PAIR', legs: [legBody(), hedgeBody({ params: { leading: true } })] },
    201,
    { ...REJECTED, ...named('legs[1].params.leading', 'legs[1].params.is_leading') },
  ],
  [
    'order.createMany',
    'createMany',
    { orders: [createBody()], orders_: 1 },
    400,
    { ...UNKNOWN, ...named('orders_', 'orders') },
  ],
  ['order.createMany', 'createMany', { orders: [createBody()], all: 1 }, 400, { ...UNKNOWN, ...named('all', null) }],
  ['order.createManyMultiLegs', 'createMany/multilegs', { orders: [pairBody()], limit_price: '1' }, 400, UNKNOWN],
  ['order.cancel', 'cancel', { order_id: 7, order_ids: [8] }, 400, { ...UNKNOWN, ...named('order_ids', 'order_id') }],
  ['order.cancelMany', 'cancelMany', { order_ids: [7], exchange: 'OKX' }, 400, UNKNOWN],
  [
    'order.cancelMany',
    'cancelMany',
    { orders: [{ order_id: 7, symbol: 'BTC/USDT' }] },
    200,
    [{ status: 'CANCEL_REJECTED', ...UNKNOWN }],
  ],
  ['order.pause', 'pause', { order_id: 7, until: 'noon' }, 400, UNKNOWN],
  ['order.resume', 'resume', { order_id: 7, quantity: '1' }, 400, UNKNOWN],
  ['order.amend', 'amend', { order_id: 7, quantity: '0.7', limitprice: '1' }, 400, { ...UNKNOWN, ...WORD }],
  [
    'order.amend',
    'amend',
    { order_id: 7, quantity: '0.7', side: 'SELL' },
    400,
    { ...UNKNOWN, message: 'side cannot be amended' },
  ],
  [
    'order.amend',
    'amend',
    { order_id: 7, params: { tradingStile: 'PASSIVE' } },
    400,
    { ...UNKNOWN, ...named('params.tradingStile', 'params.trading_style') },
  ],
  ['order.cancelAllAfter', 'cancelAllAfter', { timeout_ms: 60_000, timeout: 5 }, 400, UNKNOWN],
  ['killSwitch', '../killSwitch', { engaged: true, scope: 'SERVICE' }, 400, UNKNOWN],
  ['order.preview', 'preview', LIMITED, 200, { accepted: false, rejections: [{ ...UNKNOWN, ...WORD }] }],
  // Both spellings are no unknown member.
  [
    'order.create',
    'create',
    createBody({ limit_price: '1000', limitPrice: '1000' }),
    201,
    {
      status: 'REJECTED',
      error_code: 'INVALID_PARAM',
      message: 'limit_price is given twice: limitPrice is another spelling of it',
    },
  ],
];

/** The answer without the request id and the time. */
function lasting(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body), (name, value: unknown) =>
    name === 'request_id' || name === 'created_at' ? undefined : value,
  );
}

function urlOf(path: string): string {
  return new URL(`${ORDER}/${path}`, 'http://a').pathname;
}

describe.each([
  ['over REST', overRest],
  ['in a session', inSession],
] as const)('a request %s', (_way, send) => {
  it.each(REFUSED)('%s: %s refuses %j', async (op, path, body, status, answer) => {
    const outcome = await send(op, urlOf(path), JSON.stringify(body));
    expect(outcome.status).toBe(status);
    expect(outcome.body).toMatchObject(answer as object);
    expect(outcome.placedCount).toBe(0);
  });

  it.each([
    ['order.create', 'create', createBody({ limitPrice: '1000', clientOrderId: 'mine', source: 'desk' })],
    ['order.create', 'create', { ...createBody({ assetCategory: 'SPOT' }), asset_category: undefined }],
    ['order.createMany', 'createMany', { orders: [createBody({ limitPrice: '60000' })], allOrNone: true, source: 1 }],
    ['order.createMultiLegs', 'create_multiLegs', pairBody({ clientOrderId: 'mine', source: 'desk' })],
    ['order.createManyMultiLegs', 'createMany/multilegs', { orders: [pairBody({}, { limitPrice: '60000' })] }],
    ['order.cancel', 'cancel', { orderId: 7, source: 'desk' }],
    ['order.cancelMany', 'cancelMany', { orderIds: [7], source: 'desk' }],
    ['order.cancelMany', 'cancelMany', { orders: [{ orderId: '7' }] }],
    ['order.pause', 'pause', { orderId: 7 }],
    ['order.amend', 'amend', { orderId: 7, limitPrice: '60000', params: { durationSeconds: '60' } }],
    ['order.cancelAllAfter', 'cancelAllAfter', { timeoutMs: 60_000 }],
    ['order.preview', 'preview', createBody({ limitPrice: '60000' })],
  ] as const)('%s: %s reads other spellings: %j', async (op, path, body) => {
    const snake = JSON.parse(
      JSON.stringify(body)
        .replace(
          /"(\w+)":/g,
          (_, name: string) => `"${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}":`,
        )
        .replace('"all_or_none"', '"allOrNone"')
        .replace('"order_ids"', '"orderIds"'),
    ) as unknown;
    const [camel, plain] = [
      await send(op, urlOf(path), JSON.stringify(body)),
      await send(op, urlOf(path), JSON.stringify(snake)),
    ];
    expect([200, 201]).toContain(camel.status);
    expect(JSON.stringify(camel.body)).not.toMatch(/INVALID_/);
    expect({ ...camel, body: lasting(camel.body) }).toEqual({ ...plain, body: lasting(plain.body) });
  });

  it('refuses only the wrong member of a batch', async () => {
    const orders = [createBody(), LIMITED, createBody({ sidé: 'BUY' }), createBody({ limitPrice: '60000' })];
    const { status, body, placedCount } = await send(
      'order.createMany',
      `${ORDER}/createMany`,
      JSON.stringify({ orders }),
    );
    expect(status).toBe(201);
    const placed = { status: 'PENDING_NEW' };
    expect(body).toMatchObject({ orders: [placed, { ...REJECTED, ...WORD }, REJECTED, placed] });
    expect(placedCount).toBe(2);
  });

  it('refuses only the wrong member of a batch of multi-leg orders', async () => {
    const orders = [pairBody({}, { limit_prise: '1' }), pairBody()];
    const text = JSON.stringify({ orders });
    const { body } = await send('order.createManyMultiLegs', `${ORDER}/createMany/multilegs`, text);
    const wrong = { ...REJECTED, ...named('legs[0].limit_prise', 'legs[0].limit_price') };
    expect(body).toMatchObject({ orders: [wrong, { status: 'PENDING_NEW' }] });
  });

  it.each([
    [
      'order.create',
      'create',
      JSON.stringify(createBody()).replace('{', '{"limit_price":"1000","limit_price":null,'),
      'limit_price',
    ],
    [
      'order.create',
      'create',
      JSON.stringify(createBody()).replace('"60"', '"60","duration_seconds":"5"'),
      'duration_seconds',
    ],
    [
      'order.createMany',
      'createMany',
      `{"orders":[${JSON.stringify(createBody())},{"side":"BUY","side":"SELL"}]}`,
      'side',
    ],
    ['order.cancel', 'cancel', '{"order_id":7,"order_id":8}', 'order_id'],
    ['killSwitch', '../killSwitch', '{"engaged":true,"engaged":true}', 'engaged'],
    ['order.preview', 'preview', JSON.stringify(createBody()).replace('{', '{"side":"SELL",'), 'side'],
  ])('%s: %s refuses a member that is given twice', async (op, path, text, member) => {
    const { status, body, placedCount } = await send(op, urlOf(path), text);
    expect(status).toBe(400);
    expect(body).toMatchObject({ error_code: 'INVALID_REQUEST', message: `the member "${member}" is given twice` });
    expect(placedCount).toBe(0);
  });

  it.each([
    ['side', { side: 'ſell' }, 'INVALID_PARAM'],
    ['strategy', { strategy: 'ıceberg' }, 'INVALID_TRADE_STRATEGY'],
    ['exchange', { exchange: 'hyperlıquid' }, 'INVALID_EXCHANGE'],
    ['symbol', { symbol: 'btc/uſdt' }, 'INVALID_SYMBOL'],
    ['params.trading_style', { params: { duration_seconds: '60', trading_style: 'paſſive' } }, 'INVALID_PARAM'],
  ])('reads names in ASCII: %s', async (field, fields, code) => {
    const { body } = await send('order.create', `${ORDER}/create`, JSON.stringify(createBody(fields)));
    expect(body).toMatchObject({ status: 'REJECTED', error_code: code });
    expect((body as { message: string }).message).toMatch(new RegExp(`^${field} `));
  });
});

describe('order.cancelAll in a session', () => {
  it('refuses members: it cancels every order whatever they say', async () => {
    const rig = await started();
    const client = await rig.session();
    expect(await ask(client, 'order.cancelAll', { exchange: 'OKX' })).toMatchObject({ status: 400, error: UNKNOWN });
    expect(await ask(client, 'order.cancelAll', { source: 'desk' })).toMatchObject({ status: 200 });
  });
});

describe('the start of a session', () => {
  it('reads other spellings, and refuses unknown members', async () => {
    const rig = await SessionRig.start();
    const { api_key: apiKey, ...credentials } = rig.credentials();
    const client = await rig.open();
    const misspelt = await ask(client, 'auth', { apiKey, ...credentials, cancelsOnDisconnect: true });
    const nearest = named('cancelsOnDisconnect', 'cancel_on_disconnect');
    expect(misspelt).toMatchObject({ status: 400, error: { ...UNKNOWN, ...nearest } });
    const granted = await ask(client, 'auth', { apiKey, ...credentials, cancelOnDisconnect: true });
    expect(granted).toMatchObject({ status: 200, data: { cancel_on_disconnect: true } });
  });
});

describe('a query', () => {
  it('may have parameters that are not known', async () => {
    const { rest } = await started();
    for (const path of ['open', 'find', 'cancelAll']) {
      expect((await rest.get(`${ORDER}/${path}`, 'flavour=sour&limitPrice=1')).status).toBe(200);
    }
  });
});

describe('idempotency and signatures', () => {
  it('take an order in other spellings for the same request', async () => {
    const { rest } = await started();
    const create = (fields: Fields) => rest.post(`${ORDER}/create`, createBody(fields));
    const first = await create({ client_order_id: 'mine', limit_price: '60000' });
    const second = await create({ clientOrderId: 'mine', limitPrice: '60000.0' });
    expect(JSON.parse(second.text)).toMatchObject({ client_order_id: 'mine', status: 'PENDING_NEW' });
    expect(rest.book.placedCount).toBe(1);
    expect(JSON.parse(second.text)).toMatchObject({
      order_id: (JSON.parse(first.text) as { order_id: number }).order_id,
    });
  });

  it.each([
    ['create', createBody({ clientOrderId: 'mine' })],
    ['createMany', { orders: [createBody({ clientOrderId: 'mine' })] }],
  ])('accept the same signed bytes of %s again when the order has a name', async (path, body) => {
    const { rest } = await started();
    const text = JSON.stringify(body);
    const headers = rest.signed(text, 'TRADER');
    const answers = [];
    for (let times = 0; times < 2; times += 1) answers.push(await rest.send('POST', `${ORDER}/${path}`, text, headers));
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    expect(rest.book.placedCount).toBe(1);
  });
});
