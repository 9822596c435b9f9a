import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { Accounts, type ApiKey, type FirstBalances, type LoopbackAccount, newKey } from '../accounts.js';
import { Background } from '../background.js';
import { type Clearing, SpotClearing } from '../clearing.js';
import { ExchangeClock } from '../clock.js';
import { type Units, units } from '../decimal.js';
import { Exchange } from '../exchange.js';
import { FaultScript } from '../faults.js';
import { FuturesClearing } from '../futures-clearing.js';
import { type HostProtocol, LoopbackHosts } from '../http-server.js';
import type { LoopbackInstrument } from '../instrument.js';
import { type SocketSession, SocketServer } from '../socket-server.js';
import { accountEndpoints } from './account.js';
import { RestApi } from './endpoint.js';
import { type Category, LINEAR_INSTRUMENTS, SPOT_INSTRUMENTS } from './instruments.js';
import { marketEndpoints } from './market-data.js';
import { orderEndpoints } from './orders.js';
import { PrivateStream } from './private-stream.js';
import { PublicStream } from './public-stream.js';
import { RequestLimits } from './request-limits.js';
import type { Section, Sections } from './section.js';
import { TradeSocket } from './trade-socket.js';

interface LoopbackOptions {
  /** The same seed gives the same faults and the same background market. */
  readonly seed?: string;
  /** First port; the second host uses the next one. Absent: free ports. */
  readonly port?: number;
}

const FIRST_ORDER_ID = 1_000_000;
const PING_EVERY_MS = 20_000;
const UNANSWERED_PINGS_MAX = 3;
const REST_HOST = 'api.bybit.com';
const STREAM_HOST = 'stream.bybit.com';

const BALANCES: FirstBalances = {
  spot: { BTC: units('10'), ETH: units('100'), USDT: units('1000000') },
  futures: {},
};

/** A Bybit on loopback: unified accounts that trade spot and USDT perpetuals from one wallet, by the V5 API. */
export class BybitLoopback extends LoopbackHosts {
  readonly accounts = new Accounts();
  readonly clock = new ExchangeClock();
  readonly limits = new RequestLimits();
  readonly faults: FaultScript;
  readonly clearing: FuturesClearing;
  readonly spot: Section;
  readonly linear: Section;
  readonly trade: TradeSocket;
  readonly #sockets: SocketServer;
  readonly #public: readonly PublicStream[];
  readonly #hosts: Readonly<Record<string, HostProtocol>>;

  private constructor(seed: string) {
    super();
    const { accounts, clock, limits } = this;
    const faults = new FaultScript(seed);
    this.faults = faults;
    const markOf = (symbol: string): Units => this.linear.exchange.market(symbol)!.lastPrice;
    this.clearing = new FuturesClearing({ accounts, markOf, nowMs: () => clock.nowMs() });
    const { clearing } = this;
    const freeOf = (account: number, asset: string): Units =>
      asset === 'USDT' ? clearing.available(account, asset) : accounts.at(account).spot.balance(asset).free;
    const section = (category: Category, instruments: readonly LoopbackInstrument[], rules: Clearing): Section => {
      const parts = { instruments, clock, clearing: rules, firstOrderId: FIRST_ORDER_ID, acceptsFirst: true };
      const exchange = new Exchange(parts);
      return { category, exchange, background: new Background(exchange, seed) };
    };
    this.spot = section('spot', SPOT_INSTRUMENTS, new SpotClearing(accounts, freeOf));
    this.linear = section('linear', LINEAR_INSTRUMENTS, clearing);
    const sections: Sections = { spot: this.spot, linear: this.linear };
    const endpoints = [
      ...marketEndpoints(sections),
      ...orderEndpoints({ sections, clearing }),
      ...accountEndpoints({ sections, clearing }),
    ];
    const api = { endpoints, accounts, clock, limits };
    const rest = new RestApi(api);
    const [spot, linear] = [new PublicStream(this.spot, clock), new PublicStream(this.linear, clock)];
    const own = new PrivateStream({ accounts, clock, sections, clearing, faults });
    const trade = new TradeSocket({ ...api, faults });
    this.trade = trade;
    this.#public = [spot, linear];
    this.#sockets = new SocketServer({ faults, pingEveryMs: PING_EVERY_MS, unansweredPingsMax: UNANSWERED_PINGS_MAX });
    this.#hosts = {
      [REST_HOST]: { handle: (request, view) => rest.handle(request, view), failure: (fault) => rest.failure(fault) },
      [STREAM_HOST]: socketHost(this.#sockets, {
        '/v5/public/spot': (session) => spot.open(session),
        '/v5/public/linear': (session) => linear.open(session),
        '/v5/private': (session) => own.open(session),
        '/v5/trade': (session) => trade.open(session),
      }),
    };
  }

  static async start({ seed = 'loopback', port }: LoopbackOptions = {}): Promise<BybitLoopback> {
    const loopback = new BybitLoopback(seed);
    await loopback.listen(loopback.#hosts, loopback.faults, port);
    for (const { background } of [loopback.spot, loopback.linear]) background.quoteAll();
    return loopback;
  }

  /** Number of sockets that clients have opened so far. */
  get socketsOpened(): number {
    return this.#sockets.openedCount;
  }

  openAccount(keys: readonly ApiKey[] = [newKey()], balances: FirstBalances = BALANCES): LoopbackAccount {
    return this.accounts.open(keys, balances, { isUnified: true });
  }

  /** A deposit, or a withdrawal with a negative change. */
  transfer(account: number, asset: string, change: Units): void {
    this.accounts.at(account).spot.add(asset, change);
    this.spot.exchange.announce({ kind: 'transfer', account, asset, change });
  }

  override async close(): Promise<void> {
    for (const stream of this.#public) stream.close();
    this.#sockets.close();
    await super.close();
  }
}

/** A host that serves sockets only, each kind on its path. */
function socketHost(
  sockets: SocketServer,
  paths: Readonly<Record<string, (session: SocketSession) => void>>,
): HostProtocol {
  const page = { status: 404, headers: { 'content-type': 'text/html' }, body: '<html></html>' };
  return {
    handle: () => page,
    failure: () => page,
    upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      const opened = paths[new URL(request.url ?? '/', 'http://host').pathname];
      if (opened !== undefined) return sockets.accept(request, { socket, head }, opened);
      socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
    },
  };
}
