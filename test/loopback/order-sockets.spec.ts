import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LoopbackAccount } from './accounts.js';
import { BybitClient } from './bybit/bybit-client.js';
import { BybitLoopback } from './bybit/bybit-loopback.js';
import type { Fault, FaultScript } from './faults.js';
import { OkxTestClient } from './okx/test-client.js';
import { OkxLoopback } from './okx/okx-loopback.js';
import type { TestSocket } from './test-client.js';

/*
 * Sockets for orders under the fault script: an answer may be late, lost, repeated or meaningless, and the connection
 * cut.
 */

type Frame = Readonly<Record<string, unknown>>;

/** One socket for orders of an account, in the words of its exchange. */
interface OrderSocket {
  readonly faults: FaultScript;
  /** Name of a placement in the fault script. */
  readonly place: string;
  readonly socket: TestSocket;
  readonly request: (id: string, clientId: string) => object;
  readonly cancel: (id: string, clientId: string) => object;
  readonly amend: (id: string, clientId: string) => object;
  readonly idMember: string;
  readonly codeOf: (frame: Frame) => unknown;
  /** Codes of an answer that says nothing about the order, and of one for its rate and its lateness. */
  readonly codes: {
    readonly unknown: unknown;
    readonly timeout: unknown;
    readonly rate: unknown;
    readonly late: unknown;
  };
  readonly accepted: () => number;
  readonly close: () => Promise<void>;
}

const WINDOW_MS = 1_500;

function ofBybit(reqId: string, op: string, fields: object): object {
  const header = { 'X-BAPI-TIMESTAMP': String(Date.now()), 'X-BAPI-RECV-WINDOW': String(WINDOW_MS) };
  return { reqId, header, op, args: [{ category: 'linear', symbol: 'BTCUSDT', ...fields }] };
}

function ofOkx(id: string, op: string, fields: object): object {
  const expiry = op === 'order' ? { expTime: String(Date.now() + WINDOW_MS) } : {};
  return { id, op, args: [{ instIdCode: 10_459, ...fields }], ...expiry };
}

async function openBybit(): Promise<OrderSocket> {
  const loopback = await BybitLoopback.start({ seed: 'order-socket' });
  const account: LoopbackAccount = loopback.openAccount();
  const socket = await new BybitClient(loopback, account.keys[0]).login('/v5/trade');
  const terms = { side: 'Buy', orderType: 'Limit', qty: '0.01', price: '49000' };
  return {
    faults: loopback.faults,
    place: 'trade order.create',
    socket,
    request: (id, orderLinkId) => ofBybit(id, 'order.create', { ...terms, orderLinkId }),
    cancel: (id, orderLinkId) => ofBybit(id, 'order.cancel', { orderLinkId }),
    amend: (id, orderLinkId) => ofBybit(id, 'order.amend', { orderLinkId, price: '48000' }),
    idMember: 'reqId',
    codeOf: ({ retCode }) => retCode,
    codes: { unknown: 10_016, timeout: 10_000, rate: 10_006, late: 10_002 },
    accepted: () => loopback.linear.exchange.ledger.ordersOf(account.id).length,
    close: () => loopback.close(),
  };
}

async function openOkx(): Promise<OrderSocket> {
  const loopback = await OkxLoopback.start({ seed: 'order-socket' });
  const account: LoopbackAccount = loopback.openAccount();
  const client = new OkxTestClient(loopback, account.keys[0]);
  const socket = await client.socket('private');
  socket.write(client.login());
  await socket.frame(({ event }) => event === 'login');
  const terms = { tdMode: 'cash', side: 'buy', ordType: 'limit', sz: '0.01', px: '49000' };
  return {
    faults: loopback.faults,
    place: 'okx order',
    socket,
    request: (id, clOrdId) => ofOkx(id, 'order', { ...terms, clOrdId }),
    cancel: (id, clOrdId) => ofOkx(id, 'cancel-order', { clOrdId }),
    amend: (id, clOrdId) => ofOkx(id, 'amend-order', { clOrdId, newPx: '48000' }),
    idMember: 'id',
    codeOf: ({ code }) => code,
    codes: { unknown: '50026', timeout: '50004', rate: '50011', late: '50036' },
    accepted: () => loopback.trading.spot.ledger.ordersOf(account.id).length,
    close: () => loopback.close(),
  };
}

describe.each([
  ['Bybit', openBybit],
  ['OKX', openOkx],
] as const)('the socket for orders of the loopback %s', (_name, open) => {
  let exchange: OrderSocket;
  beforeEach(async () => {
    exchange = await open();
  });
  afterEach(() => exchange.close());

  const answers = (id: string): Frame[] => exchange.socket.frames.filter((frame) => frame[exchange.idMember] === id);
  const answer = async (id: string): Promise<unknown> =>
    exchange.codeOf(await exchange.socket.frame((frame) => frame[exchange.idMember] === id));
  const placeUnder = (fault: Fault): void => {
    exchange.faults.add({ on: exchange.place, fault, times: 1 });
    exchange.socket.write(exchange.request('1', 'a1'));
  };

  it('places, amends and cancels an order, and repeats the id of each request', async () => {
    const { socket, codeOf } = exchange;
    socket.write(exchange.request('1', 'a1'));
    const ok = codeOf(await socket.frame((frame) => frame[exchange.idMember] === '1'));
    expect(String(ok)).toBe('0');
    socket.write(exchange.amend('2', 'a1'));
    expect(await answer('2')).toBe(ok);
    socket.write(exchange.cancel('3', 'a1'));
    expect(await answer('3')).toBe(ok);
    socket.write(exchange.cancel('4', 'a1'));
    expect(await answer('4')).not.toBe(ok);
    expect(exchange.accepted()).toBe(1);
  });

  it.each([
    ['unknown', true],
    ['unknown', false],
    ['timeout', true],
    ['timeout', false],
  ] as const)('answers %s, executed %s', async (failure, executed) => {
    placeUnder({ kind: 'fail', failure, executed });
    expect(await answer('1')).toBe(exchange.codes[failure]);
    expect(exchange.accepted()).toBe(executed ? 1 : 0);
  });

  it('loses the answer of an executed request, and answers the next one', async () => {
    placeUnder({ kind: 'lose' });
    exchange.socket.write(exchange.request('2', 'a2'));
    await answer('2');
    expect(answers('1')).toEqual([]);
    expect(exchange.accepted()).toBe(2);
  });

  it('answers late, after the answer to a later request', async () => {
    placeUnder({ kind: 'delay', ms: 600 });
    exchange.socket.write(exchange.request('2', 'a2'));
    await answer('2');
    expect(answers('1')).toEqual([]);
    await answer('1');
    expect(exchange.accepted()).toBe(2);
  });

  it('repeats an answer', async () => {
    placeUnder({ kind: 'duplicate' });
    await expect.poll(() => answers('1').length).toBe(2);
    expect(exchange.accepted()).toBe(1);
  });

  it('refuses a request that was held until its expiry', async () => {
    placeUnder({ kind: 'hold', ms: WINDOW_MS + 50 });
    expect(await answer('1')).toBe(exchange.codes.late);
    expect(exchange.accepted()).toBe(0);
  });

  it('refuses for the rate, and carries nothing out', async () => {
    placeUnder({ kind: 'limit', status: 429, retryAfterSeconds: 1 });
    expect(await answer('1')).toBe(exchange.codes.rate);
    expect(exchange.accepted()).toBe(0);
  });

  it.each([true, false])('cuts the connection without an answer, executed %s', async (executed) => {
    placeUnder({ kind: 'cut', executed });
    await expect.poll(() => exchange.socket.isClosed).toBe(true);
    expect(answers('1')).toEqual([]);
    expect(exchange.accepted()).toBe(executed ? 1 : 0);
  });
});
