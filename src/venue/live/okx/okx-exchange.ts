import type { Venue, VenueEnvironment } from '../../../domain/exchange.js';
import { EXCHANGE_ANSWER_MS_MAX } from '../../../domain/limits/live.js';
import { isRejected, type OrRejection, reject } from '../../../domain/rejection.js';
import type { DurationMs } from '../../../domain/time.js';
import type { VenueCredentials } from '../../../keys/port.js';
import { OKX_EXPIRY_MS } from '../dialect/okx-orders.js';
import { OKX_STREAMS } from '../dialect/okx-streams.js';
import { ExchangeClock } from '../exchange-clock.js';
import type { SendingRules } from '../exchange-line.js';
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
import { CcxtTransport } from '../transport/ccxt-transport.js';
import { type SocketDial, socketDial } from '../transport/socket-dial.js';
import { LiveSocket } from '../transport/live-socket.js';
import { OKX_PROTOCOL } from '../transport/okx-protocol.js';
import type { OkxKey } from '../transport/okx-signature.js';
import { OkxAccount } from './okx-account.js';
import { okxHistory } from './okx-history.js';
import { OkxBudget, type OkxCall, OkxRequests } from './okx-requests.js';
import { OkxInstrumentCodes } from './okx-socket-requests.js';

/** Where OKX is reached. Addresses have no slash at the end. */
export interface OkxAddresses {
  /** Replaces the library's host www.okx.com by a scheme and a host. null: the real one. */
  readonly hosts: ReadonlyMap<string, string> | null;
  /** `wss://` and a host. */
  readonly sockets: string;
}

/** Demo trading has the host of the real one for REST: a header tells them apart. */
const ADDRESSES: Readonly<Record<VenueEnvironment, OkxAddresses>> = {
  live: { hosts: null, sockets: 'wss://ws.okx.com:8443' },
  testnet: { hosts: null, sockets: 'wss://wspap.okx.com:8443' },
};
const DEMO_HEADERS = { 'x-simulated-trading': '1' };

const CALLS = {
  time: { rest: 'publicGetPublicTime', max: 10 },
  instruments: { rest: 'publicGetPublicInstruments', max: 20 },
} as const satisfies Readonly<Record<string, OkxCall>>;

/** Largest error of the measured clock, and the largest age of what an answer shows. */
const MARGIN_MS = 1_000 as DurationMs;
/** An order that was cancelled without a fill is forgotten after two hours. */
const ORDER_HISTORY_MS = (2 * 3_600_000) as DurationMs;

/** Opens OKX. `addresses` replaces those of the environment: a loopback exchange. */
export function openOkxAt(addresses?: OkxAddresses): OpenLiveExchange {
  return async (options) => {
    const clock = new ExchangeClock(options.nowMs);
    const at = addresses ?? ADDRESSES[options.environment];
    const transport = await openTransport(options, at, clock);
    return new OkxExchange(options, { addresses: at, transport, clock });
  };
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
    orderHistoryMs: ORDER_HISTORY_MS,
  };
  readonly market: MarketData;
  readonly #options: LiveExchangeOptions;
  readonly #addresses: OkxAddresses;
  readonly #transport: CcxtTransport;
  readonly #requests: OkxRequests;
  readonly #clock: ExchangeClock;
  readonly #codes = new OkxInstrumentCodes();
  readonly #dial: SocketDial;
  readonly #accounts = new OpenAccounts();

  constructor(
    options: LiveExchangeOptions,
    { addresses, transport, clock }: { addresses: OkxAddresses; transport: CcxtTransport; clock: ExchangeClock },
  ) {
    const { nowMs, proxy, market, onFinding } = options;
    this.#options = options;
    this.#addresses = addresses;
    this.#transport = transport;
    this.#clock = clock;
    this.#requests = new OkxRequests(transport, new OkxBudget(() => clock.exchangeMs()));
    this.#dial = socketDial(nowMs, proxy);
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

  measureClock(): Promise<OrRejection<ClockReading>> {
    return this.#clock.measure(() => this.#serverMs());
  }

  async #serverMs(): Promise<OrRejection<number>> {
    const answer = await this.#requests.read(CALLS.time, {}, 'CANCEL');
    if (isRejected(answer)) return answer;
    const data = memberOf(asObject(answer), 'data');
    const [first] = Array.isArray(data) ? (data as readonly unknown[]) : [];
    const server = parseDecimal(memberOf(asObject(first), 'ts'));
    if (server === null || server.precision !== 0) return reject('EXCHANGE_ERROR', 'OKX has sent no time');
    return Number(server.units);
  }

  async openAccount(credentials: VenueCredentials, events: AccountEvents): Promise<OrRejection<LiveAccount>> {
    const { kind, apiKey, secret, passphrase } = credentials;
    if (kind !== 'HMAC') return reject('INVALID_API_KEY', `OKX takes no key of the kind ${kind}`);
    if (passphrase === null) return reject('INVALID_API_KEY', 'a key of OKX has a passphrase');
    const key: OkxKey = { apiKey, secret, passphrase: passphrase.export().toString('utf8') };
    const { instruments, onFinding } = this.#options;
    const transport = await openTransport(this.#options, this.#addresses, this.#clock, key);
    const budget = new OkxBudget(() => this.#clock.exchangeMs());
    return this.#accounts.open(transport, (close) => {
      return new OkxAccount({
        key,
        sockets: this.#addresses.sockets,
        requests: new OkxRequests(transport, budget),
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
    await this.#transport.close();
  }
}

function openTransport(
  { environment, proxy }: LiveExchangeOptions,
  { hosts }: OkxAddresses,
  clock: ExchangeClock,
  key?: OkxKey,
): Promise<CcxtTransport> {
  return CcxtTransport.open({
    exchange: 'okx',
    protocol: OKX_PROTOCOL,
    apiKey: key?.apiKey ?? '',
    // The library signs with a text and keeps it.
    secret: key?.secret.export().toString('utf8') ?? '',
    passphrase: key?.passphrase ?? '',
    timeoutMs: EXCHANGE_ANSWER_MS_MAX,
    timestampMs: () => Math.round(clock.exchangeMs()),
    ...(environment === 'testnet' && { headers: DEMO_HEADERS }),
    ...(proxy !== null && { proxy }),
    ...(hosts !== null && { hosts }),
  });
}
