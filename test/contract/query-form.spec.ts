import type { TObject, TSchema } from '@sinclair/typebox';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isSigned, type SignedOperation } from '../../src/api/document/operation.js';
import { OPERATIONS } from '../../src/api/document/operations.js';
import { RunningServer } from '../http/running-server.js';
import { canonical } from './canonical.js';
import { open } from './compiled.js';
import { runs } from '../runs.js';

/** Parameters that an operation needs besides the one under test. */
const NEEDED: { readonly [id: string]: Readonly<Record<string, string>> } = {
  getOrders: { orderIds: '1' },
  getOrderTimeline: { orderId: '1' },
  getOrderCost: { orderId: '1' },
  listUserTrades: { exchange: 'BINANCE', orderIds: '1' },
  listBalances: { exchange: 'BINANCE' },
  listPositions: { exchange: 'BINANCE' },
  listFundingRateHistory: { exchange: 'BINANCE', symbol: 'BTC/USDT' },
};

/** Values with the right form that break a rule of meaning. */
const RULES_OF_MEANING: readonly RegExp[] = [
  /^symbol .* (is no future|is not listed)/,
  /are missing: give at least one$/,
  /is unknown$/,
  /name different orders$/,
];

const NUMBERS = ['0', '1', '7', '1000', '1001', '-1', '1.5', '1e3', '8640000000000000', '8640000000000001'];
const LARGE_NUMBERS = ['9007199254740991', '9007199254740992'];
const WORDS = ['true', 'FALSE', 'yes', 'BINANCE', 'binance', 'LIGHTER', 'NASDAQ', 'BTC/USDT', 'ETH/BTC', '🙂', ' '];
const LISTS = ['1,2', '1,,2', 'a,b', '1,x', 'a\nb', 'x'.repeat(65), 'x'.repeat(129)];
const TEXTS: readonly string[] = [NUMBERS, LARGE_NUMBERS, WORDS, LISTS].flat();

const texts = fc.oneof(fc.constantFrom(...TEXTS), fc.string({ unit: 'grapheme', maxLength: 6 }), fc.nat().map(String));

/** The JSON value of a query text. */
function valueOf(schema: TSchema, text: string): unknown {
  switch (schema['type']) {
    case 'integer':
      return /^\d+$/.test(text) ? Number(text) : text;
    case 'boolean':
      return /^(true|false)$/i.test(text) ? text.toLowerCase() === 'true' : text;
    case 'array': {
      const items = text.split(',').filter((item) => item !== '');
      return items.map((item) => valueOf(schema['items'] as TSchema, item));
    }
    default:
      return text;
  }
}

const asking = OPERATIONS.filter(isSigned).filter((operation) => operation.query !== null);

describe.each(asking.map((operation) => [operation.id, operation] as const))('the query of %s', (id, operation) => {
  const server = new RunningServer();
  beforeAll(() => server.start());
  afterAll(() => server.server.close());

  const query = operation.query as TObject;
  const validate = open(query);
  const needed = NEEDED[id] ?? {};

  it.each(Object.keys(query.properties))('is accepted exactly when its schema accepts it: %s', async (name) => {
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        const { status, message } = await ask(server, operation, { ...needed, [name]: text });
        const parts = Object.entries({ ...needed, [name]: text }).filter(([, value]) => value !== '');
        const values = Object.fromEntries(
          parts.map(([part, value]) => [part, valueOf(query.properties[part] as TSchema, value)]),
        );
        const isRight = validate(canonical(query, values));
        const isMeaning = RULES_OF_MEANING.some((rule) => rule.test(message));
        if (isRight) expect(status === 200 || isMeaning, `${JSON.stringify(text)}: ${message}`).toBe(true);
        else expect([status, message.startsWith(name)], `${JSON.stringify(text)}: ${message}`).toEqual([400, true]);
      }),
      { numRuns: runs(TEXTS.length + 10, 60), examples: TEXTS.map((text) => [text] as [string]) },
    );
  });
});

async function ask(server: RunningServer, operation: SignedOperation, values: Readonly<Record<string, string>>) {
  const query = Object.entries(values)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
  const { status, text } = await server.get(operation.path, query);
  const { message = '' } = status === 200 ? {} : (JSON.parse(text) as { message?: string });
  return { status, message };
}
