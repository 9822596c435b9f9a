import { describe, expect, it } from 'vitest';
import { parseKillSwitch } from '../../src/api/account/risk-limits.js';
import type { FieldTable } from '../../src/api/field/field-row.js';
import { parseAmendment } from '../../src/api/order/amendment.js';
import { batchSize, parseBatch, parseCancelAfter, parseCancelBatch } from '../../src/api/order/order-control.js';
import { ORDER_FIELDS } from '../../src/api/order/order-fields.js';
import { checkOrderRequest, digestOf, parseOrderRequest } from '../../src/api/order/order-parser.js';
import { ORDER_PARAMS } from '../../src/api/order/param-fields.js';
import { parseOrderRef } from '../../src/api/order/order-reference.js';
import { PAIR_FIELDS, PAIR_PARAMS, LEG_FIELDS } from '../../src/api/pair/pair-fields.js';
import { pairDigestOf, parsePairRequest } from '../../src/api/pair/pair-parser.js';
import { isRejected, type OrRejection, type Rejection } from '../../src/domain/rejection.js';
import { CATALOGUE, createBody } from '../http/orders.js';
import { pairBody } from './pairs.js';

type Fields = Readonly<Record<string, unknown>>;
type Parse = (body: unknown) => OrRejection<unknown>;
/** Names that lead from a request to an object in it; a number is the place in a list. */
type Path = readonly (string | number)[];

function rejectionOf(result: OrRejection<unknown>): Rejection | null {
  return isRejected(result as OrRejection<object>) ? (result as { rejection: Rejection }).rejection : null;
}

function camel(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

const create: Parse = (body) => parseOrderRequest(body, CATALOGUE);
const createPair: Parse = (body) => parsePairRequest(body, CATALOGUE);

interface Place {
  /** What the object is, for the title of a test. */
  readonly what: string;
  readonly parse: Parse;
  /** A request that has the object. */
  readonly body: () => Record<string, unknown>;
  readonly path: Path;
  readonly fields: readonly string[];
}

const NESTED = {
  would: { would_price: '59000', would_pct: '50' },
  trigger: { trigger_price: '61000', trigger_condition: 'ABOVE' },
  placement_infos: { placement_mode: 'TIGHT' },
};
const inParams = (fields: Fields = {}) => ({ params: { duration_seconds: '60', ...fields } });
const legs = (fields: Fields = {}) => pairBody({}, fields, fields);

/** The object of a table and every object in it. */
function placesOf(request: Omit<Place, 'path' | 'fields'>, table: FieldTable, path: Path = []): Place[] {
  const inner = Object.entries(table).flatMap(([name, { kind, fields }]) => {
    if (fields === undefined) return [];
    const at = [...path, name, ...(kind === 'legs' ? [1] : [])];
    return placesOf({ ...request, what: `${request.what}, ${name}` }, fields, at);
  });
  return [{ ...request, path, fields: Object.keys(table) }, ...inner];
}

const IDS = ['order_id', 'client_order_id'];
const AMENDED = { ...ORDER_PARAMS, ...PAIR_PARAMS };

/** Every object of every request. */
const PLACES: readonly Place[] = [
  ...placesOf({ what: 'a create', parse: create, body: () => createBody(inParams(NESTED)) }, ORDER_FIELDS),
  ...placesOf(
    { what: 'a multi-leg create', parse: createPair, body: () => ({ ...legs(inParams(NESTED)), params: {} }) },
    PAIR_FIELDS,
  ),
  ...placesOf(
    { what: 'an amendment', parse: parseAmendment, body: () => ({ order_id: 7, ...inParams(NESTED) }) },
    {
      params: { ...ORDER_FIELDS.params, fields: AMENDED },
    },
  ).slice(1),
  {
    what: 'an amendment',
    parse: parseAmendment,
    body: () => ({ order_id: 7, quantity: '1' }),
    path: [],
    fields: [...IDS, 'quantity', 'limit_price', 'end_time'],
  },
  { what: 'a cancel, a pause or a resume', parse: parseOrderRef, body: () => ({ order_id: 7 }), path: [], fields: IDS },
  {
    what: 'cancelAllAfter',
    parse: parseCancelAfter,
    body: () => ({ timeout_ms: 60_000 }),
    path: [],
    fields: ['timeout_ms'],
  },
  { what: 'a kill switch', parse: parseKillSwitch, body: () => ({ engaged: true }), path: [], fields: ['engaged'] },
  { what: 'a batch', parse: parseBatch, body: () => ({ orders: [{}] }), path: [], fields: ['orders'] },
  {
    what: 'a batch of cancels',
    parse: parseCancelBatch,
    body: () => ({ orders: [{}] }),
    path: [],
    fields: ['orders', 'orderIds', 'clientOrderIds'],
  },
];

/** A copy without shared parts. */
function copyOf(body: Record<string, unknown>): Record<string, unknown> {
  return JSON.parse(JSON.stringify(body)) as Record<string, unknown>;
}

function objectAt(body: unknown, path: Path): Record<string, unknown> {
  return path.reduce<unknown>((at, step) => (at as Record<string | number, unknown>)[step], body) as Record<
    string,
    unknown
  >;
}

/** `params.would.`, `legs[1].` */
function prefixOf(path: Path): string {
  return (
    path
      .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
      .join('')
      .replace(/^\./, '') + (path.length === 0 ? '' : '.')
  );
}

/** The refusal of the request of a place, with members added to its object. */
function refusalWith({ parse, body, path }: Place, members: Fields): Rejection | null {
  const request = copyOf(body());
  Object.assign(objectAt(request, path), members);
  return rejectionOf(parse(JSON.parse(JSON.stringify(request))));
}

const otherSpelling = (name: string): string =>
  name.includes('_') ? camel(name) : name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

describe.each(PLACES.map((place) => [place.what, place] as const))('%s', (_what, place) => {
  const { path, fields } = place;
  const spelt = fields.filter((name) => otherSpelling(name) !== name);

  it('accepts its request', () => {
    expect(rejectionOf(place.parse(place.body()))).toBeNull();
  });

  it.each(spelt)('refuses both spellings of %s', (name) => {
    const refusal = refusalWith(place, { [name]: null, [otherSpelling(name)]: null });
    expect(refusal?.code).toBe('INVALID_PARAM');
    expect(refusal?.message).toBe(
      `${prefixOf(path)}${name} is given twice: ${otherSpelling(name)} is another spelling of it`,
    );
  });

  it.each(spelt)('reads the other spelling of %s as the field', (name) => {
    const wrong = { not: ['a value'] };
    const request = copyOf(place.body());
    delete objectAt(request, path)[name];
    const refused = [name, otherSpelling(name)].map((spelling) => {
      const sent = copyOf(request);
      objectAt(sent, path)[spelling] = wrong;
      return rejectionOf(place.parse(sent));
    });
    expect(refused[1]).toEqual(refused[0]);
  });

  it.each(fields)('refuses a misspelt %s and names the field', (name) => {
    const misspelt = `${name.slice(0, -1)}${name.endsWith('x') ? 'y' : 'x'}`;
    const refusal = refusalWith(place, { [misspelt]: 'x' });
    expect(refusal).toMatchObject({ code: 'INVALID_PARAM', reason: 'UNKNOWN_FIELD' });
    expect(refusal?.message).toBe(
      `${prefixOf(path)}${misspelt} is not a known field of this request; the nearest is ${prefixOf(path)}${name}`,
    );
  });

  it.each(['colour', '', '__proto__', 'constructor', 'toString', 'x'.repeat(10_000), 'a b', '\u0000', 'lîmit_price'])(
    'refuses the member %j',
    (name) => {
      const request = copyOf(place.body());
      Object.defineProperty(objectAt(request, path), name, { value: 1, enumerable: true });
      const refusal = rejectionOf(place.parse(request));
      expect(refusal).toMatchObject({ code: 'INVALID_PARAM', reason: 'UNKNOWN_FIELD' });
      expect(refusal?.message).toContain(name.length > 64 ? name.slice(0, 60) : JSON.stringify(name).slice(1, -1));
      expect(refusal?.message.length).toBeLessThan(300);
    },
  );
});

/** The value with every name in camelCase. */
function camelCased(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camelCased);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [camel(name), camelCased(inner)]));
}

function digestOfCreate(fields: Fields): string {
  const request = parseOrderRequest(createBody(fields), CATALOGUE);
  if (isRejected(request)) throw new Error(request.rejection.message);
  return digestOf(request);
}

describe('a request in other spellings', () => {
  const terms = {
    client_order_id: 'mine',
    subaccount: 'desk',
    limit_price: '60000',
    start_time: '2026-11-21T12:00:00Z',
    end_time: '2026-11-21T13:00:00Z',
    clip_size_type: 'ABSOLUTE',
    clip_size_val: '0.1',
    params: {
      duration_seconds: '60',
      ob_imbalance_cancel: true,
      price_lock_bps: '5',
      ...NESTED,
      would: { would_price: '59000', would_pct: '50', would_style: 'PASSIVE' },
    },
  };

  it('is the same order', () => {
    const [one, other] = [createBody(terms), camelCased(createBody(terms))].map((body) => {
      const request = parseOrderRequest(body, CATALOGUE);
      if (isRejected(request)) throw new Error(request.rejection.message);
      return [request, digestOf(request)];
    });
    expect(other).toEqual(one);
  });

  it('is the same multi-leg order', () => {
    const body = pairBody({ client_order_id: 'mine', params: { max_unhedged_value: '900' } }, { limit_price: '60000' });
    const [one, other] = [body, camelCased(body)].map((sent) => {
      const request = parsePairRequest(sent, CATALOGUE);
      if (isRejected(request)) throw new Error(request.rejection.message);
      return [request, pairDigestOf(request)];
    });
    expect(other).toEqual(one);
  });

  it('keeps its limit', () => {
    const request = parseOrderRequest(createBody({ limitPrice: '1000' }), CATALOGUE);
    expect(request).toMatchObject({ values: { limitPrice: 100_000 } });
  });

  it('names the same order of a cancel, and the same terms of an amendment', () => {
    expect(parseOrderRef({ orderId: 7, clientOrderId: 'mine' })).toEqual({ orderId: 7, clientOrderId: 'mine' });
    const amendment = { order_id: 7, limit_price: '1', end_time: 'x', params: { duration_seconds: 5 } };
    expect(parseAmendment(camelCased(amendment))).toEqual(parseAmendment(amendment));
  });

  it('names the same orders of a batch of cancels', () => {
    const refs = [{ order_id: 1 }, { order_id: '2' }, { client_order_id: 'mine' }];
    expect(parseCancelBatch({ orderIds: [1, '2'], clientOrderIds: ['mine'] })).toEqual(refs);
    expect(parseCancelBatch({ order_ids: [1, '2'], client_order_ids: ['mine'] })).toEqual(refs);
    expect(parseCancelBatch({ orders: [{ orderId: 9 }], orderIds: [1] })).toEqual([{ orderId: 9 }, { order_id: 1 }]);
  });

  it('weighs as many requests as it has members', () => {
    expect(batchSize({ orders: [1, 2], orderIds: [3], client_order_ids: ['a', 'b'] })).toBe(5);
    expect([{}, null, [], { orders: 5 }, { orders: Array.from({ length: 501 }) }].map(batchSize)).toEqual([
      1, 1, 1, 1, 1,
    ]);
  });
});

describe('members without effect', () => {
  it('are source, and allOrNone of a batch', () => {
    expect(digestOfCreate({ source: { any: ['thing'] } })).toBe(digestOfCreate({}));
    expect(rejectionOf(createPair(pairBody({ source: 1 })))).toBeNull();
    expect(rejectionOf(parseOrderRef({ order_id: 7, source: 'x' }))).toBeNull();
    expect(rejectionOf(parseAmendment({ order_id: 7, quantity: '1', source: 'x' }))).toBeNull();
    expect(parseBatch({ orders: [1], allOrNone: true, source: 'x' })).toEqual([1]);
    expect(parseCancelBatch({ orders: [1], allOrNone: true, source: 'x' })).toEqual([1]);
  });

  it.each([
    ['allOrNone of an order', create, createBody({ allOrNone: true })],
    ['source of params', create, createBody({ params: { duration_seconds: '60', source: 'x' } })],
    ['source of a leg', createPair, pairBody({}, { source: 'x' })],
  ] as const)('are not %s', (_what, parse, body) => {
    expect(rejectionOf(parse(body))?.reason).toBe('UNKNOWN_FIELD');
  });
});

describe('the message about an unknown member', () => {
  it.each([
    [create, createBody({ limitprice: '1' }), 'limitprice', 'limit_price'],
    [create, createBody({ 'limit-price': '1' }), '"limit-price"', 'limit_price'],
    [create, createBody({ LIMIT_PRICE: '1' }), 'LIMIT_PRICE', 'limit_price'],
    [create, createBody({ limit_pirce: '1' }), 'limit_pirce', 'limit_price'],
    [create, createBody({ qantity: '1' }), 'qantity', 'quantity'],
    // The field of another object of the request.
    [create, createBody({ duration_seconds: '1' }), 'duration_seconds', 'params.duration_seconds'],
    [create, createBody({ wouldPrice: '1' }), 'wouldPrice', 'params.would.would_price'],
    [create, createBody({ params: { limit_price: '1' } }), 'params.limit_price', 'limit_price'],
    [createPair, pairBody({ limit_price: '1' }), 'limit_price', 'legs[].limit_price'],
    [createPair, pairBody({}, {}, { limit_prise: '1' }), 'legs[1].limit_prise', 'legs[1].limit_price'],
  ] as const)('names the member and the nearest field, case %#', (parse, body, member, nearest) => {
    expect(rejectionOf(parse(body))?.message).toBe(
      `${member} is not a known field of this request; the nearest is ${nearest}`,
    );
  });

  it('says when no field is near', () => {
    expect(rejectionOf(create(createBody({ colour: 'red' })))?.message).toBe(
      'colour is not a known field of this request; no known field is near',
    );
  });

  it('comes before those about values, and a preview lists both', () => {
    const body = createBody({ quantity: '-1', limitprice: '1', colour: 'red' });
    const messages = checkOrderRequest(body, CATALOGUE).violations.map(({ message }) => message.split(' ')[0]);
    expect(messages).toEqual(['limitprice', 'colour', 'quantity']);
    expect(rejectionOf(create(body))?.message).toMatch(/^limitprice /);
  });

  it('is bounded in a preview of many unknown members', () => {
    const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`limit_${index}`, 1]));
    expect(checkOrderRequest(createBody(many), CATALOGUE).violations).toHaveLength(20);
  });
});

describe('fields of an order that an amendment cannot change', () => {
  const kept = Object.keys({ ...ORDER_FIELDS, ...PAIR_FIELDS }).filter(
    (name) => ![...IDS, 'quantity', 'limit_price', 'end_time', 'params', 'legs'].includes(name),
  );

  it.each([...kept, ...kept.map(camel)])('%s is refused', (name) => {
    const refusal = rejectionOf(parseAmendment({ order_id: 7, quantity: '1', [name]: 'x' }));
    expect(refusal).toMatchObject({ code: 'INVALID_PARAM', reason: 'UNKNOWN_FIELD' });
    expect(rejectionOf(parseAmendment({ order_id: 7, quantity: '1', [name]: null }))).toBeNull();
  });

  it('include the fields of legs', () => {
    expect(rejectionOf(parseAmendment({ order_id: 7, legs: [] }))?.reason).toBe('UNKNOWN_FIELD');
    expect(Object.keys(LEG_FIELDS)).toContain('target_value');
    expect(rejectionOf(parseAmendment({ order_id: 7, target_value: '1' }))?.reason).toBe('UNKNOWN_FIELD');
  });
});
