import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openIdentity } from '../../src/journal/identity/index.js';
import { verifyJournal } from '../../src/journal/index.js';
import { isRejected } from '../../src/model/rejection.js';
import { foldEnvelope } from '../../src/order/evolve.js';
import { ServiceProcess } from '../torture/service-process.js';
import { Campaign, type CampaignReport } from './campaign.js';
import type { MemoryFigure } from './memory-watch.js';
import type { Key } from './request-head.js';
import { Target } from './target.js';

export interface FuzzOptions {
  readonly requests: number;
  readonly seed: number;
  readonly phases: number;
  readonly stormStreams: number;
  readonly log: (text: string) => void;
}

export interface FuzzReport extends CampaignReport {
  /** What is wrong with the service's memory, its end and its journal. */
  readonly problems: readonly string[];
}

const HOST = '127.0.0.1';
const ERROR_LEVEL = 50;
/** Half a run of 100,000 requests, and a KiB for each. */
const GROWTH_MIB_MAX = 48;
/** Of fewer phases the first half is all warming up. */
const PHASES_COMPARED_MIN = 10;
const UNLIMITED = { SLUICE_WS_MESSAGE_RATE: '0' };
const LIMITED = { SLUICE_RATE_LIMIT_ORDERS: '20', SLUICE_RATE_LIMIT_READS: '20', SLUICE_WS_MESSAGE_RATE: '1000' };

/** A run against a service of its own without limits. */
export function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  return onOwnService(options, UNLIMITED);
}

/** The same with limits that most requests run into. */
export function fuzzWithLimits(options: FuzzOptions): Promise<FuzzReport> {
  return onOwnService(options, LIMITED);
}

/** A run against a service that is there already. */
export async function fuzzElsewhere(url: URL, key: Key, options: FuzzOptions): Promise<FuzzReport> {
  const target = new Target({ host: url.hostname, port: Number(url.port === '' ? 80 : url.port) }, key);
  const report = await (await Campaign.begin({ ...options, target, pid: null })).run();
  return { ...report, problems: [] };
}

async function onOwnService(options: FuzzOptions, env: Readonly<Record<string, string>>): Promise<FuzzReport> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sluice-fuzz-'));
  const key = await issueKey(dataDir);
  const service = new ServiceProcess(dataDir, env);
  try {
    const target = new Target({ host: HOST, port: await service.ready() }, key);
    const report = await (await Campaign.begin({ ...options, target, pid: service.pid })).run();
    return { ...report, problems: [...growthProblems(report.memory), ...(await endingProblems(service, dataDir))] };
  } finally {
    if (!service.hasEnded) await service.kill();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function issueKey(dataDir: string): Promise<Key> {
  const identity = openIdentity(dataDir);
  const key = identity.keys.createKey({ account: 'fuzz', permissions: ['trade'], kind: 'HMAC' }, Date.now());
  await identity.close();
  if (isRejected(key)) throw new Error(key.rejection.message);
  return { apiKey: key.apiKey, apiSecret: key.apiSecret ?? '' };
}

/**
 * Caches fill up in the first half of a run. In the second nothing may be left of a request but what they take; a leak of
 * one KiB a request would be seen in a run of the usual length.
 */
function growthProblems(memory: readonly MemoryFigure[]): string[] {
  const middle = memory[Math.floor((memory.length - 1) / 2)];
  const last = memory.at(-1);
  if (middle === undefined || last === undefined || memory.length < PHASES_COMPARED_MIN) return [];
  const growthMib = last.ownMib - middle.ownMib;
  if (growthMib <= GROWTH_MIB_MAX) return [];
  return [`its memory grew by ${growthMib} MiB in the second half of the run, more than ${GROWTH_MIB_MAX}`];
}

/** It ends with status 0 when it is told to, has logged no error, and its journal and state agree. */
async function endingProblems(service: ServiceProcess, dataDir: string): Promise<string[]> {
  const isAlive = !service.hasEnded;
  const status = await service.stop();
  const errors = service.lines.filter((line) => Number(line['level']) >= ERROR_LEVEL).slice(0, 5);
  const { problems } = await verifyJournal(dataDir, foldEnvelope);
  return [
    ...(isAlive && status === 0 ? [] : [`the service ended with status ${status}: ${service.lastWords()}`]),
    ...errors.map((line) => `it logged ${JSON.stringify(line)}`),
    ...problems.map((problem) => `journal: ${problem}`),
  ];
}
