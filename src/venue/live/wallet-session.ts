import type { RealMode, Venue } from '../../domain/exchange.js';
import type { AccountId } from '../../domain/ids.js';
import {
  LIVE_AGAIN_MS_MAX,
  LIVE_AGAIN_MS_MIN,
  LIVE_FINDINGS_MAX,
  LIVE_KEY_AGAIN_MS_MAX,
  LIVE_KEY_AGAIN_MS_MIN,
  LIVE_WALLET_WAIT_MS,
} from '../../domain/limits/live.js';
import { isRejected, type OrRejection, reject } from '../../domain/rejection.js';
import type { EpochMs } from '../../domain/time.js';
import type { ExecutionReport, ListedOrder, VenueReport } from '../../domain/venue-report.js';
import type { VenueCredentials } from '../../keys/port.js';
import type { AccountFunds } from './account-funds.js';
import type { PlacedQuery } from './exchange-client.js';
import { Fence } from './fence.js';
import { FundsReader } from './funds-reader.js';
import { isKeyRefusal, type KeyRefusal, refusalOfCheck, refusalOfFailure } from './key-check.js';
import type { AccountEvents, LiveAccount, LiveExchange, QueuedRequest } from './live-exchange.js';
import type { ListedInstruments } from './live-listing.js';
import { OrderSession } from './order-session.js';
import { SwitchedClient } from './switched-client.js';
import { doubledMs } from './waits.js';

/** One wallet of the exchange, and its instruments. */
export interface Wallet {
  readonly exchange: LiveExchange;
  readonly instruments: ListedInstruments;
}

export interface AccountSessionParts {
  readonly account: AccountId;
  readonly venue: Venue;
  readonly mode: RealMode;
  readonly wallets: readonly Wallet[];
  readonly startedAtMs: EpochMs;
  readonly nowMs: () => EpochMs;
  /** False: the account has no risk limit. */
  readonly hasRiskLimits: () => boolean;
  /** Opens the key; null: the account has none. */
  readonly credentials: () => OrRejection<VenueCredentials> | null;
  /** An execution report, for the shard of its order. */
  readonly onReport: (report: ExecutionReport) => void;
  /** A change of balances or positions. */
  readonly onFunds: (report: VenueReport) => void;
  readonly onLink: (isUp: boolean) => void;
  /** The exchange has refused a request about orders, or a private stream, for its timestamp. */
  readonly onRefusedTime: () => void;
  readonly log: SessionLog;
}

export interface SessionLog {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

/** States in which no order of the key is at the exchange. */
const BARRED: ReadonlySet<string> = new Set(['KEY_REFUSED', 'KEY_MAY_NOT_TRADE', 'STREAM_REFUSED']);

interface WalletParts extends AccountSessionParts {
  readonly wallet: Wallet;
  readonly place: number;
  readonly funds: AccountFunds;
  readonly isAccountUp: () => boolean;
  readonly onState: () => void;
}

/**
 * The part of an account in one wallet: opens and checks the key, keeps the order session and the balances.
 *
 *     open ─▶ key opens ─▶ check ─▶ stream ─▶ catch-up ─▶ up
 *               │            │        ├──── cut: again from here
 *               └────────────┴────────┴─ refused: checked again later
 */
export class WalletSession {
  readonly orders: OrderSession;
  readonly #parts: WalletParts;
  readonly #client: SwitchedClient;
  readonly #reader: FundsReader;
  #account: LiveAccount | null = null;
  /** Number of the opening. Answers to an earlier one are late. */
  #opening = 0;
  /** Symbols of orders of this service that no market list has named. */
  readonly #unlisted = new Set<string>();
  #isOpen = false;
  #isLinked = false;
  #openAgainMs = Infinity;
  #failures = 0;
  #refusal: KeyRefusal | null = null;
  /** Until when the account waits for this wallet; null: it is up, or the account goes on without it. */
  #neededUntilMs: number | null = null;

  constructor(parts: WalletParts) {
    this.#parts = parts;
    const { account, venue, startedAtMs, nowMs, onReport, log, wallet } = parts;
    this.#client = new SwitchedClient(nowMs, () => this.#recheck());
    this.orders = new OrderSession({
      account,
      venue,
      client: this.#client,
      rules: wallet.exchange.rules,
      startedAtMs,
      report: onReport,
      onLink: (isUp) => {
        this.#isLinked = isUp;
        this.#judge();
      },
      onContradiction: (what, { orderId, child }) => log.error({ account, orderId, child }, what),
    });
    this.#reader = new FundsReader({
      funds: parts.funds,
      place: parts.place,
      instruments: wallet.instruments,
      nowMs,
      isAccountUp: parts.isAccountUp,
      onChange: parts.onFunds,
      onKnown: () => this.#judge(),
    });
  }

  get isUp(): boolean {
    return this.#isLinked && this.#reader.isKnown;
  }

  /**
   * False: the account works without this wallet. It has no key, its key is refused here, or its private stream was not
   * open for LIVE_WALLET_WAIT_MS.
   */
  get isNeeded(): boolean {
    return !this.isUp && this.#refusal === null && this.#neededUntilMs !== null;
  }

  get refusal(): KeyRefusal | null {
    return this.#refusal;
  }

  /**
   * Orders that the exchange lists here. A wallet in which the key must not trade has none, unless the query names one
   * of its instruments. Rejected while the list may lack orders.
   */
  listOrders({ instruments, sinceMs }: PlacedQuery): Promise<OrRejection<readonly ListedOrder[]>> {
    const { wallet, startedAtMs, nowMs } = this.#parts;
    const own = instruments.filter((index) => wallet.instruments.has(index));
    if (!this.isUp) {
      const isBarred = this.#refusal !== null && BARRED.has(this.#refusal.state);
      const why = this.#refusal === null ? '' : `: ${this.#refusal.message}`;
      const name = wallet.exchange.categories.join(', ');
      if (isBarred && own.length === 0) return Promise.resolve([]);
      return Promise.resolve(reject('EXCHANGE_NOT_AVAILABLE', `its wallet ${name} is not connected${why}`));
    }
    if (nowMs() < new Fence(wallet.exchange.rules, startedAtMs).of(null)) {
      return Promise.resolve(
        reject('EXCHANGE_NOT_AVAILABLE', 'requests of the time before the start may still arrive'),
      );
    }
    return new Promise((resolve) => {
      this.#client.listOrders({ instruments: own, sinceMs }, resolve);
    });
  }

  /**
   * Milliseconds until the exchange's counts leave room for the request; 0: now, or the wallet is not open. A look-up
   * of a child with a cancel goes first in the queue of its account, and has no more room at the exchange than other
   * look-ups.
   */
  turnMs(request: QueuedRequest): number {
    const requestClass = request.kind === 'QueryStatus' ? lookUpClassOf(request) : request.requestClass;
    return this.#account?.turnMs({ ...request, requestClass }) ?? 0;
  }

  /** Since when the exchange knows all orders here. */
  get knownSinceMs(): EpochMs {
    const { wallet, startedAtMs, nowMs } = this.#parts;
    return new Fence(wallet.exchange.rules, startedAtMs).knownSinceMs(nowMs());
  }

  /**
   * The account has a key, and the market list of the wallet is not read yet. The account waits for the wallet: one
   * that joined it later would interrupt it, and orders of that moment would be rejected.
   */
  expect(): void {
    this.#neededUntilMs ??= this.#parts.nowMs() + LIVE_WALLET_WAIT_MS;
  }

  open(): void {
    this.close();
    this.#isOpen = true;
    this.#failures = 0;
    this.#neededUntilMs = this.#parts.nowMs() + LIVE_WALLET_WAIT_MS;
    void this.#open();
  }

  /** The account has risk limits now. Checks the key at once when it was refused without them. */
  onRiskLimits(): void {
    if (this.#refusal?.state === 'NO_RISK_LIMITS') this.open();
  }

  close(): void {
    this.#isOpen = false;
    this.#openAgainMs = Infinity;
    this.#refusal = null;
    this.#end();
    this.#neededUntilMs = null;
  }

  advance(nowMs: EpochMs): void {
    if (this.#openAgainMs <= nowMs) {
      this.#openAgainMs = Infinity;
      void this.#open();
    }
    if ((this.#neededUntilMs ?? Infinity) <= nowMs) this.#giveUp();
    this.orders.advance(nowMs);
  }

  nextWakeMs(): number {
    return Math.min(this.#openAgainMs, this.#neededUntilMs ?? Infinity, this.orders.nextWakeMs());
  }

  async #open(): Promise<void> {
    this.#end();
    const opening = this.#opening;
    const isLate = (): boolean => opening !== this.#opening || !this.#isOpen;
    const refusal = await this.#connect(isLate);
    if (isLate()) return;
    if (refusal !== null) return this.#refuse(refusal);
    // A refused stream may be refused again: the account does not wait for it.
    if (this.#refusal?.state !== 'STREAM_REFUSED') this.#accept();
    this.#account?.start();
    this.#parts.onState();
  }

  /** The wallet cannot be used now. It is opened again later, at the latest after LIVE_KEY_AGAIN_MS_MAX. */
  #refuse(refusal: KeyRefusal): void {
    if (refusal.state !== this.#refusal?.state) this.#failures = 0;
    this.#setRefusal(refusal);
    this.#end();
    const [leastMs, mostMs] =
      refusal.state === 'NOT_REACHED'
        ? [LIVE_AGAIN_MS_MIN, LIVE_AGAIN_MS_MAX]
        : [LIVE_KEY_AGAIN_MS_MIN, LIVE_KEY_AGAIN_MS_MAX];
    const waitMs = doubledMs(leastMs, this.#failures, mostMs);
    this.#failures += 1;
    this.#openAgainMs = this.#parts.nowMs() + waitMs;
    this.#parts.onState();
  }

  #accept(): void {
    this.#failures = 0;
    this.#setRefusal(null);
  }

  /** Opens the key and checks it at the exchange. */
  async #connect(isLate: () => boolean): Promise<KeyRefusal | null> {
    const { credentials, mode, wallet, hasRiskLimits } = this.#parts;
    const { exchange } = wallet;
    const key = credentials();
    if (key === null) return { state: 'KEY_DOES_NOT_OPEN', message: 'the account has no key' };
    if (isRejected(key)) return { state: 'KEY_DOES_NOT_OPEN', message: key.rejection.message };
    const opened = await exchange.openAccount(key, this.#events(isLate));
    if (isRejected(opened)) return { state: 'KEY_NOT_SUPPORTED', message: opened.rejection.message };
    if (isLate()) {
      void opened.close();
      return null;
    }
    this.#account = opened;
    const check = await opened.check();
    if (isLate()) return null;
    if (isRejected(check)) {
      // One of the clocks was stepped since the last measurement: the next attempt has the right time.
      if (check.rejection.code === 'INVALID_TIMESTAMP') await exchange.measureClock();
      return refusalOfFailure(check.rejection);
    }
    const hasFutures = exchange.categories.includes('FUTURE');
    const refusal = refusalOfCheck(check, { mode, hasFutures, hasRiskLimits: hasRiskLimits() });
    if (refusal === null) this.#client.current = opened.client;
    return refusal;
  }

  #events(isLate: () => boolean): AccountEvents {
    const { onRefusedTime, wallet } = this.#parts;
    return {
      onSubscribed: () => {
        if (isLate()) return;
        this.#accept();
        this.orders.onSubscribed();
        if (this.#account !== null) this.#reader.begin(this.#account);
      },
      onCut: (nowMs) => {
        if (isLate()) return;
        this.#noteCut();
        this.#reader.end();
        this.orders.onCut(nowMs);
        this.#judge();
      },
      onRefusedTime: () => {
        if (!isLate()) onRefusedTime();
      },
      onRefused: (rejection) => {
        if (isLate()) return;
        if (rejection.code === 'INVALID_TIMESTAMP') onRefusedTime();
        if (!isKeyRefusal(rejection)) return;
        this.#refuse({ state: 'STREAM_REFUSED', message: `${rejection.code}: ${rejection.message}` });
      },
      onOrder: (update, nowMs) => {
        if (!isLate()) this.orders.onUpdate(update, nowMs);
      },
      onBalances: (balances, nowMs) => {
        if (!isLate()) this.#reader.onBalances(balances, nowMs);
      },
      onPositions: (positions, nowMs) => {
        if (!isLate()) this.#reader.onPositions(positions, nowMs);
      },
      instrumentOf: (child, exchangeSymbol) => {
        const { instruments } = wallet;
        if (instruments.bySymbol(exchangeSymbol) === null) this.#noteUnlisted(exchangeSymbol);
        const known = this.orders.instrumentOf(child);
        if (known === null) return instruments.soleBySymbol(exchangeSymbol);
        return instruments.at(known).exchangeSymbol === exchangeSymbol ? known : null;
      },
    };
  }

  /** Logs each symbol once. Its order is left out, and looked up when its shard asks for it. */
  #noteUnlisted(symbol: string): void {
    if (this.#unlisted.has(symbol) || this.#unlisted.size >= LIVE_FINDINGS_MAX) return;
    this.#unlisted.add(symbol);
    const { account, log, wallet } = this.#parts;
    const facts = { account, categories: wallet.exchange.categories, symbol };
    log.error(facts, 'an order of this service is in a market that is not listed: it is looked up');
  }

  #judge(): void {
    if (this.isUp) this.#neededUntilMs = null;
    this.#parts.onState();
  }

  /** The account waits for a wallet that was up, and not again for one that it has given up. */
  #noteCut(): void {
    if (this.isUp) this.#neededUntilMs = this.#parts.nowMs() + LIVE_WALLET_WAIT_MS;
  }

  #giveUp(): void {
    this.#neededUntilMs = null;
    const { account, log, wallet } = this.#parts;
    const facts = { account, categories: wallet.exchange.categories, state: 'STREAM_NOT_OPEN' };
    if (this.#refusal === null)
      log.error(facts, 'the private stream of a wallet is not open: the account goes on without it');
    this.#parts.onState();
  }

  /** The exchange refused the key in the middle: the wallet is opened again, which checks it. */
  #recheck(): void {
    if (!this.#isOpen || this.#openAgainMs < Infinity) return;
    this.#end();
    this.#openAgainMs = this.#parts.nowMs();
  }

  #end(): void {
    this.#noteCut();
    this.#opening += 1;
    void this.#account?.close();
    this.#account = null;
    this.#client.current = null;
    this.#reader.end();
    this.orders.onCut(this.#parts.nowMs());
    this.#parts.onState();
  }

  #setRefusal(refusal: KeyRefusal | null): void {
    const isNew = refusal?.state !== this.#refusal?.state;
    this.#refusal = refusal;
    const { account, log, wallet } = this.#parts;
    const facts = { account, categories: wallet.exchange.categories };
    if (refusal !== null && isNew) log.error({ ...facts, ...refusal }, 'the account cannot trade');
  }
}

function lookUpClassOf({ requestClass }: QueuedRequest): QueuedRequest['requestClass'] {
  return requestClass === 'CANCEL' ? 'STATUS' : requestClass;
}
