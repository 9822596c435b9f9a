import type { AssetCategory, Venue, VenueEnvironment } from '../../../domain/exchange.js';
import { LIST_PAGES_MAX } from '../../../domain/limits/live.js';
import { isRejected, type OrRejection, reject } from '../../../domain/rejection.js';
import type { DurationMs } from '../../../domain/time.js';
import type { VenueCredentials } from '../../../keys/port.js';
import { BYBIT_RECV_WINDOW_MS } from '../dialect/bybit-orders.js';
import { BYBIT_STREAMS, categoryOfAssets, marketName } from '../dialect/bybit-streams.js';
import { ExchangeClock } from '../exchange-clock.js';
import type { SendingRules } from '../exchange-client.js';
import { socketOrigin } from '../exchange-origin.js';
import { EXECUTION_MS_MAX } from '../fence.js';
import { readBybitMarkets } from '../listing/bybit-markets.js';
import type { ListedMarket } from '../listing/listed-market.js';
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
import { readBybitNextPage } from '../normal/bybit-account.js';
import { readBybitTime } from '../normal/bybit-market.js';
import { OpenAccounts } from '../open-accounts.js';
import type { BybitKey } from '../transport/bybit-signature.js';
import { HttpsClient } from '../transport/https-client.js';
import { type SocketDial, socketDial } from '../transport/socket-dial.js';
import { LiveSocket } from '../transport/live-socket.js';
import { BybitAccount } from './bybit-account.js';
import { bybitHistory } from './bybit-history.js';
import { BybitAddressLimit, BybitBudget, BybitRequests } from './bybit-requests.js';
import { BybitRest, type BybitCall } from './bybit-rest.js';

/** Where Bybit is reached. Addresses have no slash at the end. */
export interface BybitAddresses {
  /** `https://` and a host. */
  readonly rest: string;
  /** `wss://` and a host. */
  readonly streams: string;
}

const ADDRESSES: Readonly<Record<VenueEnvironment, BybitAddresses>> = {
  live: { rest: 'https://api.bybit.com', streams: 'wss://stream.bybit.com' },
  testnet: { rest: 'https://api-testnet.bybit.com', streams: 'wss://stream-testnet.bybit.com' },
};

/** Opens Bybit: spot and perpetuals of unified accounts. `addresses` replaces those of the environment. */
export function openBybitAt(addresses?: BybitAddresses): OpenLiveExchange {
  return (options) => Promise.resolve(new BybitExchange(options, addresses ?? addressesOf(options)));
}

function addressesOf({ environment, origin = null }: LiveExchangeOptions): BybitAddresses {
  return origin === null ? ADDRESSES[environment] : { rest: origin, streams: socketOrigin(origin) };
}

export const openBybit: OpenLiveExchange = openBybitAt();

const CALLS = {
  time: { rest: 'GET /v5/market/time', group: 'public' },
  markets: { rest: 'GET /v5/market/instruments-info', group: 'public' },
} as const satisfies Readonly<Record<string, BybitCall>>;

const CATEGORIES: readonly AssetCategory[] = ['SPOT', 'FUTURE'];
const MARKETS_PER_PAGE = '1000';
const TRADING = 'Trading';
/** Without a status the exchange lists the markets that trade. It never lists a spot market that does not. */
const STATUSES: Readonly<Record<AssetCategory, readonly string[]>> = {
  SPOT: [TRADING],
  FUTURE: [TRADING, 'Settling', 'Delivering'],
};
/** Largest age of what an answer shows. */
const MARGIN_MS = 1_000 as DurationMs;
/** How long an order that ended without a fill is known. One with a fill is known longer. */
const ORDER_HISTORY_MS = (24 * 3_600_000) as DurationMs;

/** Bybit: its markets, its public data and its accounts. */
class BybitExchange implements LiveExchange {
  readonly venue: Venue = 'BYBIT';
  readonly categories = CATEGORIES;
  readonly rules: SendingRules = {
    expiryMs: BYBIT_RECV_WINDOW_MS as DurationMs,
    // No document says that the matching engine checks the receive window.
    executionMsMax: EXECUTION_MS_MAX,
    marginMs: MARGIN_MS,
    clockErrorMs: () => this.#clock.errorMs,
    orderHistoryMs: ORDER_HISTORY_MS,
  };
  readonly market: MarketData;
  readonly #options: LiveExchangeOptions;
  readonly #addresses: BybitAddresses;
  readonly #limit: BybitAddressLimit;
  readonly #requests: BybitRequests;
  readonly #http: HttpsClient;
  readonly #dial: SocketDial;
  readonly #clock: ExchangeClock;
  readonly #accounts = new OpenAccounts();

  constructor(options: LiveExchangeOptions, addresses: BybitAddresses) {
    const { nowMs, proxy, market, onFinding } = options;
    this.#options = options;
    this.#addresses = addresses;
    this.#clock = new ExchangeClock(nowMs);
    this.#limit = new BybitAddressLimit(() => this.#clock.exchangeMs());
    this.#http = new HttpsClient(proxy);
    this.#requests = this.#requestsOf(new BybitBudget(this.#limit), null);
    this.#dial = socketDial(nowMs, proxy, () => this.barredMs());
    const streams = new StreamMarket({
      rules: BYBIT_STREAMS,
      openSocket: (category, events) =>
        new LiveSocket({
          ...this.#dial,
          ...events,
          url: () => `${addresses.streams}/v5/public/${category}`,
        }),
      nowMs,
      events: market,
      onFinding,
    });
    this.market = new MarketData(streams, bybitHistory({ requests: this.#requests, nowMs, onFinding }));
  }

  async listMarkets(): Promise<OrRejection<readonly ListedMarket[]>> {
    const markets: ListedMarket[] = [];
    for (const category of CATEGORIES) {
      const listed = await this.#marketsOf(category);
      if (isRejected(listed)) return listed;
      markets.push(...listed);
    }
    return markets;
  }

  barredMs(): number {
    return this.#limit.windows.barredMs(this.#clock.exchangeMs());
  }

  measureClock(): Promise<OrRejection<ClockReading>> {
    return this.#clock.measure(() => this.#serverMs());
  }

  openAccount(credentials: VenueCredentials, events: AccountEvents): Promise<OrRejection<LiveAccount>> {
    return Promise.resolve(this.#openAccount(credentials, events));
  }

  #openAccount({ kind, apiKey, secret }: VenueCredentials, events: AccountEvents): OrRejection<LiveAccount> {
    if (kind !== 'HMAC') return reject('INVALID_API_KEY', `BYBIT takes no key of the kind ${kind} here`);
    const key: BybitKey = { apiKey, secret };
    const budget = new BybitBudget(this.#limit);
    const [options, addresses] = [this.#options, this.#addresses];
    return this.#accounts.open((close) => {
      return new BybitAccount({
        key,
        requests: this.#requestsOf(budget, key),
        budget,
        instruments: options.instruments,
        events,
        streams: addresses.streams,
        dial: this.#dial,
        clockOffsetMs: () => this.#clock.offsetMs,
        onFinding: options.onFinding,
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
  #requestsOf(budget: BybitBudget, key: BybitKey | null): BybitRequests {
    const timestampMs = (): number => Math.round(this.#clock.exchangeMs());
    return new BybitRequests(
      new BybitRest({ http: this.#http, origin: this.#addresses.rest, key, timestampMs }),
      budget,
    );
  }

  async #serverMs(): Promise<OrRejection<number>> {
    const answer = await this.#requests.read(CALLS.time, {}, 'STATUS');
    if (isRejected(answer)) return answer;
    const serverMs = readBybitTime(answer);
    if (serverMs === null) return reject('EXCHANGE_ERROR', 'BYBIT has sent no time');
    return serverMs;
  }

  async #marketsOf(assetCategory: AssetCategory): Promise<OrRejection<readonly ListedMarket[]>> {
    const markets: ListedMarket[] = [];
    for (const status of STATUSES[assetCategory]) {
      const listed = await this.#marketsWith(assetCategory, status);
      if (isRejected(listed)) return listed;
      // Without markets that trade the answer says nothing: it is no proof that all of them are delisted.
      if (status === TRADING && listed.length === 0) {
        return reject('EXCHANGE_ERROR', `BYBIT has sent a market list of ${assetCategory} without markets`);
      }
      // A market that changes its status meanwhile may be in two lists.
      markets.push(...listed.filter(({ rawSymbol }) => !markets.some((one) => one.rawSymbol === rawSymbol)));
    }
    return markets;
  }

  async #marketsWith(assetCategory: AssetCategory, status: string): Promise<OrRejection<readonly ListedMarket[]>> {
    const category = categoryOfAssets(assetCategory);
    const markets: ListedMarket[] = [];
    let cursor: string | null = null;
    for (let page = 0; page < LIST_PAGES_MAX; page += 1) {
      const fields = { category, status, limit: MARKETS_PER_PAGE, ...(cursor !== null && { cursor }) };
      const answer: OrRejection<unknown> = await this.#requests.read(CALLS.markets, fields);
      if (isRejected(answer)) return answer;
      const listed = readBybitMarkets(answer, assetCategory, this.#options.onFinding).markets;
      markets.push(
        ...listed.map((market) => ({ ...market, rawSymbol: marketName({ category, symbol: market.rawSymbol }) })),
      );
      const next = readBybitNextPage(answer);
      if (next === null || next === cursor) return markets;
      cursor = next;
    }
    return reject('EXCHANGE_ERROR', `BYBIT has sent a market list of ${category} with too many pages`);
  }
}
