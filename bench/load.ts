import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { openLoop, type LoadResult } from './http-load.js';
import { SignedCreates } from './orders.js';
import { SESSION_PATH, sessionLoop } from './session/session-load.js';

/**
 * Places orders at a fixed rate, independent of the service, and reports the latency of each from its due time. With
 * --sessions it places them over WebSocket sessions instead, as fast as the service answers. The
 * orders start ten minutes ahead, so the run measures placement only. Cancel them afterwards, or use a separate
 * service.
 */
const USAGE = `usage: SLUICE_API_KEY=… SLUICE_API_SECRET=… npm run load -- [--url URL] [--seconds S] [--json]
         [--rate N] [--connections C] | [--sessions N [--depth D]]
  --url          base address of the service (http://127.0.0.1:8080)
  --rate         placements per second (100); above SLUICE_RATE_LIMIT_ORDERS the service answers 429
  --connections  number of open connections (16)
  --sessions     places over this many WebSocket sessions, as fast as the service answers, instead of at a rate
  --depth        requests in flight in each session (16)
  --seconds      length of the run (10)
  --json         prints one JSON object instead of a table`;

const CREATED = 201;
const PERCENTILES = [50, 90, 99, 99.9] as const;
const MISUSED = 2;

interface LoadPlan {
  readonly url: URL;
  readonly ratePerS: number;
  readonly connections: number;
  /** null: over HTTP at the rate. */
  readonly sessions: number | null;
  readonly depth: number;
  readonly seconds: number;
  readonly isJson: boolean;
  readonly apiKey: string;
  readonly apiSecret: string;
}

/** Throws an Error that names the wrong argument. */
function planOf(args: readonly string[], env: NodeJS.ProcessEnv): LoadPlan {
  const { values } = parseArgs({
    args: [...args],
    options: {
      url: { type: 'string', default: 'http://127.0.0.1:8080' },
      rate: { type: 'string', default: '100' },
      connections: { type: 'string', default: '16' },
      sessions: { type: 'string' },
      depth: { type: 'string', default: '16' },
      seconds: { type: 'string', default: '10' },
      json: { type: 'boolean', default: false },
    },
  });
  const { SLUICE_API_KEY: apiKey, SLUICE_API_SECRET: apiSecret } = env;
  if (apiKey === undefined || apiSecret === undefined)
    throw new Error('SLUICE_API_KEY and SLUICE_API_SECRET must be set');
  const url = new URL(values.url);
  if (url.protocol !== 'http:') throw new Error(`--url ${values.url} must begin with http:// (TLS is not supported)`);
  return {
    url,
    ratePerS: positive('--rate', values.rate),
    connections: Math.ceil(positive('--connections', values.connections)),
    sessions: values.sessions === undefined ? null : Math.ceil(positive('--sessions', values.sessions)),
    depth: Math.ceil(positive('--depth', values.depth)),
    seconds: positive('--seconds', values.seconds),
    isJson: values.json,
    apiKey,
    apiSecret,
  };
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (!(value > 0 && Number.isFinite(value))) throw new Error(`${name} ${text} must be a number above 0`);
  return value;
}

async function run(plan: LoadPlan): Promise<LoadResult> {
  const { url, ratePerS, connections, sessions, depth, seconds, apiKey, apiSecret } = plan;
  const key = { apiKey, apiSecret };
  const prefix = `load-${randomBytes(6).toString('hex')}`;
  const address = { host: url.hostname, port: Number(url.port === '' ? 80 : url.port) };
  const durationMs = seconds * 1000;
  if (sessions !== null) {
    const target = { ...address, path: SESSION_PATH, key, prefix };
    return sessionLoop(target, { sessions, depth, durationMs });
  }
  const requests = new SignedCreates(key, Math.ceil(ratePerS * seconds), prefix);
  return openLoop({ ...address, requests, expectedStatus: CREATED }, connections, ratePerS, durationMs);
}

/** Latencies in microseconds, numbers of answers by status. */
function reportOf(plan: LoadPlan, { throughput, latency, failures, statuses }: LoadResult): Record<string, unknown> {
  const percentiles = PERCENTILES.map((percentile) => [`p${percentile}`, latency.getValueAtPercentile(percentile)]);
  return {
    ...(plan.sessions === null
      ? { rate: plan.ratePerS, connections: plan.connections }
      : { sessions: plan.sessions, depth: plan.depth }),
    seconds: plan.seconds,
    throughput: Math.round(throughput * 10) / 10,
    ...(Object.fromEntries(percentiles) as Record<string, number>),
    max: latency.maxValue,
    errors: failures,
    statuses: Object.fromEntries(statuses),
  };
}

function print(report: Record<string, unknown>): void {
  const { statuses, ...figures } = report;
  for (const [name, value] of Object.entries(figures)) console.log(`${name.padEnd(12)} ${String(value).padStart(12)}`);
  for (const [status, count] of Object.entries(statuses as Record<string, number>)) {
    console.log(`${`HTTP ${status}`.padEnd(12)} ${String(count).padStart(12)}`);
  }
}

async function main(): Promise<void> {
  let plan: LoadPlan;
  try {
    plan = planOf(process.argv.slice(2), process.env);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    process.exitCode = MISUSED;
    return;
  }
  const report = reportOf(plan, await run(plan));
  if (plan.isJson) console.log(JSON.stringify(report));
  else print(report);
  if (report['errors'] !== 0) process.exitCode = 1;
}

try {
  await main();
} catch (error) {
  console.error(`load: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
