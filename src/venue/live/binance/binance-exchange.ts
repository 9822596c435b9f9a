import type { Venue } from '../../../domain/exchange.js';
import { isRejected, type OrRejection, reject } from '../../../domain/rejection.js';
import type { DurationMs } from '../../../domain/time.js';
import type { VenueCredentials } from '../../../keys/port.js';
import { BINANCE_RECV_WINDOW_MS } from '../dialect/binance-orders.js';
import { asObject, memberOf } from '../json/json-fields.js';
import type { ListedMarket } from '../listing/listed-market.js';
import { ExchangeClock } from '../exchange-clock.js';
import type { SendingRules } from '../exchange-client.js';
import { EXECUTION_MS_MAX } from '../fence.js';
import type {
  AccountEvents,
  ClockReading,
  LiveAccount,
  LiveExchange,
  LiveExchangeOptions,
  OpenLiveExchange,
} from '../live-exchange.js';
import { MarketData } from '../market/market-data.js';
import type { BinanceKey } from '../transport/binance-signature.js';
import { OpenAccounts } from '../open-accounts.js';
import { HttpsClient } from '../transport/https-client.js';
import { type SocketDial, socketDial } from '../transport/socket-dial.js';
import { LiveSocket } from '../transport/live-socket.js';
import { BinanceAccount } from './binance-account.js';
import { binanceHistory } from './binance-history.js';
import { type BinanceBudget, BinanceLimits, BinanceRequests } from './binance-requests.js';
import { BinanceRest, type BinanceAddresses } from './binance-rest.js';
import { BinanceTopics } from './binance-topics.js';
import { socketOrigin } from '../exchange-origin.js';
import { BINANCE_SPOT, BINANCE_USDM, type BinanceWallet } from './binance-wallet.js';

/** Opens one section of Binance. `addresses` replaces those of the environment: a loopback exchange. */
export function openBinance(wallet: BinanceWallet, addresses?: BinanceAddresses): OpenLiveExchange {
  return (options) => Promise.resolve(new BinanceExchange(wallet, options, addresses ?? addressesOf(wallet, options)));
}

function addressesOf(
  { addresses }: BinanceWallet,
  { environment, origin = null }: LiveExchangeOptions,
): BinanceAddresses {
  const { walletApi, ...hosts } = addresses[environment];
  if (origin === null) return { walletApi, ...hosts };
  const sockets = socketOrigin(origin);
  return { rest: origin, walletApi: walletApi === null ? null : origin, streams: sockets, socketApi: sockets };
}

export const openBinanceSpot: OpenLiveExchange = openBinance(BINANCE_SPOT);
export const openBinanceUsdm: OpenLiveExchange = openBinance(BINANCE_USDM);

/** Largest age of what an answer shows. */
const MARGIN_MS = 1_000 as DurationMs;
const SIGNING_KINDS: ReadonlySet<string> = new Set(['HMAC', 'RSA', 'ED25519']);

/** One section of Binance: its markets, its public data and the accounts in it. */
class BinanceExchange implements LiveExchange {
  readonly venue: Venue = 'BINANCE';
  readonly categories: LiveExchange['categories'];
  readonly rules: SendingRules;
  readonly market: MarketData;
  readonly #wallet: BinanceWallet;
  readonly #options: LiveExchangeOptions;
  readonly #addresses: BinanceAddresses;
  readonly #limits: BinanceLimits;
  readonly #requests: BinanceRequests;
  readonly #http: HttpsClient;
  readonly #dial: SocketDial;
  readonly #clock: ExchangeClock;
  readonly #accounts = new OpenAccounts();

  constructor(wallet: BinanceWallet, options: LiveExchangeOptions, addresses: BinanceAddresses) {
    const { nowMs, proxy, market, onFinding } = options;
    this.categories = [wallet.category];
    this.rules = {
      expiryMs: BINANCE_RECV_WINDOW_MS as DurationMs,
      // The receive window bounds the way to the matching engine, not the wait for it.
      executionMsMax: EXECUTION_MS_MAX,
      marginMs: MARGIN_MS,
      clockErrorMs: () => this.#clock.errorMs,
      orderHistoryMs: wallet.orderHistoryMs,
    };
    this.#wallet = wallet;
    this.#options = options;
    this.#addresses = addresses;
    this.#clock = new ExchangeClock(nowMs);
    this.#limits = new BinanceLimits(wallet.limits, () => this.#clock.exchangeMs());
    this.#http = new HttpsClient(proxy);
    this.#requests = this.#requestsOf(this.#limits.openBudget(), null);
    this.#dial = socketDial(nowMs, proxy, () => this.barredMs());
    const reads = { dialect: wallet.market, requests: this.#requests, nowMs, onFinding };
    const topics = new BinanceTopics({
      ...reads,
      openSocket: (route, events) =>
        new LiveSocket({
          ...this.#dial,
          ...events,
          url: () => `${addresses.streams}${wallet.category === 'FUTURE' ? `/${route}` : ''}/stream`,
        }),
      events: market,
    });
    this.market = new MarketData(topics, binanceHistory(reads));
  }

  async listMarkets(): Promise<OrRejection<readonly ListedMarket[]>> {
    const answer = await this.#requests.read(this.#wallet.exchangeInfo, {});
    if (isRejected(answer)) return answer;
    const { markets } = this.#wallet.readMarkets(answer, this.#options.onFinding);
    // Without markets the answer says nothing: it is no proof that all of them are delisted.
    if (markets.length === 0) return reject('EXCHANGE_ERROR', 'BINANCE has sent a market list without markets');
    this.#limits.setLimits(answer);
    return markets;
  }

  barredMs(): number {
    return this.#limits.weights.barredMs(this.#clock.exchangeMs());
  }

  measureClock(): Promise<OrRejection<ClockReading>> {
    return this.#clock.measure(() => this.#serverMs());
  }

  openAccount(credentials: VenueCredentials, events: AccountEvents): Promise<OrRejection<LiveAccount>> {
    return Promise.resolve(this.#openAccount(credentials, events));
  }

  #openAccount(credentials: VenueCredentials, events: AccountEvents): OrRejection<LiveAccount> {
    const { kind } = credentials;
    if (!isSigningKind(kind)) return reject('INVALID_API_KEY', `BINANCE takes no key of the kind ${kind}`);
    const key: BinanceKey = { kind, apiKey: credentials.apiKey, secret: credentials.secret };
    const budget = this.#limits.openBudget();
    const [options, addresses, limits] = [this.#options, this.#addresses, this.#limits];
    return this.#accounts.open((close) => {
      return new BinanceAccount({
        wallet: this.#wallet,
        addresses,
        key,
        requests: this.#requestsOf(budget, key),
        budget,
        limits,
        instruments: options.instruments,
        events,
        dial: this.#dial,
        clockOffsetMs: () => this.#clock.offsetMs,
        // The test environment has no wallet interface.
        hasKeyRights: options.environment === 'live',
        onFinding: options.onFinding,
        close: async () => {
          limits.closeBudget(budget);
          await close();
        },
      });
    });
  }

  async close(): Promise<void> {
    this.market.close();
    await this.#accounts.close();
    await this.#http.close();
  }

  /** `key`: null for public requests. */
  #requestsOf(budget: BinanceBudget, key: BinanceKey | null): BinanceRequests {
    const timestampMs = (): number => Math.round(this.#clock.exchangeMs());
    return new BinanceRequests(
      new BinanceRest({ http: this.#http, addresses: this.#addresses, key, timestampMs }),
      budget,
    );
  }

  async #serverMs(): Promise<OrRejection<number>> {
    const answer = await this.#requests.read(this.#wallet.time, {}, 'STATUS');
    if (isRejected(answer)) return answer;
    const serverMs = memberOf(asObject(answer), 'serverTime');
    if (typeof serverMs !== 'number') return reject('EXCHANGE_ERROR', 'BINANCE has sent no time');
    return serverMs;
  }
}

function isSigningKind(kind: string): kind is BinanceKey['kind'] {
  return SIGNING_KINDS.has(kind);
}
