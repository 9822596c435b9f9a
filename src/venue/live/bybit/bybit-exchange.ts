import type { AssetCategory, Venue, VenueEnvironment } from '../../../domain/exchange.js';
import { EXCHANGE_ANSWER_MS_MAX, LIST_PAGES_MAX } from '../../../domain/limits/live.js';
import { isRejected, type OrRejection, reject } from '../../../domain/rejection.js';
import type { DurationMs } from '../../../domain/time.js';
import type { VenueCredentials } from '../../../keys/port.js';
import { countedRequest, statedLimit } from '../dialect/bybit-limits.js';
import { BYBIT_RECV_WINDOW_MS } from '../dialect/bybit-orders.js';
import { BYBIT_STREAMS, categoryOfAssets, marketName } from '../dialect/bybit-streams.js';
import { ExchangeClock } from '../exchange-clock.js';
import type { SendingRules } from '../exchange-line.js';
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
import { BYBIT_PROTOCOL } from '../transport/bybit-protocol.js';
import { OpenAccounts } from '../open-accounts.js';
import { CcxtTransport } from '../transport/ccxt-transport.js';
import { type SocketDial, socketDial } from '../transport/socket-dial.js';
import { LiveSocket } from '../transport/live-socket.js';
import { BybitAccount } from './bybit-account.js';
import { bybitHistory } from './bybit-history.js';
import { BybitAddressLimit, BybitBudget, type BybitCall, BybitRequests } from './bybit-requests.js';

/** Where Bybit is reached. Addresses have no slash at the end. */
export interface BybitAddresses {
  /** Replaces the library's host: the original host with a scheme and a host. null: the real one. */
  readonly hosts: ReadonlyMap<string, string> | null;
  /** `wss://` and a host. */
  readonly streams: string;
}

const REST_HOST = 'api.bybit.com';

const ADDRESSES: Readonly<Record<VenueEnvironment, BybitAddresses>> = {
  live: { hosts: null, streams: 'wss://stream.bybit.com' },
  testnet: {
    hosts: new Map([[REST_HOST, 'https://api-testnet.bybit.com']]),
    streams: 'wss://stream-testnet.bybit.com',
  },
};

/** Opens Bybit: spot and perpetuals of unified accounts. `addresses` replaces those of the environment. */
export function openBybitAt(addresses?: BybitAddresses): OpenLiveExchange {
  return (options) => BybitExchange.open(options, addresses ?? ADDRESSES[options.environment]);
}

export const openBybit: OpenLiveExchange = openBybitAt();

const CALLS = {
  time: { rest: 'publicGetV5MarketTime', group: 'public' },
  markets: { rest: 'publicGetV5MarketInstrumentsInfo', group: 'public' },
} as const satisfies Readonly<Record<string, BybitCall>>;

const CATEGORIES: readonly AssetCategory[] = ['SPOT', 'FUTURE'];
const MARKETS_PER_PAGE = '1000';
const TRADING = 'Trading';
/** Without a status the exchange lists the markets that trade. It never lists a spot market that does not. */
const STATUSES: Readonly<Record<AssetCategory, readonly string[]>> = {
  SPOT: [TRADING],
  FUTURE: [TRADING, 'Settling', 'Delivering'],
};
/** Largest error of the measured clock, and the largest age of what an answer shows. */
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
    orderHistoryMs: ORDER_HISTORY_MS,
  };
  readonly market: MarketData;
  readonly #options: LiveExchangeOptions;
  readonly #addresses: BybitAddresses;
  readonly #limit: BybitAddressLimit;
  readonly #requests: BybitRequests;
  readonly #transport: CcxtTransport;
  readonly #dial: SocketDial;
  readonly #clock: ExchangeClock;
  readonly #accounts = new OpenAccounts();

  private constructor(
    options: LiveExchangeOptions,
    parts: {
      readonly addresses: BybitAddresses;
      readonly transport: CcxtTransport;
      readonly limit: BybitAddressLimit;
      readonly clock: ExchangeClock;
    },
  ) {
    const { nowMs, proxy, market, onFinding } = options;
    this.#options = options;
    this.#addresses = parts.addresses;
    this.#limit = parts.limit;
    this.#transport = parts.transport;
    this.#clock = parts.clock;
    this.#requests = new BybitRequests(parts.transport, new BybitBudget(parts.limit));
    this.#dial = socketDial(nowMs, proxy);
    const streams = new StreamMarket({
      rules: BYBIT_STREAMS,
      openSocket: (category, events) =>
        new LiveSocket({
          ...this.#dial,
          ...events,
          url: () => `${parts.addresses.streams}/v5/public/${category}`,
        }),
      nowMs,
      events: market,
      onFinding,
    });
    this.market = new MarketData(streams, bybitHistory({ requests: this.#requests, nowMs, onFinding }));
  }

  static async open(options: LiveExchangeOptions, addresses: BybitAddresses): Promise<OrRejection<LiveExchange>> {
    const clock = new ExchangeClock(options.nowMs);
    const limit = new BybitAddressLimit(() => clock.exchangeMs());
    const transport = await openTransport({ options, addresses, limit });
    return new BybitExchange(options, { addresses, transport, limit, clock });
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

  measureClock(): Promise<OrRejection<ClockReading>> {
    return this.#clock.measure(() => this.#serverMs());
  }

  async openAccount(credentials: VenueCredentials, events: AccountEvents): Promise<OrRejection<LiveAccount>> {
    const { kind, apiKey, secret } = credentials;
    if (kind !== 'HMAC') return reject('INVALID_API_KEY', `BYBIT takes no key of the kind ${kind} here`);
    const budget = new BybitBudget(this.#limit);
    const [options, addresses, limit] = [this.#options, this.#addresses, this.#limit];
    const key = { apiKey, secret: secret.export().toString('utf8') };
    const transport = await openTransport({ options, addresses, limit, key, budget });
    return this.#accounts.open(transport, (close) => {
      return new BybitAccount({
        apiKey,
        secret,
        requests: new BybitRequests(transport, budget),
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
    await this.#transport.close();
  }

  async #serverMs(): Promise<OrRejection<number>> {
    const answer = await this.#requests.read(CALLS.time, {}, 'CANCEL');
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

function openTransport({
  options,
  addresses,
  limit,
  key,
  budget,
}: {
  readonly options: LiveExchangeOptions;
  readonly addresses: BybitAddresses;
  readonly limit: BybitAddressLimit;
  readonly key?: { readonly apiKey: string; readonly secret: string };
  /** That of the key's account; answers to other requests state no limit. */
  readonly budget?: BybitBudget;
}): Promise<CcxtTransport> {
  return CcxtTransport.open({
    exchange: 'bybit',
    protocol: BYBIT_PROTOCOL,
    apiKey: key?.apiKey ?? '',
    secret: key?.secret ?? '',
    timeoutMs: EXCHANGE_ANSWER_MS_MAX,
    timestampMs: () => Math.round(limit.exchangeMs()),
    onHeaders: (headers, { pathname, body }) => {
      const stated = statedLimit(headers);
      if (stated !== null) budget?.stated(countedRequest(pathname, body), stated);
    },
    ...(options.proxy !== null && { proxy: options.proxy }),
    ...(addresses.hosts !== null && { hosts: addresses.hosts }),
  });
}
