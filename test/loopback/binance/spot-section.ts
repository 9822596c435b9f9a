import type { Accounts } from '../accounts.js';
import { Background } from '../background.js';
import { SpotClearing } from '../clearing.js';
import type { ExchangeClock } from '../clock.js';
import type { Units } from '../decimal.js';
import { Exchange } from '../exchange.js';
import type { FaultScript } from '../faults.js';
import type { HostProtocol } from '../http-server.js';
import { SocketServer } from '../socket-server.js';
import { type ApiParts, RestApi } from './endpoint.js';
import { SPOT_INSTRUMENTS } from './instruments.js';
import { marketDataEndpoints } from './market-data.js';
import { MarketStreams } from './market-streams.js';
import { type RateLimit, RequestLimits } from './request-limits.js';
import { logonEndpoints, SessionSubscriptions } from './session-endpoints.js';
import { SocketApi } from './socket-api.js';
import { spotAccountEndpoints } from './spot-account.js';
import { spotUserEvents } from './spot-events.js';
import { spotOrderEndpoints } from './spot-orders.js';
import { apiHost, streamHost } from './stream-host.js';
import { StreamHub } from './stream-hub.js';

const FIRST_ORDER_ID = 12_510_053_000;
const RATE_LIMITS: readonly RateLimit[] = [
  { rateLimitType: 'REQUEST_WEIGHT', interval: 'MINUTE', intervalNum: 1, limit: 6000 },
  { rateLimitType: 'ORDERS', interval: 'SECOND', intervalNum: 10, limit: 100 },
  { rateLimitType: 'ORDERS', interval: 'DAY', intervalNum: 1, limit: 200_000 },
  { rateLimitType: 'RAW_REQUESTS', interval: 'MINUTE', intervalNum: 5, limit: 61_000 },
];

export interface SectionParts {
  readonly accounts: Accounts;
  readonly clock: ExchangeClock;
  readonly faults: FaultScript;
  readonly seed: string;
  readonly pingEveryMs: number;
  /** A client that leaves this number of pings unanswered is disconnected. */
  readonly unansweredPingsMax: number;
}

/** The spot section: its exchange, its books and the protocols of its hosts. */
export class SpotSection {
  readonly exchange: Exchange;
  readonly background: Background;
  readonly limits = new RequestLimits(RATE_LIMITS);
  readonly sockets: SocketServer;
  readonly hosts: Readonly<Record<string, HostProtocol>>;
  readonly #streams: MarketStreams;
  readonly #accounts: Accounts;

  constructor({ accounts, clock, faults, seed, ...pings }: SectionParts) {
    const exchange = new Exchange({
      instruments: SPOT_INSTRUMENTS,
      clock,
      clearing: new SpotClearing(accounts),
      firstOrderId: FIRST_ORDER_ID,
    });
    const hub = new StreamHub('spot');
    const subscriptions = new SessionSubscriptions('spot');
    const endpoints = [
      ...marketDataEndpoints(exchange, '/api/v3'),
      ...spotAccountEndpoints(exchange, RATE_LIMITS),
      ...spotOrderEndpoints(exchange),
    ];
    const parts: ApiParts = { endpoints, accounts, clock, limits: this.limits };
    const rest = new RestApi(parts);
    const api = new SocketApi({
      ...parts,
      sessionEndpoints: [...logonEndpoints(), ...subscriptions.endpoints],
      faults,
      section: 'spot',
      onClosed: (session) => subscriptions.closed(session),
    });
    this.#accounts = accounts;
    this.exchange = exchange;
    this.background = new Background(exchange, seed);
    this.sockets = new SocketServer({ faults, ...pings });
    this.#streams = new MarketStreams(exchange, hub, { isRouted: false });
    exchange.listen((events) => {
      for (const { account, frame } of spotUserEvents(events, accounts, clock.nowMs()))
        subscriptions.publish(account, frame);
    });
    this.hosts = {
      'api.binance.com': {
        handle: (request, view) => rest.handle(request, view),
        failure: (fault, path) => rest.failure(fault, path),
      },
      'stream.binance.com': streamHost(hub, this.sockets, { isRouted: false }),
      'ws-api.binance.com': apiHost(api, this.sockets, '/ws-api/v3'),
    };
  }

  /** A deposit, or a withdrawal with a negative change. */
  transfer(account: number, asset: string, change: Units): void {
    this.#accounts.at(account).spot.add(asset, change);
    this.exchange.announce({ kind: 'transfer', account, asset, change });
  }

  close(): void {
    this.#streams.close();
    this.sockets.close();
  }
}
