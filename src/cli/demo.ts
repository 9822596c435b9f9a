import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command, InvalidArgumentError } from 'commander';
import { SluiceClient } from '../client/index.js';
import type { OrderDetails, OrderRequest } from '../client/index.js';
import { createKey } from './operator/keys.js';
import { positiveInteger } from './arguments.js';
import { CommandFailure, granted } from './context.js';
import { Output } from './output.js';
import { showOrder } from './tca.js';
import { compareLedger, LoopbackExchange, storeKey } from './demo/loopback-exchange.js';
import { interruptedAs, stopSignal, untilAborted } from './demo/interruption.js';
import { isPortTaken, ServiceProcess } from './demo/service-process.js';
import { failIfRefused } from './order-table.js';
import { LiveView, ServiceTime } from './watch/live-view.js';
import { watchOrder } from './watch/order-watch.js';

/*
 * Demo: starts the service on simulated exchanges in a directory of its own, places a TWAP order, shows its progress
 * and the cost report of the service, and keeps the service running for further commands. The end removes the
 * directory.
 */

interface Options {
  readonly seconds: number;
  readonly quantity: string;
  readonly exit?: boolean;
  readonly liveLoopback?: boolean;
}

interface Key {
  readonly apiKey: string;
  readonly apiSecret: string;
}

interface Trading extends Options {
  readonly key: Key;
  readonly signal: AbortSignal;
  /** Compares the finished order with another source. False: they differ. */
  readonly compare?: (client: SluiceClient, orderId: number) => Promise<boolean>;
}

const EXCHANGE = 'BINANCE';
const SYMBOL = 'BTC/USDT';
const PORT_DEFAULT = '8080';
/** The service chooses a free port. */
const PORT_FREE = '0';
/** Exit status of a program that Ctrl-C ended. */
const INTERRUPTED = 130;
const MISUSED = 2;
/** How long the account may take to be connected to a loopback exchange, for the slowest machine. */
const CONNECTED_MS_MAX = 600_000;
const CONNECTED_POLL_MS = 100;

/** Executes the order at a loopback exchange through the protocol of the real one, and compares both sides. */
async function tradeAtLoopback(options: Options): Promise<number> {
  const signal = stopSignal();
  const folder = newFolder();
  print('starting a Binance on this machine, which speaks the protocol of the real one…');
  const exchange = await LoopbackExchange.start(join(import.meta.dirname, '../../../test/loopback/main.js'));
  try {
    const { environment } = exchange.opening;
    const service = await startService(folder, environment);
    try {
      const key = await makeKey(folder);
      print('storing the key of the exchange, and waiting until its account is connected…');
      await storeKey(join(import.meta.dirname, 'main.js'), folder, exchange.opening);
      await connected(service, key);
      const watched = AbortSignal.any([signal, service.ended]);
      const compare = async (client: SluiceClient, orderId: number): Promise<boolean> => {
        const [details] = await client.byId({ orderIds: [orderId], includeTrades: true, includeFees: true });
        if (details === undefined) throw new CommandFailure(`the service has no order ${orderId}`);
        const balances = await client.balances(EXCHANGE);
        const own = Object.fromEntries(balances.map(({ symbol, balance }) => [symbol, balance]));
        const { lines, isEqual } = compareLedger(details, own, await exchange.ledger());
        print(`${lines.join('\n')}\n`);
        print(isEqual ? 'Fills, fees and balances equal the ledger of the exchange.' : 'The ledger differs.');
        return isEqual;
      };
      return await trade(service, { ...options, key, signal: watched, compare });
    } catch (error) {
      return interruptedAs(INTERRUPTED)(await service.explain(error));
    } finally {
      print('stopping the service…');
      await service.stop();
    }
  } finally {
    exchange.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Waits until the account is connected to the exchange, as long as the service runs. */
async function connected(service: ServiceProcess, key: Key): Promise<void> {
  const client = new SluiceClient({ url: service.url, ...key });
  try {
    for (let waitedMs = 0; ; waitedMs += CONNECTED_POLL_MS) {
      const balances = await client.balances(EXCHANGE).catch(() => null);
      if (balances !== null) return;
      service.ended.throwIfAborted();
      if (waitedMs > CONNECTED_MS_MAX) throw new CommandFailure('the account was not connected to the exchange');
      await sleep(CONNECTED_POLL_MS);
    }
  } finally {
    client.close();
  }
}

async function main(options: Options): Promise<number> {
  if (options.liveLoopback === true) return tradeAtLoopback(options);
  const signal = stopSignal();
  const folder = newFolder();
  try {
    const service = await startService(folder);
    const watched = AbortSignal.any([signal, service.ended]);
    try {
      const key = await makeKey(folder);
      const status = await trade(service, { ...options, key, signal: watched });
      if (status !== 0 || options.exit === true) return status;
      print(usage(service, folder, key));
      return await untilAborted(watched).catch(interruptedAs(0));
    } catch (error) {
      return interruptedAs(INTERRUPTED)(await service.explain(error));
    } finally {
      print('stopping the service…');
      await service.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A data directory for this demo alone. The key and the orders of a demo have no place in another one. */
function newFolder(): string {
  const { SLUICE_DATA_DIR: named } = process.env;
  if (named !== undefined) print(`SLUICE_DATA_DIR=${named} has no effect: the demo has a directory of its own`);
  return mkdtempSync(join(tmpdir(), 'sluice-demo-'));
}

async function startService(folder: string, more: Readonly<Record<string, string>> = {}): Promise<ServiceProcess> {
  const { env } = process;
  const host = env['SLUICE_HOST'] ?? '127.0.0.1';
  const wanted = env['SLUICE_PORT'] ?? PORT_DEFAULT;
  const isTaken = wanted !== PORT_FREE && (await isPortTaken(host, Number(wanted)));
  if (isTaken) print(`port ${wanted} is taken; using a free one`);
  print(`starting the service in ${folder}…`);
  const script = join(import.meta.dirname, '../main.js');
  // The demo creates its own key and prints it.
  const service = await ServiceProcess.start({
    script,
    dataDir: folder,
    host,
    port: isTaken ? PORT_FREE : wanted,
    env: { SLUICE_CREATE_DEMO_KEY: 'false', ...env, ...more },
  });
  print(`the service is ready at ${service.url}; its log is ${service.logFile}`);
  return service;
}

async function makeKey(folder: string): Promise<Key> {
  const data = { path: folder, masterKey: process.env['SLUICE_MASTER_KEY'] };
  const key = granted(await createKey(data, { account: 'demo', permissions: ['trade'], kind: 'HMAC' }));
  return { apiKey: key.apiKey, apiSecret: key.apiSecret ?? '' };
}

/** Executes the order. Returns the exit status: 0 when it was filled. */
async function trade(service: ServiceProcess, { seconds, quantity, key, signal, compare }: Trading): Promise<number> {
  const client = new SluiceClient({ url: service.url, ...key });
  const order: OrderRequest = {
    client_order_id: `demo-${crypto.randomUUID()}`,
    exchange: EXCHANGE,
    symbol: SYMBOL,
    asset_category: 'SPOT',
    side: 'BUY',
    quantity,
    strategy: 'TWAP',
    params: { duration_seconds: String(seconds) },
  };
  print(`placing an order: TWAP, BUY ${quantity} ${SYMBOL} on ${EXCHANGE} in ${seconds} s\n`);
  try {
    const placed = await client.create(order);
    failIfRefused(placed);
    const id = placed.order_id ?? 0;
    const time = await ServiceTime.of(client);
    const open = (shown: OrderDetails): LiveView => new LiveView(shown, process.stdout, time);
    const end = await watchOrder({ client, url: service.url, id, open, signal });
    print('');
    showOrder({ output: OUTPUT }, await client.orderCost({ orderId: id }), false);
    print('');
    const isEqual = compare === undefined || (await compare(client, id));
    return end === 'FILLED' && isEqual ? 0 : 1;
  } finally {
    client.close();
  }
}

function usage({ url }: ServiceProcess, folder: string, { apiKey, apiSecret }: Key): string {
  return `The service runs until Ctrl-C, which removes its data. Try it from another terminal:

  export SLUICE_URL=${url} SLUICE_DATA_DIR=${folder}
  export SLUICE_API_KEY=${apiKey}
  export SLUICE_API_SECRET=${apiSecret}
  npx sluice order create --exchange ${EXCHANGE} --symbol ETH/USDT --side SELL --quantity 5 --strategy TWAP --duration 120
  npx sluice order open
  curl ${url}/status/ping
`;
}

const OUTPUT = new Output({
  out: (text) => void process.stdout.write(text),
  error: (text) => void process.stderr.write(text),
});

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function decimal(text: string): string {
  if (/^\d+(\.\d+)?$/.test(text) && Number(text) > 0) return text;
  throw new InvalidArgumentError('not a positive decimal');
}

const { seconds, quantity, exit, liveLoopback } = new Command('demo')
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : MISUSED))
  .description('Start the service, execute a TWAP order on a simulated exchange and report its cost.')
  .option('--seconds <n>', 'duration of the order', positiveInteger, 60)
  .option('--quantity <decimal>', `quantity of ${SYMBOL} to buy`, decimal, '0.5')
  .option('--exit', 'stop the service after the order')
  .option('--live-loopback', 'trade through the protocol of Binance at a loopback exchange, and compare its ledger')
  .parse()
  .opts<Options>();

try {
  process.exitCode = await main({
    seconds,
    quantity,
    ...(exit === true ? { exit } : {}),
    ...(liveLoopback === true ? { liveLoopback } : {}),
  });
} catch (error) {
  process.stderr.write(`demo: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
