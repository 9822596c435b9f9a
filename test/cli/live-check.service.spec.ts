import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LiveChecks } from '../../src/cli/operator/port.js';
import type { EpochMs } from '../../src/domain/time.js';
import { probeAccount } from '../../src/venue/live/account-probe.js';
import { openBinance } from '../../src/venue/live/binance/binance-exchange.js';
import { BINANCE_SPOT, BINANCE_USDM } from '../../src/venue/live/binance/binance-wallet.js';
import { openBybitAt } from '../../src/venue/live/bybit/bybit-exchange.js';
import type { OpenLiveExchange } from '../../src/venue/live/live-exchange.js';
import { openOkxAt } from '../../src/venue/live/okx/okx-exchange.js';
import { type ApiKey, type LoopbackAccount, newKey, TRADING_PERMISSIONS } from '../loopback/accounts.js';
import { BinanceLoopback } from '../loopback/binance/binance-loopback.js';
import { BybitLoopback } from '../loopback/bybit/bybit-loopback.js';
import type { ExchangeClock } from '../loopback/clock.js';
import type { FaultScript } from '../loopback/faults.js';
import { newOkxKey, OkxLoopback } from '../loopback/okx/okx-loopback.js';
import { TestnetSite } from '../loopback/testnet-site.js';
import { addressesOf } from '../venue/live/binance/loopback-exchange.js';
import { type Outcome, sluice } from './command-line.js';

const PROGRAM = join(import.meta.dirname, '../../dist/service/src/cli/main.js');

interface Report {
  readonly environment: string;
  readonly may_place: boolean;
  readonly checks: readonly {
    readonly wallet?: readonly string[];
    readonly check: string;
    readonly state: string;
    readonly message: string;
    readonly advice?: string;
  }[];
}

let parent: string;
let dataDir: string;
let loopback: BinanceLoopback;

beforeEach(async () => {
  parent = mkdtempSync(join(tmpdir(), 'sluice-live-check-'));
  dataDir = join(parent, 'data');
  expect((await run(['keys', 'create', '--account', 'desk', '--permissions', 'trade'])).status).toBe(0);
  loopback = await BinanceLoopback.start();
});
afterEach(async () => {
  await loopback.close();
  rmSync(parent, { recursive: true, force: true });
});

const KNOWN: ReadonlySet<string> = new Set(['BINANCE', 'BYBIT', 'OKX']);

function nowMs(): EpochMs {
  return Date.now() as EpochMs;
}

/** Asks the exchanges of the test instead of real ones. */
function checksOf(openers: readonly OpenLiveExchange[]): LiveChecks {
  return {
    probe: (venue, account) =>
      KNOWN.has(venue) ? probeAccount({ ...account, openers, nowMs }) : Promise.resolve(null),
  };
}

function binance(): LiveChecks {
  return checksOf([
    openBinance(BINANCE_SPOT, addressesOf(loopback, 'spot')),
    openBinance(BINANCE_USDM, addressesOf(loopback, 'futures')),
  ]);
}

function run(args: readonly string[], secret = '', checks?: LiveChecks, env = {}): Promise<Outcome> {
  const secretInput = { read: () => Promise.resolve(Buffer.from(secret)) };
  const environment = { SLUICE_DATA_DIR: dataDir, ...env };
  return sluice(args, environment, { secretInput, ...(checks && { liveChecks: checks }) });
}

/** Stores a key of an exchange. */
async function store(
  { key, secret, passphrase }: Pick<ApiKey, 'key' | 'secret' | 'passphrase'>,
  environment = 'live',
  place = ['--account', 'desk', '--exchange', 'BINANCE'],
): Promise<void> {
  const args = ['venue-keys', 'add', ...place, '--environment', environment, '--api-key', key, '--secret-stdin'];
  const lines = [secret, ...(passphrase === null ? [] : [passphrase])];
  expect((await run(args, `${lines.join('\n')}\n`)).status).toBe(0);
}

async function limitRisk(): Promise<void> {
  const limits = ['risk-limits', 'set', '--account', 'desk', '--max-open-orders', '10'];
  expect(await run(limits)).toMatchObject({ status: 0, error: '' });
}

/** Runs the check, and returns its report by the name of each line. */
async function checked(
  checks = binance(),
  args: readonly string[] = ['--exchange', 'binance'],
): Promise<Outcome & { readonly report: Report; readonly states: Readonly<Record<string, string>> }> {
  const outcome = await run(['live', 'check', ...args, '--json'], '', checks);
  const report = JSON.parse(outcome.out) as Report;
  const states = report.checks.map(({ wallet = ['ACCOUNT'], check, state }) => [`${wallet.join('+')} ${check}`, state]);
  return { ...outcome, report, states: Object.fromEntries(states) as Record<string, string> };
}

describe('sluice live check', () => {
  it('finds an account that could trade, and sends no order', async () => {
    const good = newKey({ addresses: ['127.0.0.1'] });
    const account = loopback.openAccount([good]);
    await store(good);
    await limitRisk();
    const { status, report, states, error } = await checked();
    expect([status, error]).toEqual([0, '']);
    expect(report).toMatchObject({ exchange: 'BINANCE', account: 'desk', environment: 'live', may_place: true });
    const names = ['clock', 'latency', 'instruments', 'key', 'may trade', 'may withdraw', 'address list', 'limits'];
    const both = [...names, 'funds', 'private stream'];
    expect(states).toEqual({
      'ACCOUNT release': 'OK',
      'ACCOUNT confirmation': 'WARN',
      'ACCOUNT stored key': 'OK',
      'ACCOUNT service key': 'OK',
      'ACCOUNT risk limits': 'OK',
      'ACCOUNT kill switch': 'OK',
      ...Object.fromEntries(both.map((name) => [`SPOT ${name}`, 'OK'])),
      ...Object.fromEntries(both.map((name) => [`FUTURE ${name}`, 'OK'])),
      'FUTURE position mode': 'OK',
    });
    expect(report.checks.find(({ check }) => check === 'latency')).toMatchObject({
      requests: 7,
      p50_ms: expect.any(Number) as number,
      max_ms: expect.any(Number) as number,
    });
    const text = JSON.stringify(report);
    for (const part of [good.key, good.secret ?? '']) expect(text).not.toContain(part);
    for (const { exchange } of [loopback.spot, loopback.futures]) {
      expect(exchange.ledger.fillsOf(account.id)).toEqual([]);
    }
  });

  it('prints a table with the next step of each warning', async () => {
    const good = newKey();
    loopback.openAccount([good]);
    await store(good, 'testnet');
    const { status, out } = await run(['live', 'check', '--exchange', 'BINANCE'], '', binance());
    expect(status).toBe(0);
    expect(out).toMatch(/^WALLET +CHECK +STATE +RESULT$/m);
    expect(out).toMatch(/^ +risk limits +WARN +are not set → sluice risk-limits set --account desk$/m);
    expect(out).toMatch(/^SPOT +may withdraw +WARN +the test environment does not say/m);
    expect(out).toMatch(/^FUTURE +private stream +OK +opens after \d+ ms$/m);
    expect(out).toContain('could be placed.');
  });

  it('refuses a wrong key without printing it, and goes on to nothing that needs it', async () => {
    const wrong = newKey();
    await store(wrong);
    await limitRisk();
    const { status, states, report, error } = await checked();
    expect(status).toBe(1);
    expect(error).toContain('could be placed');
    expect(states).toMatchObject({ 'SPOT clock': 'OK', 'SPOT key': 'REFUSED', 'FUTURE key': 'REFUSED' });
    expect(Object.keys(states)).not.toContain('SPOT private stream');
    expect(report.checks.find(({ check }) => check === 'key')?.advice).toContain('venue-keys add --replace');
    expect(JSON.stringify(report)).not.toContain(wrong.key);
  });

  it('refuses a key that may withdraw, and a wallet in which the key may not trade', async () => {
    const key = newKey({ permissions: { ...TRADING_PERMISSIONS, withdrawals: true, futures: false } });
    loopback.openAccount([key]);
    await store(key);
    await limitRisk();
    const { status, states } = await checked();
    expect(status).toBe(1);
    expect(states).toMatchObject({
      'SPOT may trade': 'OK',
      'SPOT may withdraw': 'REFUSED',
      'SPOT address list': 'REFUSED',
      'SPOT private stream': 'OK',
    });
  });

  it('accepts a key that works for one wallet only', async () => {
    const key = newKey({ permissions: { ...TRADING_PERMISSIONS, futures: false }, addresses: ['127.0.0.1'] });
    loopback.openAccount([key]);
    await store(key);
    await limitRisk();
    const { status, report, states } = await checked();
    expect(
      Object.entries(states).filter(([name, state]) => name.startsWith('FUTURE') && state === 'REFUSED'),
    ).not.toEqual([]);
    expect([status, report.may_place]).toEqual([0, true]);
  });

  it('warns of a clock that is off, and corrects its requests', async () => {
    loopback.clock.offsetMs = 20_000;
    const key = newKey();
    loopback.openAccount([key]);
    await store(key, 'testnet');
    const { status, states, report } = await checked();
    expect([status, states['SPOT clock'], states['SPOT key'], states['FUTURE private stream']]).toEqual([
      0,
      'WARN',
      'OK',
      'OK',
    ]);
    expect(report.checks.find(({ check }) => check === 'clock')?.message).toMatch(/differs by (19|20)\d{3} ms/);
  });

  it('refuses when a page in HTML answers', async () => {
    const key = newKey();
    loopback.openAccount([key]);
    await store(key, 'testnet');
    loopback.faults.add({ on: '*', fault: { kind: 'maintenance', status: 503 } });
    const { status, states, report } = await checked();
    expect([status, states['SPOT clock'], states['FUTURE clock']]).toEqual([1, 'REFUSED', 'REFUSED']);
    const line = report.checks.find(({ check }) => check === 'clock');
    expect(line?.advice).toContain('SLUICE_LIVE_PROXY');
    expect(line?.message).not.toContain('<');
  });

  it('refuses an account that is halted, and a live account without risk limits', async () => {
    const key = newKey();
    loopback.openAccount([key]);
    await store(key);
    expect((await run(['kill-switch', 'engage', '--account', 'desk'])).status).toBe(0);
    const { status, states } = await checked();
    expect(status).toBe(1);
    expect(states).toMatchObject({ 'ACCOUNT kill switch': 'REFUSED', 'ACCOUNT risk limits': 'REFUSED' });
  });

  it('asks for the account or the environment when several keys fit', async () => {
    const none = await run(['live', 'check', '--exchange', 'BINANCE'], '', binance());
    expect(none).toMatchObject({ status: 1, error: expect.stringContaining('sluice venue-keys add') as string });
    const [live, testnet] = [newKey(), newKey()];
    for (const key of [live, testnet]) loopback.openAccount([key]);
    await store(live);
    await store(testnet, 'testnet');
    const both = await run(['live', 'check', '--exchange', 'BINANCE'], '', binance());
    expect(both).toMatchObject({ status: 1, error: expect.stringContaining('several keys fit') as string });
    const args = ['live', 'check', '--exchange', 'BINANCE', '--json'];
    const implied = await run(args, '', binance(), { SLUICE_LIVE: 'BINANCE:testnet' });
    expect(JSON.parse(implied.out)).toMatchObject({ environment: 'testnet' });
  });

  it('refuses an exchange that is simulated only, and a wrong environment or proxy', async () => {
    const woo = ['--account', 'desk', '--exchange', 'WOO', '--environment', 'live'];
    const add = ['venue-keys', 'add', ...woo, '--api-key', '8a1b2c3d-1111-2222-3333-444455556666', '--secret-stdin'];
    expect((await run(add, 'C2E4A1B2C3D4E5F60718293A4B5C6D7E\n')).status).toBe(0);
    const refused = await run(['live', 'check', '--exchange', 'WOO'], '', binance());
    expect(refused).toMatchObject({
      status: 1,
      error: 'sluice: WOO is simulated only: see src/docs/real-exchanges.md\n',
    });
    const wrong = ['live', 'check', '--exchange', 'WOO', '--environment', 'demo'];
    expect((await run(wrong, '', binance())).status).toBe(2);
    const proxied = await run(['live', 'check', '--exchange', 'WOO'], '', binance(), {
      SLUICE_LIVE_PROXY: 'me:secret@x',
    });
    expect(proxied.status).toBe(2);
    expect(proxied.error).not.toContain('secret');
  });

  it('reaches an exchange by proxy and certificate as the service does', async () => {
    const site = await TestnetSite.open('check');
    try {
      const [key] = site.loopback.openAccount().keys;
      await store(key!, 'testnet');
      // The service tests have the proxy in the own setting.
      const { SLUICE_LIVE_PROXY: proxy, ...others } = site.environment;
      const child = spawn(process.execPath, [PROGRAM, 'live', 'check', '--exchange', 'BINANCE'], {
        env: { ...process.env, ...others, HTTPS_PROXY: proxy, SLUICE_DATA_DIR: dataDir },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let text = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
      const status = await new Promise((resolve) => child.once('close', resolve));
      expect([status, text]).toEqual([0, expect.stringContaining('could be placed.')]);
      expect(site.refused).toEqual([]);
    } finally {
      await site.close();
    }
  });
});

/** An exchange whose accounts have one wallet for spot and perpetuals. */
interface UnifiedExchange {
  readonly clock: ExchangeClock;
  readonly faults: FaultScript;
  readonly openAccount: (keys: readonly ApiKey[]) => LoopbackAccount;
  readonly setHedgeMode: (account: LoopbackAccount) => void;
  /** All fills and orders of an account: none after a check. */
  readonly tradesOf: (account: LoopbackAccount) => readonly unknown[];
  readonly opener: OpenLiveExchange;
  readonly close: () => Promise<void>;
}

async function startBybit(): Promise<UnifiedExchange> {
  const bybit = await BybitLoopback.start();
  const { clock, faults, clearing } = bybit;
  return {
    clock,
    faults,
    openAccount: (keys) => bybit.openAccount(keys),
    setHedgeMode: ({ id }) => (clearing.settings(id).isDualSide = true),
    tradesOf: ({ id }) => [bybit.spot, bybit.linear].flatMap(({ exchange }) => exchange.ledger.ordersOf(id)),
    opener: openBybitAt({
      rest: bybit.address('api.bybit.com'),
      streams: bybit.address('stream.bybit.com', 'ws'),
    }),
    close: () => bybit.close(),
  };
}

async function startOkx(): Promise<UnifiedExchange> {
  const okx = await OkxLoopback.start();
  const { clock, faults, trading } = okx;
  return {
    clock,
    faults,
    openAccount: (keys) => okx.openAccount(keys),
    setHedgeMode: ({ id }) => (trading.swapClearing.settings(id).isDualSide = true),
    tradesOf: ({ id }) => [trading.spot, trading.swap].flatMap(({ ledger }) => ledger.ordersOf(id)),
    opener: openOkxAt({
      rest: okx.address('www.okx.com'),
      sockets: okx.address('ws.okx.com', 'ws'),
    }),
    close: () => okx.close(),
  };
}

describe.each([
  {
    name: 'BYBIT',
    start: startBybit,
    newKeyOf: newKey,
    markets: 6,
    list: 'GET /v5/market/instruments-info',
    limits: { 'read 1s': expect.stringMatching(/^[1-9]\d?\/50$/) as string },
  },
  {
    name: 'OKX',
    start: startOkx,
    newKeyOf: newOkxKey,
    markets: 5,
    list: 'GET /api/v5/public/instruments',
    limits: { 'GET /api/v5/account/config': '1/5' },
  },
])('sluice live check of one wallet at $name', ({ name, start, newKeyOf, markets, list, limits }) => {
  const wallet = 'SPOT+FUTURE';
  let exchange: UnifiedExchange;
  beforeEach(async () => {
    exchange = await start();
  });
  afterEach(() => exchange.close());

  /** Stores the key of a new account, with risk limits, and checks it. */
  async function checkedWith(key: ApiKey, prepare: (account: LoopbackAccount) => void = () => undefined) {
    const account = exchange.openAccount([key]);
    prepare(account);
    await store(key, 'live', ['--account', 'desk', '--exchange', name]);
    await limitRisk();
    const outcome = await checked(checksOf([exchange.opener]), ['--exchange', name]);
    const line = (check: string) => outcome.report.checks.find((one) => one.check === check);
    return { ...outcome, account, line };
  }

  it('finds an account that could trade, and sends no order', async () => {
    const key = newKeyOf({ addresses: ['127.0.0.1'] });
    const { status, report, states, line, account } = await checkedWith(key);
    const ofWallet = ['clock', 'latency', 'instruments', 'key', 'may trade', 'may withdraw', 'address list', 'limits'];
    const all = [...ofWallet, 'funds', 'private stream', 'position mode'];
    expect(Object.entries(states).filter(([check]) => check.startsWith(wallet))).toEqual(
      expect.arrayContaining(all.map((check) => [`${wallet} ${check}`, 'OK'])),
    );
    expect(Object.values(states).filter((state) => state === 'REFUSED')).toEqual([]);
    expect([status, report.may_place]).toEqual([0, true]);
    expect(line('clock')).toMatchObject({ offset_ms: expect.any(Number) as number });
    expect(line('latency')).toMatchObject({ requests: 7, p50_ms: expect.any(Number) as number });
    expect(line('instruments')).toMatchObject({ trading: markets, findings: 0 });
    expect(line('position mode')).toMatchObject({ position_mode: 'ONE_WAY' });
    expect(line('limits')).toMatchObject(limits);
    expect(line('funds')).toMatchObject({ assets: 3, positions: 0 });
    for (const part of [key.key, key.secret, key.passphrase]) {
      if (part !== null) expect(JSON.stringify(report)).not.toContain(part);
    }
    expect(exchange.tradesOf(account)).toEqual([]);
  });

  it('warns of a clock that is off, and corrects its requests', async () => {
    exchange.clock.offsetMs = -45_000;
    const { status, states, line } = await checkedWith(newKeyOf({ addresses: ['127.0.0.1'] }));
    expect([status, states[`${wallet} clock`], states[`${wallet} key`]]).toEqual([0, 'WARN', 'OK']);
    expect(states[`${wallet} private stream`]).toBe('OK');
    expect(line('clock')?.message).toMatch(/differs by -4[45]\d{3} ms/);
  });

  it('refuses a key that may withdraw, and one that works from any address', async () => {
    const key = newKeyOf({ permissions: { ...TRADING_PERMISSIONS, withdrawals: true } });
    const { status, states } = await checkedWith(key);
    expect(status).toBe(1);
    expect(states).toMatchObject({
      [`${wallet} may trade`]: 'OK',
      [`${wallet} may withdraw`]: 'REFUSED',
      [`${wallet} address list`]: 'REFUSED',
    });
  });

  it('refuses a key that may only read', async () => {
    const key = newKeyOf({ permissions: { ...TRADING_PERMISSIONS, spotTrading: false, futures: false } });
    const { status, states, line } = await checkedWith(key);
    expect([status, states[`${wallet} may trade`]]).toEqual([1, 'REFUSED']);
    expect(line('may trade')?.advice).toContain('allow trading');
  });

  it('refuses an account with two positions in a future', async () => {
    const { status, line } = await checkedWith(newKeyOf(), (account) => exchange.setHedgeMode(account));
    expect(status).toBe(1);
    expect(line('position mode')).toMatchObject({ state: 'REFUSED', position_mode: 'HEDGE' });
  });

  it('refuses a wrong key without printing it, and goes on to nothing that needs it', async () => {
    const wrong = newKeyOf();
    await store(wrong, 'live', ['--account', 'desk', '--exchange', name]);
    await limitRisk();
    const { status, states, report } = await checked(checksOf([exchange.opener]), ['--exchange', name]);
    expect(status).toBe(1);
    expect(states).toMatchObject({ [`${wallet} clock`]: 'OK', [`${wallet} key`]: 'REFUSED' });
    expect(Object.keys(states)).not.toContain(`${wallet} private stream`);
    expect(JSON.stringify(report)).not.toContain(wrong.key);
  });

  it('refuses when the market list does not come', async () => {
    exchange.faults.add({ on: list, fault: { kind: 'maintenance', status: 503 } });
    const { status, states } = await checkedWith(newKeyOf());
    expect([status, states[`${wallet} instruments`], states[`${wallet} key`]]).toEqual([1, 'REFUSED', 'OK']);
  });
});

describe('sluice live check at OKX', () => {
  it('names the account mode in which it places nothing', async () => {
    const okx = await OkxLoopback.start();
    const key = newOkxKey();
    okx.trading.levels.set(okx.openAccount([key]).id, '4');
    await store(key, 'live', ['--account', 'desk', '--exchange', 'OKX']);
    await limitRisk();
    const opener = openOkxAt({
      rest: okx.address('www.okx.com'),
      sockets: okx.address('ws.okx.com', 'ws'),
    });
    const { status, report } = await checked(checksOf([opener]), ['--exchange', 'OKX']);
    await okx.close();
    expect(status).toBe(1);
    expect(report.checks.find(({ check }) => check === 'may trade')).toMatchObject({
      state: 'REFUSED',
      message: 'the account mode is portfolio margin: set it to futures mode at the exchange',
      may_trade: false,
    });
  });
});
