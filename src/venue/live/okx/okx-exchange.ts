import type { Venue, VenueEnvironment } from '../../../domain/exchange.js';
import { isRejected, type OrRejection, reject } from '../../../domain/rejection.js';
import type { DurationMs } from '../../../domain/time.js';
import type { VenueCredentials } from '../../../keys/port.js';
import { OKX_EXPIRY_MS } from '../dialect/okx-orders.js';
import { OKX_STREAMS } from '../dialect/okx-streams.js';
import { ExchangeClock } from '../exchange-clock.js';
import type { SendingRules } from '../exchange-client.js';
import { socketOrigin } from '../exchange-origin.js';
import { AFTER_EXPIRY_MS } from '../fence.js';
import { parseDecimal } from '../json/decimal.js';
import { asObject, memberOf } from '../json/json-fields.js';
import type { ListedMarket } from '../listing/listed-market.js';
import { readOkxMarkets } from '../listing/okx-markets.js';
import type {
  AccountEvents,
  ClockReading,
  LiveAccount,
  LiveExchange,
  LiveExchangeOptions,
  OpenLiveExchange,
} from '../live-exchange.js';
import { MarketData } from '../market/market-data.js';
import { StreamMarket } from '../market/stream-market.js';
import { OpenAccounts } from '../open-accounts.js';
import { HttpsClient } from '../transport/https-client.js';
import { type SocketDial, socketDial } from '../transport/socket-dial.js';
import { LiveSocket } from '../transport/live-socket.js';
import type { OkxKey } from '../transport/okx-signature.js';
import { OkxAccount } from './okx-account.js';
import { okxHistory } from './okx-history.js';
import { OkxBudget, OkxRequests } from './okx-requests.js';
import { OkxRest, type OkxCall } from './okx-rest.js';
import { OkxInstrumentCodes } from './okx-socket-requests.js';

/** Where OKX is reached. Addresses have no slash at the end. */
export interface OkxAddresses {
  /** `https://` and a host. */
  readonly rest: string;
  /** `wss://` and a host. */
  readonly sockets: string;
}

/** Demo trading has the host of the real one for REST: a header tells them apart. */
const ADDRESSES: Readonly<Record<VenueEnvironment, OkxAddresses>> = {
  live: { rest: 'https://www.okx.com', sockets: 'wss://ws.okx.com:8443' },
  testnet: { rest: 'https://www.okx.com', sockets: 'wss://wspap.okx.com:8443' },
};
const DEMO_HEADERS = { 'x-simulated-trading': '1' };

const CALLS = {
  time: { rest: 'GET /api/v5/public/time', max: 10 },
  instruments: { rest: 'GET /api/v5/public/instruments', max: 20 },
} as const satisfies Readonly<Record<string, OkxCall>>;

/** Largest age of what an answer shows. */
const MARGIN_MS = 1_000 as DurationMs;
/** An order that was cancelled without a fill is forgotten after two hours. */
const ORDER_HISTORY_MS = (2 * 3_600_000) as DurationMs;

/** Opens OKX. `addresses` replaces those of the environment: a loopback exchange. */
export function openOkxAt(addresses?: OkxAddresses): OpenLiveExchange {
  return (options) => Promise.resolve(new OkxExchange(options, addresses ?? addressesOf(options)));
}

function addressesOf({ environment, origin = null }: LiveExchangeOptions): OkxAddresses {
  return origin === null ? ADDRESSES[environment] : { rest: origin, sockets: socketOrigin(origin) };
}

export const openOkx: OpenLiveExchange = openOkxAt();

/** OKX spot and USDT perpetuals: one wallet, one private socket for an account. */
class OkxExchange implements LiveExchange {
  readonly venue: Venue = 'OKX';
  readonly categories: LiveExchange['categories'] = ['SPOT', 'FUTURE'];
  readonly rules: SendingRules = {
    expiryMs: OKX_EXPIRY_MS as DurationMs,
    // The trading system processes no request after its expTime (OKX API v5, "Request expiration").
    executionMsMax: (OKX_EXPIRY_MS + AFTER_EXPIRY_MS) as DurationMs,
    marginMs: MARGIN_MS,
    clockErrorMs: () => this.#clock.errorMs,
    orderHistoryMs: ORDER_HISTORY_MS,
  };
  readonly market: MarketData;
  readonly #options: LiveExchangeOptions;
  readonly #addresses: OkxAddresses;
  readonly #http: HttpsClient;
  readonly #requests: OkxRequests;
  readonly #clock: ExchangeClock;
  readonly #codes = new OkxInstrumentCodes();
  readonly #dial: SocketDial;
  readonly #accounts = new OpenAccounts();

  constructor(options: LiveExchangeOptions, addresses: OkxAddresses) {
    const { nowMs, proxy, market, onFinding } = options;
    this.#options = options;
    this.#addresses = addresses;
    this.#clock = new ExchangeClock(nowMs);
    this.#http = new HttpsClient(proxy);
    this.#requests = this.#requestsOf(new OkxBudget(() => this.#clock.exchangeMs()), null);
    this.#dial = socketDial(nowMs, proxy, () => this.barredMs());
    const streams = new StreamMarket({
      rules: OKX_STREAMS,
      openSocket: (route, events) =>
        new LiveSocket({ ...this.#dial, ...events, url: () => `${addresses.sockets}/ws/v5/${route}` }),
      nowMs,
      events: market,
      onFinding,
    });
    this.market = new MarketData(streams, okxHistory({ requests: this.#requests, nowMs, onFinding }));
  }

  /** Both types must be there: a type that is missing would delist its markets. */
  async listMarkets(): Promise<OrRejection<readonly ListedMarket[]>> {
    const markets: ListedMarket[] = [];
    for (const instType of ['SPOT', 'SWAP']) {
      const answer = await this.#requests.read(CALLS.instruments, { instType });
      if (isRejected(answer)) return answer;
      const list = readOkxMarkets(answer, this.#options.onFinding);
      if (list.markets.length === 0) return reject('EXCHANGE_ERROR', `OKX has sent no markets of the type ${instType}`);
      this.#codes.replace(instType, answer);
      markets.push(...list.markets);
    }
    return markets;
  }

  /** OKX limits accounts and kinds of requests, never the whole address (API v5, "Rate Limits"). */
  barredMs(): number {
    return 0;
  }

  measureClock(): Promise<OrRejection<ClockReading>> {
    return this.#clock.measure(() => this.#serverMs());
  }

  async #serverMs(): Promise<OrRejection<number>> {
    const answer = await this.#requests.read(CALLS.time, {}, 'STATUS');
    if (isRejected(answer)) return answer;
    const data = memberOf(asObject(answer), 'data');
    const [first] = Array.isArray(data) ? (data as readonly unknown[]) : [];
    const server = parseDecimal(memberOf(asObject(first), 'ts'));
    if (server === null || server.precision !== 0) return reject('EXCHANGE_ERROR', 'OKX has sent no time');
    return Number(server.units);
  }

  openAccount(credentials: VenueCredentials, events: AccountEvents): Promise<OrRejection<LiveAccount>> {
    return Promise.resolve(this.#openAccount(credentials, events));
  }

  #openAccount(credentials: VenueCredentials, events: AccountEvents): OrRejection<LiveAccount> {
    const { kind, apiKey, secret, passphrase } = credentials;
    if (kind !== 'HMAC') return reject('INVALID_API_KEY', `OKX takes no key of the kind ${kind}`);
    if (passphrase === null) return reject('INVALID_API_KEY', 'a key of OKX has a passphrase');
    const key: OkxKey = { apiKey, secret, passphrase };
    const { instruments, onFinding } = this.#options;
    const budget = new OkxBudget(() => this.#clock.exchangeMs());
    return this.#accounts.open((close) => {
      return new OkxAccount({
        key,
        sockets: this.#addresses.sockets,
        requests: this.#requestsOf(budget, key),
        budget,
        codes: this.#codes,
        instruments,
        events,
        dial: this.#dial,
        clockOffsetMs: () => this.#clock.offsetMs,
        onFinding,
        close,
      });
    });
  }

  async close(): Promise<void> {
    this.market.close();
    await this.#accounts.close();
    await this.#http.close();
  }

  /** `key`: null for public requests. */
  #requestsOf(budget: OkxBudget, key: OkxKey | null): OkxRequests {
    const rest = new OkxRest({
      http: this.#http,
      origin: this.#addresses.rest,
      key,
      timestampMs: () => Math.round(this.#clock.exchangeMs()),
      headers: this.#options.environment === 'testnet' ? DEMO_HEADERS : {},
    });
    return new OkxRequests(rest, budget);
  }
}
