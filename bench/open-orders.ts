import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type OrderRequest, SluiceClient } from '../src/client/index.js';
import { pause } from './latency/times.js';
import { cpuSecondsOf, memoryOf } from './process-usage.js';
import type { Report } from './report.js';
import { type RunningService, startService } from './service.js';

const BENCH = 'open-orders';
const IDLE = 'the same service without orders';

interface Sizes {
  readonly orders: number;
  /** Length of each processor time measurement, without and with the orders. */
  readonly windowMs: number;
  /** Wait between the last first slice and the measurement. */
  readonly settleMs: number;
}

const FULL: Sizes = { orders: 100_000, windowMs: 25_000, settleMs: 10_000 };
const QUICK: Sizes = { orders: 2_000, windowMs: 1_000, settleMs: 500 };

/**
 * Measures the cost of many open parent orders: process memory and heap per order, processor time while they wait for
 * their next slice and their markets move, and the time of a start with them.
 */
export async function openOrders(report: Report, isQuick: boolean): Promise<void> {
  const { orders, windowMs, settleMs } = isQuick ? QUICK : FULL;
  const heap = new HeapProbe();
  let service = await startService(heap.env);
  const emptyStart = { reference: 'the start without orders', reference_value: service.readyMs / 1000 };
  const figure = { bench: BENCH, case: `orders=${orders}`, rounds: 1 };
  try {
    report.progress('the idle service');
    const idle = await coresUsed(service.pid, windowMs);
    const before = memoryOf(service.pid);
    const heapBefore = await heap.usedBytes(service.pid);
    const half = orders / 2;
    const place = (from: number, to: number): Promise<void> =>
      placeOpenOrders(service, from, to, (placed) => report.progress(`${from + placed} of ${orders} orders placed`));
    await place(0, half);
    await pause(settleMs);
    const between = memoryOf(service.pid);
    await place(half, orders);
    await pause(settleMs);
    const after = memoryOf(service.pid);
    report.progress('the service with all orders open');
    const busy = await coresUsed(service.pid, windowMs);
    const heapAfter = await heap.usedBytes(service.pid);
    report.add({ ...figure, metric: 'memory', value: (after.resident - before.resident) / orders, unit: 'B' });
    // The first orders also grow the young generations of all threads to their full size.
    const second = (after.resident - between.resident) / (orders - half);
    report.add({ ...figure, metric: 'memory_second_half', value: second, unit: 'B' });
    report.add({ ...figure, metric: 'memory_own', value: (after.own - before.own) / orders, unit: 'B' });
    report.add({ ...figure, metric: 'memory_mapped', value: (after.mapped - before.mapped) / orders, unit: 'B' });
    report.add({ ...figure, metric: 'heap', value: (heapAfter - heapBefore) / orders, unit: 'B' });
    const cpu = { value: busy - idle, unit: 'core', reference: IDLE, reference_value: idle };
    report.add({ ...figure, metric: 'cpu', ...cpu });
    for (const [metric, signal] of [
      ['start_after_shutdown', 'SIGTERM'],
      ['start_after_kill', 'SIGKILL'],
    ] as const) {
      report.progress(`a start after ${signal}`);
      await service.end(signal);
      service = await startService({}, { earlier: service });
      report.add({ ...figure, metric, value: service.readyMs / 1000, unit: 's', ...emptyStart });
    }
  } finally {
    await service.stop();
    heap.close();
  }
}

/** Reads the used heap of all threads of a service that has the probe. */
class HeapProbe {
  readonly #folder = mkdtempSync(join(tmpdir(), 'sluice-bench-heap-'));
  readonly #file = join(this.#folder, 'heap');

  get env(): Readonly<Record<string, string>> {
    const probe = pathToFileURL(join(import.meta.dirname, 'latency/heap-probe.js')).href;
    return { NODE_OPTIONS: `--import=${probe}`, BENCH_HEAP_FILE: this.#file };
  }

  async usedBytes(pid: number): Promise<number> {
    rmSync(this.#file, { force: true });
    process.kill(pid, 'SIGUSR2');
    for (;;) {
      await pause(POLL_MS);
      const text = existsSync(this.#file) ? readFileSync(this.#file, 'utf8') : '';
      if (text !== '') return Number(text);
    }
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Mean number of cores that the process uses over a period. */
async function coresUsed(pid: number, windowMs: number): Promise<number> {
  const [cpuBefore, startMs] = [cpuSecondsOf(pid), performance.now()];
  await pause(windowMs);
  return ((cpuSecondsOf(pid) - cpuBefore) * 1000) / (performance.now() - startMs);
}

const BATCH_ORDERS = 500;
const BATCHES_AT_ONCE = 4;
const SAMPLES = 20;
const POLL_MS = 250;
const SETTLE_WAIT_MS = 300_000;

/** Markets with slices of a few USDT each, at prices that the market rarely leaves before the next slice. */
const MARKETS = [
  { symbol: 'DOGE/USDT', quantity: '1200' },
  { symbol: 'XRP/USDT', quantity: '200' },
  { symbol: 'SOL/USDT', quantity: '1' },
] as const;
/** Code of an order for which its shard has no room: nothing was placed. */
const BUSY = 'SYSTEM_BUSY';
const BUSY_PAUSE_MS = 100;
const SLICES = 10;
const HOURS = 3;

/**
 * A TWAP that starts now: its first slice is taken at once, the next is due 18 minutes later. Perpetuals, bought and
 * sold in turn, so that the account can pay for all of them.
 */
function orderOf(index: number): OrderRequest {
  const { symbol, quantity } = MARKETS[(index >> 1) % MARKETS.length] as (typeof MARKETS)[number];
  return {
    client_order_id: clientOrderId(index),
    exchange: 'BINANCE',
    symbol,
    asset_category: 'FUTURE',
    side: index % 2 === 0 ? 'BUY' : 'SELL',
    quantity,
    strategy: 'TWAP',
    clip_size_type: 'ORDER_COUNT',
    clip_size_val: String(SLICES),
    params: { duration_seconds: String(HOURS * 3600), trading_style: 'AGGRESSIVE' },
  };
}

function clientOrderId(index: number): string {
  return `open-${index}`;
}

/**
 * Places the orders `from` to `to` − 1 and returns when the first slice of each is filled. Calls `progress` with the
 * number placed.
 */
export async function placeOpenOrders(
  { port, key }: RunningService,
  from: number,
  to: number,
  progress: (placed: number) => void,
): Promise<void> {
  const client = new SluiceClient({ url: `http://127.0.0.1:${port}`, ...key, recvWindowMs: 60_000 });
  try {
    let next = from;
    let placed = 0;
    const placeRest = async (): Promise<void> => {
      while (next < to) {
        const first = next;
        next = Math.min(to, next + BATCH_ORDERS);
        const orders = Array.from({ length: next - first }, (_, offset) => orderOf(first + offset));
        await placeAll(client, orders);
        placed += next - first;
        progress(placed);
      }
    };
    await Promise.all(Array.from({ length: BATCHES_AT_ONCE }, placeRest));
    await untilSliced(client, to);
  } finally {
    client.close();
  }
}

/**
 * Places the orders in a batch. Orders for which a shard has no room are placed again. Any other refusal is an error.
 */
async function placeAll(client: SluiceClient, orders: readonly OrderRequest[]): Promise<void> {
  let waiting = orders;
  while (waiting.length > 0) {
    const summaries = await client.createMany(waiting);
    const refused = summaries.find((one) => one.status === 'REJECTED' && one.error_code !== BUSY);
    if (refused !== undefined) throw new Error(`an order was rejected: ${refused.message ?? ''}`);
    waiting = waiting.filter((_, index) => summaries[index]?.error_code === BUSY);
    if (waiting.length > 0) await pause(BUSY_PAUSE_MS);
  }
}

/** Polls a sample of the orders until each is partially filled. Any other end is an error. */
async function untilSliced(client: SluiceClient, count: number): Promise<void> {
  const samples = Math.min(SAMPLES, count);
  const clientOrderIds = Array.from({ length: samples }, (_, sample) =>
    clientOrderId(Math.floor(((count - 1) * (sample + 1)) / samples)),
  );
  const endMs = Date.now() + SETTLE_WAIT_MS;
  let statuses: string[] = [];
  while (Date.now() < endMs) {
    const orders = await client.byId({ clientOrderIds });
    statuses = orders.map(({ status }) => status);
    if (statuses.every((status) => status === 'PARTIALLY_FILLED')) return;
    await new Promise((resolve) => {
      setTimeout(resolve, POLL_MS);
    });
  }
  throw new Error(`the first slices were not filled within ${SETTLE_WAIT_MS} ms: ${statuses.join(' ')}`);
}
