import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SluiceClient, type OrderRequest } from '../src/client/index.js';
import { pause, quantile } from './latency/times.js';
import { memoryOf, threadSecondsOf } from './process-usage.js';
import type { BenchKey } from './orders.js';
import type { Figure, Report } from './report.js';
import { createKey, startService, type RunningService } from './service.js';

const BENCH = 'heavy-reads';
const ROOT = join(import.meta.dirname, '..');
const OPEN_PATH = '/api/v2/trading/order/open';
const CANCEL_ALL_PATH = '/api/v2/trading/order/cancelAll';
const BATCH_ORDERS = 500;
const BATCHES_AT_ONCE = 4;
const START_AHEAD_MS = 24 * 3600 * 1000;
const PING_EVERY_MS = 5;
const CREATE_EVERY_MS = 10;
const MIB = 1024 * 1024;

interface Sizes {
  readonly orders: number;
  readonly readers: number;
  readonly quietMs: number;
}

const FULL: Sizes = { orders: 100_000, readers: 20, quietMs: 5_000 };
const QUICK: Sizes = { orders: 2_000, readers: 4, quietMs: 500 };

/** An order that starts a day ahead: open, but without work. */
function waitingOrder(clientOrderId: string): OrderRequest {
  return {
    client_order_id: clientOrderId,
    exchange: 'BINANCE',
    symbol: 'BTC/USDT',
    asset_category: 'SPOT',
    side: 'BUY',
    quantity: '0.001',
    strategy: 'TWAP',
    start_time: new Date(Date.now() + START_AHEAD_MS).toISOString(),
    params: { duration_seconds: '3600', trading_style: 'HYBRID' },
  };
}

/**
 * Measures the effect of one account's largest requests on another account. Measures creates and pings without other
 * load, during 20 concurrent reads of all open orders, and during a cancel of all of them.
 */
export async function heavyReads(report: Report, isQuick: boolean): Promise<void> {
  const { orders, readers, quietMs } = isQuick ? QUICK : FULL;
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-loop-'));
  const loopFile = join(folder, 'delay');
  const service = await startService({
    NODE_OPTIONS: `--import=${pathToFileURL(join(ROOT, 'bench/loop-probe.js')).href}`,
    BENCH_LOOP_FILE: loopFile,
  });
  try {
    await placeWaitingOrders(service, orders, (placed) => report.progress(`${placed} of ${orders} orders placed`));
    const other = await createKey(service.dataDir, 'other');
    const trial = new Trial(service, other, loopFile, report);
    await trial.run('quiet', () => pause(quietMs));
    await trial.run(`open: 1 of ${orders} orders`, () => peer(service, OPEN_PATH, 1));
    await trial.run(`open: ${readers} of ${orders} orders`, () => peer(service, OPEN_PATH, readers));
    await trial.run(`cancelAll: ${orders} orders`, () => peer(service, CANCEL_ALL_PATH, 1));
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface PeerResult {
  readonly whole: number;
  readonly bytes: number;
}

/** Sends the requests from another process, so that reading the answers does not delay the measurement here. */
function peer({ port, key }: RunningService, path: string, count: number): Promise<PeerResult> {
  return new Promise((resolve, reject) => {
    const args = [join(ROOT, 'bench/heavy-reads-peer.js'), String(port), key.apiKey, key.apiSecret];
    const child = spawn(process.execPath, [...args, path, String(count)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
    child.once('exit', (code) => {
      if (code === 0) resolve(JSON.parse(text) as PeerResult);
      else reject(new Error(`the readers ended with status ${code}`));
    });
  });
}

/** Probes the service from another account during an action and reports the probes' figures. */
class Trial {
  readonly #service: RunningService;
  readonly #client: SluiceClient;
  readonly #loopFile: string;
  readonly #report: Report;
  #createCount = 0;

  constructor(service: RunningService, key: BenchKey, loopFile: string, report: Report) {
    this.#service = service;
    this.#loopFile = loopFile;
    this.#report = report;
    const url = `http://127.0.0.1:${service.port}`;
    this.#client = new SluiceClient({ url, ...key, recvWindowMs: 60_000, timeoutMs: 120_000 });
  }

  async run(name: string, act: () => Promise<PeerResult | void>): Promise<void> {
    const { pid } = this.#service;
    this.#report.progress(name);
    await this.#loop();
    const ends = new AbortController();
    const memoryBefore = memoryOf(pid).resident;
    let memoryMost = memoryBefore;
    const [pings, creates]: [number[], number[]] = [[], []];
    const probes = [
      probe(pings, PING_EVERY_MS, ends.signal, () => this.#client.ping()),
      probe(creates, CREATE_EVERY_MS, ends.signal, () => this.#create()),
      probe([], 50, ends.signal, async () => {
        memoryMost = Math.max(memoryMost, memoryOf(pid).resident);
      }),
    ];
    const [startMs, cpuBefore] = [performance.now(), threadSecondsOf(pid)];
    const result = await act();
    const tookMs = performance.now() - startMs;
    const mainCores = ((threadSecondsOf(pid) - cpuBefore) * 1000) / tookMs;
    ends.abort();
    await Promise.all(probes);
    const add = (metric: string, value: number, unit: string): void => {
      this.#report.add({ bench: BENCH, case: name, rounds: 1, metric, value, unit } satisfies Figure);
    };
    add('create_p50', quantile(creates, 0.5), 'ms');
    add('create_p99', quantile(creates, 0.99), 'ms');
    add('create_max', quantile(creates, 1), 'ms');
    add('ping_p99', quantile(pings, 0.99), 'ms');
    add('ping_max', quantile(pings, 1), 'ms');
    const { delayMs, usedMostMs } = await this.#loop();
    add('loop_max', delayMs, 'ms');
    add('loop_cpu_max', usedMostMs, 'ms');
    add('main_cpu', mainCores, 'core');
    add('time', tookMs / 1000, 's');
    add('memory', memoryMost / MIB, 'MiB');
    add('memory_ratio', memoryMost / memoryBefore, '');
    add('load', loadavg()[0] ?? 0, '');
    if (result === undefined) return;
    add('answers', result.whole, '');
    add('bytes', result.bytes / MIB, 'MiB');
  }

  #create(): Promise<unknown> {
    this.#createCount += 1;
    return this.#client.create(waitingOrder(`other-${this.#createCount}`));
  }

  /** Returns the figures of the main loop's probe since the last call. */
  async #loop(): Promise<LoopFigures> {
    rmSync(this.#loopFile, { force: true });
    process.kill(this.#service.pid, 'SIGUSR2');
    for (;;) {
      await pause(10);
      try {
        return JSON.parse(readFileSync(this.#loopFile, 'utf8')) as LoopFigures;
      } catch {
        // The file is not written yet.
      }
    }
  }
}

interface LoopFigures {
  readonly delayMs: number;
  readonly usedMostMs: number;
}

/** Repeats an action, one at a time, and appends the time of each in ms. */
async function probe(took: number[], everyMs: number, signal: AbortSignal, act: () => Promise<unknown>): Promise<void> {
  while (!signal.aborted) {
    const startMs = performance.now();
    await act();
    const tookMs = performance.now() - startMs;
    took.push(tookMs);
    await pause(Math.max(1, everyMs - tookMs));
  }
}

async function placeWaitingOrders(
  { port, key }: RunningService,
  count: number,
  progress: (placed: number) => void,
): Promise<void> {
  const url = `http://127.0.0.1:${port}`;
  const client = new SluiceClient({ url, ...key, recvWindowMs: 60_000, timeoutMs: 120_000 });
  try {
    let next = 0;
    const placeRest = async (): Promise<void> => {
      while (next < count) {
        const first = next;
        next = Math.min(count, next + BATCH_ORDERS);
        const orders = Array.from({ length: next - first }, (_, offset) => waitingOrder(`waiting-${first + offset}`));
        const summaries = await client.createMany(orders);
        const refused = summaries.find(({ status }) => status === 'REJECTED');
        if (refused !== undefined) throw new Error(`an order was rejected: ${refused.message ?? ''}`);
        if (next % 10_000 === 0) progress(next);
      }
    };
    await Promise.all(Array.from({ length: BATCHES_AT_ONCE }, placeRest));
  } finally {
    client.close();
  }
}
