import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SluiceClient } from '../../src/client/index.js';
import { openIdentity } from '../../src/runtime/identity.js';
import { verifyJournal } from '../../src/journal/verification.js';
import { DISK_MEGABYTES_MAX } from '../../src/domain/limits/process.js';
import { isRejected } from '../../src/domain/rejection.js';
import { foldEnvelope } from '../../src/order/evolve.js';
import { restingOrder, twapOrder } from '../system/sample-orders.js';
import { ServiceProcess } from '../torture/service-process.js';
import { isSilence, MachinePressure } from '../torture/pressure.js';
import { Campaign, type CampaignReport } from './campaign.js';
import type { MemoryFigure } from './memory-watch.js';
import type { Key } from './request-head.js';
import { Target } from './target.js';

export interface FuzzOptions {
  readonly requests: number;
  /** Frames of sessions; the run then sends nothing else. */
  readonly sessionFrames?: number;
  readonly seed: number;
  readonly phases: number;
  readonly stormStreams: number;
  readonly log: (text: string) => void;
}

export interface FuzzReport extends CampaignReport {
  /** Problems of the service's memory, end and journal. */
  readonly problems: readonly string[];
}

const HOST = '127.0.0.1';
/** Matches no message. */
const NOTHING = /(?!)/;
const ERROR_LEVEL = 50;
/** Allowed growth of memory: half a run of 100,000 requests, at one KiB each. */
const GROWTH_MIB_MAX = 48;
/** Least number of phases: in a shorter run the first half only warms up. */
const PHASES_COMPARED_MIN = 10;
const ORDERS_BEFORE_HALT = 200;
const KEYS_COUNT = 4;

/** Configuration of a service and its requests. */
interface Site {
  readonly env: Readonly<Record<string, string>>;
  /** Weights of operations that replace the defaults. */
  readonly weights?: Readonly<Record<string, number>>;
  /** Number of orders placed by an earlier process. */
  readonly ordersBefore?: number;
  /** Lines of the fault script of the simulated exchanges. */
  readonly faults?: readonly object[];
  /** Messages of errors that this service is expected to log. */
  readonly expected?: RegExp;
}

/** All streams of a storm are of one account. */
const STREAMS_MAX = '5000';
const UNLIMITED: Site = { env: { SLUICE_WS_MESSAGE_RATE: '0', SLUICE_WS_ACCOUNT_CONNECTIONS: STREAMS_MAX } };
const LIMITED: Site = {
  env: {
    SLUICE_RATE_LIMIT_ORDERS: '5',
    SLUICE_RATE_LIMIT_READS: '5',
    SLUICE_WS_MESSAGE_RATE: '1000',
    SLUICE_WS_ACCOUNT_CONNECTIONS: STREAMS_MAX,
  },
};
/** Exceeds the free space of any disk, so trading is halted from the start. */
const NO_DISK_MB = String(DISK_MEGABYTES_MAX);
const HALTED: Site = {
  env: { ...UNLIMITED.env, SLUICE_DISK_WARNING_MB: NO_DISK_MB, SLUICE_DISK_HALT_MB: NO_DISK_MB },
  weights: {
    engageKillSwitch: 2,
    cancelAllOrders: 0.05,
    cancelAllOrdersByPost: 0.02,
    pauseOrder: 6,
    resumeOrder: 6,
    amendOrder: 6,
  },
  ordersBefore: ORDERS_BEFORE_HALT,
  expected: /^the disk of the data directory is full/,
};
const FAULT_PROBABILITY = 0.05;
const FAULTY: Site = {
  env: UNLIMITED.env,
  weights: { cancelOrder: 8, pauseOrder: 6, resumeOrder: 6, amendOrder: 6, getOrders: 6, getOrderTimeline: 6 },
  faults: [
    { fault: 'overfill' },
    { fault: 'wrong-price' },
    { fault: 'wrong-side' },
    { fault: 'unknown-child', report: 'any' },
    { fault: 'contradict', says: 'cancelled-over', report: 'acknowledgement' },
    { fault: 'contradict', says: 'rejected', report: 'fill' },
  ].map((rule) => ({ ...rule, probability: FAULT_PROBABILITY })),
  expected: /^an order is quarantined$/,
};

/** Fuzzes its own service without limits. */
export function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  return onOwnService(options, UNLIMITED);
}

/** Fuzzes its own service with rate limits that most requests exceed. */
export function fuzzWithLimits(options: FuzzOptions): Promise<FuzzReport> {
  return onOwnService(options, LIMITED);
}

/** Fuzzes its own service while trading is halted, with existing orders. Keys also engage the kill switch. */
export function fuzzHalted(options: FuzzOptions): Promise<FuzzReport> {
  return onOwnService(options, HALTED);
}

/** Fuzzes its own service with exchanges that send impossible reports, so that orders are quarantined all the time. */
export function fuzzQuarantined(options: FuzzOptions): Promise<FuzzReport> {
  return onOwnService(options, FAULTY);
}

/** Fuzzes a service that is already running. */
export async function fuzzElsewhere(url: URL, key: Key, options: FuzzOptions): Promise<FuzzReport> {
  const target = new Target({ host: url.hostname, port: Number(url.port === '' ? 80 : url.port) }, key);
  const report = await (await Campaign.begin({ ...options, target, pid: null })).run();
  return { ...report, problems: [] };
}

async function onOwnService(options: FuzzOptions, site: Site): Promise<FuzzReport> {
  const { weights, ordersBefore = 0, faults = [], expected = NOTHING } = site;
  const folder = mkdtempSync(join(tmpdir(), 'sluice-fuzz-'));
  const dataDir = join(folder, 'data');
  mkdirSync(dataDir, { mode: 0o700 });
  const script = join(folder, 'faults');
  writeFileSync(script, faults.map((rule) => `${JSON.stringify(rule)}\n`).join(''));
  const env = { ...site.env, SLUICE_SIM_FAULTS: script };
  const [key, ...more] = await issueKeys(dataDir);
  if (ordersBefore > 0) await placeOrdersBefore(dataDir, key, ordersBefore);
  const pressure = new MachinePressure();
  const service = new ServiceProcess(dataDir, env);
  try {
    const target = new Target({ host: HOST, port: await service.ready() }, key, [key, ...more]);
    const report = await (await Campaign.begin({ ...options, weights, target, pid: service.pid })).run();
    const ending = await endingProblems(service, dataDir, { expected, isStarved: pressure.isStarved });
    return { ...report, problems: [...growthProblems(report.memory), ...ending] };
  } finally {
    if (!service.hasEnded) await service.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Places orders in a separate process, which ends normally. */
async function placeOrdersBefore(dataDir: string, key: Key, count: number): Promise<void> {
  const service = new ServiceProcess(dataDir, UNLIMITED.env);
  try {
    const client = new SluiceClient({ url: `http://${HOST}:${await service.ready()}`, ...key });
    const orders = Array.from({ length: count }, (_, index) =>
      index % 2 === 0 ? restingOrder(`halted-${index}`) : twapOrder(86_400, `halted-${index}`),
    );
    await client.createMany(orders.map((order) => ({ ...order, quantity: '0.001' })));
    client.close();
    await service.stop();
  } finally {
    if (!service.hasEnded) await service.kill();
  }
}

/** Keys of one account: the settlement of the orders sees those of all. */
async function issueKeys(dataDir: string): Promise<[Key, ...Key[]]> {
  const identity = openIdentity(dataDir);
  const issued = (): Key => {
    const key = identity.keys.createKey({ account: 'fuzz', permissions: ['trade'], kind: 'HMAC' }, Date.now());
    if (isRejected(key)) throw new Error(key.rejection.message);
    return { apiKey: key.apiKey, apiSecret: key.apiSecret ?? '' };
  };
  const first = issued();
  const more = Array.from({ length: KEYS_COUNT - 1 }, issued);
  await identity.close();
  return [first, ...more];
}

/**
 * Checks memory growth. Caches fill in the first half of a run. A leak of one KiB per request shows in the second half
 * of a run of the usual length.
 */
function growthProblems(memory: readonly MemoryFigure[]): string[] {
  const middle = memory[Math.floor((memory.length - 1) / 2)];
  const last = memory.at(-1);
  if (middle === undefined || last === undefined || memory.length < PHASES_COMPARED_MIN) return [];
  const growthMib = last.ownMib - middle.ownMib;
  if (growthMib <= GROWTH_MIB_MAX) return [];
  return [`its memory grew by ${growthMib} MiB in the second half of the run, more than ${GROWTH_MIB_MAX}`];
}

/**
 * Checks that the service exits with status 0 on SIGTERM, has logged no error, and that its journal and state agree.
 */
async function endingProblems(
  service: ServiceProcess,
  dataDir: string,
  { expected, isStarved }: { readonly expected: RegExp; readonly isStarved: boolean },
): Promise<string[]> {
  const isAlive = !service.hasEnded;
  const status = await service.stop();
  const errors = service.lines
    .filter(({ level, msg }) => Number(level) >= ERROR_LEVEL && !expected.test(String(msg)))
    .filter((line) => !(isStarved && isSilence(line)))
    .slice(0, 5);
  const { problems } = await verifyJournal(dataDir, foldEnvelope);
  return [
    ...(isAlive && status === 0 ? [] : [`the service ended with status ${status}: ${service.lastWords()}`]),
    ...errors.map((line) => `it logged ${JSON.stringify(line)}`),
    ...problems.map((problem) => `journal: ${problem}`),
  ];
}
