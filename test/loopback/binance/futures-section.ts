import type { Accounts } from '../accounts.js';
import { Background } from '../background.js';
import type { Units } from '../decimal.js';
import { Exchange } from '../exchange.js';
import { FuturesClearing } from '../futures-clearing.js';
import type { HostProtocol } from '../http-server.js';
import { SocketServer } from '../socket-server.js';
import { type ApiParts, RestApi } from './endpoint.js';
import { futuresAccountEndpoints } from './futures-account.js';
import { futuresUserEvents } from './futures-events.js';
import { futuresMarketEndpoints } from './futures-market.js';
import { futuresOrderEndpoints } from './futures-orders.js';
import { LINEAR_INSTRUMENTS } from './instruments.js';
import { ListenKeys } from './listen-keys.js';
import { marketDataEndpoints } from './market-data.js';
import { MarketStreams } from './market-streams.js';
import { type RateLimit, RequestLimits } from './request-limits.js';
import { logonEndpoints } from './session-endpoints.js';
import { SocketApi } from './socket-api.js';
import type { SectionParts } from './spot-section.js';
import { apiHost, streamHost } from './stream-host.js';
import { StreamHub } from './stream-hub.js';

const FIRST_ORDER_ID = 8_886_774_000;
const EXPIRY_CHECK_MS = 1_000;
const RATE_LIMITS: readonly RateLimit[] = [
  { rateLimitType: 'REQUEST_WEIGHT', interval: 'MINUTE', intervalNum: 1, limit: 2400 },
  { rateLimitType: 'ORDERS', interval: 'MINUTE', intervalNum: 1, limit: 1200 },
  { rateLimitType: 'ORDERS', interval: 'SECOND', intervalNum: 10, limit: 300 },
];

/** The USD-M futures section: its exchange, its books and the protocols of its hosts. */
export class FuturesSection {
  readonly exchange: Exchange;
  readonly background: Background;
  readonly clearing: FuturesClearing;
  readonly limits = new RequestLimits(RATE_LIMITS);
  readonly listenKeys: ListenKeys;
  readonly sockets: SocketServer;
  readonly hosts: Readonly<Record<string, HostProtocol>>;
  readonly #streams: MarketStreams;
  readonly #accounts: Accounts;
  readonly #timer: NodeJS.Timeout;

  constructor({ accounts, clock, faults, seed, ...pings }: SectionParts) {
    const clearing = new FuturesClearing({
      accounts,
      markOf: (symbol) => this.exchange.market(symbol)?.lastPrice ?? 0n,
      nowMs: () => clock.nowMs(),
    });
    const exchange = new Exchange({ instruments: LINEAR_INSTRUMENTS, clock, clearing, firstOrderId: FIRST_ORDER_ID });
    const hub = new StreamHub('futures');
    const listenKeys = new ListenKeys(({ key }) => {
      hub.publishPrivate(key, { e: 'listenKeyExpired', E: clock.nowMs(), listenKey: key } as { e: string }, 'private');
    });
    const endpoints = [
      ...marketDataEndpoints(exchange, '/fapi/v1'),
      ...futuresMarketEndpoints(exchange, RATE_LIMITS),
      ...futuresAccountEndpoints({ exchange, clearing }),
      ...futuresOrderEndpoints({ exchange, clearing }),
      ...listenKeys.endpoints,
    ];
    const parts: ApiParts = { endpoints, accounts, clock, limits: this.limits };
    const rest = new RestApi(parts);
    const api = new SocketApi({
      ...parts,
      sessionEndpoints: logonEndpoints(),
      faults,
      section: 'futures',
      onClosed: () => undefined,
    });
    this.exchange = exchange;
    this.clearing = clearing;
    this.listenKeys = listenKeys;
    this.background = new Background(exchange, seed);
    this.sockets = new SocketServer({ faults, ...pings });
    this.#accounts = accounts;
    this.#streams = new MarketStreams(exchange, hub, { isRouted: true });
    this.#timer = setInterval(() => listenKeys.expire(clock.nowMs()), EXPIRY_CHECK_MS).unref();
    exchange.listen((events) => {
      for (const { account, frame } of futuresUserEvents(events, { accounts, clearing, nowMs: clock.nowMs() })) {
        const listenKey = listenKeys.keyOf(account);
        if (listenKey !== null) hub.publishPrivate(listenKey.key, frame, 'private');
      }
    });
    this.hosts = {
      'fapi.binance.com': {
        handle: (request, view) => rest.handle(request, view),
        failure: (fault, path) => rest.failure(fault, path),
      },
      'fstream.binance.com': streamHost(hub, this.sockets, { isRouted: true }),
      'ws-fapi.binance.com': apiHost(api, this.sockets, '/ws-fapi/v1'),
    };
  }

  /** A transfer into the futures wallet, or out of it with a negative change. */
  transfer(account: number, asset: string, change: Units): void {
    this.#accounts.at(account).futures.add(asset, change);
    this.exchange.announce({ kind: 'transfer', account, asset, change });
  }

  close(): void {
    clearInterval(this.#timer);
    this.#streams.close();
    this.sockets.close();
  }
}
