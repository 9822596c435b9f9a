import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AccountId } from '../../src/domain/ids.js';
import { openIdentity } from '../../src/runtime/identity.js';
import { sluice, type Outcome } from '../cli/command-line.js';

let dataDir: string;
let key: string;

const run = (...args: string[]): Promise<Outcome> => sluice(args, { SLUICE_DATA_DIR: dataDir });
const json = async (...args: string[]): Promise<unknown> => JSON.parse((await run(...args, '--json')).out);

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'sluice-guardrails-'));
  key = ((await json('keys', 'create', '--account', 'desk', '--permissions', 'trade')) as { api_key: string }).api_key;
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const SET = ['risk-limits', 'set', '--account', 'desk'];

describe('sluice risk-limits', () => {
  it('sets given limits, keeps others and removes limits that are off', async () => {
    expect(await json(...SET, '--max-notional', '250000.5', '--exchanges', 'okx,BINANCE,okx')).toEqual([
      { account: 'desk', max_order_notional: '250000.5', allowed_exchanges: 'OKX,BINANCE' },
    ]);
    await run(...SET, '--max-open-orders', '0', '--self-cross', 'refuse', '--symbols', 'btc/usdt, BTC/USDT:USDT');
    await run('guardrails', 'set', '--key', key, '--max-exposure', '1000', '--price-collar-bps', '500');
    expect(await json(...SET, '--max-notional', 'off', '--exchanges', 'OFF')).toEqual([
      { account: 'desk', max_open_orders: '0', allowed_symbols: 'BTC/USDT,BTC/USDT:USDT', self_cross: 'REFUSE' },
    ]);
    const ofKey = { account: 'desk', api_key: key, max_gross_exposure: '1000', price_collar_bps: '500' };
    expect(await json('risk-limits', 'show')).toMatchObject([{ max_open_orders: '0' }, ofKey]);
    expect(await json('guardrails', 'show', '--key', key)).toEqual([ofKey]);
    expect((await run('guardrails', 'show')).out).toMatch(/^ACCOUNT +API KEY +MAX NOTIONAL/);
    expect((await run('guardrails', 'show', '--account', 'other')).out).toBe('No risk limits.\n');
  });

  it.each([
    [['--max-notional', '1.234'], /max_order_notional 1\.234 is not an amount of USD from 0 to 1000000000000/],
    [['--max-notional', '1e9'], /max_order_notional 1e9 is not/],
    [['--max-notional', '1000000000000.01'], /is not an amount/],
    [['--max-open-orders', '1.5'], /max_open_orders 1\.5 is not an integer from 0 to 1000000/],
    [['--price-collar-bps', '0'], /price_collar_bps 0 is not an integer from 1 to/],
    [['--exchanges', 'LIGHTER'], /allowed_exchanges: "LIGHTER" is not a trading exchange/],
    [['--symbols', 'BTC'], /allowed_symbols: "BTC" is neither BASE\/QUOTE nor/],
    [['--self-cross', 'maybe'], /self_cross maybe is not one of ALLOW, REFUSE/],
    [[], /give at least one of max_order_notional, max_open_orders/],
  ])('refuses %j', async (args, message) => {
    const { status, error } = await run(...SET, ...args);
    expect(status).toBe(2);
    expect(error).toMatch(message);
    expect(await json('guardrails', 'show')).toEqual([]);
  });

  it.each([
    [2, ['--max-notional', '1'], /give either an account or an API key/],
    [2, ['--account', 'desk', '--key', 'x', '--max-notional', '1'], /give either an account or an API key/],
    [
      1,
      ['--account', 'dsek', '--max-notional', '1'],
      /account "dsek" has no API key: the limits would apply to no order/,
    ],
    [1, ['--key', 'a'.repeat(32), '--max-notional', '1'], /does not exist/],
  ])('exits with status %i for limits that apply to no order: %j', async (exit, args, message) => {
    const { status, error } = await run('guardrails', 'set', ...args);
    expect(status).toBe(exit);
    expect(error).toMatch(message);
  });
});

describe('sluice trading status', () => {
  it('says that trading is halted while a kill switch is engaged, for whom, by whom and since when', async () => {
    expect((await run('trading', 'status')).out).toContain('Trading is open. The directory was never restored.');
    expect(await json('trading', 'status')).toMatchObject({ state: 'OPEN', kill_switches: [] });

    await run('kill-switch', 'on', '--account', 'desk');
    const [ofDesk] = (await json('kill-switch', 'status')) as readonly unknown[];
    expect(await json('trading', 'status')).toMatchObject({ state: 'PARTLY_HALTED', kill_switches: [ofDesk] });
    const { out } = await run('trading', 'status');
    expect(out).toMatch(/^Trading of account desk is halted: its kill switch was engaged by operator \S+ at \S+Z\.$/m);
    expect(out).toContain('Trading is open for all other accounts.\n');

    await run('kill-switch', 'on', '--all');
    expect(await json('trading', 'status')).toMatchObject({ state: 'HALTED', kill_switches: [{}, {}] });
    const { out: ofAll } = await run('trading', 'status');
    expect(ofAll).toMatch(/^Trading is halted: the kill switch of the whole service was engaged by operator /m);
    expect(ofAll).not.toContain('is open');
  });
});

describe('sluice kill-switch', () => {
  it('engages and releases the switch of an account and of the service', async () => {
    expect((await run('kill-switch', 'status')).out).toBe('No kill switch is engaged.\n');
    expect(await json('kill-switch', 'engage', '--account', 'desk')).toMatchObject([
      { scope: 'ACCOUNT', account: 'desk', engaged_by: 'OPERATOR' },
    ]);
    await run('kill-switch', 'on', '--all');
    expect(await json('kill-switch', 'status')).toMatchObject([{ scope: 'ACCOUNT' }, { scope: 'SERVICE' }]);
    expect((await run('kill-switch', 'status')).out).toContain('(the whole service)');
    expect(await json('kill-switch', 'off', '--account', 'desk')).toMatchObject([{ scope: 'SERVICE' }]);
    expect(await json('kill-switch', 'off', '--all')).toEqual([]);
  });

  it('shows who engaged a switch and since when', async () => {
    await run('kill-switch', 'on', '--all');
    const who = process.env['SUDO_USER'] ?? userInfo().username;
    expect(await json('kill-switch', 'status')).toMatchObject([{ scope: 'SERVICE', engaged_by: 'OPERATOR', who }]);
    expect((await run('kill-switch', 'status')).out).toContain(`Z  operator ${who}\n`);
    const identity = openIdentity(dataDir);
    const scope = { kind: 'account', account: 'desk' as AccountId } as const;
    const byKey = { engagedAtMs: Date.UTC(2026, 0, 1), by: 'API_KEY', who: key } as const;
    await new Promise<void>((resolve) => identity.riskLimits.engage(scope, byKey, resolve));
    await identity.close();
    expect((await run('kill-switch', 'status')).out).toContain(`  2026-01-01T00:00:00.000Z  API key ${key}\n`);
  });

  it.each([
    [2, ['on'], /give either an account or --all/],
    [2, ['on', '--all', '--account', 'desk'], /give either an account or --all/],
    [1, ['on', '--account', 'dsek'], /account "dsek" has no API key: the switch would halt no account/],
    [1, ['off', '--account', 'desk'], /the kill switch of account desk is not engaged/],
    [1, ['off', '--all'], /the kill switch of the whole service is not engaged/],
  ])('exits with status %i for %j', async (exit, args, message) => {
    const { status, error } = await run('kill-switch', ...args);
    expect(status).toBe(exit);
    expect(error).toMatch(message);
    expect(await json('kill-switch', 'status')).toEqual([]);
  });
});
