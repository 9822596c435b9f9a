import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../../system/service-run.js';
import { MortalThreads } from '../../system/mortal-threads.js';
import { FATAL_ID } from './broken-answers-peer.js';
import { FUTURE, IMMEDIATE, RESTING, SCHEDULED } from './orders.js';
import { ServiceUnderRules } from './service-under-rules.js';
import { StreamClient, type Frame } from './stream-client.js';
import type { Trader } from './trader.js';

type Sayings = Readonly<Record<string, string>>;

/** Where each code that an exchange may say is said: every order to this exchange is refused with it. */
const SAID_BY: Sayings = {
  HUOBI: 'OTHER',
  BYBIT: 'EXCHANGE_ERROR',
  KUCOIN: 'SLIPPAGE_EXCEEDED',
  GATEIO: 'MAX_FEE_PER_GAS_IS_TOO_LOW',
  KRAKEN: 'MAX_PRIORITY_FEE_PER_GAS_IS_TOO_LOW',
  BITGET: 'INVALID_FEE',
  MEXC: 'PARENT_ORDER_WAS_TERMINATED',
};
/** The same for codes that may pass: an order is tried for some minutes before it ends with them. */
const PASSING_SAID_BY: Sayings = {
  BULLISH: 'NETWORK_ERROR',
  B2C2: 'DDOS_PROTECTION',
  HYPERLIQUID: 'EXCHANGE_NOT_AVAILABLE',
  COINBASE_PRIME: 'RATE_LIMIT_EXCEEDED',
};

const BUG_PEER = join(ROOT, 'dist/test/contract/rules/broken-answers-peer.js');
const service = new ServiceUnderRules({
  env: { NODE_OPTIONS: `--import=${BUG_PEER}` },
  faults: refusals(SAID_BY),
});
const hurried = new ServiceUnderRules({ env: { SLUICE_SIM_SPEED: '60' }, faults: refusals(PASSING_SAID_BY) });
/** The order that each of these exchanges refuses. */
const refusedIds = new Map<string, number>();

beforeAll(async () => {
  await Promise.all([service.start(), hurried.start()]);
  for (const exchange of Object.keys(PASSING_SAID_BY)) {
    refusedIds.set(exchange, await hurried.trader.place(orderAt(exchange)));
  }
  for (const exchange of Object.keys(SAID_BY)) refusedIds.set(exchange, await service.trader.place(orderAt(exchange)));
});

function orderAt(exchange: string): object {
  return { ...IMMEDIATE, exchange, symbol: 'ETH/USDT', quantity: '1' };
}
afterAll(() => Promise.all([service.close(), hurried.close()]));

function refusals(sayings: Sayings): object[] {
  return Object.entries(sayings).map(([venue, code]) => ({ fault: 'reject', venue, code, message: `says ${code}` }));
}

const CREATE = '/api/v2/trading/order/create';
const OPEN = '/api/v2/trading/order/open';
const UNKNOWN_ID = 4_000_000_000_000;
const BATCH_TOO_LARGE = { orders: Array.from({ length: 501 }, () => RESTING) };

/** The code of a create that stores nothing. */
const refused =
  (order: object) =>
  async ({ trader }: ServiceUnderRules): Promise<string | undefined> =>
    (await trader.create(order)).error_code;

/** The code of an order that was taken and then ended by itself. */
const endedWith =
  (order: object, status = 'REJECTED') =>
  async ({ trader }: ServiceUnderRules): Promise<string | undefined> =>
    (await trader.reaches(await trader.place(order), status)).error_code;

/** Of an error body. */
const answered =
  (ask: (trader: Trader) => Promise<{ readonly body: { readonly error_code: string } }>) =>
  async ({ trader }: ServiceUnderRules): Promise<string> =>
    (await ask(trader)).body.error_code;

/** A rejected order is reported with status REJECTED, a `message` and a code: the child's at once, the parent's in the end. */
const saidBy = (exchange: string) => async (): Promise<string | undefined> => {
  const said = SAID_BY[exchange] ?? PASSING_SAID_BY[exchange];
  const { trader } = exchange in SAID_BY ? service : hurried;
  const orderId = refusedIds.get(exchange) as number;
  const stream = await StreamClient.of(trader);
  await stream.follow('child_order', { exchange, resume_from: 0 });
  const frame = await stream.frame('child_order', (one) => statusOf(one)['message'] === `says ${said}`);
  stream.close();
  expect(statusOf(frame)).toMatchObject({ status: 'REJECTED', error_code: said });
  expect(statusOf(frame)['order_id']).toMatch(new RegExp(`^${orderId}-`));
  const parent = await trader.reaches(orderId, 'REJECTED');
  expect(parent.filled_quantity).toBe(0);
  expect(parent.message).not.toBe('');
  return parent.error_code;
};

function statusOf(frame: Frame): Frame {
  return frame['order_status'] as Frame;
}

type Case = readonly [rule: string, produce: (service: ServiceUnderRules) => Promise<string | undefined>];

/** decisions, error codes: when each is given, and a request that shows it. Every code of the contract has its case. */
const CASES: Readonly<Record<string, Case>> = {
  OTHER: ['nothing else fits: the exchange says nothing more', saidBy('HUOBI')],
  QUANTITY_EXCEED: ["above the instrument's maximum", refused({ ...RESTING, quantity: '1000000000' })],
  AUTHENTICATION_ERROR: [
    'a key without the permission',
    async (running) => {
      const reader = await running.client('trader', 'read');
      return (await reader.post(CREATE, RESTING)).body.error_code;
    },
  ],
  INSUFFICIENT_FUNDS: [
    'the venue account cannot cover the order',
    endedWith({ ...RESTING, quantity: '100', limit_price: '60000' }),
  ],
  RATE_LIMIT_EXCEEDED: ['the venue said so', saidBy('COINBASE_PRIME')],
  DDOS_PROTECTION: ['the venue said so', saidBy('B2C2')],
  EXCHANGE_NOT_AVAILABLE: ['the venue said so', saidBy('HYPERLIQUID')],
  NETWORK_ERROR: ['the venue said so', saidBy('BULLISH')],
  INVALID_ORDER: [
    'a cancel that cannot be carried out',
    async ({ trader }) => (await trader.cancel({ order_id: UNKNOWN_ID })).error_code,
  ],
  EXCHANGE_ERROR: ['the venue said so', saidBy('BYBIT')],
  EMS_INSTANCES_DOWN: ['the actor that owns the order is down and not yet recovered', codeOfDeadShard],
  SLIPPAGE_EXCEEDED: ['a price guard stopped the order', saidBy('KUCOIN')],
  EXPIRY_REACHED: ['time ran out', endedWith({ ...RESTING, params: { duration_seconds: '1' } }, 'EXPIRED')],
  MAX_FEE_PER_GAS_IS_TOO_LOW: ['passed through', saidBy('GATEIO')],
  // That a late fill itself is told with it, which honest exchanges never make, is tested in test/order/standing.spec.ts.
  PARENT_ORDER_WAS_TERMINATED: ['passed through', saidBy('MEXC')],
  MAX_PRIORITY_FEE_PER_GAS_IS_TOO_LOW: ['passed through', saidBy('KRAKEN')],
  INVALID_QUANTITY: ['not a positive decimal', refused({ ...RESTING, quantity: '0' })],
  INVALID_END_TIME: ['unparsable', refused({ ...RESTING, end_time: 'never' })],
  INVALID_TRADE_TIME: ['start unparsable', refused({ ...RESTING, start_time: 'soon' })],
  INVALID_FEE: ['passed through', saidBy('BITGET')],
  INVALID_SYMBOL: ['unknown', refused({ ...RESTING, symbol: 'NOPE/USDT' })],
  INVALID_TRADE_STRATEGY: ['unknown', refused({ ...RESTING, strategy: 'SNIPER' })],
  INVALID_LIMIT_PRICE: ['LIMIT without limit_price', refused({ ...RESTING, limit_price: null })],
  INVALID_WOULD_PRICE: [
    'not a positive decimal',
    refused({ ...SCHEDULED, params: { duration_seconds: '60', would: { would_price: 'high', would_pct: '50' } } }),
  ],
  INVALID_TRIGGER_PRICE: [
    'off the tick grid',
    refused({ ...RESTING, params: { trigger: { trigger_price: '1.00001', trigger_condition: 'ABOVE' } } }),
  ],
  INVALID_PARAM: ['any other field with a wrong value', refused({ ...FUTURE, params: { urgency: 'EXTREME' } })],
  INVALID_EXCHANGE: ['unknown', refused({ ...RESTING, exchange: 'NASDAQ' })],
  INVALID_SIGNATURE: ['bad signature', answered((trader) => trader.get(OPEN, '', { signedPayload: 'else' }))],
  INVALID_API_KEY: ['unknown key', answered((trader) => trader.get(OPEN, '', { headers: { 'X-API-KEY': 'nobody' } }))],
  INVALID_TIMESTAMP: ['unreadable time stamp', answered((trader) => trader.get(OPEN, '', { timestamp: 'now' }))],
  BATCH_OVERSIZE: ['more than 500', answered((trader) => trader.post(`${CREATE}Many`, BATCH_TOO_LARGE))],
  SYSTEM_ERROR: ['a bug of ours (logged with the request id)', codeOfBug],
  INVALID_REQUEST: ['unusable body', answered((trader) => trader.post(CREATE, '{'))],
  SYSTEM_BUSY: ['shutting down', codeOfShutdown],
};

/** What a create answers while the shard that would own the order is dead and its successor is held up. */
async function codeOfDeadShard(): Promise<string> {
  const threads = new MortalThreads(service);
  const { nodeArgs = [], env = {} } = threads.options({ SLUICE_SHARDS: '1' });
  return withService({ env: { ...env, NODE_OPTIONS: nodeArgs.join(' ') } }, async (mortal) => {
    threads.hold('shard-0');
    threads.doom('shard-0', 'throw');
    await mortal.run.line('thread died');
    const { status, body } = await mortal.trader.post(CREATE, RESTING);
    expect(status).toBe(503);
    return body.error_code;
  });
}

async function codeOfBug({ trader, run }: ServiceUnderRules): Promise<string> {
  const { status, body } = await trader.post(CREATE, { ...RESTING, side: 'UP', client_order_id: FATAL_ID });
  expect(status).toBe(500);
  await run.until(() => run.lines.some(({ requestId }) => requestId === body.request_id), 'it logs the request id');
  return body.error_code;
}

/** Clients that go on while the service is told to stop: the one that comes in time is told so. */
function codeOfShutdown(): Promise<string> {
  return withService({}, async ({ trader, run }) => {
    let code = '';
    const place = async (): Promise<void> => {
      while (code === '') {
        const { status, headers, body } = await trader.post(CREATE, RESTING);
        if (status !== 503) continue;
        expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
        code = body.error_code;
      }
    };
    const placing = Promise.allSettled(Array.from({ length: 8 }, place));
    await trader.place(RESTING);
    await Promise.all([run.stop(), placing]);
    return code;
  });
}

async function withService<Result>(
  circumstances: ConstructorParameters<typeof ServiceUnderRules>[0],
  use: (other: ServiceUnderRules) => Promise<Result>,
): Promise<Result> {
  const other = new ServiceUnderRules(circumstances);
  try {
    await other.start();
    return await use(other);
  } finally {
    await other.close();
  }
}

describe('ApiErrorCode', () => {
  it('(34 values), each with its case here', async () => {
    const document = (await (await fetch(`${service.trader.url}/openapi.json`)).json()) as {
      readonly components: { readonly schemas: { readonly ApiErrorCode: { readonly enum: readonly string[] } } };
    };
    const { enum: codes } = document.components.schemas.ApiErrorCode;
    expect(codes).toHaveLength(34);
    expect(Object.keys(CASES)).toEqual(codes);
  });

  it.each(Object.entries(CASES).map(([code, [rule, produce]]) => [code, rule, produce] as const))(
    '%s: %s',
    async (code, _, produce) => expect(await produce(service)).toBe(code),
  );
});
