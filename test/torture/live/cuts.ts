import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../../system/service-run.js';
import { AccountSession } from '../account-session.js';
import { pause, type ServiceRun } from '../actor.js';
import { ExactReader } from '../exact.js';
import { FeedWatch } from '../feed-watch.js';
import { MachinePressure, UnstarvedTime } from '../pressure.js';
import { Random } from '../random.js';
import type { ServiceProcess } from '../service-process.js';
import { ExchangeProcess } from './exchange-process.js';
import { type HeapTrend, heapTrends, isGrowing } from './heap-trend.js';
import { childOf, ledgerOf, missedFills } from './judge.js';
import type { LedgerCopy, LedgerFill } from './ledger-copy.js';
import { LiveChecks } from './live-checks.js';
import { addVenueKey, startLive } from './live-service.js';
import { LiveTraders } from './live-traders.js';
import { troublesIn } from './service-log.js';
import { readAccount } from './service-view.js';

export interface CutsOptions {
  readonly exchange: string;
  readonly seed: number;
  /** Number of cuts, spread evenly over the time. */
  readonly cuts: number;
  readonly minutes: number;
  readonly log: (text: string) => void;
}

export interface CutsReport {
  readonly cuts: number;
  readonly seconds: number;
  readonly orders: number;
  readonly fills: number;
  /** Fills between a cut and the next connection. */
  readonly fillsInGaps: number;
  /** From the new connection until the service showed every fill before it, in milliseconds. */
  readonly catchUpMsMedian: number;
  readonly catchUpMsMax: number;
  /** The part of that time until the account was connected: subscribed, and its orders listed or looked up. */
  readonly linkMsMedian: number;
  readonly linkMsMax: number;
  /** Orders that ended because the account was not connected. */
  readonly refusedOrders: number;
  /** Cuts on a starved machine: their times are not judged. */
  readonly starvedCuts: number;
  /** From the cut to the new connection. */
  readonly reconnectMsMax: number;
  readonly heaps: readonly HeapTrend[];
  readonly problems: readonly string[];
}

const ACCOUNT = 'first';
const REST_MS = 700;
/** The bound of the task: a gap is caught up within this time after the new connection. */
const CATCH_UP_MS_MAX = 2_000;
/** A new order waits so long for its connection. */
const SHORT_CUT_MS = 1_900;
const NOT_CONNECTED = 'EXCHANGE_NOT_AVAILABLE';
const CATCH_UP_WAIT_MS = 30_000;
const RECONNECT_WAIT_MS = 60_000;
const LOOK_MS = 40;
const WATCHED_COUNT = 80;
/** Orders and fills of each section that a cut looks at. They reach back further than the watched parent orders. */
const LATEST_COUNT = 5_000;
/** Resting orders would gather. */
const CANCEL_EVERY_CUTS = 6;
const WAYS: readonly string[] = ['all', 'proxy'];

/** Cuts the sockets of a trading service again and again, and measures how fast it catches up. */
export async function runCuts(options: CutsOptions): Promise<CutsReport> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-cuts-'));
  const dataDir = join(folder, 'data');
  mkdirSync(dataDir, { mode: 0o700 });
  const exchange = await ExchangeProcess.start(options.exchange, String(options.seed));
  let service: ServiceProcess | null = null;
  try {
    const session = await AccountSession.open(dataDir, ACCOUNT);
    const key = await exchange.openAccount();
    await addVenueKey(dataDir, { account: ACCOUNT, exchange: options.exchange }, key);
    const heapFile = join(folder, 'heap');
    const probe = `--import=${join(ROOT, 'dist/test/torture/live/heap-probe-peer.js')}`;
    const of = { name: options.exchange, process: exchange };
    service = startLive(dataDir, of, { HEAP_PROBE: heapFile, SLUICE_SHARDS: '1' }, ['--expose-gc', probe]);
    const traders = new LiveTraders(session, {
      exchange: options.exchange,
      markets: exchange.description.markets,
      restMs: REST_MS,
    });
    const run = new CutsRun({ options, exchange, ledgerAccount: key.account, session, traders, service });
    return await run.run(await service.ready(), heapFile);
  } finally {
    if (service !== null && !service.hasEnded) await service.kill();
    await exchange.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface RunParts {
  readonly options: CutsOptions;
  readonly exchange: ExchangeProcess;
  readonly ledgerAccount: number;
  readonly session: AccountSession;
  readonly traders: LiveTraders;
  readonly service: ServiceProcess;
}

class CutsRun {
  readonly #parts: RunParts;
  readonly #problems: string[] = [];
  readonly #catchUpMs: number[] = [];
  readonly #linkMs: number[] = [];
  #reconnectMsMax = 0;
  #fillsInGaps = 0;
  #starvedCuts = 0;
  readonly #refused = new Set<number>();

  constructor(parts: RunParts) {
    this.#parts = parts;
  }

  async run(port: number, heapFile: string): Promise<CutsReport> {
    const { options, session, traders, service, exchange, ledgerAccount } = this.#parts;
    const random = new Random(options.seed);
    const run: ServiceRun = {
      port,
      random,
      nowMs: () => Date.now(),
      isStepped: false,
      isOperatorAway: true,
      isStopped: true,
      report: (problem) => void this.#problems.push(problem),
    };
    session.connect(port, run.nowMs);
    const feed = new FeedWatch([options.exchange]);
    await feed.follow(session.client, port);
    const checks = new LiveChecks({
      traders,
      exchange,
      exchangeName: options.exchange,
      ledgerAccount,
      hasTextIds: options.exchange === 'BYBIT',
    });
    // Before that, the service has no list of instruments.
    const isOff = await checks.connect();
    if (isOff !== null) run.report(isOff);
    const beganMs = performance.now();
    const working = traders.work(run);
    const everyMs = (options.minutes * 60_000) / options.cuts;
    for (let cut = 1; cut <= options.cuts && this.#problems.length === 0; cut += 1) {
      const untilMs = beganMs + cut * everyMs;
      await pause(Math.max(0, untilMs - performance.now() - random.below(everyMs / 2)));
      await this.#cut(run, random.pick(WAYS), cut);
      if (cut % CANCEL_EVERY_CUTS === 0) await session.client.cancelAll();
    }
    traders.rest();
    await pause(2 * REST_MS);
    if (!service.hasEnded) await checks.check(run);
    const status = await service.stop();
    await working.catch((error: unknown) => this.#problems.push(String(error)));
    if (status !== 0) this.#problems.push(`the service ended with status ${String(status)}`);
    this.#problems.push(...troublesIn(service.lines, this.#starvedCuts > 0));
    if (/unhandled/i.test(service.output)) this.#problems.push('the output has an unhandled rejection');
    this.#problems.push(...feed.problems);
    const heaps = heapTrends(heapFile);
    for (const heap of heaps) if (isGrowing(heap)) this.#problems.push(`the heap grows: ${JSON.stringify(heap)}`);
    const { fills } = await exchange.copy();
    return {
      cuts: this.#catchUpMs.length,
      seconds: Math.round((performance.now() - beganMs) / 1000),
      orders: traders.orderIds.length,
      fills: fills.length,
      fillsInGaps: this.#fillsInGaps,
      catchUpMsMedian: medianOf(this.#catchUpMs),
      catchUpMsMax: Math.max(0, ...this.#catchUpMs),
      linkMsMedian: medianOf(this.#linkMs),
      linkMsMax: Math.max(0, ...this.#linkMs),
      refusedOrders: this.#refused.size,
      starvedCuts: this.#starvedCuts,
      reconnectMsMax: this.#reconnectMsMax,
      heaps,
      problems: this.#problems,
    };
  }

  async #cut(run: ServiceRun, way: string, number: number): Promise<void> {
    const { exchange, options } = this.#parts;
    const before = new Set((await exchange.copy(LATEST_COUNT)).fills.map(keyOf));
    const dials = await exchange.privateDials();
    const pressure = new MachinePressure();
    const cutAtMs = Date.now();
    await exchange.ask({ kind: 'cut', way });
    const connectedAtMs = await this.#reconnection(dials.count, cutAtMs);
    if (connectedAtMs === null) return run.report(`no new private stream ${RECONNECT_WAIT_MS} ms after a cut`);
    const ledger = ledgerOf(await exchange.copy(LATEST_COUNT), this.#parts.ledgerAccount);
    this.#reconnectMsMax = Math.max(this.#reconnectMsMax, connectedAtMs - cutAtMs);
    for (const fill of ledger.fills) if (!before.has(keyOf(fill))) this.#fillsInGaps += 1;
    const left = await this.#catchUp(run, ledger);
    const tookMs = Date.now() - connectedAtMs;
    this.#catchUpMs.push(tookMs);
    const { isStarved } = pressure;
    if (isStarved) this.#starvedCuts += 1;
    if (left.length > 0 || (tookMs > CATCH_UP_MS_MAX && !isStarved)) {
      run.report(
        `cut ${number} (${way}): ${left.length} fills were not shown, or late: ${tookMs} ms; ${left[0] ?? ''}`,
      );
    }
    const linkedAtMs = this.#linkedAtMs(cutAtMs);
    const refused = await this.#newRefusals();
    if (refused.length > 0 && linkedAtMs - cutAtMs < SHORT_CUT_MS && !isStarved) {
      run.report(`cut ${number} (${way}) of ${linkedAtMs - cutAtMs} ms: orders ${refused.join(', ')} were rejected`);
    }
    const linkMs = linkedAtMs - connectedAtMs;
    if (Number.isFinite(linkMs)) this.#linkMs.push(linkMs);
    options.log(
      `cut ${number} (${way}): connected after ${connectedAtMs - cutAtMs} ms, ` +
        `account up after ${Number.isFinite(linkMs) ? `${linkMs} ms` : 'the fills'}, ` +
        `caught up after ${tookMs} ms${isStarved ? '; starved' : ''}`,
    );
  }

  /** Orders among the latest that have ended because the account was not connected, each reported once. */
  async #newRefusals(): Promise<readonly number[]> {
    const { traders, session } = this.#parts;
    const orders = await session.client.byId({ orderIds: traders.orderIds.slice(-WATCHED_COUNT) });
    const refused = orders.filter(({ status, error_code: code }) => status === 'REJECTED' && code === NOT_CONNECTED);
    const found = refused.map(({ order_id: id }) => id).filter((id) => !this.#refused.has(id));
    for (const id of found) this.#refused.add(id);
    return found;
  }

  /** When the service last said that the account is connected; Infinity: not since then. */
  #linkedAtMs(sinceMs: number): number {
    const line = this.#parts.service.lines.findLast(({ msg }) => msg === 'the account is connected');
    const atMs = Number(line?.['time'] ?? 0);
    return atMs < sinceMs ? Infinity : atMs;
  }

  /** Time of the first new connection to a private stream; null: none in time. */
  async #reconnection(count: number, cutAtMs: number): Promise<number | null> {
    while (Date.now() < cutAtMs + RECONNECT_WAIT_MS) {
      const dials = await this.#parts.exchange.privateDials();
      if (dials.count > count) return dials.atMs;
      await pause(LOOK_MS);
    }
    return null;
  }

  /** Waits until the service shows every fill of the ledger among the latest orders. Returns what is still missing. */
  async #catchUp(run: ServiceRun, ledger: LedgerCopy): Promise<readonly string[]> {
    const { traders, options, session } = this.#parts;
    const ids = traders.orderIds.slice(-WATCHED_COUNT);
    const reader = new ExactReader(run.port, session.key);
    const watched = new Set(ids.map(String));
    const fills = ledger.fills.filter(({ clientId }) => watched.has(childOf(clientId)?.parent ?? ''));
    const time = new UnstarvedTime();
    for (;;) {
      const view = await readAccount(reader, ids, {
        exchange: options.exchange,
        hasTextIds: options.exchange === 'BYBIT',
        withTimeline: () => false,
      });
      const left = missedFills({ ...ledger, fills }, view, watched);
      if (left.length === 0 || time.passedMs > CATCH_UP_WAIT_MS) return left;
      await pause(LOOK_MS);
    }
  }
}

function keyOf({ market, exchangeOrderId, tradeId }: LedgerFill): string {
  return `${market} ${exchangeOrderId} ${tradeId}`;
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}
