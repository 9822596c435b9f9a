import { describe, expect, it } from 'vitest';
import { STREAM_PATH } from '../../src/api/document/asyncapi.js';
import { ERROR_CATALOGUE } from '../../src/api/document/error-catalogue.js';
import { ErrorAnswer } from '../../src/api/document/service.js';
import { BODY_BYTES_DISCARDED_MAX } from '../../src/domain/limits/clients.js';
import { createBody } from '../http/orders.js';
import type { Answer } from '../http/running-server.js';
import { closed, complaintsOf } from './compiled.js';
import { LimitedService } from './limited-service.js';

const ORDER = '/api/v2/trading/order';
const CREATE = `${ORDER}/create`;
/** Matches a head and a JSON body. */
const WHOLE = /\r\n\r\n\{.*\}$/s;
const isErrorAnswer = closed(ErrorAnswer);

/** Parses an answer from the bytes of a connection. */
async function raw({ rest }: LimitedService, lines: readonly string[], body = ''): Promise<Answer> {
  const { received } = await rest.raw(`${lines.join('\r\n')}\r\n\r\n${body}`, (received) => WHOLE.test(received));
  const [head = '', text = ''] = received.split('\r\n\r\n');
  const [statusLine = '', ...headers] = head.split('\r\n');
  const pairs = headers.map((header) => header.split(': ') as [string, string]);
  return {
    status: Number(statusLine.split(' ')[1]),
    headers: Object.fromEntries(pairs.map(([name, value]) => [name.toLowerCase(), value])),
    text,
  };
}

interface ErrorCase {
  readonly why: string;
  readonly status: number;
  readonly code: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly ask: (service: LimitedService) => Promise<Answer>;
  /** Headers of the answer besides X-Request-Id. */
  readonly header?: string;
}

const CASES: readonly ErrorCase[] = [
  { why: 'no JSON', status: 400, code: 'INVALID_REQUEST', ask: ({ rest }) => rest.post(CREATE, '{') },
  { why: 'a query value', status: 400, code: 'INVALID_PARAM', ask: ({ rest }) => rest.get(`${ORDER}/find`, 'limit=0') },
  {
    why: 'a length twice',
    status: 400,
    code: 'INVALID_REQUEST',
    ask: (service) =>
      raw(service, [`POST ${CREATE} HTTP/1.1`, 'Host: a', 'Content-Length: 2', 'Content-Length: 3'], '{}'),
  },
  {
    why: 'a body in chunks',
    status: 400,
    code: 'INVALID_REQUEST',
    ask: (service) => raw(service, [`POST ${CREATE} HTTP/1.1`, 'Host: a', 'Transfer-Encoding: chunked'], '0\r\n\r\n'),
  },
  { why: 'no key', status: 401, code: 'INVALID_API_KEY', ask: ({ rest }) => rest.send('GET', `${ORDER}/open`, '', {}) },
  {
    why: 'no permission',
    status: 403,
    code: 'AUTHENTICATION_ERROR',
    ask: ({ rest }) => rest.post(CREATE, createBody(), { key: 'READER' }),
  },
  {
    why: 'an unknown path',
    status: 404,
    code: 'INVALID_REQUEST',
    ask: ({ rest }) => rest.send('GET', '/nowhere', '', {}),
  },
  {
    why: 'a wrong method',
    status: 405,
    code: 'INVALID_REQUEST',
    ask: ({ rest }) => rest.send('DELETE', CREATE, '', {}),
    header: 'allow',
  },
  {
    why: 'a large body',
    status: 413,
    code: 'INVALID_REQUEST',
    env: { SLUICE_BODY_BYTES_MAX: '1024' },
    ask: ({ rest }) => rest.post(CREATE, ' '.repeat(1025)),
  },
  {
    why: 'a body that is too large to read',
    status: 413,
    code: 'INVALID_REQUEST',
    ask: (service) =>
      raw(service, [`POST ${CREATE} HTTP/1.1`, 'Host: a', `Content-Length: ${BODY_BYTES_DISCARDED_MAX + 1}`], '{}'),
  },
  {
    why: 'a budget that is used up',
    status: 429,
    code: 'RATE_LIMIT_EXCEEDED',
    env: { SLUICE_RATE_LIMIT_ORDERS: '1' },
    ask: async ({ rest }) => {
      await rest.post(`${ORDER}/createMany`, { orders: [createBody(), createBody()] });
      return rest.post(CREATE, createBody());
    },
    header: 'retry-after',
  },
  {
    why: 'a bug',
    status: 500,
    code: 'SYSTEM_ERROR',
    ask: ({ rest }) => {
      rest.book.create = () => {
        throw new Error('a bug');
      };
      return rest.post(CREATE, createBody());
    },
  },
  {
    why: 'overload',
    status: 503,
    code: 'SYSTEM_BUSY',
    ask: ({ rest }) => {
      rest.book.refusal = { code: 'SYSTEM_BUSY', message: 'the mailbox is full; nothing was placed' };
      return rest.post(CREATE, createBody());
    },
    header: 'retry-after',
  },
  {
    why: 'shutting down',
    status: 503,
    code: 'SYSTEM_BUSY',
    ask: ({ rest }) => {
      rest.server.stopAccepting();
      return rest.post(CREATE, createBody());
    },
    header: 'retry-after',
  },
  {
    why: 'a handshake without a valid key',
    status: 401,
    code: 'AUTHENTICATION_ERROR',
    ask: (service) => service.refused('forged'),
  },
  {
    why: 'a request without a handshake at the path of the streams',
    status: 426,
    code: 'INVALID_REQUEST',
    ask: ({ rest }) => rest.send('GET', STREAM_PATH, '', {}),
    header: 'upgrade',
  },
  {
    why: 'one connection too many',
    status: 503,
    code: 'SYSTEM_BUSY',
    env: { SLUICE_WS_CONNECTIONS: '1' },
    ask: async (service) => {
      const listenKey = await service.listenKey();
      await service.connect(listenKey);
      return service.refused(listenKey);
    },
    header: 'retry-after',
  },
];

/** True for an answer that nothing may keep, and whose type a browser may not guess. */
function unkept({ headers }: Answer): boolean {
  return headers['cache-control'] === 'no-store' && headers['x-content-type-options'] === 'nosniff';
}

// decisions §4: "Error body: {error_code, message, request_id}; every response carries X-Request-Id."
describe('an error answer', () => {
  it.each(CASES.map((one) => [one.status, one.why, one] as const))(
    'has code, message and request id: %i for %s',
    async (status, _why, { code, env = {}, ask, header = 'x-request-id' }) => {
      const answer = await ask(await LimitedService.start(env));
      expect(answer.status, answer.text).toBe(status);
      const body = JSON.parse(answer.text) as Record<string, unknown>;
      expect(complaintsOf(isErrorAnswer, body)).toBe('');
      expect(body).toMatchObject({ error_code: code, request_id: answer.headers['x-request-id'] });
      expect(body['message']).toMatch(/\S/);
      expect(answer.headers[header]).toMatch(/\S/);
      expect(answer.headers['content-type']).toBe('application/json');
      expect(ERROR_CATALOGUE.find((entry) => entry.code === code)?.statuses).toContain(status);
      expect(unkept(answer)).toBe(true);
    },
  );
});

describe('X-Request-Id', () => {
  it('is different for every answer', async () => {
    const service = await LimitedService.start({});
    const { rest } = service;
    const open = ['/status/ping', '/status/health', '/status/ready', '/metrics', '/openapi.json', '/docs'];
    const answers = [
      ...(await Promise.all(open.map((path) => rest.send('GET', path, '', {})))),
      ...(await Promise.all(open.map((path) => rest.send('HEAD', path, '', {})))),
      await rest.send('HEAD', '/nowhere', '', {}),
      await rest.get(`${ORDER}/open`),
      await rest.post(CREATE, createBody()),
      await service.refused('forged'),
    ];
    const ids = answers.map(({ headers }) => headers['x-request-id']);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{10}-[0-9a-z]+$/);
    expect(new Set(ids).size).toBe(answers.length);
  });
});

describe('an answer of the interface', () => {
  it('is kept by no browser and no proxy: whole, in parts, to HEAD, and with a status of its own', async () => {
    const { rest } = await LimitedService.start({});
    const signed = ['/api/v2/trading/order/open', '/api/v2/trading/listenKey', '/api/v2/data/exchanges'];
    const answers = [
      ...(await Promise.all(signed.map((path) => rest.get(path)))),
      await rest.get('/api/v2/trading/balance', 'exchange=OKX'),
      await rest.post(CREATE, createBody()),
      await rest.post(`${ORDER}/cancelAll`, ''),
      await rest.send('DELETE', CREATE, '', {}),
      await rest.send('GET', '/status/health', '', {}),
      await rest.send('HEAD', '/status/ready', '', {}),
    ];
    expect(answers.filter((answer) => !unkept(answer))).toEqual([]);
  });
});
