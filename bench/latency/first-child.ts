import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type OrderRequest, SluiceClient } from '../../src/client/index.js';
import { VENUES } from '../../src/domain/exchange.js';
import { QUERY_IDS_MAX } from '../../src/domain/limits/clients.js';
import type { Report } from '../report.js';
import { type RunningService, SEPARATE_MODULES, startService } from '../service.js';
import { pause, quantile } from './times.js';
import { firstChildren, timesToNextChild, type VenueRecord, venueRecordsIn } from './venue-records.js';

const BENCH = 'first-child';
const PROBE = pathToFileURL(join(import.meta.dirname, 'venue-probe.js')).href;

interface Sizes {
  /** Orders on a market that is awake. */
  readonly awake: number;
  /** Exchanges with orders that wake their market: one for each symbol. */
  readonly exchanges: number;
  /** Clips of the order whose fills each cause the next clip. */
  readonly clips: number;
  readonly warmUps: number;
}

const FULL: Sizes = { awake: 2_000, exchanges: VENUES.length, clips: 5_000, warmUps: 500 };
const QUICK: Sizes = { awake: 20, exchanges: 1, clips: 50, warmUps: 5 };

/** Pause between two orders: all threads block again. */
const PAUSE_MS = 5;
/** Each order is the first one in its market, which sleeps until then. Every exchange accepts these quantities. */
const SLEEPING = [
  { symbol: 'ETH/USDT', quantity: '0.05' },
  { symbol: 'SOL/USDT', quantity: '1' },
  { symbol: 'XRP/USDT', quantity: '400' },
  { symbol: 'DOGE/USDT', quantity: '1000' },
] as const;
const SPOT = { exchange: 'BINANCE', symbol: 'BTC/USDT', asset_category: 'SPOT', side: 'BUY' } as const;
const MARKET: OrderRequest = { ...SPOT, quantity: '0.001', strategy: 'MARKET' };
/** Rests far from the market and keeps it awake. */
const RESTING: OrderRequest = { ...SPOT, quantity: '0.001', strategy: 'LIMIT', limit_price: '40000' };
const FILLED_WAIT_MS = 60_000;
const POLL_MS = 100;

/** Times of a create in microseconds of the monotonic clock. */
interface Create {
  readonly orderId: number;
  readonly sentUs: number;
  readonly answeredUs: number;
}

/**
 * Measures how soon a child reaches its exchange: after the create of its MARKET order was sent and answered, and after
 * the report that causes the next child. The exchanges have no latency, and one order is created at a time.
 */
export async function firstChild(report: Report, isQuick: boolean): Promise<void> {
  const { awake, exchanges, clips, warmUps } = isQuick ? QUICK : FULL;
  const folder = mkdtempSync(join(tmpdir(), 'sluice-first-child-'));
  const file = join(folder, 'venue');
  const env = { NODE_OPTIONS: `--import=${PROBE}`, BENCH_VENUE_FILE: file };
  const service = await startService(env, { entry: SEPARATE_MODULES });
  try {
    const client = new SluiceClient({ url: `http://127.0.0.1:${service.port}`, ...service.key });
    await client.create(RESTING);
    report.progress(`${awake} orders on a market that is awake`);
    await creates(client, repeated(MARKET, warmUps));
    const onAwake = await creates(client, repeated(MARKET, awake));
    report.progress('orders on sleeping markets');
    const places = VENUES.slice(0, exchanges);
    // The first order at an exchange also asks for the balances.
    for (const exchange of places) await client.create({ ...MARKET, exchange, quantity: '0.002' });
    const first = places.flatMap((exchange) => SLEEPING.map((market) => ({ ...MARKET, exchange, ...market })));
    const onSleeping = await creates(client, first);
    await untilFilled(
      client,
      [...onAwake, ...onSleeping].map(({ orderId }) => orderId),
    );
    report.progress(`an order of ${clips} clips`);
    const clipped = await fillClips(client, clips);
    client.close();
    const records = await recordsOf(service, file);
    const arrivals = firstChildren(records);
    reportCreates(report, 'market order, awake market', onAwake, arrivals);
    reportCreates(report, 'market order, sleeping market', onSleeping, arrivals);
    const times = timesToNextChild(records.filter(({ orderId }) => orderId === clipped));
    const figure = { bench: BENCH, case: 'report to next child', rounds: times.length, unit: 'us' };
    report.add({ ...figure, metric: 'p50', value: quantile(times, 0.5) });
    report.add({ ...figure, metric: 'p99', value: quantile(times, 0.99) });
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Ends the service, so that the probe writes its notes. */
async function recordsOf(service: RunningService, file: string): Promise<readonly VenueRecord[]> {
  await service.end('SIGTERM');
  return venueRecordsIn(file);
}

function repeated(order: OrderRequest, count: number): OrderRequest[] {
  return Array.from({ length: count }, () => order);
}

async function creates(client: SluiceClient, orders: readonly OrderRequest[]): Promise<Create[]> {
  const done: Create[] = [];
  for (const order of orders) {
    const sentUs = monotonicUs();
    const { order_id: orderId, status, message } = await client.create(order);
    if (orderId === undefined || status === 'REJECTED') throw new Error(`an order was rejected: ${message ?? ''}`);
    done.push({ orderId, sentUs, answeredUs: monotonicUs() });
    await pause(PAUSE_MS);
  }
  return done;
}

/** Works an ICEBERG whose limit price is far beyond the market: each clip is filled at once. Returns its id. */
async function fillClips(client: SluiceClient, clips: number): Promise<number> {
  const order: OrderRequest = {
    ...SPOT,
    quantity: (clips * 0.0001).toFixed(4),
    strategy: 'ICEBERG',
    limit_price: '200000',
    clip_size_type: 'ORDER_COUNT',
    clip_size_val: String(clips),
    params: { trading_style: 'AGGRESSIVE' },
  };
  const { order_id: orderId, status, message } = await client.create(order);
  if (orderId === undefined || status === 'REJECTED') throw new Error(`the order was rejected: ${message ?? ''}`);
  await untilFilled(client, [orderId]);
  return orderId;
}

/** Polls until each order is filled. Any other end is an error. */
async function untilFilled(client: SluiceClient, orderIds: readonly number[]): Promise<void> {
  const endMs = Date.now() + FILLED_WAIT_MS;
  let waiting = orderIds;
  while (waiting.length > 0 && Date.now() < endMs) {
    await pause(POLL_MS);
    const orders = await client.byId({ orderIds: waiting.slice(0, QUERY_IDS_MAX) });
    const ended = orders.find(({ status }) => status === 'REJECTED' || status === 'CANCELLED' || status === 'EXPIRED');
    if (ended !== undefined) throw new Error(`order ${ended.order_id} is ${ended.status}: ${ended.message ?? ''}`);
    const filled = new Set(orders.flatMap(({ order_id: id, status }) => (status === 'FILLED' ? [id] : [])));
    waiting = waiting.filter((orderId) => !filled.has(orderId));
  }
  if (waiting.length > 0) throw new Error(`orders were not filled within ${FILLED_WAIT_MS} ms: ${waiting.join(' ')}`);
}

function reportCreates(report: Report, name: string, all: readonly Create[], first: ReadonlyMap<number, number>): void {
  const arrivedUs = (orderId: number): number => {
    const atUs = first.get(orderId);
    if (atUs === undefined) throw new Error(`order ${orderId} had no child`);
    return atUs;
  };
  const figure = { bench: BENCH, case: name, rounds: all.length, unit: 'us' };
  const [sinceSent, sinceAnswer] = [
    all.map(({ orderId, sentUs }) => arrivedUs(orderId) - sentUs),
    // The child may arrive before the client has read the answer.
    all.map(({ orderId, answeredUs }) => arrivedUs(orderId) - answeredUs),
  ];
  for (const [metric, times] of Object.entries({ after_answer: sinceAnswer, after_request: sinceSent })) {
    for (const [part, share] of Object.entries({ p50: 0.5, p90: 0.9, p99: 0.99 })) {
      report.add({ ...figure, metric: `${metric}_${part}`, value: quantile(times, share) });
    }
  }
}

function monotonicUs(): number {
  return Number(process.hrtime.bigint()) / 1000;
}
