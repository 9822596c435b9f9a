import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect, onTestFinished, type TestContext } from 'vitest';
import type { OrderRequest, SluiceClient } from '../../src/client/index.js';
import type { ApiKey } from '../loopback/accounts.js';
import { OkxLoopback } from '../loopback/okx/okx-loopback.js';
import { openSite } from '../loopback/proxied-site.js';
import type { RefusedDial } from '../loopback/proxy.js';
import { TestnetSite } from '../loopback/testnet-site.js';
import { eventually } from './eventually.js';
import { ROOT } from './service-run.js';

/*
 * A service in its own process that trades at a loopback exchange under the host names of the exchange's test
 * environment.
 */

export const BTC_USDT = { exchange: 'BINANCE', symbol: 'BTC/USDT', asset_category: 'SPOT' } as const;

export const PLACE = ['--account', 'trader', '--exchange', 'BINANCE', '--environment', 'testnet'];

/** Runs the command line with a text on its standard input. */
export function sluice(dataDir: string, args: readonly string[], input = ''): Promise<number> {
  const child = spawn(process.execPath, [join(ROOT, 'dist/service/src/cli/main.js'), ...args], {
    env: { ...process.env, SLUICE_DATA_DIR: dataDir },
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  child.stdin.end(input);
  return new Promise((resolve) => {
    child.on('close', (status) => resolve(status ?? 1));
  });
}

interface KeyOptions {
  readonly exchange?: OrderRequest['exchange'];
  readonly environment?: 'testnet' | 'live';
  /** The account has a key already. */
  readonly isReplacing?: boolean;
}

/** Stores the first key of an account at the exchange, or another one. */
export async function addKey(
  dataDir: string,
  { keys }: { readonly keys: readonly (Pick<ApiKey, 'key' | 'secret'> & Partial<Pick<ApiKey, 'passphrase'>>)[] },
  { exchange = 'BINANCE', environment = 'testnet', isReplacing = false }: KeyOptions = {},
): Promise<void> {
  const { key, secret, passphrase = null } = keys[0]!;
  const place = ['--account', 'trader', '--exchange', exchange, '--environment', environment];
  const args = [
    'venue-keys',
    'add',
    ...place,
    '--api-key',
    key,
    '--secret-stdin',
    ...(isReplacing ? ['--replace'] : []),
  ];
  const input = [secret ?? '', ...(passphrase === null ? [] : [passphrase])];
  expect(await sluice(dataDir, args, `${input.join('\n')}\n`)).toBe(0);
}

/** Orders that are created again while the account is not connected. */
const CREATES_MAX = 20;

/**
 * Creates an order and returns its id once it is accepted. A machine that starves the exchange cuts the account's
 * stream for a moment, and an order that is created then is rejected. It is created again.
 */
export async function accepted(client: SluiceClient, order: OrderRequest): Promise<number> {
  for (let creates = 1; ; creates += 1) {
    const { order_id: orderId, message } = await client.create(order);
    if (orderId === undefined) expect.fail(message ?? 'an order has an id');
    const [found] = await eventually(
      () => client.byId({ orderIds: [orderId] }),
      ([one]) => one !== undefined && one.status !== 'PENDING_NEW',
    );
    if (found!.error_code !== 'EXCHANGE_NOT_AVAILABLE' || creates === CREATES_MAX) return orderId;
  }
}

/** A test that runs beside others passes its own context. */
export async function openTestnet(
  test: Pick<TestContext, 'onTestFinished'> = { onTestFinished },
): Promise<TestnetSite> {
  const testnet = await TestnetSite.open('system');
  test.onTestFinished(() => testnet.close());
  return testnet;
}

const MOVE_EVERY_MS = 250;

interface MovingSite<Loopback> {
  readonly loopback: Loopback;
  /** Of a service that trades there. */
  readonly environment: Readonly<Record<string, string>>;
  readonly refused: () => readonly RefusedDial[];
}

/** A test environment whose markets move. `hosts`: each public host name, and the host of the loopback exchange. */
export async function openMoving<
  Loopback extends { readonly ports: ReadonlyMap<string, number>; close(): Promise<void> },
>(
  loopback: Loopback,
  { live, hosts, move }: { live: string; hosts: readonly (readonly [string, string])[]; move: () => void },
): Promise<MovingSite<Loopback>> {
  const site = await openSite(new Map(hosts.map(([name, host]) => [name, loopback.ports.get(host) ?? 0])));
  const mover = setInterval(move, MOVE_EVERY_MS);
  onTestFinished(async () => {
    clearInterval(mover);
    await site.close();
    await loopback.close();
  });
  const environment = {
    SLUICE_LIVE: live,
    SLUICE_LIVE_PROXY: site.proxy.url,
    NODE_EXTRA_CA_CERTS: site.certificateFile,
  };
  return { loopback, environment, refused: () => site.proxy.refused };
}

/** A demo trading of OKX whose markets move. */
export async function openDemo(): Promise<MovingSite<OkxLoopback>> {
  const loopback = await OkxLoopback.start({ seed: 'system', isDemo: true });
  return openMoving(loopback, {
    live: 'OKX:testnet',
    hosts: [
      ['www.okx.com', 'www.okx.com'],
      ['wspap.okx.com', 'ws.okx.com'],
    ],
    move: () => {
      loopback.background.spot.wander();
      loopback.background.swap.wander();
    },
  });
}
