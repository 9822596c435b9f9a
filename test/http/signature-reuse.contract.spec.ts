import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { STANDARD_SECRET, signHmac } from './keys.js';
import { createBody } from './orders.js';
import { RunningServer, type Answer } from './running-server.js';

const ORDER = '/api/v2/trading/order';
const CREATE = `${ORDER}/create`;
const NAMED = { ...createBody(), client_order_id: 'one' };

let running: RunningServer;
beforeEach(async () => {
  running = new RunningServer();
  await running.start();
});
afterEach(() => running.server.close());

const codeOf = ({ status, text }: Answer): string => {
  const { error_code: code } = JSON.parse(text) as { error_code?: string };
  return code === undefined ? String(status) : `${status} ${code}`;
};

/** Sends the same bytes with the same headers to each path. */
async function sendTo(paths: readonly string[], body: unknown, key = 'TRADER'): Promise<Answer[]> {
  const text = JSON.stringify(body);
  const headers = running.signed(text, key);
  const answers: Answer[] = [];
  for (const path of paths) answers.push(await running.send('POST', path, text, headers));
  return answers;
}

const REFUSED = '401 INVALID_SIGNATURE';

// decisions §4: "creates without client_order_id (also as members of a batch) accept a signature once".
describe('a create without client_order_id', () => {
  it.each<[string, string, object]>([
    ['alone', CREATE, createBody()],
    ['named null', CREATE, { ...createBody(), client_order_id: null }],
    ['in a batch', `${ORDER}/createMany`, { orders: [NAMED, createBody()] }],
  ])('is placed once for one signature: %s', async (_name, path, body) => {
    const [first, second] = await sendTo([path, path], body);
    expect(first?.status).toBe(201);
    expect(second === undefined ? '' : codeOf(second)).toBe(REFUSED);
    expect(second?.text).toContain(`X-SIGN was first used with POST ${path}`);
    expect(running.book.placedCount).toBe(path === CREATE ? 1 : 2);
  });

  it('is placed again for another signature of the same bytes', async () => {
    const [first] = await sendTo([CREATE], createBody());
    const [second] = await sendTo([CREATE], createBody());
    expect([first?.status, second?.status]).toEqual([201, 201]);
  });

  it('is refused with other white space in its body and with other encodings of its signature', async () => {
    const text = JSON.stringify(createBody());
    const headers = running.signed(text, 'TRADER');
    expect((await running.send('POST', CREATE, text, headers)).status).toBe(201);
    const spaced = await running.send('POST', CREATE, JSON.stringify(createBody(), null, 2), headers);
    expect(codeOf(spaced)).toBe(REFUSED);
    for (const sign of [`${headers['X-SIGN']}=`, headers['X-SIGN']?.replace('=', '')]) {
      expect((await running.send('POST', CREATE, text, { ...headers, 'X-SIGN': sign ?? '' })).status).toBe(401);
    }
    expect(running.book.placedCount).toBe(1);
  });

  it('is refused for a repeated signature of an RSA key', async () => {
    const [first, second] = await sendTo([CREATE, CREATE], createBody(), 'RSA');
    expect([first, second].map((answer) => answer && codeOf(answer))).toEqual(['201', REFUSED]);
  });

  it('leaves its signature unused when the budget refuses it', async () => {
    await running.server.close();
    running = new RunningServer();
    await running.start({ orderRate: 1 });
    await sendTo([CREATE], createBody());
    await sendTo([CREATE], createBody());
    const text = JSON.stringify(createBody());
    const headers = running.signed(text, 'TRADER');
    expect((await running.send('POST', CREATE, text, headers)).status).toBe(429);
    running.monotonicMs += 5_000;
    expect((await running.send('POST', CREATE, text, headers)).status).toBe(201);
    expect((await running.send('POST', CREATE, text, headers)).status).toBe(401);
  });

  it('charges nothing to the budget when its signature is repeated', async () => {
    await running.server.close();
    running = new RunningServer();
    await running.start({ orderRate: 1 });
    const answers = await sendTo([CREATE, CREATE, CREATE, CREATE], createBody());
    expect(answers.map(({ status }) => status)).toEqual([201, 401, 401, 401]);
    expect((await running.post(CREATE, createBody())).status).toBe(201);
  });

  it('is answered SYSTEM_BUSY and not placed when its signature cannot be stored', async () => {
    running.signatures.isFailing = true;
    expect(codeOf(await running.post(CREATE, createBody()))).toBe('503 SYSTEM_BUSY');
    expect(running.book.placedCount).toBe(0);
    expect((await running.post(CREATE, NAMED)).status).toBe(201);
  });
});

// decisions §4: "every create, resume and amend refuses a signature that came before with another path".
describe('a signature that was used with another path', () => {
  const reference = { order_id: 7 };
  it.each<[string, string, object]>([
    ['create', 'preview', NAMED],
    ['createMany', 'preview', { ...NAMED, orders: [NAMED] }],
    ['create_multiLegs', 'create', NAMED],
    ['createMany/multilegs', 'createMany', { orders: [NAMED] }],
    ['resume', 'pause', reference],
    ['resume', 'cancel', reference],
    ['amend', 'create', NAMED],
    ['amend', 'resume', reference],
  ])('is refused by %s after %s', async (path, before, body) => {
    const [first, second] = await sendTo([`${ORDER}/${before}`, `${ORDER}/${path}`], body);
    expect(first?.status).toBeLessThan(500);
    expect(first?.status).not.toBe(401);
    expect(second === undefined ? '' : codeOf(second)).toBe(REFUSED);
    expect(second?.text).toContain(`first used with POST ${ORDER}/${before}`);
  });

  it('is refused by a create after a GET whose query is the body', async () => {
    const text = JSON.stringify(NAMED);
    const headers = running.signed(text, 'TRADER');
    await running.send('GET', `${ORDER}/open?${encodeURIComponent(text)}`, '', headers);
    expect(codeOf(await running.send('POST', CREATE, text, headers))).toBe(REFUSED);
  });

  it.each<[string, string, object]>([
    ['preview', 'create', NAMED],
    ['pause', 'resume', reference],
    ['cancel', 'pause', reference],
    ['cancelAllAfter', 'cancel', { timeoutMs: 60_000, ...reference }],
  ])('is accepted by %s after %s', async (path, before, body) => {
    const [, second] = await sendTo([`${ORDER}/${before}`, `${ORDER}/${path}`], body);
    expect(second?.status).not.toBe(401);
  });
});

describe('a repeated signature', () => {
  it('is accepted for a create with client_order_id, which places one order', async () => {
    const answers = await sendTo([CREATE, CREATE, CREATE], NAMED);
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
  });

  it.each(['cancel', 'pause', 'resume', 'preview'])('is accepted for %s', async (path) => {
    const answers = await sendTo([`${ORDER}/${path}`, `${ORDER}/${path}`], { ...NAMED, order_id: 7 });
    expect(new Set(answers.map(({ status }) => status)).has(401)).toBe(false);
  });

  it('is accepted for two reads of one millisecond', async () => {
    const headers = running.signed('', 'TRADER');
    for (const path of [`${ORDER}/open`, `${ORDER}/cancelAll`, `${ORDER}/open`]) {
      expect((await running.send('GET', path, '', headers)).status).toBe(200);
    }
  });
});

describe('after a restart', () => {
  it('refuses the signatures that the last process accepted', async () => {
    const text = JSON.stringify(createBody());
    const [created, previewed] = [running.signed(text, 'TRADER'), running.signed(text, 'TRADER')];
    await running.send('POST', CREATE, text, created);
    await running.send('POST', `${ORDER}/preview`, text, previewed);
    await running.server.close();
    await running.start();
    expect(codeOf(await running.send('POST', CREATE, text, created))).toBe(REFUSED);
    expect(codeOf(await running.send('POST', CREATE, text, previewed))).toBe(REFUSED);
    expect((await running.post(CREATE, createBody())).status).toBe(201);
  });

  it('refuses time stamps whose signatures are lost when an order could be placed twice', async () => {
    await running.server.close();
    running.signatures.unknownBeforeMs = running.realMs + 500;
    await running.start();
    expect(codeOf(await running.post(CREATE, createBody()))).toBe(REFUSED);
    expect(codeOf(await running.post(`${ORDER}/resume`, { order_id: 7 }))).toBe(REFUSED);
    expect((await running.post(CREATE, NAMED)).status).toBe(201);
    expect((await running.post(`${ORDER}/cancel`, { order_id: 7 })).status).toBe(200);
    running.realMs += 501;
    expect((await running.post(CREATE, createBody())).status).toBe(201);
  });
});

describe('X-SIGN-VERSION 2', () => {
  let nonces = 0;

  interface Sending {
    readonly method?: 'GET' | 'POST';
    readonly query?: string;
    readonly body?: string;
    readonly nonce?: string;
    readonly headers?: Readonly<Record<string, string>>;
    /** These values are signed instead of the sent ones. */
    readonly signed?: {
      readonly method?: string;
      readonly path?: string;
      readonly query?: string;
      readonly body?: string;
    };
  }

  function headersOf(path: string, { method = 'POST', query = '', body = '', nonce, signed }: Sending) {
    nonces += 1;
    const [timestamp, key] = [String(running.realMs), 'TRADER'];
    const chosen = nonce ?? `nonce-0123456789-${nonces}`;
    const digest = createHash('sha256')
      .update(signed?.body ?? body)
      .digest('hex');
    const line = [signed?.method ?? method, signed?.path ?? path, signed?.query ?? query].join('\n');
    const text = `2\n${line}\n${timestamp}\n${key}\n5000\n${chosen}\n${digest}`;
    const names = { 'X-API-KEY': key, 'X-TIMESTAMP': timestamp, 'X-SIGN-VERSION': '2', 'X-NONCE': chosen };
    return { ...names, 'X-SIGN': signHmac(STANDARD_SECRET, text, '') };
  }

  function send(path: string, sending: Sending): Promise<Answer> {
    const { method = 'POST', query = '', body = '', headers = {} } = sending;
    const target = query === '' ? path : `${path}?${query}`;
    return running.send(method, target, body, { ...headersOf(path, sending), ...headers });
  }

  const body = JSON.stringify(createBody());

  it('is accepted for a POST and for a GET', async () => {
    expect((await send(CREATE, { body })).status).toBe(201);
    expect((await send(`${ORDER}/find`, { method: 'GET', query: 'limit=3' })).status).toBe(200);
  });

  it('accepts the signature of the compact form of a body that is sent with white space', async () => {
    const spaced = JSON.stringify(createBody(), null, 2);
    expect((await send(CREATE, { body: spaced, signed: { body } })).status).toBe(201);
    expect(codeOf(await send(CREATE, { body: `${spaced} 1`, signed: { body } }))).toBe(REFUSED);
  });

  it.each<[string, Sending]>([
    ['the path', { body, signed: { path: `${ORDER}/preview` } }],
    ['the method', { body, signed: { method: 'GET' } }],
    ['the query', { body, query: 'a=1', signed: { query: '' } }],
    ['the body', { body, signed: { body: `${body} ` } }],
    ['the nonce', { body, headers: { 'X-NONCE': 'nonce-of-another-request' } }],
    ['the version', { body, headers: { 'X-SIGN-VERSION': '1' } }],
    ['the time stamp', { body, headers: { 'X-TIMESTAMP': '1800000000001' } }],
    ['the window', { body, headers: { 'X-RECV-WINDOW': '60000' } }],
  ])('covers %s', async (_name, sending) => {
    expect(codeOf(await send(CREATE, sending))).toBe(REFUSED);
    expect(running.book.placedCount).toBe(0);
  });

  it.each(['', 'short', 'x'.repeat(65), 'with blank 01234567', 'ümlaut-0123456789'])(
    'refuses the nonce %j',
    async (nonce) => {
      expect(codeOf(await send(CREATE, { body, nonce }))).toBe(REFUSED);
    },
  );

  it('refuses unknown versions', async () => {
    expect(codeOf(await send(CREATE, { body, headers: { 'X-SIGN-VERSION': '3' } }))).toBe(REFUSED);
  });

  it.each<[string, string, object]>([
    ['a named create', CREATE, NAMED],
    ['a cancel', `${ORDER}/cancel`, { order_id: 7 }],
    ['a pause', `${ORDER}/pause`, { order_id: 7 }],
    ['a kill switch', '/api/v2/trading/killSwitch', { engaged: true }],
  ])('accepts a nonce once: %s', async (_name, path, content) => {
    const nonce = 'nonce-that-is-repeated';
    const text = JSON.stringify(content);
    const first = await send(path, { body: text, nonce });
    expect([200, 201, 404]).toContain(first.status);
    running.realMs += 1_000;
    const again = await send(path, { body: text, nonce });
    expect(codeOf(again)).toBe(REFUSED);
    expect(again.text).toContain(`X-NONCE was first used with POST ${path}`);
  });

  it('accepts a nonce once for cancelAll, and any number of times for reads', async () => {
    const sending = { method: 'GET', nonce: 'nonce-that-is-repeated' } as const;
    expect((await send(`${ORDER}/open`, sending)).status).toBe(200);
    expect((await send(`${ORDER}/open`, sending)).status).toBe(200);
    expect((await send(`${ORDER}/cancelAll`, sending)).status).toBe(200);
    expect((await send(`${ORDER}/cancelAll`, sending)).status).toBe(401);
  });

  it('is the only version that a key created with --require-sign-v2 accepts', async () => {
    const KEY = 'SECOND';
    expect(codeOf(await running.get(`${ORDER}/open`, '', { key: KEY }))).toBe(REFUSED);
    const text = `2\nGET\n${ORDER}/open\n\n${running.realMs}\n${KEY}\n5000\n${'n'.repeat(16)}\n${createHash('sha256').digest('hex')}`;
    const headers = {
      'X-API-KEY': KEY,
      'X-TIMESTAMP': String(running.realMs),
      'X-SIGN-VERSION': '2',
      'X-NONCE': 'n'.repeat(16),
      'X-SIGN': signHmac(STANDARD_SECRET, text, ''),
    };
    expect((await running.send('GET', `${ORDER}/open`, '', headers)).status).toBe(200);
  });
});
