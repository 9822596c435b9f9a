import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { FanoutOrder, FanoutSight } from './client.js';
import { TICKERS_MAX, type TickPlan } from './tickers.js';
import { median, type Figure, type Report } from '../report.js';
import { startPeer } from '../service.js';

const BENCH = 'fanout';
const CEILING = 'bare uWebSockets.js publish';
const CLIENT = join(import.meta.dirname, 'client.js');
const run = promisify(execFile);

interface Sizes {
  readonly rounds: number;
  readonly durationMs: number;
  readonly subscribers: readonly number[];
}

const FULL: Sizes = { rounds: 5, durationMs: 1_500, subscribers: [10, 100, 1_000] };
const QUICK: Sizes = { rounds: 1, durationMs: 300, subscribers: [10, 200] };

/**
 * Throughput: each tick changes all markets of a subscriber, as one step of the venue does. The next tick comes before
 * the frames of the previous one are sent, so the benchmark measures sending and not the wake of a thread.
 */
const FLOOD_TICKERS = TICKERS_MAX;
const FLOOD_PAUSE_MS = 0.2;
const FLOOD_SUBSCRIBERS_MIN = 100;
/** Latency is measured at a rate that leaves both servers mostly idle. */
const TICKS_PER_S_MAX = 200;
const DELIVERIES_PER_S_MAX = 20_000;

/** Results of both servers, round by round. */
interface Sights {
  readonly ours: FanoutSight[];
  readonly bare: FanoutSight[];
}

/**
 * Measures the path from a tick in the venue's thread to frames at many subscribers, against a server that only
 * publishes. Rounds alternate, so that machine noise affects both. Figures are medians.
 */
export async function fanout(report: Report, isQuick: boolean): Promise<void> {
  const { rounds, durationMs, subscribers } = isQuick ? QUICK : FULL;
  for (const subscriberCount of subscribers) {
    const name = `subscribers=${subscriberCount}`;
    const order = { subscriberCount, durationMs };
    if (subscriberCount >= FLOOD_SUBSCRIBERS_MIN) {
      report.progress(`${name}: throughput`);
      const plan = { tickerCount: FLOOD_TICKERS, pauseMs: FLOOD_PAUSE_MS };
      const bare = { ...plan, pauseMs: 0 };
      reportThroughput(report, name, await inTurn({ ...order, readsStamps: false }, { ours: plan, bare }, rounds));
    }
    report.progress(`${name}: latency from tick to frame`);
    const pauseMs = 1000 / Math.min(TICKS_PER_S_MAX, DELIVERIES_PER_S_MAX / subscriberCount);
    const plan = { tickerCount: 1, pauseMs };
    reportLatency(report, name, await inTurn({ ...order, readsStamps: true }, { ours: plan, bare: plan }, rounds));
  }
}

type Viewing = Omit<FanoutOrder, 'port' | 'tickerCount'>;

async function inTurn(viewing: Viewing, plans: Record<keyof Sights, TickPlan>, rounds: number): Promise<Sights> {
  const sights: Sights = { ours: [], bare: [] };
  const { tickerCount } = plans.ours;
  const ours = await startPeer('bench/fanout/server.js', [JSON.stringify(plans.ours)]);
  const bare = await startPeer('bench/fanout/bare-publish.js', [JSON.stringify(plans.bare)]);
  try {
    for (let round = 0; round < rounds; round += 1) {
      sights.bare.push(await sightOf({ ...viewing, tickerCount, port: bare.port }));
      sights.ours.push(await sightOf({ ...viewing, tickerCount, port: ours.port }));
    }
  } finally {
    await bare.stop();
    await ours.stop();
  }
  return sights;
}

/** Runs one round of subscribers in its own process, so that the servers share no thread with them. */
async function sightOf(order: FanoutOrder): Promise<FanoutSight> {
  const { stdout } = await run(process.execPath, [CLIENT, JSON.stringify(order)]);
  return JSON.parse(stdout) as FanoutSight;
}

function reportThroughput(report: Report, name: string, sights: Sights): void {
  report.add(
    compared({ case: name, metric: 'throughput', unit: '1/s' }, sights, ({ deliveriesPerS }) => deliveriesPerS),
  );
  report.add(compared({ case: name, metric: 'frame', unit: 'B' }, sights, ({ bytesPerDelivery }) => bytesPerDelivery));
}

function reportLatency(report: Report, name: string, sights: Sights): void {
  const p50 = compared({ case: name, metric: 'p50', unit: 'us' }, sights, (sight) => sight.p50);
  report.add(p50);
  const value = p50.value - p50.reference_value;
  report.add({ bench: BENCH, case: name, metric: 'p50_over_bare', value, unit: 'us', rounds: p50.rounds });
  report.add(compared({ case: name, metric: 'p99', unit: 'us' }, sights, (sight) => sight.p99));
}

/** Median of the rounds, with the reference server's as the reference. */
function compared(
  what: Pick<Figure, 'case' | 'metric' | 'unit'>,
  { ours, bare }: Sights,
  of: (sight: FanoutSight) => number | null,
): Figure & { readonly reference_value: number } {
  const value = median(ours.map((sight) => of(sight) ?? Number.NaN));
  const reference = median(bare.map((sight) => of(sight) ?? Number.NaN));
  return {
    bench: BENCH,
    ...what,
    value,
    reference: CEILING,
    reference_value: reference,
    ratio: value / reference,
    rounds: ours.length,
  };
}
