import type { RealMode, Venue, VenueEnvironment } from '../../domain/exchange.js';
import { accountSlot, type AccountId, ownerOf, shardOf, tradingAccount } from '../../domain/ids.js';
import type { Instrument } from '../../domain/instrument.js';
import { LIVE_KEYS_READ_MS } from '../../domain/limits/live.js';
import { isRejected, type Rejection, type RejectionCode } from '../../domain/rejection.js';
import type { EpochMs } from '../../domain/time.js';
import type { ChildTarget, MarketQuery, OrdersQuery, RequestClass, VenueRequest } from '../../domain/venue-message.js';
import type { VenueReport } from '../../domain/venue-report.js';
import type { VenueKeyDirectory, VenueKeyPlace } from '../../keys/port.js';
import type { VenueGateway, VenueSink } from '../port.js';
import { refusalOf } from '../refusal.js';
import type { ExchangeLimits } from '../throttle/account-throttle.js';
import type { ChildRequest } from '../throttle/waiting-requests.js';
import { AccountSession } from './account-session.js';
import type { LiveListing } from './live-listing.js';
import { candleOf } from './market/candle-feed.js';
import { ppmOf, UnitScale } from './unit-scale.js';
import type { SessionLog, Wallet } from './wallet-session.js';

const MAIN_THREAD = -1;
/** A ban that ends so much later than was known is a longer one. Smaller differences are those of two clocks. */
const LONGER_BAN_MS_MIN = 1_000;
/**
 * Refusals that the present market list may explain: the market is halted, gone or open again, or has other rules than
 * those that the order was made by.
 */
const OUTDATED: ReadonlySet<RejectionCode> = new Set([
  'INVALID_SYMBOL',
  'EXCHANGE_NOT_AVAILABLE',
  'INVALID_QUANTITY',
  'QUANTITY_EXCEED',
  'INVALID_LIMIT_PRICE',
  // Exchanges also name a price or quantity off the grid so.
  'INVALID_PARAM',
]);

export interface LiveGatewayParts {
  readonly venue: Venue;
  readonly mode: RealMode;
  readonly environment: VenueEnvironment;
  readonly wallets: readonly Wallet[];
  readonly listing: LiveListing;
  readonly keys: VenueKeyDirectory;
  readonly hasRiskLimits: (account: AccountId) => boolean;
  readonly shardCount: number;
  readonly startedAtMs: EpochMs;
  readonly nowMs: () => EpochMs;
  /** Called when an order was refused and its market may be halted, delisted, open again, or have other rules. */
  readonly onRefusedMarket: () => void;
  /** Called when an order, a request about one, or a private stream was refused for its timestamp. */
  readonly onRefusedTime: () => void;
  /** The exchange takes no request of this address until then, not even a cancel. */
  readonly onBarred: (untilMs: EpochMs) => void;
  /** Called when a report waits outside of a turn of the thread. */
  readonly wake: () => void;
  readonly log: SessionLog;
}

/**
 * One real exchange as the venue of the other threads: accounts as sessions inside, market queries, the connection.
 * Requests start work; its results wait in an outbox for the next `advance`.
 */
export class LiveGateway implements VenueGateway, ExchangeLimits {
  readonly #parts: LiveGatewayParts;
  readonly #sessions = new Map<AccountId, AccountSession>();
  readonly #places = new Map<AccountId, VenueKeyPlace>();
  readonly #destinations: readonly number[];
  #outbox: { readonly report: VenueReport; readonly destination: number }[] = [];
  /** Wallets whose market list is known. */
  readonly #listed = new Set<number>();
  #keysReadMs = 0;
  #barredUntilMs = 0;
  /** Accounts without risk limits, as far as they need some. */
  readonly #unlimited = new Set<AccountId>();

  constructor(parts: LiveGatewayParts) {
    this.#parts = parts;
    this.#destinations = [...Array.from({ length: parts.shardCount }, (_, shard) => shard), MAIN_THREAD];
    this.#announce(null, false);
    parts.keys.onChange((place) => this.#onKey(place));
    for (const place of parts.keys.accounts(parts.venue, parts.environment)) this.#onKey(place);
  }

  /** The market list of a wallet is known: orders can be placed there from now on. Call it once for each. */
  onListed(wallet: number): void {
    this.#listed.add(wallet);
    for (const session of this.#sessions.values()) session.open(wallet);
    if (this.#listed.size === 1) this.#announce(null, true);
  }

  handle(request: VenueRequest, origin: number, nowMs: EpochMs): void {
    switch (request.kind) {
      case 'Submit':
      case 'Cancel':
      case 'QueryStatus':
        return this.#onOrder(request, origin, nowMs);
      case 'QueryFunds':
      case 'QueryPositions':
        return this.#onAccount(request, origin, nowMs);
      case 'QueryOrders':
        return void this.#onOrders(request, origin);
      case 'QueryCandles':
      case 'QueryFundingRates':
        return void this.#onMarket(request, origin);
    }
  }

  /** A request that is refused here has its turn at once. */
  turnMs({ kind, account, instrument }: ChildRequest, requestClass: RequestClass): number {
    const session = this.#sessions.get(account);
    const listed = this.#parts.listing.find(instrument);
    const wallet = listed === null ? -1 : this.#walletOf(listed);
    return session === undefined || wallet < 0 ? 0 : session.turnMs({ kind, requestClass, instrument }, wallet);
  }

  advance(nowMs: EpochMs, sink: VenueSink): void {
    if (nowMs - this.#keysReadMs >= LIVE_KEYS_READ_MS) {
      this.#keysReadMs = nowMs;
      this.#parts.keys.refresh();
      this.#readRiskLimits();
    }
    this.#noteBan(nowMs);
    for (const session of this.#sessions.values()) session.advance(nowMs);
    const outbox = this.#outbox;
    this.#outbox = [];
    for (const { report, destination } of outbox) sink.report(report, destination);
  }

  nextWakeMs(): EpochMs {
    let soonest = this.#keysReadMs + LIVE_KEYS_READ_MS;
    for (const session of this.#sessions.values()) soonest = Math.min(soonest, session.nextWakeMs());
    return soonest as EpochMs;
  }

  close(): void {
    for (const session of this.#sessions.values()) session.close();
  }

  #onOrder(
    request: Extract<VenueRequest, { kind: 'Submit' | 'Cancel' | 'QueryStatus' }>,
    origin: number,
    nowMs: EpochMs,
  ): void {
    const session = this.#sessions.get(request.account);
    const instrument = this.#parts.listing.find(request.instrument);
    const wallet = instrument === null ? -1 : this.#walletOf(instrument);
    if (session === undefined || !session.isUp) this.#sendLink(request.account, origin, nowMs);
    if (session === undefined || instrument === null || wallet < 0) {
      const rejection = session === undefined ? noKey(request, this.#parts.mode) : unlisted(request);
      // A status request gets no answer: what the exchange knows is not known here.
      return this.#refuse(request, origin, rejection, nowMs);
    }
    const refusal = request.kind === 'Submit' ? this.#refusalOf(request, instrument) : null;
    if (refusal !== null) {
      this.#noteRefusal(refusal);
      return this.#refuse(request, origin, refusal, nowMs);
    }
    // The request leaves now. A time of the past would end its fence before its expiry.
    session.handle(request, wallet, this.#parts.nowMs());
  }

  /** Why nothing new is placed now; null: it may be. */
  #refusalOf({ account }: Pick<VenueRequest, 'account'>, instrument: Instrument): Rejection | null {
    const { mode, venue, hasRiskLimits } = this.#parts;
    if (mode !== 'live' || hasRiskLimits(account)) return haltOf(instrument);
    const message = `account ${account} trades at ${venue} with real money and has no risk limits; nothing was sent`;
    return { code: 'EXCHANGE_NOT_AVAILABLE', message };
  }

  /** Accounts with real money place nothing without risk limits. A refused one is opened when they are set. */
  #readRiskLimits(): void {
    const { mode, hasRiskLimits, log } = this.#parts;
    if (mode !== 'live') return;
    for (const [account, session] of this.#sessions) {
      if (hasRiskLimits(account)) {
        if (this.#unlimited.delete(account)) log.info({ account }, 'the account has risk limits again');
        session.onRiskLimits();
      } else if (!this.#unlimited.has(account)) {
        this.#unlimited.add(account);
        log.error({ account }, 'the account has no risk limits: nothing is placed until they are set');
      }
    }
  }

  /** Shows a ban when it begins and when it becomes longer. */
  #noteBan(nowMs: EpochMs): void {
    const { wallets, venue, onBarred, log } = this.#parts;
    const barredMs = Math.ceil(Math.max(...wallets.map(({ exchange }) => exchange.barredMs())));
    const untilMs = (nowMs + barredMs) as EpochMs;
    if (barredMs === 0 || untilMs < this.#barredUntilMs + LONGER_BAN_MS_MIN) return;
    this.#barredUntilMs = untilMs;
    const until = new Date(untilMs).toISOString();
    log.warn({ barredMs, until }, `${venue} takes no request of this address now: nothing is sent, not even a cancel`);
    onBarred(untilMs);
  }

  #onAccount(
    request: Extract<VenueRequest, { kind: 'QueryFunds' | 'QueryPositions' }>,
    origin: number,
    nowMs: EpochMs,
  ): void {
    const session = this.#sessions.get(request.account);
    if (session === undefined || !session.isUp) {
      this.#sendLink(request.account, origin, nowMs);
      // Shards act on the connection. The main thread waits for an answer.
      if (origin !== MAIN_THREAD) return;
      const { correlationId, account, venue } = request;
      const rejection = session === undefined ? noKey(request, this.#parts.mode) : notConnected(session, this.#parts);
      return this.#send({ kind: 'QueryRejected', correlationId, account, venue, atMs: nowMs, rejection }, origin);
    }
    session.followers.add(origin);
    const { funds } = session;
    const { correlationId } = request;
    const report =
      request.kind === 'QueryFunds' ? funds.funds(correlationId, nowMs) : funds.positions(correlationId, nowMs);
    this.#send(report, origin);
  }

  async #onOrders(request: OrdersQuery, origin: number): Promise<void> {
    const { correlationId, account, venue } = request;
    const session = this.#sessions.get(account);
    const { nowMs } = this.#parts;
    // Without a key the account has no orders here.
    const page = session === undefined ? { orders: [], next: '' } : await session.placed.page(request);
    if (isRejected(page)) return this.#refuse(request, origin, page.rejection, nowMs());
    const knownSinceMs = session?.knownSinceMs ?? (0 as EpochMs);
    const head = { kind: 'Orders', correlationId, account, venue, atMs: nowMs(), knownSinceMs } as const;
    this.#send({ ...head, ...page }, origin);
  }

  async #onMarket(request: MarketQuery, origin: number): Promise<void> {
    const { wallets, listing, nowMs } = this.#parts;
    const { correlationId, account, venue, fromMs, toMs, limit } = request;
    const instrument = listing.find(request.instrument);
    const wallet = instrument === null ? undefined : wallets[this.#walletOf(instrument)];
    if (instrument === null || wallet === undefined) return this.#refuse(request, origin, unlisted(request), nowMs());
    const live = listing.at(instrument.index);
    const scale = new UnitScale(live);
    const { market } = wallet.exchange;
    const range = { symbol: live.exchangeSymbol, fromMs, toMs, limit };
    const head = { correlationId, account, venue, instrument: instrument.index } as const;
    if (request.kind === 'QueryCandles') {
      const { interval } = request;
      const found = await market.candles({ ...range, interval });
      if (isRejected(found)) return this.#refuse(request, origin, found.rejection, nowMs());
      const candles = found.flatMap((record) => candleOf(scale, record) ?? []);
      return this.#send({ kind: 'Candles', ...head, atMs: nowMs(), interval, candles }, origin);
    }
    const found = await market.fundingRates(range);
    if (isRejected(found)) return this.#refuse(request, origin, found.rejection, nowMs());
    const rates = found.flatMap(({ atMs, rate, markPrice }) => {
      const ratePpm = ppmOf(rate);
      // Bybit and OKX state no mark price of the past.
      const ticks = markPrice === null ? null : scale.ticks(markPrice);
      return ratePpm === null ? [] : [{ atMs, ratePpm, markPrice: ticks }];
    });
    this.#send({ kind: 'FundingRates', ...head, atMs: nowMs(), rates }, origin);
  }

  #onKey(place: VenueKeyPlace): void {
    const { venue, environment, keys, log, mode } = this.#parts;
    if (place.venue !== venue || place.environment !== environment) return;
    const account = tradingAccount(place.account, place.subaccount);
    const hasKey = keys
      .accounts(venue, environment)
      .some((one) => tradingAccount(one.account, one.subaccount) === account);
    this.#places.set(account, place);
    const known = this.#sessions.get(account);
    if (!hasKey) {
      log.info({ account }, 'the key of the account is removed');
      known?.close();
      return this.#announce(account, false);
    }
    log.info({ account, mode }, known === undefined ? 'an account has a key' : 'the key of the account is replaced');
    const session = known ?? this.#newSession(account, place);
    this.#sessions.set(account, session);
    if (!session.isUp) this.#announce(account, false);
    for (const wallet of this.#parts.wallets.keys()) {
      if (this.#listed.has(wallet)) session.open(wallet);
      else session.expect(wallet);
    }
  }

  #newSession(account: AccountId, place: VenueKeyPlace): AccountSession {
    const { venue, mode, wallets, keys, hasRiskLimits, shardCount, startedAtMs, nowMs, log } = this.#parts;
    const home = ownerOf(accountSlot(account, venue), shardCount);
    const session: AccountSession = new AccountSession({
      account,
      venue,
      mode,
      wallets,
      startedAtMs,
      nowMs,
      log,
      hasRiskLimits: () => hasRiskLimits(account),
      credentials: () => keys.find(place),
      onReport: (report) => {
        if (report.kind === 'Rejected') this.#noteRefusal(report.rejection);
        this.#send(report, shardOf(report.orderId, shardCount));
      },
      onFunds: (report) => {
        for (const destination of new Set([...session.followers, home])) this.#send(report, destination);
      },
      onLink: (isUp) => this.#announce(account, isUp),
      onRefusedTime: () => this.#parts.onRefusedTime(),
    });
    return session;
  }

  #walletOf({ assetCategory }: Instrument): number {
    return this.#parts.wallets.findIndex(({ exchange }) => exchange.categories.includes(assetCategory));
  }

  #announce(account: AccountId | null, isUp: boolean): void {
    const { venue, nowMs } = this.#parts;
    const link = { kind: 'Link', venue, account, isUp, atMs: nowMs() } as const;
    for (const destination of this.#destinations) this.#send(link, destination);
  }

  /** A shard that started later does not know that the account is not connected. */
  #sendLink(account: AccountId, destination: number, atMs: EpochMs): void {
    this.#send({ kind: 'Link', venue: this.#parts.venue, account, isUp: false, atMs }, destination);
  }

  #noteRefusal({ code }: Rejection): void {
    if (OUTDATED.has(code)) this.#parts.onRefusedMarket();
    if (code === 'INVALID_TIMESTAMP') this.#parts.onRefusedTime();
  }

  #refuse(request: VenueRequest, origin: number, rejection: Rejection, nowMs: EpochMs): void {
    const report = refusalOf(request, rejection, nowMs);
    if (report !== null) this.#send(report, origin);
  }

  #send(report: VenueReport, destination: number): void {
    this.#outbox.push({ report, destination });
    this.#parts.wake();
  }
}

function noKey({ account, venue }: Pick<VenueRequest, 'account' | 'venue'>, mode: RealMode): Rejection {
  const message = `account ${account} has no key for ${venue} ${mode}; nothing was sent`;
  return { code: 'EXCHANGE_NOT_AVAILABLE', message };
}

function notConnected({ refusal }: AccountSession, { venue, mode }: LiveGatewayParts): Rejection {
  const why = refusal === null ? '' : `: ${refusal.message}`;
  return { code: 'EXCHANGE_NOT_AVAILABLE', message: `the account is not connected to ${venue} ${mode}${why}` };
}

function unlisted({ venue, instrument }: Pick<ChildTarget, 'venue' | 'instrument'>): Rejection {
  return { code: 'INVALID_SYMBOL', message: `${venue} does not list instrument ${instrument}; nothing was sent` };
}

/** Why an instrument takes no order now; null: it does. A halt may end, a retired row never trades again. */
function haltOf({ venue, symbol, isTrading, isRetired }: Instrument): Rejection | null {
  if (isRetired === true) {
    const message = `the lots or ticks of ${symbol} at ${venue} have changed since the order began; nothing was sent`;
    return { code: 'INVALID_SYMBOL', message };
  }
  if (isTrading !== false) return null;
  const message = `${symbol} does not trade at ${venue} now: it is halted or not listed any more; nothing was sent`;
  return { code: 'EXCHANGE_NOT_AVAILABLE', message };
}
