import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CreateParentOrderRequest } from '../../src/api/order/order-schema.js';
import { API_KEY, API_SECRET, FakeService } from '../client/fake-service.js';
import { complaintsOf, open } from '../contract/compiled.js';
import { sluice } from './command-line.js';
import type { Outcome } from './command-line.js';

const CREATED = { order_id: 7, status: 'PENDING_NEW', created_at: '2026-11-21T00:00:00.000Z' };
const REFUSED = {
  status: 'REJECTED',
  error_code: 'INVALID_QUANTITY',
  message: 'quantity 0 is not positive',
  created_at: '2026-11-21T00:00:00.000Z',
};

const TERMS = words('--exchange BINANCE --symbol BTC/USDT --side buy --quantity 0.50');
const CREATE = ['order', 'create', ...TERMS];
const ORDER = { exchange: 'BINANCE', symbol: 'BTC/USDT', asset_category: 'SPOT', side: 'BUY', quantity: '0.50' };
const LEG = {
  exchange: 'OKX',
  symbol: 'BTC/USDT',
  asset_category: 'SPOT',
  target_value: '1',
  ccy: 'BTC',
  strategy: 'TWAP',
};
const PAIR = {
  algo: 'PAIR',
  legs: [
    { ...LEG, side: 'BUY' },
    { ...LEG, side: 'SELL' },
  ],
};

function words(text: string): string[] {
  return text.split(' ');
}

let service: FakeService;
let folder: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-create-'));
  service = await FakeService.start();
  for (const path of ['create', 'create_multiLegs']) {
    service.on(`POST /api/v2/trading/order/${path}`, () => ({ status: 201, content: CREATED }));
  }
  for (const path of ['createMany', 'createMany/multilegs']) {
    service.on(`POST /api/v2/trading/order/${path}`, () => ({ status: 201, content: { orders: [CREATED, REFUSED] } }));
  }
});
afterEach(async () => {
  await service.stop();
  rmSync(folder, { recursive: true });
});

const run = (...args: string[]): Promise<Outcome> =>
  sluice(args, { SLUICE_URL: service.url, SLUICE_API_KEY: API_KEY, SLUICE_API_SECRET: API_SECRET });

/** The sent request without the client_order_id that the client adds. */
async function sentBy(...args: string[]): Promise<Record<string, unknown>> {
  const { status, error } = await run(...args);
  expect({ status, error }).toEqual({ status: 0, error: '' });
  const { client_order_id: name, ...body } = (service.asked.at(-1)?.body ?? {}) as Record<string, unknown>;
  expect(name).toBeTypeOf('string');
  return body;
}

function request(content: unknown): Promise<Outcome> {
  const file = join(folder, 'order.json');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return run('order', 'create', '--request', file, '--json');
}

describe('sluice order create', () => {
  it('sends decimals as text and prints the summary', async () => {
    const body = await sentBy(...CREATE, ...words('--strategy TWAP --duration 60 --param x=1.50 --param y={"z":true}'));
    const params = { duration_seconds: '60', x: '1.50', y: { z: true } };
    expect(body).toEqual({ ...ORDER, strategy: 'TWAP', params });
    const { out } = await run(...CREATE, '--strategy', 'MARKET', '--json');
    expect(JSON.parse(out)).toEqual(CREATED);
    expect(service.asked.at(-1)?.body).not.toHaveProperty('params');
    expect((await run(...CREATE, '--strategy', 'MARKET')).out).toContain('PENDING_NEW');
  });

  it('has a flag for every field of the request', async () => {
    const terms =
      '--strategy SCALE --limit-price 60000 --start-time 2026-11-21T12:00:00Z --end-time 2026-11-21T13:00:00Z';
    const working =
      '--duration 60 --style PASSIVE --urgency LOW --clip ABSOLUTE:0.05 --randomize --reduce-only --post-only';
    const placing = '--placement-mode CUSTOM --place-level 2 --cancel-level 4 --subaccount desk --client-order-id mine';
    const conditions = '--trigger-above 61000 --would-price 59000 --would-pct 50 --would-style PASSIVE --would-arrival';
    const guards = '--price-lock-bps 5 --imbalance 0.8';
    const ladder =
      '--ladder-start 59000 --ladder-end 60000 --ladder-direction UPWARDS --ladder-profile LINEAR --size-skew 1.5';
    const flags = [terms, working, placing, conditions, guards, ladder].flatMap(words);
    expect((await run(...CREATE, ...flags)).status).toBe(0);
    const body = service.asked.at(-1)?.body as { params: Record<string, unknown> };
    expect(complaintsOf(open(CreateParentOrderRequest), body)).toBe('');
    const { properties } = CreateParentOrderRequest;
    expect(Object.keys(body).toSorted()).toEqual(Object.keys(properties).toSorted());
    expect(Object.keys(body.params).toSorted()).toEqual(
      Object.keys(properties.params['properties'] as object).toSorted(),
    );
    expect(body.params).toMatchObject({
      would: { would_price: '59000', would_pct: '50', would_style: 'PASSIVE', would_is_arrival: true },
      trigger: { trigger_price: '61000', trigger_condition: 'ABOVE' },
      placement_infos: { placement_mode: 'CUSTOM', placement: '2', cancel: '4' },
      size_skew: 1.5,
      ob_imbalance_cancel: true,
      ob_imbalance_threshold: '0.8',
    });
  });

  it.each([
    ['--trigger-below 50000', { params: { trigger: { trigger_price: '50000', trigger_condition: 'BELOW' } } }],
    ['--imbalance', { params: { ob_imbalance_cancel: true } }],
    ['--clip AUTOMATIC', { clip_size_type: 'AUTOMATIC' }],
    ['--clip ORDER_COUNT:20', { clip_size_type: 'ORDER_COUNT', clip_size_val: '20' }],
    ['--limit 61000', { limit_price: '61000' }],
    ['--category future', { asset_category: 'FUTURE' }],
  ])('parses the flags %s', async (flags, expected) => {
    expect(await sentBy(...CREATE, '--strategy', 'TWAP', ...words(flags))).toEqual({
      ...ORDER,
      strategy: 'TWAP',
      ...expected,
    });
  });

  it('exits with status 1 and the reason of a rejection', async () => {
    service.on('POST /api/v2/trading/order/create', () => ({ status: 201, content: REFUSED }));
    const { status, out, error } = await run(...CREATE, '--strategy', 'MARKET', '--json');
    expect({ status, error }).toEqual({ status: 1, error: 'sluice: INVALID_QUANTITY: quantity 0 is not positive\n' });
    expect(JSON.parse(out)).toEqual(REFUSED);
  });

  it.each([
    '',
    '--strategy TWAP --side HOLD',
    '--strategy TWAP --param x',
    '--strategy TWAP --clip ABSOLUTE:',
    '--strategy TWAP --clip A:1:2',
    '--strategy TWAP --trigger-above 1 --trigger-below 2',
    '--strategy TWAP --side ſell',
    '--strategy TWAP --param x=1 --param x=2',
    '--strategy TWAP --param would={"a":1,"a":2}',
    '--strategy TWAP --duration 60 --param duration_seconds=5',
    '--request /nowhere.json',
  ])('exits with status 2 for the flags %s', async (flags) => {
    const { status, error } = await run(...CREATE, ...words(flags).filter((word) => word !== ''));
    expect(status).toBe(2);
    expect(error).not.toBe('');
    expect(service.asked).toEqual([]);
  });

  it('lists missing required flags', async () => {
    expect((await run('order', 'create', '--side', 'SELL')).error).toContain('--exchange, --symbol, --quantity');
  });
});

describe('sluice order create --request', () => {
  it.each([
    ['an order', 'create', { ...ORDER, strategy: 'MARKET' }, CREATED],
    ['a multi-leg order', 'create_multiLegs', PAIR, CREATED],
  ])('places %s', async (_what, path, body, answer) => {
    const { status, out } = await request(body);
    expect(status).toBe(0);
    expect(JSON.parse(out)).toEqual(answer);
    expect(service.asked.at(-1)).toMatchObject({ path: `/api/v2/trading/order/${path}`, body });
  });

  it.each([
    ['orders', 'createMany', { ...ORDER, strategy: 'MARKET' }],
    ['multi-leg orders', 'createMany/multilegs', PAIR],
  ])('places several %s, and fails when one is refused', async (_what, path, order) => {
    const { status, out, error } = await request({ orders: [order, order] });
    expect({ status, error }).toEqual({
      status: 1,
      error: 'sluice: 1 of 2 were refused, the first: INVALID_QUANTITY: quantity 0 is not positive\n',
    });
    expect(JSON.parse(out)).toEqual([CREATED, REFUSED]);
    expect(service.asked.at(-1)?.path).toBe(`/api/v2/trading/order/${path}`);
  });

  it('passes on the members that it does not know, and other spellings: the service judges them', async () => {
    const order = { ...ORDER, strategy: 'MARKET', limitPrise: '1', clientOrderId: 'mine', params: { colour: 'red' } };
    await request(order);
    expect(service.asked.at(-1)?.body).toEqual(order);
    await request({ orders: [order], allOrNone: true, source: 'desk' });
    expect(service.asked.at(-1)?.body).toEqual({ orders: [order] });
  });

  it.each([
    ['{"side":"BUY","side":"SELL"}', 'the member "side" is given twice'],
    [{ orders: [ORDER], limitPrice: '1' }, 'a batch has only orders, not "limitPrice"'],
  ])('refuses %j with status 2 and says why', async (content, why) => {
    const { status, error } = await request(content);
    expect(status).toBe(2);
    expect(error).toContain(why);
    expect(service.asked).toEqual([]);
  });

  it.each([['[1]'], ['no JSON'], [{ orders: [ORDER, PAIR] }]])('refuses %j with status 2', async (content) => {
    expect((await request(content)).status).toBe(2);
    expect(service.asked).toEqual([]);
  });

  it('refuses other flags beside --request', async () => {
    const { status, error } = await run('order', 'create', '--request', '-', '--side', 'BUY');
    expect(status).toBe(2);
    expect(error).toContain('--side');
  });
});
