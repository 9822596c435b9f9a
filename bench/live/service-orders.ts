import { type ChildProcess, fork, spawn } from 'node:child_process';
import { join } from 'node:path';
import { loadavg } from 'node:os';
import { SluiceClient } from '../../src/client/index.js';
import {
  NAMED_THREADS,
  perCreate,
  threadCosts,
  threadTable,
  threadTimesOf,
  totalOf,
} from '../placement/thread-times.js';
import { cpuSecondsOf } from '../process-usage.js';
import type { Report } from '../report.js';
import { createKey, type RunningService, startService } from '../service.js';

const BENCH = 'live';
const ORDERS_PER_SECOND = 30;
/** Binance takes 100 orders of an account in 10 s. */
const ACCOUNTS = 5;
const FULL_MS = 30_000;
const QUICK_MS = 5_000;
/** The compiler of the machine is busy with a young process. */
const WARM_UP_MS = 60_000;
const MS_PER_S = 1_000;
const US_PER_MS = 1_000;
/** The thread of the exchange, which signs and sends. */
const GATEWAY = 'live-BINANCE';
const ROOT = join(import.meta.dirname, '../../..');
const ORDER = {
  exchange: 'BINANCE',
  symbol: 'BTC/USDT',
  asset_category: 'SPOT',
  side: 'BUY',
  strategy: 'MARKET',
  quantity: '0.001',
} as const;

interface Site {
  readonly environment: Readonly<Record<string, string>>;
  readonly keys: readonly { readonly key: string; readonly secret: string }[];
}

/**
 * Processor time of the whole service without orders, and with market orders at an even rate to an exchange on
 * loopback; of the latter also the part of the exchange's thread.
 */
export async function measureServiceOrders(report: Report, isQuick: boolean): Promise<void> {
  report.progress(`${ORDERS_PER_SECOND} orders a second through a service`);
  const peer = fork(join(import.meta.dirname, 'testnet-peer.js'), [String(ACCOUNTS)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const site = await messageOf<Site>(peer);
  const service = await startService({
    ...site.environment,
    SLUICE_SHARDS: '1',
    SLUICE_VENUE_RATES: '',
    NODE_OPTIONS: NAMED_THREADS,
  });
  const clients = await Promise.all(site.keys.map((key, number) => openAccount(service, `bench-${number}`, key)));
  const forMs = isQuick ? QUICK_MS : FULL_MS;
  await place(clients, isQuick ? forMs : WARM_UP_MS);
  const atRest = threadTimesOf(service.pid);
  const idle = await share(service.pid, () => passed(forMs));
  const before = threadTimesOf(service.pid);
  const busy = await share(service.pid, () => place(clients, forMs));
  const costs = threadCosts(before, threadTimesOf(service.pid));
  peer.send('refusals');
  const { refusals } = await messageOf<{ readonly refusals: number }>(peer);
  if (refusals > 0) throw new Error(`the exchange has refused ${refusals} requests for their rate`);
  const figure = { bench: BENCH, metric: 'processor', unit: '% of a core', rounds: 1 } as const;
  report.add({ ...figure, case: 'service without orders', value: idle });
  report.add({
    ...figure,
    case: `service, ${ORDERS_PER_SECOND} orders/s, machine load ${Math.round(loadavg()[0]!)}`,
    value: busy,
    reference: 'without orders',
    reference_value: idle,
    ratio: busy / idle,
  });
  const gateway = costs.filter(({ thread }) => thread === GATEWAY);
  report.add({
    ...figure,
    case: `thread of the exchange, ${ORDERS_PER_SECOND} orders/s`,
    value: (totalOf(gateway) / (forMs * US_PER_MS)) * 100,
  });
  for (const line of threadTable(perCreate(costs, (forMs * ORDERS_PER_SECOND) / MS_PER_S))) report.text(line);
  report.text('Without orders, in a second:');
  for (const line of threadTable(perCreate(threadCosts(atRest, before), forMs / MS_PER_S))) report.text(line);
  for (const client of clients) client.close();
  await service.stop();
  peer.disconnect();
}

/** Gives an account its keys of the service and of the exchange, and waits for its balances. */
async function openAccount(
  { dataDir, port }: RunningService,
  account: string,
  { key, secret }: Site['keys'][number],
): Promise<SluiceClient> {
  const own = await createKey(dataDir, account);
  const args = ['--account', account, '--exchange', 'BINANCE', '--environment', 'testnet', '--api-key', key];
  await sluice(dataDir, ['venue-keys', 'add', ...args, '--secret-stdin'], `${secret}\n`);
  const client = new SluiceClient({ url: `http://127.0.0.1:${port}`, apiKey: own.apiKey, apiSecret: own.apiSecret });
  for (;;) {
    const isConnected = await client.balances('BINANCE').then(
      () => true,
      () => false,
    );
    if (isConnected) return client;
    await passed(100);
  }
}

/** Market orders at an even rate, by the accounts in turn. */
async function place(clients: readonly SluiceClient[], forMs: number): Promise<void> {
  const answers: Promise<unknown>[] = [];
  const startedAtMs = performance.now();
  const count = (forMs * ORDERS_PER_SECOND) / MS_PER_S;
  for (let order = 0; order < count; order += 1) {
    await passed(startedAtMs + (order * MS_PER_S) / ORDERS_PER_SECOND - performance.now());
    const side = Math.floor(order / clients.length) % 2 === 0 ? 'BUY' : 'SELL';
    answers.push(clients[order % clients.length]!.create({ ...ORDER, side }));
  }
  await Promise.all(answers);
}

/** Processor time of a process during a run, as a percentage of a core. */
async function share(pid: number, run: () => Promise<void>): Promise<number> {
  const [before, startedAtMs] = [cpuSecondsOf(pid), performance.now()];
  await run();
  return ((cpuSecondsOf(pid) - before) / ((performance.now() - startedAtMs) / MS_PER_S)) * 100;
}

function sluice(dataDir: string, args: readonly string[], input: string): Promise<void> {
  const child = spawn(process.execPath, [join(ROOT, 'dist/service/src/cli/main.js'), ...args], {
    env: { ...process.env, SLUICE_DATA_DIR: dataDir },
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.on('close', (status) => (status === 0 ? resolve() : reject(new Error(`${args[0]} ended with ${status}`))));
  });
}

function messageOf<Message>(peer: ChildProcess): Promise<Message> {
  return new Promise((resolve) => {
    peer.once('message', (message) => resolve(message as Message));
  });
}

function passed(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, Math.max(0, ms));
  });
}
