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

/** The code with which each of these exchanges refuses every order. */
const CODE_OF: Sayings = {
  HUOBI: 'OTHER',
  BYBIT: 'EXCHANGE_ERROR',
  KUCOIN: 'SLIPPAGE_EXCEEDED',
  GATEIO: 'MAX_FEE_PER_GAS_IS_TOO_LOW',
  KRAKEN: 'MAX_PRIORITY_FEE_PER_GAS_IS_TOO_LOW',
  BITGET: 'INVALID_FEE',
  MEXC: 'PARENT_ORDER_WAS_TERMINATED',
};
/** The same for temporary codes: an order is retried for some minutes before it ends with them. */
const TEMPORARY_CODE_OF: Sayings = {
  BULLISH: 'NETWORK_ERROR',
  B2C2: 'DDOS_PROTECTION',
  HYPERLIQUID: 'EXCHANGE_NOT_AVAILABLE',
  COINBASE_PRIME: 'RATE_LIMIT_EXCEEDED',
};

const BUG_PEER = join(ROOT, 'dist/test/contract/rules/broken-answers-peer.js');
const service = new ServiceUnderRules({
  env: { NODE_OPTIONS: `--import=${BUG_PEER}` },
  faults: refusals(CODE_OF),
});
const hurried = new ServiceUnderRules({ env: { SLUICE_SIM_SPEED: '200' }, faults: refusals(TEMPORARY_CODE_OF) });
/** The ids of the orders that these exchanges refuse. */
const refusedIds = new Map<string, number>();

beforeAll(async () => {
  await Promise.all([service.start(), hurried.start()]);
  for (const exchange of Object.keys(TEMPORARY_CODE_OF)) {
    refusedIds.set(exchange, await hurried.trader.place(orderAt(exchange)));
  }
  for (const exchange of Object.keys(CODE_OF)) refusedIds.set(exchange, await service.trader.place(orderAt(exchange)));
});

function orderAt(exchange: string): object {
  return { ...IMMEDIATE, exchange, symbol: 'ETH/USDT', quantity: '1' };
}
afterAll(() => Promise.all([service.close(), hurried.close()]));

function refusals(codes: Sayings): object[] {
  return Object.entries(codes).map(([venue, code]) => ({
    fault: 'reject',
    venue,
    code,
    message: `refused with ${code}`,
  }));
}

const CREATE = '/api/v2/trading/order/create';
const OPEN = '/api/v2/trading/order/open';
const UNKNOWN_ID = 4_000_000_000_000;
const BATCH_TOO_LARGE = { orders: Array.from({ length: 501 }, () => RESTING) };

/** The code of a create that stores no order. */
const refused =
  (order: object) =>
  async ({ trader }: ServiceUnderRules): Promise<string | undefined> =>
    (await trader.create(order)).error_code;

/** The code of an accepted order that ended by itself. */
const endedWith =
  (order: object, status = 'REJECTED') =>
  async ({ trader }: ServiceUnderRules): Promise<string | undefined> =>
    (await trader.reaches(await trader.place(order), status)).error_code;

/** The code of an error body. */
const answered =
  (ask: (trader: Trader) => Promise<{ readonly body: { readonly error_code: string } }>) =>
  async ({ trader }: ServiceUnderRules): Promise<string> =>
    (await ask(trader)).body.error_code;

/** The code of a parent whose children the exchange rejects. The child's frame has status, message and code at once. */
const reportedBy = (exchange: string) => async (): Promise<string | undefined> => {
  const code = CODE_OF[exchange] ?? TEMPORARY_CODE_OF[exchange];
  const { trader } = exchange in CODE_OF ? service : hurried;
  const orderId = refusedIds.get(exchange) as number;
  const stream = await StreamClient.of(trader);
  await stream.follow('child_order', { exchange, resume_from: 0 });
  const frame = await stream.frame('child_order', (one) => statusOf(one)['message'] === `refused with ${code}`);
  stream.close();
  expect(statusOf(frame)).toMatchObject({ status: 'REJECTED', error_code: code });
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

/** Each error code of the contract with its condition in decisions and a request that causes it. */
const CASES: Readonly<Record<string, Case>> = {
  OTHER: ['no other code fits, because the exchange gives no reason', reportedBy('HUOBI')],
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
  RATE_LIMIT_EXCEEDED: ['the exchange reports it', reportedBy('COINBASE_PRIME')],
  DDOS_PROTECTION: ['the exchange reports it', reportedBy('B2C2')],
  EXCHANGE_NOT_AVAILABLE: ['the exchange reports it', reportedBy('HYPERLIQUID')],
  NETWORK_ERROR: ['the exchange reports it', reportedBy('BULLISH')],
  INVALID_ORDER: [
    'a cancel that cannot be carried out',
    async ({ trader }) => (await trader.cancel({ order_id: UNKNOWN_ID })).error_code,
  ],
  EXCHANGE_ERROR: ['the exchange reports it', reportedBy('BYBIT')],
  EMS_INSTANCES_DOWN: ['the actor that owns the order is down and not yet recovered', codeOfDeadShard],
  SLIPPAGE_EXCEEDED: ['a price guard stopped the order', reportedBy('KUCOIN')],
  EXPIRY_REACHED: ['time ran out', endedWith({ ...RESTING, params: { duration_seconds: '1' } }, 'EXPIRED')],
  MAX_FEE_PER_GAS_IS_TOO_LOW: ['passed through', reportedBy('GATEIO')],
  // test/order/snapshot.spec.ts tests this code on a late fill, because the simulated exchanges send none here.
  PARENT_ORDER_WAS_TERMINATED: ['passed through', reportedBy('MEXC')],
  MAX_PRIORITY_FEE_PER_GAS_IS_TOO_LOW: ['passed through', reportedBy('KRAKEN')],
  INVALID_QUANTITY: ['not a positive decimal', refused({ ...RESTING, quantity: '0' })],
  INVALID_END_TIME: ['unparsable', refused({ ...RESTING, end_time: 'never' })],
  INVALID_TRADE_TIME: ['start unparsable', refused({ ...RESTING, start_time: 'soon' })],
  INVALID_FEE: ['passed through', reportedBy('BITGET')],
  INVALID_SYMBOL: ['the symbol is unknown', refused({ ...RESTING, symbol: 'NOPE/USDT' })],
  INVALID_TRADE_STRATEGY: ['the strategy is unknown', refused({ ...RESTING, strategy: 'SNIPER' })],
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
  INVALID_EXCHANGE: ['the exchange is unknown', refused({ ...RESTING, exchange: 'NASDAQ' })],
  INVALID_SIGNATURE: ['bad signature', answered((trader) => trader.get(OPEN, '', { signedPayload: 'else' }))],
  INVALID_API_KEY: ['unknown key', answered((trader) => trader.get(OPEN, '', { headers: { 'X-API-KEY': 'nobody' } }))],
  INVALID_TIMESTAMP: ['unreadable time stamp', answered((trader) => trader.get(OPEN, '', { timestamp: 'now' }))],
  BATCH_OVERSIZE: ['more than 500', answered((trader) => trader.post(`${CREATE}Many`, BATCH_TOO_LARGE))],
  SYSTEM_ERROR: ['the service has a bug (logged with the request id)', codeOfBug],
  INVALID_REQUEST: ['unusable body', answered((trader) => trader.post(CREATE, '{'))],
  SYSTEM_BUSY: ['the service shuts down', codeOfShutdown],
};

/** The code of a create while its shard is down and the successor of the shard is held back. */
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

/** The code of a create during the shutdown: several clients keep sending until one gets it. */
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
  it('has 34 values, each with a case here', async () => {
    const document = (await (await fetch(`${service.trader.url}/openapi.json`)).json()) as {
      readonly components: { readonly schemas: { readonly ApiErrorCode: { readonly enum: readonly string[] } } };
    };
    const { enum: codes } = document.components.schemas.ApiErrorCode;
    expect(codes).toHaveLength(34);
    expect(Object.keys(CASES)).toEqual(codes);
  });

  it.each(Object.entries(CASES).map(([code, [rule, produce]]) => [code, rule, produce] as const))(
    'gives %s for: %s',
    async (code, _, produce) => expect(await produce(service)).toBe(code),
  );
});
