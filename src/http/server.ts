import { randomBytes } from 'node:crypto';
import uWS, { type TemplatedApp, type us_listen_socket } from 'uWebSockets.js';
import type { StateReader } from '../journal/port.js';
import type { Venue } from '../model/exchange.js';
import type { AccountId } from '../model/ids.js';
import type { InstrumentCatalogue } from '../model/instrument.js';
import { BODY_LOOK_MS, HTTP_DRAIN_MS_MAX } from '../model/limits.js';
import type { RefusalCounts } from '../model/refusal-counts.js';
import type { Rejection } from '../model/rejection.js';
import type { Clock } from '../model/time.js';
import type { TradingHalt } from '../model/trading-halt.js';
import type { ReadHost } from '../route/read-question.js';
import { BodyRoom } from './body-room.js';
import { Call } from './call.js';
import { CancelSwitches } from './cancel-switches.js';
import { ConnectionRoom } from './connection-room.js';
import { endpointsOf, type EndpointParts } from './endpoints.js';
import { FundingLookup } from './funding-lookup.js';
import { Gate } from './gate.js';
import { readDocsFiles, type StaticFile } from './docs-files.js';
import type { AddressLimit } from './limit/address-limit.js';
import { Budgets } from './limit/budgets.js';
import { AnswerMeters } from './metrics/answer-meter.js';
import { Exposition } from './metrics/exposition.js';
import type { ServiceFigures } from './metrics/service-figures.js';
import { KillSwitches } from './kill-switches.js';
import { OpenCalls } from './open-calls.js';
import { OrderCancellation } from './order-cancellation.js';
import { OrderControl } from './order-control.js';
import { OrderPlacement } from './order-placement.js';
import { OrderPreview } from './order-preview.js';
import type {
  BalanceDesk,
  CostDesk,
  CancelSwitchStore,
  FundingDesk,
  GuardrailDesk,
  HaltDirectory,
  HttpLog,
  KeyDirectory,
  KillSwitchStore,
  ListenKeys,
  MarketSight,
  OrderDesk,
  OrderReview,
  PriceDesk,
  PositionDesk,
  Readiness,
  SignatureStore,
} from './port.js';
import { LocalReadHost } from './read/local-read-host.js';
import { ReadDesk } from './read/read-desk.js';
import { readHead } from './request-head.js';
import { registerRoutes } from './routes.js';
import { SignatureGuard } from './signature-guard.js';

export interface HttpServerDeps {
  /** The address or name to listen at. */
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  readonly desk: OrderDesk;
  readonly balances: BalanceDesk;
  readonly positions: PositionDesk;
  readonly funding: FundingDesk;
  readonly prices: PriceDesk;
  readonly costs: CostDesk;
  readonly sight: MarketSight;
  readonly reviews: OrderReview;
  readonly keys: KeyDirectory;
  /** Keeps used signatures over a restart. */
  readonly signatures: SignatureStore;
  readonly listenKeys: ListenKeys;
  readonly cancelSwitches: CancelSwitchStore;
  readonly guardrails: GuardrailDesk;
  readonly halts: HaltDirectory;
  readonly killSwitchStore: KillSwitchStore;
  readonly reader: StateReader;
  /** Where larger answers are read; by default in this thread, in slices. */
  readonly readHost?: ReadHost;
  readonly catalogue: InstrumentCatalogue;
  readonly isVenueUp: (venue: Venue) => boolean;
  /** Service time. */
  readonly clock: Clock;
  /** Real time of day in milliseconds. */
  readonly realNowMs: () => number;
  /** Real time that follows the wall clock without its steps. */
  readonly steadyRealMs: () => number;
  /** Milliseconds of a clock that never steps back. */
  readonly monotonicMs: () => number;
  /** Requests a second for one key; 0 = off. */
  readonly orderRate: number;
  readonly readRate: number;
  /** Budgets of addresses, before a key is looked at; null = off. */
  readonly addressLimit: AddressLimit | null;
  readonly bodyBytesMax: number;
  /** Sockets open at once, WebSockets among them. */
  readonly connectionsMax: number;
  /** Counts what the limits refuse. */
  readonly refusals: RefusalCounts;
  readonly readiness: () => Readiness;
  /** Why no order is placed; none: trading is open. */
  readonly tradingHalts: () => readonly TradingHalt[];
  /** The same of one account, as an answer; null: it may trade. */
  readonly haltOf: (account: AccountId) => Rejection | null;
  /** What the metrics tell besides answers and refusals. */
  readonly figures: ServiceFigures;
  /** Opens the metrics to other machines; null: they are for this one alone. */
  readonly metricsToken: string | null;
  /** The operator page and what it loads. */
  readonly consoleFiles: readonly StaticFile[];
  readonly log: HttpLog;
  /** Registers what else the same port serves: the WebSocket. `onClosed` is to be called for each socket of it. */
  readonly attach: (app: TemplatedApp, nextRequestId: () => string, onClosed: () => void) => void;
}

export interface HttpServer {
  readonly app: TemplatedApp;
  /** The port it listens on. */
  readonly port: number;
  /** From now on creates are answered SYSTEM_BUSY; cancels and reads still work. */
  stopAccepting(): void;
  /** Takes no new connection, lets open calls finish within `drainMs` of real time, then closes every socket. */
  close(drainMs?: number): Promise<void>;
}

/** Rejects when it cannot listen at the address. */
export function startHttpServer(deps: HttpServerDeps): Promise<HttpServer> {
  const app = uWS.App();
  const calls = new OpenCalls();
  let isAccepting = true;
  const nextRequestId = requestIds();
  const room = new ConnectionRoom(deps.connectionsMax, deps.refusals);
  room.watch(app);
  const bodyRoom = new BodyRoom();
  const bodySweep = setInterval(() => {
    deps.refusals.body_time += bodyRoom.cutOverdue(deps.monotonicMs());
  }, BODY_LOOK_MS);
  const { switches, killSwitches } = registerEndpoints(app, {
    ...deps,
    bodyRoom,
    calls,
    nextRequestId,
    isAccepting: () => isAccepting,
    docsFiles: readDocsFiles(),
  });
  deps.attach(app, nextRequestId, () => room.closed());
  return new Promise((resolve, reject) => {
    const onListen = (socket: us_listen_socket | false): void => {
      if (socket === false) {
        clearInterval(bodySweep);
        return reject(new Error(`cannot listen on ${deps.host}:${deps.port}: is it in use?`));
      }
      resolve({
        app,
        port: uWS.us_socket_local_port(socket),
        stopAccepting: () => {
          isAccepting = false;
        },
        close: async (drainMs = HTTP_DRAIN_MS_MAX) => {
          uWS.us_listen_socket_close(socket);
          switches.close();
          killSwitches.close();
          clearInterval(bodySweep);
          await calls.drained(drainMs);
          app.close();
        },
      });
    };
    listenAlone(app, deps.host, deps.port, onListen);
  });
}

/** What the endpoints need besides an application to stand on: no socket is bound. */
export interface EndpointDeps extends Omit<HttpServerDeps, 'port' | 'attach' | 'connectionsMax'> {
  readonly calls: OpenCalls;
  /** Where bodies are held that have come in part. */
  readonly bodyRoom: BodyRoom;
  readonly nextRequestId: () => string;
  /** False: creates are answered SYSTEM_BUSY. */
  readonly isAccepting: () => boolean;
  /** The documents of the interface and their viewer. */
  readonly docsFiles: readonly StaticFile[];
}

/** Puts every endpoint on the application and starts the switches that cancel orders. */
export function registerEndpoints(
  app: TemplatedApp,
  deps: EndpointDeps,
): Pick<EndpointParts, 'switches' | 'killSwitches'> {
  const { calls, nextRequestId } = deps;
  const cancellation = new OrderCancellation(deps);
  const switches = new CancelSwitches({ ...deps, cancellation, store: deps.cancelSwitches });
  const killSwitches = new KillSwitches({ ...deps, cancellation, store: deps.killSwitchStore });
  const host = deps.readHost ?? new LocalReadHost(deps.reader, (run) => void setImmediate(run));
  const reads = new ReadDesk({ reader: deps.reader, host, monotonicMs: deps.monotonicMs });
  const meters = new AnswerMeters();
  const parts = {
    ...deps,
    reads,
    fundingRates: new FundingLookup(deps),
    placement: new OrderPlacement(deps),
    cancellation,
    control: new OrderControl(deps),
    preview: new OrderPreview(deps),
    switches,
    killSwitches,
    guard: new SignatureGuard(deps),
    budgets: new Budgets(deps.orderRate, deps.readRate),
    exposition: new Exposition({ ...deps, meters }),
    listedAtMs: deps.clock.nowMs(),
  };
  registerRoutes(app, {
    ...endpointsOf(parts),
    gate: new Gate(parts),
    bodies: { ...deps, bytesMax: deps.bodyBytesMax, room: deps.bodyRoom },
    callsOf: (route) => {
      const { log, monotonicMs } = deps;
      const meter = meters.of(route);
      return (res, req) => {
        calls.opened();
        const head = readHead(req);
        return new Call({ res, head, requestId: nextRequestId(), log, meter, monotonicMs, onOver: calls.over });
      };
    },
  });
  return { switches, killSwitches };
}

/** Unique over restarts by its prefix, cheap by its counter. */
function requestIds(): () => string {
  const prefix = randomBytes(5).toString('hex');
  let count = 0;
  return () => {
    count += 1;
    return `${prefix}-${count.toString(36)}`;
  };
}

type ListenAlone = (
  host: string,
  port: number,
  options: number,
  onListen: (socket: us_listen_socket | false) => void,
) => TemplatedApp;

/** By default a second process may listen on the same port and take half of the connections; this asks for all. */
function listenAlone(
  app: TemplatedApp,
  host: string,
  port: number,
  onListen: (socket: us_listen_socket | false) => void,
): void {
  // The package's types know host or options, not both.
  const listen = app.listen.bind(app) as unknown as ListenAlone;
  listen(host, port, EXCLUSIVE_PORT, onListen);
}

const EXCLUSIVE_PORT = 1;
