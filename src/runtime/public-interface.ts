import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import type { InstrumentCatalogue } from '../domain/instrument.js';
import { DESCRIPTORS_COUNT_MIN } from '../domain/limits/clients.js';
import type { RefusalCounts } from '../domain/rejection.js';
import { type AddressLimit, addressLimitAt, LOOPBACK_HOST, remoteSubscriberOf } from '../http/address-limit.js';
import { ListenKeyCheck } from '../http/gate.js';
import type { ServiceFigures } from '../http/metrics/service-figures.js';
import type { OrderEntry } from '../http/order-entry.js';
import { type HttpServer, startHttpServer } from '../http/server.js';
import { readConsoleFiles } from '../http/static-files.js';
import type { Readiness } from '../http/status-endpoints.js';
import type { CostReports } from '../intake/cost-reports.js';
import { Intake } from '../intake/intake.js';
import type { ReadThread } from '../intake/read-thread.js';
import type { StateReader } from '../journal/port.js';
import { JwtListenKeys } from '../keys/listen-key.js';
import type { SignatureLog } from '../keys/signature-log.js';
import type { KillSwitchCaller } from '../risk/kill-switch.js';
import { appendAudit } from '../storage/audit-log.js';
import { type StreamHolder, SYSTEM_TIMERS } from '../stream/port.js';
import { attachStream } from '../stream/server.js';
import type { SessionServer } from '../stream/session-port.js';
import { attachSessions } from '../stream/session-server.js';
import { monotonicMs, type ServiceClock } from './clock.js';
import type { Config } from './config.js';
import { readDescriptors } from './disk-watch.js';
import type { Identity } from './identity.js';
import type { MainThread } from './main-thread.js';

const SESSION_ID_BYTES = 16;

export interface PublicInterfaceParts {
  readonly config: Config;
  readonly catalogue: InstrumentCatalogue;
  readonly identity: Identity;
  readonly signatures: SignatureLog;
  readonly main: MainThread;
  readonly reader: StateReader;
  readonly clock: ServiceClock;
  readonly costs: CostReports;
  readonly reads: ReadThread;
  readonly refusals: RefusalCounts;
  /** Calls back when the event loop has read from its sockets, and in the same turn what that adds. */
  readonly atEndOfTurn: (run: () => void) => void;
  readonly readiness: () => Readiness;
  readonly figures: ServiceFigures;
  readonly log: Logger;
}

/** A switch that stops orders is engaged also without its line in the audit log. */
function killSwitchAudit(dataDir: string, log: Logger): (caller: KillSwitchCaller) => void {
  return ({ account, apiKey: key, address }) => {
    const by = { kind: 'API_KEY', key, address } as const;
    try {
      appendAudit(dataDir, { action: 'kill-switch.engage', by, subject: { account }, reason: null }, Date.now());
    } catch (error) {
      log.error({ err: error, account, by }, 'a line of the audit log could not be written');
    }
  };
}

/** The parts of the intake that this process stores and reads itself. */
function intakePartsOf({ config, identity, reader, costs, reads, readiness, clock, log }: PublicInterfaceParts) {
  return {
    costs,
    reader,
    readHost: reads,
    cancelAllAfterStore: identity.timers,
    sessionRecords: identity.sessions,
    newSessionId: () => randomBytes(SESSION_ID_BYTES).toString('base64url'),
    readiness,
    killSwitches: identity.riskLimitDirectory,
    killSwitchStore: identity.riskLimits,
    auditKillSwitch: killSwitchAudit(config.dataDir, log),
    steadyRealMs: () => clock.steadyRealMs(),
  };
}

/** Decide whether a client may open a socket, and keep it. */
interface SocketChecks {
  readonly listenKeyCheck: ListenKeyCheck;
  /** null: addresses have no budgets. */
  readonly addressLimit: AddressLimit | null;
}

/** What the server of the port gives to its sockets. */
interface SocketHost {
  readonly app: HttpServer['app'];
  readonly nextRequestId: () => string;
  readonly onSocketClosed: (isDescriptorKept: boolean) => void;
  readonly entry: OrderEntry;
  readonly starter: Intake['cancelOnDisconnect'];
}

/** Serves streams and sessions on the port. Returns the sessions. */
function attachSockets(parts: PublicInterfaceParts, checks: SocketChecks, host: SocketHost): SessionServer {
  const { config, catalogue, main, reader, clock, refusals, log } = parts;
  const { listenKeyCheck, addressLimit } = checks;
  const { app, nextRequestId, onSocketClosed, entry, starter } = host;
  const sockets = {
    settings: config,
    timers: SYSTEM_TIMERS,
    refusals,
    waitOf: (address: ArrayBuffer) => addressLimit?.take(address, monotonicMs())?.retryAfterS ?? 0,
    keyFailure: (holder: StreamHolder) => listenKeyCheck.failureOf(holder),
    onSocketClosed,
    nextRequestId,
    onFault: (error: unknown) => log.error({ err: error }, 'a stream failed'),
  };
  main.stream = attachStream(app, {
    ...sockets,
    ...main.streamSources(),
    catalogue,
    reader,
    clock,
    verifyListenKey: (token, address) => listenKeyCheck.holderOf(token, address),
  });
  return attachSessions(app, {
    ...sockets,
    entry,
    starter,
    realNowMs: Date.now,
    subscriberOf: remoteSubscriberOf,
    hasBudgets: config.orderRate > 0 && config.readRate > 0,
  });
}

/** What clients reach on the port: REST, streams and sessions of order entry, with the intake of orders behind them. */
export class PublicInterface {
  readonly #main: MainThread;
  readonly #http: HttpServer;
  readonly sessions: SessionServer | null;

  private constructor(main: MainThread, http: HttpServer, sessions: SessionServer | null) {
    this.#main = main;
    this.#http = http;
    this.sessions = sessions;
  }

  /** Binds the port. */
  static async open(parts: PublicInterfaceParts): Promise<PublicInterface> {
    const { config, catalogue, identity, main, clock, readiness, refusals, log } = parts;
    const listenKeys = new JwtListenKeys({
      secret: identity.settings.listenKeySecret(),
      ttlS: config.listenKeyTtlS,
      realNowMs: Date.now,
    });
    const keys = identity.directory;
    const listenKeyCheck = new ListenKeyCheck({
      verify: (token) => listenKeys.verify(token),
      keys,
      realNowMs: Date.now,
    });
    const addressLimit = addressLimitAt(config.host, config.addressRate, refusals);
    const descriptors = readDescriptors();
    if (descriptors.limit !== null && descriptors.limit < DESCRIPTORS_COUNT_MIN) {
      log.warn(descriptors, 'the process may open few files and sockets: raise its limit of descriptors (ulimit -n)');
    }
    const times = { catalogue, clock, realNowMs: Date.now, monotonicMs, log };
    const sources = main.intakeSources();
    const intake = new Intake({ ...times, ...sources, ...intakePartsOf(parts) });
    const attached: { sessions: SessionServer | null } = { sessions: null };
    const http = await startHttpServer({
      ...times,
      intake,
      consoleFiles: readConsoleFiles(),
      host: config.host,
      port: config.port,
      keys,
      signatures: parts.signatures,
      listenKeys,
      isVenueUp: sources.isVenueUp,
      liveModes: config.live,
      tradingHalts: () => main.trading.halts,
      orderRate: config.orderRate,
      readRate: config.readRate,
      addressLimit,
      bodyBytesMax: config.bodyBytesMax,
      refusals,
      atEndOfTurn: parts.atEndOfTurn,
      readiness,
      figures: parts.figures,
      metricsToken: config.metricsToken,
      connectionsMax: descriptors.connectionsMax,
      subscriberOf: remoteSubscriberOf,
      attach: (app, nextRequestId, onSocketClosed, entry) => {
        const checks = { listenKeyCheck, addressLimit };
        const starter = intake.cancelOnDisconnect;
        attached.sessions = attachSockets(parts, checks, { app, nextRequestId, onSocketClosed, entry, starter });
      },
    });
    if (!LOOPBACK_HOST.test(config.host)) {
      const context = { host: config.host };
      log.warn(context, 'listening beyond this machine without TLS: put a proxy that speaks TLS in front');
    }
    return new PublicInterface(main, http, attached.sessions);
  }

  get port(): number {
    return this.#http.port;
  }

  /** Accepts no new connections. */
  stopAccepting(): void {
    this.#http.stopAccepting();
  }

  /** Notifies the clients of streams and sessions, and closes their sockets with code 1001. */
  drain(): void {
    this.#main.stream?.drain();
    this.sessions?.drain();
  }

  /** Waits for requests in progress, at most `drainMs`. */
  close(drainMs: number): Promise<void> {
    return this.#http.close(drainMs);
  }
}
