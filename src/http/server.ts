import { randomBytes } from 'node:crypto';
import uWS, { type TemplatedApp, type us_listen_socket } from 'uWebSockets.js';
import type { RealVenues, Venue } from '../domain/exchange.js';
import type { InstrumentCatalogue } from '../domain/instrument.js';
import { BODY_CHECK_MS, CONNECTIONS_ADDRESS_PARTS, HTTP_DRAIN_MS_MAX } from '../domain/limits/clients.js';
import type { RefusalCounts } from '../domain/rejection.js';
import type { TradingHalt } from '../domain/command.js';
import type { Clock } from '../domain/time.js';
import type { Intake } from '../intake/intake.js';
import type { KeyDirectory, ListenKeys } from '../keys/port.js';
import type { AddressLimit } from './address-limit.js';
import { AddressShare, countConnections } from './address-share.js';
import { Call, type RequestLog } from './call.js';
import { ConnectionRoom, OpenCalls } from './connections.js';
import { type ControlEndpointParts, controlEndpoints } from './control-endpoints.js';
import { type OpenEndpoint, type SignedEndpoint, fileEndpoints } from './endpoint.js';
import { Gate } from './gate.js';
import {
  type FundingEndpointParts,
  fundingEndpoints,
  marketDataEndpoints,
  type MarketDataParts,
} from './market-endpoints.js';
import { AnswerMeters } from './metrics/answer-meter.js';
import { Exposition } from './metrics/exposition.js';
import type { ServiceFigures } from './metrics/service-figures.js';
import { type OrderEndpointParts, orderEndpoints } from './order-endpoints.js';
import { OrderEntry } from './order-entry.js';
import { Pipelining } from './pipelining.js';
import { type QueryEndpointParts, queryEndpoints } from './query-endpoints.js';
import { Budgets } from './rate-limit.js';
import { BodyRoom } from './request-body.js';
import { readHead } from './request-head.js';
import { registerRoutes } from './routes.js';
import { SignatureGuard, type SignatureStore } from './signature-guard.js';
import { readDocsFiles, type StaticFile } from './static-files.js';
import {
  metricsEndpoint,
  type MetricsParts,
  type Readiness,
  statusEndpoints,
  type StatusParts,
} from './status-endpoints.js';

export interface HttpServerDeps {
  /** The address or host name to listen at. */
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
  /** Order entry and queries. The server ends its timers when it closes. */
  readonly intake: Intake;
  readonly keys: KeyDirectory;
  /** Keeps used signatures over a restart. */
  readonly signatures: SignatureStore;
  readonly listenKeys: ListenKeys;
  readonly catalogue: InstrumentCatalogue;
  readonly isVenueUp: (venue: Venue) => boolean;
  /** The exchanges that are not simulated. */
  readonly liveModes: RealVenues;
  /** Service time. */
  readonly clock: Clock;
  /** Real time, epoch milliseconds. */
  readonly realNowMs: () => number;
  /** Milliseconds of a clock that never steps back. */
  readonly monotonicMs: () => number;
  /** Calls back when the event loop has read from its sockets, and in the same turn what that adds. */
  readonly atEndOfTurn: (run: () => void) => void;
  /** Requests per second of one key; 0: off. */
  readonly orderRate: number;
  readonly readRate: number;
  /** Budgets of addresses, checked before the key; null: off. */
  readonly addressLimit: AddressLimit | null;
  readonly bodyBytesMax: number;
  /** Sockets open at once, including WebSockets. */
  readonly connectionsMax: number;
  /** The network of an address as the socket reports it; null: this machine, where a proxy connects for all clients. */
  readonly subscriberOf: (address: ArrayBuffer) => number | bigint | null;
  /** Counts the refusals of the limits. */
  readonly refusals: RefusalCounts;
  readonly readiness: () => Readiness;
  /** The reasons why trading is halted; empty: trading is open. */
  readonly tradingHalts: () => readonly TradingHalt[];
  /** The metrics besides answers and refusals. */
  readonly figures: ServiceFigures;
  /** The bearer token of the metrics for other machines; null: only this machine may read them. */
  readonly metricsToken: string | null;
  /** The operator page with the files that it loads. */
  readonly consoleFiles: readonly StaticFile[];
  readonly log: RequestLog;
  /** Registers the WebSockets on the same port. Call `onClosed` for each of their sockets. */
  readonly attach: (
    app: TemplatedApp,
    nextRequestId: () => string,
    onClosed: (isDescriptorKept: boolean) => void,
    entry: OrderEntry,
  ) => void;
}

export interface HttpServer {
  readonly app: TemplatedApp;
  /** The port it listens on. */
  readonly port: number;
  /** Later creates are answered SYSTEM_BUSY; cancels and reads still work. */
  stopAccepting(): void;
  /** Refuses new connections, lets open calls finish within `drainMs` of real time, then closes every socket. */
  close(drainMs?: number): Promise<void>;
}

/** Rejects when it cannot listen at the address. */
export function startHttpServer(deps: HttpServerDeps): Promise<HttpServer> {
  const app = uWS.App();
  const calls = new OpenCalls();
  const nextRequestId = requestIds();
  let port = deps.port;
  const room = roomOf(deps, () => port);
  room.watch(app);
  const bodyRoom = new BodyRoom();
  const bodySweep = setInterval(() => {
    deps.refusals.body_time += bodyRoom.cutOverdue(deps.monotonicMs());
  }, BODY_CHECK_MS);
  const entry = registerEndpoints(app, { ...deps, bodyRoom, calls, nextRequestId, docsFiles: readDocsFiles() });
  deps.attach(app, nextRequestId, (isDescriptorKept) => room.webSocketClosed(isDescriptorKept), entry);
  return new Promise((resolve, reject) => {
    const onListen = (socket: us_listen_socket | false): void => {
      if (socket === false) {
        clearInterval(bodySweep);
        return reject(new Error(`cannot listen on ${deps.host}:${deps.port}: is it in use?`));
      }
      port = uWS.us_socket_local_port(socket);
      resolve({
        app,
        port,
        stopAccepting: () => deps.intake.stopAccepting(),
        close: async (drainMs = HTTP_DRAIN_MS_MAX) => {
          uWS.us_listen_socket_close(socket);
          deps.intake.close();
          clearInterval(bodySweep);
          await calls.drained(drainMs);
          app.close();
        },
      });
    };
    listenAlone(app, deps.host, deps.port, onListen);
  });
}

/** `portOf`: the port that the server listens at. */
function roomOf({ connectionsMax, refusals, subscriberOf, monotonicMs }: HttpServerDeps, portOf: () => number) {
  const share = new AddressShare({
    countMax: Math.max(1, Math.floor(connectionsMax / CONNECTIONS_ADDRESS_PARTS)),
    count: () => countConnections(portOf(), subscriberOf),
    nowMs: monotonicMs,
  });
  return new ConnectionRoom(connectionsMax, refusals, (address) => {
    const subscriber = subscriberOf(address);
    return subscriber === null || share.take(subscriber);
  });
}

/** The dependencies of the endpoints; they need no bound socket. */
export interface EndpointDeps extends Omit<HttpServerDeps, 'port' | 'attach' | 'connectionsMax' | 'subscriberOf'> {
  readonly calls: OpenCalls;
  /** Room for incomplete bodies. */
  readonly bodyRoom: BodyRoom;
  readonly nextRequestId: () => string;
  /** The documents of the interface and their viewer. */
  readonly docsFiles: readonly StaticFile[];
}

/** Puts every endpoint on the application. Returns the same endpoints for the sessions of order entry. */
export function registerEndpoints(app: TemplatedApp, deps: EndpointDeps): OrderEntry {
  const { calls, nextRequestId, intake } = deps;
  const meters = new AnswerMeters();
  const parts = {
    ...deps,
    guard: new SignatureGuard(deps),
    budgets: new Budgets(deps.orderRate, deps.readRate),
    exposition: new Exposition({ ...deps, meters, risk: intake.risk, placement: intake.placement }),
    earlier: intake.earlier,
    isAccepting: () => intake.placement.isAccepting,
    listedAtMs: deps.clock.nowMs(),
    nowMs: () => deps.clock.nowMs(),
  };
  const endpoints = endpointsOf(parts);
  const gate = new Gate(parts);
  registerRoutes(app, {
    ...endpoints,
    gate,
    pipelining: new Pipelining(deps.atEndOfTurn),
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
  return new OrderEntry({ ...deps, signed: endpoints.signed, gate, meters });
}

/** The parts of the endpoints, each with the fields that it needs. */
export type EndpointParts = OrderEndpointParts &
  ControlEndpointParts &
  QueryEndpointParts &
  MarketDataParts &
  FundingEndpointParts &
  StatusParts &
  MetricsParts & {
    /** The operator page with the files that it loads. */
    readonly consoleFiles: readonly StaticFile[];
    /** The documents of the interface and their viewer. */
    readonly docsFiles: readonly StaticFile[];
  };

/** The whole routing table, except for the WebSocket. */
export function endpointsOf(parts: EndpointParts): {
  readonly signed: readonly SignedEndpoint[];
  readonly open: readonly OpenEndpoint[];
} {
  return {
    signed: [
      ...orderEndpoints(parts),
      ...controlEndpoints(parts),
      ...queryEndpoints(parts),
      ...marketDataEndpoints(parts),
      ...fundingEndpoints(parts),
    ],
    open: [
      ...statusEndpoints(parts),
      metricsEndpoint(parts),
      ...fileEndpoints(parts.docsFiles),
      ...fileEndpoints(parts.consoleFiles),
    ],
  };
}

/** Request ids: unique over restarts by the prefix, cheap by the counter. */
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

/** Listens exclusively: by default a second process may listen on the same port and take half of the connections. */
function listenAlone(
  app: TemplatedApp,
  host: string,
  port: number,
  onListen: (socket: us_listen_socket | false) => void,
): void {
  // The package's types allow a host or options, not both.
  const listen = app.listen.bind(app) as unknown as ListenAlone;
  listen(host, port, EXCLUSIVE_PORT, onListen);
}

const EXCLUSIVE_PORT = 1;
