import type { NumberedEvent } from '../../src/journal/port.js';
import { LateJournal } from './fragile-ports.js';
import { createHmac, createSecretKey } from 'node:crypto';
import { BodyRoom } from '../../src/http/request-body.js';
import { registerEndpoints } from '../../src/http/server.js';
import { Intake } from '../../src/intake/intake.js';
import { OpenCalls } from '../../src/http/connections.js';
import type { ApiKeyRecord } from '../../src/keys/port.js';
import { CancelAllAfterTimers, SessionRecords } from '../../src/keys/trading-store.js';
import { RiskLimitDirectory } from '../../src/risk/limit-directory.js';
import type { ShardClient } from '../../src/intake/shard-client.js';
import { RiskLimitStore } from '../../src/risk/limit-store.js';
import { OrderIds } from '../../src/keys/settings.js';
import { TradingStore } from '../../src/keys/trading-store.js';
import { ChildSettlements, QuarantineReleases } from '../../src/keys/trading-store.js';
import type { AccountId, ApiKeyId } from '../../src/domain/ids.js';
import { BODY_BYTES_MAX } from '../../src/domain/limits/clients.js';
import { noRefusals } from '../../src/domain/rejection.js';

import { OperatorRequests } from '../../src/intake/operator-requests.js';
import { RestoreHalt } from '../../src/restore/restore-halt.js';
import { MainThread } from '../../src/runtime/main-thread.js';
import type { ServiceMemory } from '../../src/runtime/shared-memory.js';
import { attachStream } from '../../src/stream/server.js';
import { SYSTEM_TIMERS } from '../../src/stream/port.js';
import { FIGURES } from '../http/figures.js';
import { STREAM_SETTINGS } from '../stream/stream-settings.js';
import type { Body } from './clients.js';
import type { EventLoop } from './event-loop.js';
import { FakeApp, type FakeExchange, type FakeSocket } from './fake-app.js';
import type { Faults } from './faults.js';
import type { IdentityRows } from './identity-rows.js';
import { ACCOUNTS, CATALOGUE } from './listed.js';
import { SimReader, type SimJournal } from './sim-journal.js';
import type { SimulatedTime } from './simulated-time.js';

const SECRET = 'the secret of every simulated key';
const KEYS = new Map<string, ApiKeyRecord>(ACCOUNTS.map((account) => [keyOf(account), recordOf(account)]));

function recordOf(account: string): ApiKeyRecord {
  const record = {
    apiKey: keyOf(account),
    account: account as AccountId,
    permissions: ['read', 'trade'] as const,
    expiresAtMs: null,
    allowedFrom: null,
    needsSignV2: false,
    hasSigned: false,
    kind: 'HMAC' as const,
    secret: createSecretKey(Buffer.from(SECRET)),
  };
  return record;
}

export interface SimulatedMainParts {
  readonly memory: ServiceMemory;
  readonly journal: SimJournal;
  readonly identity: IdentityRows;
  readonly loop: EventLoop;
  readonly time: SimulatedTime;
  /** Time of the machine's clock. */
  readonly wallMs: () => number;
  /** True time of the simulation. */
  readonly monotonicMs: () => number;
  /** Called about once a second of this process. */
  readonly onSecond: () => void;
  /** Called for an error that the service would log and survive. */
  readonly onFault: (error: unknown) => void;
  /** True when the disk has synced meanwhile. */
  readonly isSynced: () => boolean;
  readonly mayLead: () => boolean;
  /** How much a look shows of the turns that the state lacked; 1: all of them. */
  readonly shownShare: () => number;
  readonly faults: Faults;
  /** Called with each durable turn of the main thread. */
  readonly onTurn: (turn: readonly NumberedEvent[]) => void;
  readonly onReleased: (event: NumberedEvent) => void;
}

/** The real main thread of one process with simulated sockets, clocks and disk. */
export class SimulatedMain {
  readonly main: MainThread;
  readonly guardrails: RiskLimitStore;
  readonly trading: TradingStore;
  readonly restore: RestoreHalt;
  /** Commands of operators. */
  readonly releases: QuarantineReleases;
  readonly #operatorRequests: OperatorRequests;
  readonly #app = new FakeApp();
  readonly #parts: SimulatedMainParts;
  readonly #reader: SimReader;
  readonly #closing: readonly { close(): void }[];
  #lastSignedMs = 0;
  #lastSweepMs: number;

  constructor(parts: SimulatedMainParts) {
    const { memory, journal, identity, wallMs, monotonicMs, onFault } = parts;
    const { clock } = parts.time;
    const steadyRealMs = (): number => clock.steadyRealMs();
    this.#parts = parts;
    this.#reader = new SimReader(journal, parts.shownShare);
    this.#lastSweepMs = monotonicMs();
    const tableOf = (name: Parameters<IdentityRows['table']>[0]) => identity.table(name, (run) => parts.loop.soon(run));
    const guardrails = tableOf('guardrails');
    this.guardrails = new RiskLimitStore(guardrails);
    const riskLimitDirectory = new RiskLimitDirectory(guardrails);
    this.main = new MainThread({
      memory,
      catalogue: CATALOGUE,
      orderIds: new OrderIds(tableOf('ids')),
      riskLimitDirectory,
      reader: this.#reader,
      journal: new LateJournal(parts),
      clock,
      realNowMs: steadyRealMs,
      monotonicMs,
      onUnreadable: onFault,
      onFault,
    });
    this.releases = new QuarantineReleases(tableOf('releases'));
    this.#operatorRequests = new OperatorRequests({
      links: this.main.shardClients,
      releases: this.releases,
      settlements: new ChildSettlements(tableOf('settlements')),
      storedState: (orderId) => journal.state(orderId),
      log: { info: () => undefined, warn: () => undefined },
    });
    this.trading = new TradingStore(tableOf('trading'));
    this.restore = new RestoreHalt({
      store: this.trading,
      main: this.main,
      reader: this.#reader,
      catalogue: CATALOGUE,
      accounts: () => ACCOUNTS as unknown as readonly AccountId[],
      clock,
      speed: 1,
      isReady: () => this.main.venues.isWorkerUp(null) && this.main.shardClients.every(({ isUp }) => isUp),
      realNowMs: wallMs,
      monotonicMs,
      log: { info: () => undefined },
    });
    let requestCount = 0;
    const nextRequestId = (): string => String((requestCount += 1));
    const refusals = noRefusals();
    const endpoints = {
      ...this.main.intakeSources(),
      tradingHalts: () => this.main.trading.halts,
      costs: { ask: () => onFault(new Error('no client requests costs')) },
      keys: { find: (apiKey: string) => KEYS.get(apiKey) ?? null, findSuspended: () => null },
      listenKeys: { issue: (account: AccountId) => account },
      signatures: identity.signatures((run) => parts.loop.soon(run)),
      cancelAllAfterStore: new CancelAllAfterTimers(tableOf('timers')),
      sessionRecords: new SessionRecords(tableOf('sessions')),
      newSessionId: () => 'no client opens a session',
      killSwitches: riskLimitDirectory,
      killSwitchStore: this.guardrails,
      auditKillSwitch: () => undefined,
      reader: this.#reader,
      catalogue: CATALOGUE,
      liveModes: new Map(),
      clock,
      realNowMs: wallMs,
      monotonicMs,
      steadyRealMs,
      orderRate: 0,
      readRate: 0,
      addressLimit: null,
      bodyBytesMax: BODY_BYTES_MAX,
      bodyRoom: new BodyRoom(),
      host: '127.0.0.1',
      refusals,
      atEndOfTurn: (run: () => void) => parts.loop.soon(run),
      readiness: () => ({ isReady: true, detail: '' }),
      figures: FIGURES,
      metricsToken: null,
      consoleFiles: [],
      docsFiles: [],
      log: { error: (context: object) => onFault('err' in context ? context.err : context), info: () => undefined },
      calls: new OpenCalls(),
      nextRequestId,
    };
    const intake = new Intake(endpoints);
    registerEndpoints(this.#app.app, { ...endpoints, intake });
    this.#closing = [intake];
    this.main.stream = attachStream(this.#app.app, {
      ...this.main.streamSources(),
      settings: { ...STREAM_SETTINGS, messageRate: 0 },
      catalogue: CATALOGUE,
      reader: this.#reader,
      clock,
      timers: SYSTEM_TIMERS,
      refusals,
      waitOf: () => 0,
      keyFailure: () => null,
      onSocketClosed: () => undefined,
      verifyListenKey: (token) => ({ account: token as AccountId, apiKey: keyOf(token), address: '127.0.0.1' }),
      nextRequestId,
      onFault,
    });
  }

  /** A shard gets ready when the store shows the turns of its predecessor. */
  onShardUp(link: ShardClient): void {
    this.#reader.latest();
    this.main.onShardUp(link);
  }

  /** A turn of the event loop: timers, messages of the other threads, and once a second the timeouts. */
  turn(): void {
    this.#parts.loop.turn();
    for (let hasMore = true; hasMore; hasMore = this.main.drain()) continue;
    const nowMs = this.#parts.monotonicMs();
    if (nowMs - this.#lastSweepMs >= 1_000) {
      this.#lastSweepMs = nowMs;
      this.main.sweep();
      this.#operatorRequests.sweep();
      this.#parts.onSecond();
    }
    this.#parts.loop.settle();
  }

  post(account: string, path: string, body: Body, onAnswer: (exchange: FakeExchange) => void): FakeExchange {
    const text = JSON.stringify(body);
    return this.#send({ method: 'post', path, headers: this.#signed(account, text), body: text }, onAnswer);
  }

  get(account: string, path: string, query: string, onAnswer: (exchange: FakeExchange) => void): FakeExchange {
    return this.#send({ method: 'get', path, query, headers: this.#signed(account, query) }, onAnswer);
  }

  connect(account: string, onFrame: (text: string) => void): FakeSocket | null {
    return this.#app.connect(account, onFrame);
  }

  /** The process has died. */
  end(): void {
    this.#reader.close();
    this.restore.close();
    for (const one of this.#closing) one.close();
  }

  #send(request: Parameters<FakeApp['request']>[0], onAnswer: (exchange: FakeExchange) => void): FakeExchange {
    const exchange = this.#app.request(request, onAnswer);
    this.#parts.loop.settle();
    return exchange;
  }

  /** Each request has its own time stamp, like requests of a careful client. */
  #signed(account: string, payload: string): Readonly<Record<string, string>> {
    const nowMs = Math.floor(this.#parts.wallMs());
    // A client restarts its time stamps after its clock was set back.
    this.#lastSignedMs = this.#lastSignedMs > nowMs + 500 ? nowMs : Math.max(this.#lastSignedMs + 1, nowMs);
    const timestamp = String(this.#lastSignedMs);
    const apiKey = keyOf(account);
    const window = '60000';
    const signature = createHmac('sha256', SECRET)
      .update(timestamp + apiKey + window + payload)
      .digest('base64');
    return { 'x-api-key': apiKey, 'x-timestamp': timestamp, 'x-sign': signature, 'x-recv-window': window };
  }
}

function keyOf(account: string): ApiKeyId {
  return `key-of-${account}` as ApiKeyId;
}
