import type { Venue } from '../../../domain/exchange.js';
import type { AccountId, CorrelationId } from '../../../domain/ids.js';
import type { InstrumentIndex } from '../../../domain/instrument.js';
import { PAPER_REQUESTS_MAX, PAPER_RETRY_MS } from '../../../domain/limits/live.js';
import { LIQUIDATION_CHECK_MS } from '../../../domain/limits/trading.js';
import { assert, type Rejection } from '../../../domain/rejection.js';
import type { DurationMs, EpochMs } from '../../../domain/time.js';
import type { ChildSubmission, ChildTarget } from '../../../domain/venue-message.js';
import type { ExecutionReport, ListedOrder, OrdersReport } from '../../../domain/venue-report.js';
import { AccountRegistry, type OpeningBalances } from '../../../sim/account/account-registry.js';
import { Clearing } from '../../../sim/account/clearing.js';
import type { MarkOf } from '../../../sim/account/margin.js';
import type { VenueAccount } from '../../../sim/account/venue-account.js';
import { Timeline } from '../../../sim/latency/latency-model.js';
import { VenueOrderLifecycle } from '../../../sim/order/order-lifecycle.js';
import { OrderHistory } from '../../../sim/order/order-history.js';
import { OrderRegistry } from '../../../sim/order/order-registry.js';
import { OrderService } from '../../../sim/order/order-service.js';
import { ReportQueue } from '../../../sim/order/reports.js';
import { orderKey, type VenueOrder } from '../../../sim/order/venue-order.js';
import type { VenueRow, VenueStore } from '../../port.js';
import type {
  Answer,
  CancelAnswer,
  LookUpAnswer,
  OpenOrder,
  OrderUpdate,
  PlaceAnswer,
  PlacedQuery,
} from '../exchange-line.js';
import type { Balances, Positions } from '../normal/records.js';
import type { PaperInstrument, PaperMarket } from './paper-market.js';
import { PaperMarkets } from './paper-markets.js';
import { seenOf, updatesOf } from './paper-updates.js';
import { balancesOf, positionsOf } from './paper-wallet.js';

/** What the private stream of an account would deliver. */
export interface PaperAccountEvents {
  onOrder(update: OrderUpdate, nowMs: EpochMs): void;
  onBalances(balances: Balances, nowMs: EpochMs): void;
  onPositions(positions: Positions, nowMs: EpochMs): void;
}

export interface PaperVenueParts {
  readonly venue: Venue;
  readonly store: VenueStore;
  readonly opening: OpeningBalances;
  readonly instrumentAt: (index: InstrumentIndex) => PaperInstrument | null;
  /** True when the exchange does not list the market any more: no mark price comes. */
  readonly isDelisted: (exchangeSymbol: string) => boolean;
  readonly orderHistoryMs: DurationMs;
  /** From the sending of a request to the matching, and from there to the arrival of its answer and updates. */
  readonly entryMs: DurationMs;
  readonly responseMs: DurationMs;
  readonly startMs: EpochMs;
}

/** A market with paper orders or positions. */
interface FollowedMarket {
  readonly market: PaperMarket;
  readonly isHeld: boolean;
}

/** A request that arrives, or an outcome that comes back. */
type Step = (nowMs: EpochMs) => void;

/** All orders belong to the one session of their account, also those of an earlier process. */
const OWNER = 0;

const UNKNOWN = { kind: 'unknown' } as const;
const TOO_MANY = {
  kind: 'refused',
  rejection: {
    code: 'RATE_LIMIT_EXCEEDED',
    message: `${PAPER_REQUESTS_MAX} requests are on their way to the paper exchange`,
    retryAfterMs: PAPER_RETRY_MS as DurationMs,
  },
} as const;

/**
 * A real exchange on paper: real prices, our own matching, wallets and positions. Nothing is sent.
 *
 *     request ── entryMs ──▶ orders, markets, accounts ──▶ one store.commit ── responseMs ──▶ answer, update
 *                              ▲ records of the real streams
 *
 * An answer or update leaves after the commit of what it says. So a killed process has lost a request, or an answer, as a
 * network loses them, and never a fill. The caller drives it: it has no clock and no thread.
 */
export class PaperVenue {
  readonly markets: PaperMarkets;
  readonly #parts: PaperVenueParts;
  readonly #accounts: AccountRegistry;
  readonly #orders: OrderRegistry;
  readonly #service: OrderService;
  readonly #clearing: Clearing;
  readonly #reports = new ReportQueue();
  readonly #events = new Map<AccountId, PaperAccountEvents>();
  readonly #requests = new Timeline<Step>();
  readonly #outcomes = new Timeline<Step>();
  readonly #markOf: MarkOf = ({ instrument }) => this.#marketAt(instrument.index).markPrice;
  readonly #view = { markOf: this.#markOf, listedOf: (symbol: string) => this.markets.listedOf(symbol) };
  /** Outcomes that wait for the commit. */
  #fresh: Step[] = [];

  constructor(parts: PaperVenueParts) {
    const { store, opening, orderHistoryMs, startMs } = parts;
    const reports = this.#reports;
    this.#parts = parts;
    this.markets = new PaperMarkets({
      store,
      instrumentAt: parts.instrumentAt,
      listener: {
        filled: (order, execution, atMs) => lifecycle.filled(order, execution, atMs),
        prevented: (order, quantity, atMs) => lifecycle.prevented(order, quantity, atMs),
      },
      restate: (inTerms) => this.#accounts.restate(inTerms),
    });
    const terms = (_: Venue, symbol: string) => this.markets.termsOf(symbol);
    const accounts = new AccountRegistry(store, terms, opening);
    const history = new OrderHistory(store, () => orderHistoryMs);
    const orders = new OrderRegistry({ store, accounts, terms, history });
    const lifecycle = new VenueOrderLifecycle({
      orders,
      accounts,
      reports,
      marketOf: (order) => this.markets.of(order),
    });
    this.#accounts = accounts;
    this.#orders = orders;
    this.#service = new OrderService({
      orders,
      history,
      accounts,
      lifecycle,
      reports,
      wake: (index) => this.#marketAt(index),
      markAt: () => this.#markOf,
      onRepeated: () => undefined,
    });
    this.#clearing = new Clearing({
      accounts,
      lifecycle,
      marks: {
        markPrice: (index) => this.#marketAt(index).markPrice,
        fundingRatePpm: (index) => this.#marketAt(index).fundingRatePpm,
        isKnown: (index) => this.#isValued(this.#marketAt(index)),
      },
      force: (order, atMs) => this.#service.force(order, atMs),
      startMs,
    });
    accounts.load();
    for (const order of orders.load()) {
      order.owner = OWNER;
      lifecycle.resume(order);
      this.markets.of(order).rest(order);
    }
  }

  /** Delivers the updates of an account from now on. null: no delivery. */
  subscribe(account: AccountId, events: PaperAccountEvents | null): void {
    if (events === null) this.#events.delete(account);
    else this.#events.set(account, events);
  }

  place(order: ChildSubmission, expiresAtMs: EpochMs, answer: Answer<PlaceAnswer>, sentAtMs: EpochMs): void {
    this.#send(sentAtMs, answer, TOO_MANY, (nowMs) => this.#place(order, expiresAtMs, nowMs));
  }

  cancel(target: ChildTarget, answer: Answer<CancelAnswer>, sentAtMs: EpochMs): void {
    this.#send<CancelAnswer>(sentAtMs, answer, TOO_MANY, (nowMs) => {
      this.#service.cancel(target, { origin: OWNER, nowMs });
      const order = this.#orders.find(target, this.#account(target.account));
      const refused = this.#drain(nowMs);
      if (refused !== null) return { kind: 'refused', rejection: refused };
      return { kind: 'cancelled', order: order === null ? null : seenOf(order, nowMs) };
    });
  }

  lookUp(target: ChildTarget, answer: Answer<LookUpAnswer>, sentAtMs: EpochMs): void {
    this.#send<LookUpAnswer>(sentAtMs, answer, UNKNOWN, (nowMs) => {
      const order = this.#orders.findKnown(target, this.#account(target.account), nowMs);
      if (order === null || order.state.state === 'REJECTED') return { kind: 'absent' };
      return { kind: 'found', order: seenOf(order, nowMs), fills: [...this.#orders.fills(order)] };
    });
  }

  openOrders(account: AccountId, answer: Answer<readonly OpenOrder[]>, sentAtMs: EpochMs): void {
    this.#send(sentAtMs, answer, null, (nowMs) =>
      this.#account(account)
        .resting.newestFirst(() => true)
        .map((order) => ({ child: order.submission, order: seenOf(order, nowMs) })),
    );
  }

  listOrders(
    account: AccountId,
    { sinceMs }: Pick<PlacedQuery, 'sinceMs'>,
    answer: Answer<readonly ListedOrder[]>,
    sentAtMs: EpochMs,
  ): void {
    this.#send(sentAtMs, answer, null, (nowMs) => {
      const { venue } = this.#parts;
      const query = { kind: 'QueryOrders', correlationId: 0 as CorrelationId, account, venue, sinceMs } as const;
      const listed: ListedOrder[] = [];
      for (let after: string | null = ''; after !== null;) {
        const page: OrdersReport = this.#orders.list({ ...query, after, instruments: [] }, nowMs);
        listed.push(...page.orders);
        after = page.next === '' ? null : page.next;
      }
      return listed;
    });
  }

  /** All balances, as they are when the request arrives. */
  balances(account: AccountId, answer: Answer<Balances>, sentAtMs: EpochMs): void {
    this.#send(sentAtMs, answer, null, (nowMs) => balancesOf(this.#account(account).balanceList(), true, nowMs));
  }

  /** All open positions, as they are when the request arrives. */
  positions(account: AccountId, answer: Answer<Positions>, sentAtMs: EpochMs): void {
    this.#send(sentAtMs, answer, null, (nowMs) => {
      const holder = this.#account(account);
      const open = [...holder.positions.values()].filter(({ isOpen }) => isOpen);
      return positionsOf(holder, open, { ...this.#view, isSnapshot: true }, nowMs);
    });
  }

  /** Applies a record of the real streams to the market of an instrument with paper orders. */
  onMarket(index: InstrumentIndex, apply: (market: PaperMarket) => void, nowMs: EpochMs): void {
    const market = this.markets.find(index);
    if (market === null) return;
    apply(market);
    this.#drain(nowMs);
  }

  /** Carries out what is due, makes it durable, then delivers what has arrived. */
  advance(nowMs: EpochMs): void {
    for (const request of this.#requests.takeUpTo(nowMs)) request(nowMs);
    this.#clear(nowMs);
    this.#noteChanges(nowMs);
    this.#commit(nowMs);
    for (const outcome of this.#fresh) this.#outcomes.add(nowMs + this.#parts.responseMs, outcome);
    this.#fresh = [];
    for (const outcome of this.#outcomes.takeUpTo(nowMs)) outcome(nowMs);
  }

  /** When `advance` is due. 0: at once. Infinity: after the next request or record. */
  nextWakeMs(nowMs: EpochMs): number {
    if (this.#fresh.length > 0) return 0;
    const dueMs = Math.min(this.#requests.earliest, this.#outcomes.earliest);
    return this.#accounts.hasHolders ? Math.min(dueMs, nowMs + LIQUIDATION_CHECK_MS) : dueMs;
  }

  /** Instruments whose streams the matching needs: those with resting orders, and those with open positions. */
  *followed(): Generator<FollowedMarket> {
    const held = new Set<string>();
    for (const { positions } of this.#accounts.holders()) {
      for (const [symbol, { isOpen }] of positions) if (isOpen) held.add(symbol);
    }
    for (const market of this.markets.all) {
      const isHeld = held.has(market.terms.instrument.symbol);
      if (market.restingCount > 0 || isHeld) yield { market, isHeld };
    }
  }

  close(): void {
    this.#parts.store.close();
  }

  #place(submission: ChildSubmission, expiresAtMs: EpochMs, nowMs: EpochMs): PlaceAnswer {
    if (nowMs > expiresAtMs) {
      const message = `the order arrived at ${nowMs}, after its expiry at ${expiresAtMs}`;
      return { kind: 'refused', rejection: { code: 'INVALID_TIMESTAMP', message } };
    }
    const market = this.markets.admit(submission.instrument);
    if ('code' in market) return { kind: 'refused', rejection: market };
    const account = this.#account(submission.account);
    // As an exchange answers to a repeated client id: the order exists, or existed.
    if (this.#orders.find(submission, account) !== null) return { kind: 'unknown' };
    if (!market.shown.isKnown) {
      const message = `${market.terms.instrument.symbol}: its market data has not arrived yet`;
      return {
        kind: 'refused',
        rejection: { code: 'EXCHANGE_NOT_AVAILABLE', message, retryAfterMs: PAPER_RETRY_MS as DurationMs },
      };
    }
    this.#service.submit(submission, { origin: OWNER, nowMs });
    const placed = this.#orders.find(submission, account);
    this.#drain(nowMs);
    assert(placed !== null, 'a placed order is known');
    if (placed.state.state === 'REJECTED') return { kind: 'refused', rejection: placed.state.rejection };
    return { kind: 'placed', venueOrderId: placed.venueOrderId, atMs: nowMs };
  }

  /** Turns the reports since the last call into updates. Returns the reason of a refused cancel. */
  #drain(nowMs: EpochMs): Rejection | null {
    const reports = this.#reports.takeReports();
    this.#reports.takePrints();
    if (reports.length === 0) return null;
    const found = new Map<string, VenueOrder | null>();
    const orderOf = (report: ExecutionReport): VenueOrder | null => {
      const account = this.#account(report.account);
      const key = orderKey(account, report);
      if (!found.has(key)) found.set(key, this.#orders.find(report, account));
      return found.get(key) ?? null;
    };
    const { updates, cancelRefused } = updatesOf(
      reports.map(({ report }) => report),
      orderOf,
    );
    for (const { order, update } of updates) {
      const { account } = order.submission;
      this.#fresh.push((arrivedAtMs) => this.#events.get(account)?.onOrder(update, arrivedAtMs));
    }
    if (updates.length > 0) this.#noteChanges(nowMs);
    return cancelRefused;
  }

  #noteChanges(atMs: EpochMs): void {
    for (const { account, change } of this.#accounts.takeChanges()) {
      const events = (): PaperAccountEvents | undefined => this.#events.get(account.account);
      if (change.balances.length > 0) {
        const balances = balancesOf(change.balances, false, atMs);
        this.#fresh.push((nowMs) => events()?.onBalances(balances, nowMs));
      }
      if (change.positions.length > 0) {
        const positions = positionsOf(account, change.positions, { ...this.#view, isSnapshot: false }, atMs);
        this.#fresh.push((nowMs) => events()?.onPositions(positions, nowMs));
      }
    }
  }

  /** True when the exchange has published the mark price. The last known price of a delisted market is its final one. */
  #isValued({ hasMark, listed }: PaperMarket): boolean {
    return hasMark || this.#parts.isDelisted(listed.exchangeSymbol);
  }

  /** Funding and liquidations of the positions whose mark price is known. The others wait for theirs. */
  #clear(nowMs: EpochMs): void {
    if (!this.#accounts.hasHolders) return;
    for (const atMs of this.#clearing.takeDueTimes(nowMs)) this.#clearing.run(atMs);
    this.#drain(nowMs);
  }

  #commit(nowMs: EpochMs): void {
    const rows: VenueRow[] = [];
    this.#orders.takeRows(rows, nowMs);
    this.#accounts.takeRows(rows);
    this.markets.takeRows(rows);
    if (rows.length > 0) this.#parts.store.commit(rows);
  }

  #account(account: AccountId): VenueAccount {
    return this.#accounts.account(account, this.#parts.venue);
  }

  #marketAt(index: InstrumentIndex): PaperMarket {
    const market = this.markets.find(index);
    assert(market !== null, `paper orders in instrument ${index} have a market`);
    return market;
  }

  /** `full`: the outcome when too many requests are under way. */
  #send<Outcome>(
    sentAtMs: EpochMs,
    answer: Answer<Outcome>,
    full: Outcome | null,
    carryOut: (nowMs: EpochMs) => Outcome,
  ): void {
    if (full !== null && this.#requests.count >= PAPER_REQUESTS_MAX) {
      this.#fresh.push((nowMs) => answer(full, nowMs));
      return;
    }
    this.#requests.add(sentAtMs + this.#parts.entryMs, (arrivedAtMs) => {
      const place = this.#fresh.length;
      const outcome = carryOut(arrivedAtMs);
      // The answer comes before the updates that the request caused.
      this.#fresh.splice(place, 0, (nowMs) => answer(outcome, nowMs));
    });
  }
}
