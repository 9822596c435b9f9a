import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { AdminSocket } from '../admin/admin-socket.js';
import { AccountWrites } from './account-writes.js';
import { monotonicMs } from './clock.js';
import type { Config } from './config.js';
import { DemoKeyFile, makeDemoKey } from './demo-key.js';
import { DiskWatch } from './disk-watch.js';
import type { ServiceFigures } from '../http/metrics/service-figures.js';
import type { Readiness } from '../http/status-endpoints.js';
import { freeBytesOf } from '../storage/disk-reserve.js';
import type { StoredMarket } from '../keys/port.js';
import type { CreatedKey, Identity } from './identity.js';
import { openData } from './opened-data.js';
import { appendAudit } from '../storage/audit-log.js';
import { currentBootId } from '../storage/clock-record.js';
import { releaseVersion } from '../storage/release.js';
import { lastBackupAtMs } from '../storage/data-directory.js';
import { SignatureLog } from '../keys/signature-log.js';
import { MAIN_LEADER } from '../journal/lead.js';
import { Leader } from '../journal/leader.js';
import { IntakeJournal } from '../journal/turn/intake-journal.js';
import type { RecoveredJournal } from '../journal/open-journal.js';
import type { InstrumentCatalogue } from '../domain/instrument.js';
import { HTTP_DRAIN_MS_MAX } from '../domain/limits/clients.js';
import { SHUTDOWN_DRAIN_MS_MAX, SHUTDOWN_MS_MAX, WRITER_END_MS_MAX } from '../domain/limits/process.js';
import { noRefusals } from '../domain/rejection.js';
import { CostReports } from '../intake/cost-reports.js';
import { OperatorRequests } from '../intake/operator-requests.js';
import { ReadThread } from '../intake/read-thread.js';
import type { ServiceTime } from './service-time.js';
import { READER } from './thread-data.js';
import { entryOf, waitUntil, ServiceThreads } from './threads.js';
import { RestoreHalt } from '../restore/restore-halt.js';
import { isKeyless } from './live-start.js';
import { keyExpiries, warnOfWeakKeys } from './key-watch.js';
import { serviceFigures } from './service-figures.js';
import { MainThread } from './main-thread.js';
import { PublicInterface } from './public-interface.js';
import { TurnEnd } from './turn-end.js';
import { createMemory, type ServiceMemory } from './shared-memory.js';
import { buildCatalogue } from '../venue/listing/catalogue.js';
import { AccountCounts, AccountNumbers } from '../wire/account-counts.js';
import { createBell, EventLoopBell } from '../wire/bell.js';
import { SharedListingWriter } from '../wire/shared-listing.js';
import type { JournalWords, LogMemory } from '../wire/worker-data.js';

const SWEEP_INTERVAL_MS = 1000;
const CLOSE_FRAMES_MS = 100;

export interface ServiceOptions {
  readonly config: Config;
  readonly masterKey: string | undefined;
  readonly log: Logger;
  /** Returns the log memory of a worker thread, by its name. */
  readonly logMemoryOf: (thread: string) => LogMemory;
  /** The process must end with a status other than 0. Called once. */
  readonly onFatal: (reason: string) => void;
  /** The same, when a thread cannot be terminated. */
  readonly onStuck: (reason: string) => void;
}

/**
 * The running service: recovers the journal, starts the threads, binds the port. This class only connects the parts.
 * Their behaviour is in their folders.
 */
export class Service {
  /** Counts the refusals by the limits of the public interface. */
  readonly refusals = noRefusals();
  readonly #config: Config;
  readonly #log: Logger;
  readonly #catalogue: InstrumentCatalogue;
  readonly #identity: Identity;
  readonly #signatures: SignatureLog;
  readonly #journal: RecoveredJournal;
  readonly #time: ServiceTime;
  readonly #memory: ServiceMemory;
  readonly #leader: Leader;
  readonly #main: MainThread;
  readonly #restore: RestoreHalt;
  readonly #writes: AccountWrites;
  readonly #disk: DiskWatch;
  readonly #demoKeyFile: DemoKeyFile;
  readonly #costs: CostReports;
  readonly #operatorRequests: OperatorRequests;
  readonly #reads: ReadThread;
  readonly #admin: AdminSocket;
  readonly #threads: ServiceThreads;
  readonly #bell: EventLoopBell;
  readonly #turnEnd = new TurnEnd();
  readonly #sweeper: NodeJS.Timeout;
  #interface: PublicInterface | null = null;
  #isStopping = false;

  constructor(options: ServiceOptions) {
    const { config, log, logMemoryOf } = options;
    this.#config = config;
    this.#log = log;
    const { identity, journal, time, listed, isNew } = openData(options);
    this.#identity = identity;
    this.#journal = journal;
    this.#time = time;
    this.#signatures = this.#openSignatures(isNew);
    const exchanges = { venues: config.live, hasListed: listed.length > 0 };
    this.#catalogue = buildCatalogue(config.live);
    this.#memory = createMemory(config.shardCount, this.#catalogue, undefined, exchanges);
    publishListed(this.#memory.listing, listed);
    const { dataDir, logLevel } = config;
    this.#leader = leaderOf(dataDir, this.#journal.shared, this.#memory);
    this.#main = this.#newMainThread();
    this.#restore = this.#newRestoreHalt();
    this.#writes = new AccountWrites({
      numbers: new AccountNumbers(this.#memory.accounts),
      written: new AccountCounts(this.#memory.accounts.written),
      monotonicMs,
    });
    this.#disk = this.#newDiskWatch();
    this.#disk.check();
    this.#demoKeyFile = new DemoKeyFile({
      dataDir,
      hasSigned: (apiKey) => this.#identity.directory.hasSigned(apiKey),
      log,
    });
    this.#demoKeyFile.open();
    warnOfWeakKeys(this.#identity, log);
    this.#operatorRequests = new OperatorRequests({
      links: this.#main.shardClients,
      releases: this.#identity.releases,
      settlements: this.#identity.settlements,
      storedState: (orderId) => this.#journal.reader.recent().order(orderId),
      log,
    });
    this.#costs = new CostReports({
      entry: entryOf('analyst'),
      data: { dataDir, journal: this.#journal.shared },
      log,
    });
    this.#reads = new ReadThread({
      entry: entryOf('reader'),
      data: { dataDir, logLevel, log: logMemoryOf(READER), journal: this.#journal.shared },
      log,
    });
    this.#threads = this.#newThreads(options);
    this.#admin = new AdminSocket({
      dataDir,
      identity: this.#identity,
      halts: () => this.#main.trading.halts,
      freeBytesMin: config.diskWarningBytes,
      onPerformed: () => this.#applyCommands(),
      log,
    });
    this.#bell = new EventLoopBell(this.#memory.mainBell, () => this.#drain());
    this.#sweeper = setInterval(() => this.#sweep(), SWEEP_INTERVAL_MS);
  }

  #openSignatures(isNew: boolean): SignatureLog {
    return new SignatureLog({
      dataDir: this.#config.dataDir,
      isNew,
      realNowMs: Date.now,
      monotonicMs,
      bootId: currentBootId() || null,
      atEndOfTurn: this.#turnEnd.add,
      onFailure: (error) => this.#log.error({ err: error }, 'used signatures could not be stored'),
    });
  }

  #newMainThread(): MainThread {
    const { live, accountOpenOrdersMax } = this.#config;
    return new MainThread({
      memory: this.#memory,
      catalogue: this.#catalogue,
      orderIds: this.#identity.ids,
      riskLimitDirectory: this.#identity.riskLimitDirectory,
      reader: this.#journal.reader,
      journal: new IntakeJournal({
        shared: this.#journal.shared,
        memory: this.#memory.intake,
        atEndOfTurn: this.#turnEnd.add,
        leader: this.#leader,
        onLed: () => this.#main.orders.releaseDurable(),
      }),
      clock: this.#time.clock,
      realNowMs: () => this.#time.clock.steadyRealMs(),
      monotonicMs,
      accountOpenOrdersMax,
      knownAccounts: this.#identity.keys.list().map(({ account }) => account),
      isKeyless: (account, venue) => isKeyless(this.#identity.venueKeyDirectory, live, { account, venue }),
      onUnreadable: (err) => this.#log.error({ err }, 'a report of the exchanges cannot be read'),
      onFault: (err) => this.#log.error({ err }, 'the open orders of an account cannot be counted'),
    });
  }

  #newRestoreHalt(): RestoreHalt {
    return new RestoreHalt({
      store: this.#identity.trading,
      main: this.#main,
      reader: this.#journal.reader,
      catalogue: this.#catalogue,
      accounts: () => this.#identity.keys.list().map(({ account }) => account),
      clock: this.#time.clock,
      speed: this.#config.simSpeed,
      isReady: () => this.#readiness().isReady,
      realNowMs: Date.now,
      monotonicMs,
      log: this.#log,
    });
  }

  #newDiskWatch(): DiskWatch {
    const { dataDir, diskWarningBytes, diskHaltBytes } = this.#config;
    return new DiskWatch({
      freeBytes: () => freeBytesOf(dataDir),
      warningBytes: diskWarningBytes,
      haltBytes: diskHaltBytes,
      gate: this.#main.trading,
      writes: this.#writes,
      realNowMs: Date.now,
      log: this.#log,
    });
  }

  #newThreads({ config, masterKey, log, logMemoryOf, onFatal, onStuck }: ServiceOptions): ServiceThreads {
    const { mainBell, venueBell, marketCache, depth, listing } = this.#memory;
    const { dataDir, logLevel, shardCount } = config;
    return new ServiceThreads({
      config,
      log,
      logMemoryOf,
      memory: this.#memory,
      common: {
        dataDir,
        logLevel,
        clock: this.#time.clock.origin,
        shardCount,
        marketCache,
        depth,
        mainBell,
        venueBell,
        realVenues: config.live,
        listing,
      },
      masterKey,
      journal: this.#journal.shared,
      main: this.#main,
      restore: () => this.#restore.mark,
      onShardBack: () => this.#onShardBack(),
      onFatal,
      onStuck,
    });
  }

  /**
   * Binds the port, opens the socket of the operator's commands, then starts the threads. /status/ready returns 200
   * when all of them have recovered.
   */
  async start(): Promise<number> {
    this.#interface = await PublicInterface.open({
      config: this.#config,
      catalogue: this.#catalogue,
      identity: this.#identity,
      signatures: this.#signatures,
      main: this.#main,
      reader: this.#journal.reader,
      clock: this.#time.clock,
      costs: this.#costs,
      reads: this.#reads,
      refusals: this.refusals,
      atEndOfTurn: this.#turnEnd.add,
      readiness: () => this.#readiness(),
      figures: this.#figures(),
      log: this.#log,
    });
    await this.#admin.open();
    this.#threads.start();
    return this.#interface.port;
  }

  /**
   * Creates a key of account `demo` in an empty data directory. Shows it once, or writes it to a file (`show` null).
   * Returns false when keys exist.
   */
  createDemoKey(show: ((key: CreatedKey) => void) | null): boolean {
    return makeDemoKey({
      identity: this.#identity,
      nowRealMs: Date.now(),
      deliver: (key) => {
        const { apiKey, account, permissions } = key;
        const subject = { account, key: apiKey, permissions };
        const by = { kind: 'SERVICE' } as const;
        appendAudit(this.#config.dataDir, { action: 'keys.create', by, subject, reason: null }, Date.now());
        if (show === null) this.#demoKeyFile.write(key);
        else show(key);
      },
    });
  }

  /**
   * Stops taking orders, finishes requests in progress, closes sockets with code 1001, and closes the journal
   * cleanly.
   */
  async stop(): Promise<void> {
    this.#isStopping = true;
    // Commands in progress end. Later ones wait until the process has ended.
    const adminClosed = this.#admin.close();
    this.#restore.close();
    const beganMs = monotonicMs();
    const endMs = beganMs + SHUTDOWN_MS_MAX;
    this.#interface?.stopAccepting();
    // This starts at once, because a report may take longer than the whole shutdown.
    const costsClosed = this.#costs.close();
    // A sender without pauses, such as a cancelAll, is interrupted here. The shards still take the sent commands.
    await waitUntil(beganMs + SHUTDOWN_DRAIN_MS_MAX, () => this.#main.orders.pendingCount === 0);
    await this.#threads.end(endMs);
    this.#drain();
    this.#interface?.drain();
    // Close frames leave with the next turns of the loop.
    await delay(CLOSE_FRAMES_MS);
    await this.#interface?.close(Math.min(HTTP_DRAIN_MS_MAX, Math.max(0, endMs - monotonicMs())));
    this.#main.close();
    this.#signatures.close();
    await Promise.all([adminClosed, costsClosed, this.#reads.close()]);
    clearInterval(this.#sweeper);
    this.#bell.close();
    this.#time.close();
    this.#leader.close();
    await this.#journal.close();
    await this.#identity.close();
  }

  /**
   * Prepares the end of the process by a failure. Calls back with false when an orderly exit would wait for a thread
   * without end: at once, or after WRITER_END_MS_MAX.
   */
  abandon(onReady: (isOrderly: boolean) => void): void {
    if (!this.#threads.endWriters()) return onReady(false);
    const settled = this.#identity.settled();
    if (settled === null) return onReady(true);
    // These writes need the event loop. Its clients get no more answers meanwhile.
    void this.#interface?.close(0);
    setTimeout(() => onReady(false), WRITER_END_MS_MAX);
    void settled.then(() => onReady(true));
  }

  #drain(): void {
    // The sockets get their turn before the next batch of messages.
    if (this.#main.drain()) setImmediate(() => this.#drain());
  }

  #readiness(): Readiness {
    if (this.#isStopping) return { isReady: false, detail: 'shutting down' };
    const { silent } = this.#threads;
    if (silent.length > 0) return { isReady: false, detail: `${silent.join(', ')} does not move` };
    const waiting = this.#threads.awaited;
    if (waiting.length > 0) return { isReady: false, detail: `waiting for ${waiting.join(', ')}` };
    const { shardClients, venues } = this.#main;
    const cutOff = [...this.#config.live.keys()].filter((venue) => !venues.isUp(venue));
    const detail =
      cutOff.length === 0
        ? `${shardClients.length} shards and the venues are up`
        : `${shardClients.length} shards are up; not connected, and the log says why: ${cutOff.join(', ')}`;
    // Orders at the other exchanges go on.
    return { isReady: true, detail };
  }

  #figures(): ServiceFigures {
    return serviceFigures({
      version: releaseVersion(),
      readiness: () => this.#readiness(),
      tradingHalts: () => this.#main.trading.halts,
      reconciliation: () => this.#restore.report,
      memory: this.#memory,
      venueRates: this.#config.venueRates,
      shardClients: this.#main.shardClients,
      orders: this.#main.orders,
      openOrders: this.#main.openOrders,
      accountOpenOrdersMax: this.#config.accountOpenOrdersMax,
      writes: this.#writes,
      venues: this.#main.venues,
      realVenues: this.#config.live,
      killSwitches: this.#identity.riskLimitDirectory,
      threads: this.#threads,
      journal: this.#journal,
      stream: () => this.#main.stream,
      sessions: () => this.#interface?.sessions ?? null,
      clock: () => this.#time.figures,
      nowMs: () => this.#time.clock.nowMs(),
      disk: () => this.#disk.figures,
      costs: this.#costs,
      catalogue: this.#catalogue,
      keyExpiries: keyExpiries(this.#identity, Date.now),
      lastBackupAtMs: () => lastBackupAtMs(this.#config.dataDir),
    });
  }

  #onShardBack(): void {
    if (this.#main.shardClients.every(({ isUp }) => isUp)) this.#journal.trustState();
  }

  /** Applies the changes of an operator's command at once. */
  #applyCommands(): void {
    this.#identity.riskLimitDirectory.refresh(true);
    this.#restore.apply();
    this.#operatorRequests.sweep();
  }

  #sweep(): void {
    this.#main.sweep();
    this.#journal.releaseVersions();
    this.#operatorRequests.sweep();
    this.#time.check();
    this.#writes.check();
    this.#disk.check();
    this.#demoKeyFile.check();
    if (!this.#isStopping) this.#threads.checkBeats();
  }
}

/** The main thread releases its creates itself, so nothing needs to ring its bell. */
function leaderOf(dataDir: string, shared: JournalWords, { intake }: ServiceMemory): Leader {
  return new Leader({ dataDir, shared, memory: { ...intake, bell: createBell() }, thread: MAIN_LEADER });
}

/** The threads know the instruments of stored orders before a real exchange answers. */
function publishListed(memory: SharedArrayBuffer | null, listed: readonly StoredMarket[]): void {
  if (memory === null) return;
  const writer = new SharedListingWriter(memory);
  for (const { instrument } of listed) writer.put(instrument);
}
