import type { Logger } from 'pino';
import { monotonicMs } from './clock.js';
import type { Config } from './config.js';
import { makeDemoKey } from './demo-key.js';
import { readDescriptors } from './descriptors.js';
import { readConsoleFiles } from './http/console-files.js';
import { addressLimitAt, LOOPBACK_HOST } from './http/limit/address-limit.js';
import { ListenKeyCheck } from './http/listen-key-check.js';
import { JwtListenKeys } from './http/listen-key.js';
import type { ServiceFigures } from './http/metrics/service-figures.js';
import type { Readiness } from './http/port.js';
import { startHttpServer, type HttpServer } from './http/server.js';
import { DiskReserve, freeBytesOf } from './journal/disk-space.js';
import { openIdentity, type CreatedKey, type Identity } from './journal/identity/index.js';
import { isEmptyFolder, journalFolder } from './journal/data-folder.js';
import { readBootId, SignatureLog } from './journal/signature-log.js';
import { recoverJournal, refuseUnfinished, type RecoveredJournal } from './journal/index.js';
import type { InstrumentCatalogue } from './model/instrument.js';
import { DESCRIPTORS_COUNT_MIN, HTTP_DRAIN_MS_MAX, SHUTDOWN_DRAIN_MS_MAX, SHUTDOWN_MS_MAX } from './model/limits.js';
import { noRefusals } from './model/refusal-counts.js';
import { foldEnvelope } from './order/evolve.js';
import { CostDesk } from './route/cost-desk.js';
import { DiskWatch } from './route/disk-watch.js';
import { QuarantineDesk } from './route/quarantine-desk.js';
import { ReadThread } from './route/read-thread.js';
import { ServiceTime } from './service-clock.js';
import { isSoBy } from './service-waits.js';
import { RestoreHalt } from './service-restore.js';
import { serviceFigures } from './service-figures.js';
import { MainThread } from './service-main-thread.js';
import { createMemory, type ServiceMemory } from './service-memory.js';
import { entryOf, ServiceThreads } from './service-threads.js';
import { attachStream, SYSTEM_TIMERS } from './stream/index.js';
import { buildCatalogue } from './venue/index.js';
import { EventLoopBell } from './wire/doorbell.js';

const SWEEP_INTERVAL_MS = 1000;
const CLOSE_FRAMES_MS = 100;
const LOOK_OUT_COMMANDS_MAX = 2;
const LOOK_OUT_MS = 0.6;

export interface ServiceOptions {
  readonly config: Config;
  readonly masterKey: string | undefined;
  readonly log: Logger;
  /** The process must end with a status other than 0; called once. */
  readonly onFatal: (reason: string) => void;
  /** The same, when a thread cannot be ended any more. */
  readonly onStuck: (reason: string) => void;
}

/**
 * The running service, put together: recovers the journal, starts the threads, binds the port. Everything here is
 * wiring; what the parts do stands in their folders.
 */
export class Service {
  /** What the limits of the public interface have refused so far. */
  readonly refusals = noRefusals();
  readonly #config: Config;
  readonly #log: Logger;
  readonly #catalogue: InstrumentCatalogue = buildCatalogue();
  readonly #identity: Identity;
  readonly #signatures: SignatureLog;
  readonly #journal: RecoveredJournal;
  readonly #time: ServiceTime;
  readonly #memory: ServiceMemory;
  readonly #main: MainThread;
  readonly #restore: RestoreHalt;
  readonly #disk: DiskWatch;
  readonly #costs: CostDesk;
  readonly #quarantine: QuarantineDesk;
  readonly #reads: ReadThread;
  readonly #threads: ServiceThreads;
  readonly #bell: EventLoopBell;
  readonly #sweeper: NodeJS.Timeout;
  readonly #look = (): void => {
    this.#drain();
    this.#isLookingOut = this.#main.orders.pendingCount > 0 && monotonicMs() < this.#lookOutUntilMs;
    if (this.#isLookingOut) setImmediate(this.#look);
  };
  #isLookingOut = false;
  #lookOutUntilMs = 0;
  #http: HttpServer | null = null;
  #isStopping = false;

  constructor({ config, masterKey, log, onFatal, onStuck }: ServiceOptions) {
    this.#config = config;
    this.#log = log;
    refuseUnfinished(config.dataDir);
    // First of all: what follows writes a little.
    if (new DiskReserve(config.dataDir).releaseWhenFull()) log.warn('the disk is full: its reserve is released');
    this.#identity = openIdentity(config.dataDir, { masterKey });
    this.#signatures = new SignatureLog({
      dataDir: config.dataDir,
      isNew: isEmptyFolder(journalFolder(config.dataDir)),
      realNowMs: Date.now,
      monotonicMs,
      bootId: readBootId(),
      atEndOfTurn: setImmediate,
      onFailure: (error) => log.error({ err: error }, 'used signatures could not be written down'),
    });
    this.#journal = recoverJournal({
      dataDir: config.dataDir,
      fold: foldEnvelope,
      log,
    });
    this.#time = this.#startTime();
    this.#memory = createMemory(config.shardCount, this.#catalogue);
    const { mainBell, venueBell, slate, depth } = this.#memory;
    const { dataDir, logLevel, shardCount } = config;
    this.#main = new MainThread({
      memory: this.#memory,
      catalogue: this.#catalogue,
      orderIds: this.#identity.ids,
      guardrailDirectory: this.#identity.guardrailDirectory,
      reader: this.#journal.reader,
      clock: this.#time.clock,
      realNowMs: () => this.#time.clock.steadyRealMs(),
      monotonicMs,
      onSent: () => this.#lookOut(),
      onUnreadable: (err) => this.#log.error({ err }, 'a report of the exchanges cannot be read'),
    });
    this.#restore = new RestoreHalt({
      store: this.#identity.trading,
      main: this.#main,
      reader: this.#journal.reader,
      catalogue: this.#catalogue,
      accounts: () => this.#identity.keys.list().map(({ account }) => account),
      clock: this.#time.clock,
      speed: config.simSpeed,
      isReady: () => this.#readiness().isReady,
      realNowMs: Date.now,
      monotonicMs,
      log,
    });
    this.#disk = new DiskWatch({
      freeBytes: () => freeBytesOf(dataDir),
      warningBytes: config.diskWarningBytes,
      haltBytes: config.diskHaltBytes,
      gate: this.#main.trading,
      realNowMs: Date.now,
      log,
    });
    this.#disk.look();
    this.#quarantine = new QuarantineDesk({
      links: this.#main.links,
      releases: this.#identity.releases,
      storedState: (orderId) => this.#journal.reader.order(orderId),
      log,
    });
    this.#costs = new CostDesk({
      entry: entryOf('analyst'),
      data: { dataDir, journal: this.#journal.shared },
      log,
    });
    this.#reads = new ReadThread({
      entry: entryOf('reader'),
      data: { dataDir, logLevel, journal: this.#journal.shared },
      log,
    });
    this.#threads = new ServiceThreads({
      config,
      log,
      memory: this.#memory,
      common: { dataDir, logLevel, clock: this.#time.clock.origin, shardCount, slate, depth, mainBell, venueBell },
      journal: this.#journal.shared,
      main: this.#main,
      restore: () => this.#restore.mark,
      onShardBack: () => this.#onShardBack(),
      onFatal,
      onStuck,
    });
    this.#bell = new EventLoopBell(mainBell, () => this.#drain());
    this.#sweeper = setInterval(() => this.#sweep(), SWEEP_INTERVAL_MS);
  }

  /** Binds the port, then starts the threads; /status/ready turns 200 when all of them have recovered. */
  async start(): Promise<number> {
    const config = this.#config;
    const listenKeys = new JwtListenKeys({
      secret: this.#identity.settings.listenKeySecret(),
      ttlS: config.listenKeyTtlS,
      realNowMs: Date.now,
    });
    const keys = this.#identity.directory;
    const listenKeyCheck = new ListenKeyCheck({
      verify: (token) => listenKeys.verify(token),
      keys,
      realNowMs: Date.now,
    });
    const addressLimit = addressLimitAt(config.host, config.addressRate, this.refusals);
    const descriptors = readDescriptors();
    if (descriptors.limit !== null && descriptors.limit < DESCRIPTORS_COUNT_MIN) {
      this.#log.warn(
        descriptors,
        'the process may open few files and sockets: raise its limit of descriptors (ulimit -n)',
      );
    }
    this.#http = await startHttpServer({
      consoleFiles: readConsoleFiles(new URL('.', import.meta.url)),
      host: config.host,
      port: config.port,
      ...this.#main.httpDesks(),
      costs: this.#costs,
      readHost: this.#reads,
      keys,
      signatures: this.#signatures,
      listenKeys,
      cancelSwitches: this.#identity.switches,
      halts: this.#identity.guardrailDirectory,
      killSwitchStore: this.#identity.guardrails,
      reader: this.#journal.reader,
      catalogue: this.#catalogue,
      clock: this.#time.clock,
      realNowMs: Date.now,
      steadyRealMs: () => this.#time.clock.steadyRealMs(),
      monotonicMs,
      orderRate: config.orderRate,
      readRate: config.readRate,
      addressLimit,
      bodyBytesMax: config.bodyBytesMax,
      refusals: this.refusals,
      readiness: () => this.#readiness(),
      figures: this.#figures(),
      metricsToken: config.metricsToken,
      log: this.#log,
      connectionsMax: descriptors.connectionsMax,
      attach: (app, nextRequestId, onSocketClosed) => {
        this.#main.stream = attachStream(app, {
          ...this.#main.streamDesks(),
          settings: config,
          catalogue: this.#catalogue,
          reader: this.#journal.reader,
          clock: this.#time.clock,
          timers: SYSTEM_TIMERS,
          refusals: this.refusals,
          waitOf: (address) => addressLimit?.take(address, monotonicMs())?.retryAfterS ?? 0,
          verifyListenKey: (token, address) => listenKeyCheck.holderOf(token, address),
          keyFailure: (holder) => listenKeyCheck.failureOf(holder),
          onSocketClosed,
          nextRequestId,
          onFault: (error) => this.#log.error({ err: error }, 'a stream failed'),
        });
      },
    });
    if (!LOOPBACK_HOST.test(config.host)) {
      const context = { host: config.host };
      this.#log.warn(context, 'listening beyond this machine without TLS: put a proxy that speaks TLS in front');
    }
    this.#threads.start();
    return this.#http.port;
  }

  /** On an empty data directory: makes a key of account `demo` and delivers it once. */
  createDemoKey(deliver: (key: CreatedKey) => void): void {
    makeDemoKey({ identity: this.#identity, nowRealMs: Date.now(), deliver });
  }

  /** Stops taking orders, lets what is under way end, closes sockets with 1001 and the journal cleanly. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#restore.close();
    const beganMs = monotonicMs();
    const endMs = beganMs + SHUTDOWN_MS_MAX;
    this.#http?.stopAccepting();
    // At once: a report may take longer than the whole shutdown has.
    const costsClosed = this.#costs.close();
    // What sends commands without a pause, as a cancelAll does, is cut off here: the shards still take what was sent.
    await isSoBy(beganMs + SHUTDOWN_DRAIN_MS_MAX, () => this.#main.orders.pendingCount === 0);
    await this.#threads.end(endMs);
    this.#drain();
    this.#main.stream?.drain();
    // Close frames leave with the next turns of the loop.
    await pause(CLOSE_FRAMES_MS);
    await this.#http?.close(Math.min(HTTP_DRAIN_MS_MAX, Math.max(0, endMs - monotonicMs())));
    this.#signatures.close();
    await Promise.all([costsClosed, this.#reads.close()]);
    clearInterval(this.#sweeper);
    this.#bell.close();
    this.#time.close();
    await this.#journal.close();
    await this.#identity.close();
  }

  /**
   * While a command or two wait, the loop looks for their answer itself: that is some 60 µs sooner than being woken.
   * With more under way it is busy anyway, and the shards need the processor.
   */
  #lookOut(): void {
    if (this.#main.orders.pendingCount > LOOK_OUT_COMMANDS_MAX) return;
    this.#lookOutUntilMs = monotonicMs() + LOOK_OUT_MS;
    if (this.#isLookingOut) return;
    this.#isLookingOut = true;
    setImmediate(this.#look);
  }

  #drain(): void {
    // The sockets get their turn before the rest is taken.
    if (this.#main.drain()) setImmediate(() => this.#drain());
  }

  #startTime(): ServiceTime {
    const { dataDir, simSpeed: speed, clockConfirmMs: confirmedMs } = this.#config;
    const { lastServiceMs } = this.#journal;
    try {
      return new ServiceTime({ dataDir, speed, lastServiceMs, confirmedMs, log: this.#log });
    } catch (error) {
      // The state is whole: the next start may open it as it is.
      this.#journal.trustState();
      throw error;
    }
  }

  #readiness(): Readiness {
    if (this.#isStopping) return { isReady: false, detail: 'shutting down' };
    const { silent } = this.#threads;
    if (silent.length > 0) return { isReady: false, detail: `${silent.join(', ')} does not move` };
    const waiting = this.#threads.awaited;
    return waiting.length === 0
      ? { isReady: true, detail: `${this.#main.links.length} shards and the venues are up${this.#haltText()}` }
      : { isReady: false, detail: `waiting for ${waiting.join(', ')}` };
  }

  #haltText(): string {
    return this.#main.trading.halts.map(({ message }) => `; trading is halted: ${message}`).join('');
  }

  #figures(): ServiceFigures {
    return serviceFigures({
      readiness: () => this.#readiness(),
      tradingHalts: () => this.#main.trading.halts,
      reconciliation: () => this.#restore.report,
      memory: this.#memory,
      venueRates: this.#config.venueRates,
      links: this.#main.links,
      orders: this.#main.orders,
      venueLine: this.#main.venueLine,
      threads: this.#threads,
      journal: this.#journal,
      stream: () => this.#main.stream,
      clock: () => this.#time.figures,
      disk: () => this.#disk.figures,
      costs: this.#costs,
    });
  }

  #onShardBack(): void {
    if (this.#main.links.every(({ isUp }) => isUp)) this.#journal.trustState();
  }

  #sweep(): void {
    this.#main.sweep();
    this.#identity.checkCommits();
    this.#quarantine.sweep();
    this.#time.look();
    this.#disk.look();
    if (!this.#isStopping) this.#threads.watchOver();
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
