import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verify } from '../../system/running-stores.js';
import { AccountSession } from '../account-session.js';
import { pause, type ServiceRun } from '../actor.js';
import { FeedWatch } from '../feed-watch.js';
import { LosingDisk } from '../lost-writes.js';
import { MachinePressure } from '../pressure.js';
import type { ServiceProcess } from '../service-process.js';
import { ExchangeProcess } from './exchange-process.js';
import { LiveChecks } from './live-checks.js';
import { type Incident, type LivePlan, planLiveRound, textOfPlan } from './live-plan.js';
import { addVenueKey, startLive } from './live-service.js';
import { addCounts, type LiveTally } from './live-tally.js';
import { LiveTraders } from './live-traders.js';
import { troublesIn } from './service-log.js';
import type { AccountKey } from './traded-exchange.js';
import { drawStorm } from './weather.js';

export interface LiveCampaignOptions {
  readonly exchange: string;
  readonly rounds: number;
  readonly seed: number;
  readonly settleEveryRounds: number;
  readonly log: (text: string) => void;
}

const ACCOUNTS = ['first', 'second'] as const;
const LOOK_EVERY_MS = 600;
/**
 * On a loaded machine a run lasts until this number of orders is placed, and this many times longer than planned at
 * most.
 */
const ORDERS_PER_RUN_MIN = 40;
const WORK_STRETCH_MAX = 4;
const REPLAY_SILENCE_MS = 60_000;
/** Exchanges whose trade ids are text. */
const TEXT_IDS: ReadonlySet<string> = new Set(['BYBIT']);

/** One account with its traders, checks, feeds and key. */
interface Trading {
  readonly session: AccountSession;
  readonly key: AccountKey;
  readonly traders: LiveTraders;
  readonly checks: LiveChecks;
  readonly feed: FeedWatch;
}

/**
 * Trades on a loopback exchange while service, network and exchange fail, repeatedly on one data directory and one
 * ledger. Stops after the first round with a problem.
 */
export async function runLiveCampaign(options: LiveCampaignOptions): Promise<LiveTally> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-live-torture-'));
  const dataDir = join(folder, 'data');
  mkdirSync(dataDir, { mode: 0o700 });
  const exchange = await ExchangeProcess.start(options.exchange, String(options.seed));
  let hasFailed = true;
  try {
    const tradings = await openTradings(dataDir, exchange, options.exchange);
    const disk = new LosingDisk(dataDir, join(folder, 'disk'));
    const tally = await new LiveCampaign({ dataDir, options, exchange, tradings, disk }).run();
    hasFailed = tally.problems.length > 0;
    if (hasFailed) options.log(`the data directory is kept in ${dataDir}`);
    return tally;
  } finally {
    await exchange.close();
    if (!hasFailed) rmSync(folder, { recursive: true, force: true });
  }
}

async function openTradings(dataDir: string, exchange: ExchangeProcess, name: string): Promise<readonly Trading[]> {
  const tradings: Trading[] = [];
  for (const account of ACCOUNTS) {
    const session = await AccountSession.open(dataDir, account);
    const key = await exchange.openAccount();
    await addVenueKey(dataDir, { account, exchange: name }, key);
    const traders = new LiveTraders(session, { exchange: name, markets: exchange.description.markets });
    const checks = new LiveChecks({
      traders,
      exchange,
      exchangeName: name,
      ledgerAccount: key.account,
      hasTextIds: TEXT_IDS.has(name),
    });
    tradings.push({ session, key, traders, checks, feed: new FeedWatch([name]) });
  }
  return tradings;
}

interface CampaignParts {
  readonly dataDir: string;
  readonly options: LiveCampaignOptions;
  readonly exchange: ExchangeProcess;
  readonly tradings: readonly Trading[];
  readonly disk: LosingDisk;
}

class LiveCampaign {
  readonly #parts: CampaignParts;
  readonly #problems: string[] = [];
  /** Problems of the present round. */
  #reported: string[] = [];
  readonly #endings = { kill: 0, stop: 0, 'power loss': 0 };
  readonly #faults: Record<string, number> = {};
  readonly #incidents: Record<string, number> = {};
  #roundsDone = 0;
  #readyMsMax = 0;
  #looks = 0;
  #starvedRounds = 0;
  /** The longest time of the present round in which the exchange did not move. */
  #stallMs = 0;
  #isEnding = false;

  constructor(parts: CampaignParts) {
    this.#parts = parts;
  }

  async run(): Promise<LiveTally> {
    const { options, exchange, tradings } = this.#parts;
    const startMs = performance.now();
    for (let round = 1; round <= options.rounds && this.#problems.length === 0; round += 1) {
      await this.#round(round, planLiveRound(round, options));
      this.#roundsDone += 1;
    }
    const { orders, fills } = await exchange.copy();
    const requests = tradings.flatMap(({ session }) => [...session.ledger.acknowledged.values()]);
    const refusals: Record<string, number> = {};
    for (const { traders } of tradings) addCounts(refusals, Object.fromEntries(traders.refusals));
    return {
      rounds: this.#roundsDone,
      seconds: Math.round((performance.now() - startMs) / 1000),
      orders: requests.length,
      pairs: requests.filter(({ request }) => 'legs' in request).length,
      children: orders.length,
      fills: fills.length,
      frames: tradings.reduce((sum, { feed }) => sum + feed.frameCount, 0),
      looks: this.#looks,
      kills: this.#endings.kill,
      stops: this.#endings.stop,
      powerLosses: this.#endings['power loss'],
      faults: this.#faults,
      incidents: this.#incidents,
      refusals,
      readyMsMax: this.#readyMsMax,
      caughtUpMsMax: Math.max(...tradings.map(({ checks }) => checks.caughtUpMsMax)),
      starvedRounds: this.#starvedRounds,
      problems: this.#problems,
    };
  }

  async #round(round: number, plan: LivePlan): Promise<void> {
    const { options, dataDir, exchange, disk, tradings } = this.#parts;
    const beganMs = performance.now();
    const pressure = new MachinePressure();
    this.#reported = [];
    this.#isEnding = false;
    let service: ServiceProcess | null = null;
    let readyMs = 0;
    try {
      if (plan.stormAtStartMs > 0) await this.#storm(plan);
      const env = { SLUICE_SHARDS: String(plan.shards), ...(plan.ending === 'power loss' ? disk.begin() : {}) };
      service = startLive(dataDir, { name: options.exchange, process: exchange }, env);
      const port = await service.ready();
      readyMs = Math.round(performance.now() - beganMs);
      this.#readyMsMax = Math.max(this.#readyMsMax, readyMs);
      await this.#runService(service, plan, this.#runAt(port, plan));
    } catch (error) {
      this.#reported.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
    } finally {
      for (const { session } of tradings) session.close();
      if (service !== null && !service.hasEnded) await service.kill();
      await this.#endFaults();
    }
    this.#endings[plan.ending] += 1;
    if (plan.ending === 'power loss') disk.losePower(plan.random);
    await this.#afterRound(service, pressure);
    if (this.#reported.length > 0 && service !== null) {
      const file = join(dataDir, '..', `service-round-${round}.log`);
      writeFileSync(file, service.output);
      options.log(`the output of the service is in ${file}`);
    }
    for (const problem of this.#reported) {
      this.#problems.push(`seed ${options.seed}, round ${round}: ${problem}`);
      options.log(this.#problems.at(-1)!);
    }
    const { orders, fills } = await exchange.copy();
    const tookMs = Math.round(performance.now() - beganMs);
    options.log(
      `round ${round}: ${textOfPlan(plan)}; ready in ${readyMs} ms, took ${tookMs} ms; ` +
        `${orders.length} children, ${fills.length} fills; the exchange stalled for ${this.#stallMs} ms at most`,
    );
  }

  #runAt(port: number, { random, ending }: LivePlan): ServiceRun {
    return {
      port,
      random,
      nowMs: () => Date.now(),
      isStepped: false,
      isOperatorAway: true,
      isStopped: ending === 'stop',
      report: (problem) => void this.#reported.push(problem),
    };
  }

  async #runService(service: ServiceProcess, plan: LivePlan, run: ServiceRun): Promise<void> {
    const { tradings, dataDir } = this.#parts;
    if (plan.stormAtStartMs > 0) await pause(plan.stormAtStartMs);
    await this.#endFaults();
    for (const { session, feed } of tradings) {
      session.connect(run.port, run.nowMs, { triesMax: 20, patienceMs: 60_000 });
      await feed.follow(session.client, run.port);
    }
    await Promise.all(tradings.map(({ checks }) => checks.check(run)));
    // Whatever follows would wait in vain for what is already missing.
    if (this.#reported.length > 0) return;
    if (plan.isSettling) {
      // Both at once: a child that never arrived is absent a minute after the start at the earliest.
      await Promise.all(tradings.map(({ checks }) => checks.settle(run)));
      for (const { session, feed } of tradings) await feed.compareReplay(session.client, run.port, REPLAY_SILENCE_MS);
    }
    // The start has repaired what a power loss broke: before it, the files are not to be read.
    const { problems } = await verify(dataDir);
    for (const problem of problems) run.report(`journal: ${problem}`);
    if (this.#reported.length > 0) return;
    if (plan.isStormy) await this.#storm(plan);
    await this.#parts.exchange.ask({ kind: 'countRequests', isCounting: plan.isCounting });
    for (const { session } of tradings) session.connect(run.port, run.nowMs);
    const death = this.#end(service, plan);
    const works = [
      death,
      this.#watch(run),
      this.#makeIncidents(plan, service),
      ...tradings.map(({ traders }) => traders.work(run)),
    ];
    // The other parts of the work end with the service.
    await Promise.all(works).catch(async (error: unknown) => {
      this.#isEnding = true;
      await service.kill();
      await Promise.allSettled(works);
      throw error;
    });
    const status = await death;
    if (plan.ending === 'stop' && status !== 0) run.report(`SIGTERM ended the service with status ${String(status)}`);
  }

  async #end(service: ServiceProcess, { workMs, ending }: LivePlan): Promise<number | null> {
    const [beganMs, before] = [performance.now(), this.#ordersCount];
    await pause(workMs);
    while (this.#ordersCount < before + ORDERS_PER_RUN_MIN && performance.now() < beganMs + WORK_STRETCH_MAX * workMs) {
      await pause(LOOK_EVERY_MS / 2);
    }
    this.#isEnding = true;
    if (ending === 'stop') return service.stop();
    await service.kill();
    return null;
  }

  get #ordersCount(): number {
    return this.#parts.tradings.reduce((sum, { session }) => sum + session.ledger.acknowledged.size, 0);
  }

  /** Looks at the accounts while everything fails, until the service ends. */
  async #watch(run: ServiceRun): Promise<void> {
    for (;;) {
      await pause(LOOK_EVERY_MS);
      for (const { checks } of this.#parts.tradings) {
        if (this.#isEnding) return;
        try {
          await checks.look(run);
          this.#looks += 1;
        } catch (error) {
          // The service may end during a look.
          if (!this.#isEnding) throw error;
          return;
        }
      }
    }
  }

  async #makeIncidents({ incidents, random }: LivePlan, service: ServiceProcess): Promise<void> {
    await Promise.all(
      incidents.map(async ({ afterMs, incident }) => {
        await pause(afterMs);
        addCounts(this.#incidents, { [incident.kind]: 1 });
        const { key } = random.pick(this.#parts.tradings);
        if (incident.kind === 'pause') await service.pause(incident.ms);
        else await this.#happen(incident, key);
      }),
    );
  }

  async #happen(
    incident: Exclude<Incident, { readonly kind: 'pause' }>,
    { account, apiKey }: AccountKey,
  ): Promise<void> {
    const { exchange } = this.#parts;
    switch (incident.kind) {
      case 'cut':
        await exchange.ask({ kind: 'cut', way: incident.way });
        return;
      case 'maintenance':
      case 'ban':
      case 'late orders':
        await exchange.ask({ kind: incident.kind, ms: incident.ms });
        return;
      case 'withdrawn key':
        await exchange.ask({ kind: 'acceptKey', apiKey, isAccepted: false });
        await exchange.ask({ kind: 'expireStreams', account });
        await pause(incident.ms);
        await exchange.ask({ kind: 'acceptKey', apiKey, isAccepted: true });
        return;
      case 'expired streams':
        await exchange.ask({ kind: 'expireStreams', account });
        return;
      case 'clock step':
        await exchange.ask({ kind: 'stepClock', byMs: incident.byMs });
    }
  }

  async #storm({ random }: LivePlan): Promise<void> {
    const { exchange } = this.#parts;
    await exchange.ask({ kind: 'storm', rules: drawStorm(exchange.description.names, random) });
  }

  async #endFaults(): Promise<void> {
    await this.#parts.exchange.ask({ kind: 'endFaults' });
    await this.#parts.exchange.ask({ kind: 'countRequests', isCounting: false });
  }

  async #afterRound(service: ServiceProcess | null, pressure: MachinePressure): Promise<void> {
    const { exchange, tradings } = this.#parts;
    const { counts, refusedDials, stallMs } = await exchange.takeFaults();
    addCounts(this.#faults, counts);
    if (pressure.isStarved) this.#starvedRounds += 1;
    this.#stallMs = stallMs;
    for (const authority of refusedDials) this.#reported.push(`the service dialled ${authority}`);
    for (const { feed } of tradings) this.#reported.push(...feed.problems.splice(0));
    this.#reported.push(...troublesIn(service?.lines ?? [], pressure.isStarved));
  }
}
