import type { Venue } from '../model/exchange.js';
import type { AccountId } from '../model/ids.js';
import type { InstrumentCatalogue, InstrumentIndex } from '../model/instrument.js';
import type { EpochMs } from '../model/time.js';
import type { ChildSubmission, VenueRequest } from '../model/venue-message.js';
import { AccountDesk } from './account/account-desk.js';
import { AccountRegistry, type TermsLookup } from './account/account-registry.js';
import { Clearing } from './account/clearing.js';
import { Closings } from './account/closings.js';
import type { ForcedOrder } from './account/liquidation.js';
import type { MarkSource } from './account/mark-source.js';
import { TransferBook } from './account/transfer-book.js';
import type { TradingTerms } from './account/trading-terms.js';
import type { MarkOf } from './account/valuation.js';
import { FairPast, MarketFeeds, MarkPrices, OpenInterestLevel, ownLots, type FeedOutlet } from './feed/index.js';
import { MarketRegistry, type InstrumentMarket } from './life/index.js';
import { OrderDesk } from './order/order-desk.js';
import { OrderLife } from './order/order-life.js';
import { OrderRegistry } from './order/order-registry.js';
import { Outbox } from './outbox.js';
import type { Row, VenueGateway, VenueSink, VenueStore } from './port.js';

export interface SimulatedVenuesOptions {
  readonly catalogue: InstrumentCatalogue;
  /** Same seed, same requests at the same times: same reports. */
  readonly seed: number;
  readonly store: VenueStore;
  readonly startMs: EpochMs;
  /** Asked once a step for every instrument: a market nobody watches and nobody has orders in does not move. */
  readonly isWatched: (instrument: InstrumentIndex) => boolean;
  /** The shard that hears of every change of an account's balances and positions, whoever caused it. */
  readonly balanceHome: (account: AccountId, venue: Venue) => number;
  /** What positions are valued at and funded by; what the feeds tell of it when absent. */
  readonly marks?: MarkSource;
  /** Where the feeds that somebody follows are told; absent: nobody follows any. */
  readonly outlet?: FeedOutlet;
  /** Told of a client id that is sent again: harmless here, but nobody should. */
  readonly onRepeated: (submission: ChildSubmission) => void;
}

/** A time that is past: the next turn comes at once. */
const NOW = 0 as EpochMs;

/**
 * The simulated exchange: every venue of the catalogue, in one thread, without a clock of its own.
 *
 *     a step of time ─▶ markets ─▶ life ──────────┐
 *                    ─▶ clearing ─▶ desk, life ───┤ accounts, orders, markets: touched
 *     handle ─▶ desk ─▶ market ─▶ life ───────────┘         │
 *     advance                                               ▼
 *                                          one store.commit
 *                                                 ▼
 *                          sink: markets · prints · reports, in this order; outlet: feeds
 */
export class SimulatedVenues implements VenueGateway {
  readonly #options: SimulatedVenuesOptions;
  readonly #outbox = new Outbox();
  readonly #accounts: AccountRegistry;
  readonly #transfers: TransferBook;
  readonly #closings: Closings;
  readonly #orders: OrderRegistry;
  readonly #markets: MarketRegistry;
  readonly #desk: OrderDesk;
  readonly #accountDesk: AccountDesk;
  readonly #clearing: Clearing;
  readonly #feeds: MarketFeeds;

  constructor(options: SimulatedVenuesOptions) {
    const { catalogue, seed, store, startMs, balanceHome: home, onRepeated } = options;
    const outbox = this.#outbox;
    const terms: TermsLookup = (venue, symbol) => this.#markets.terms(venue, symbol);
    const accounts = new AccountRegistry(store, terms);
    const transfers = new TransferBook(store);
    const closings = new Closings(store);
    const orders = new OrderRegistry(store, accounts, terms);
    const past = new FairPast(seed);
    const fairMarks = new MarkPrices(catalogue, past);
    const marks = options.marks ?? fairMarks;
    const markAt = (atMs: EpochMs): MarkOf => {
      return ({ instrument }) => marks.markPrice(instrument.index, atMs);
    };
    const life = new OrderLife({ orders, accounts, outbox, marketOf: (order) => this.#touched(order.submission) });
    const wake = (index: InstrumentIndex, nowMs: EpochMs): InstrumentMarket => this.#markets.wake(index, nowMs);
    const desk = new OrderDesk({ orders, accounts, life, outbox, wake, markAt, onRepeated });
    const termsAt = (index: InstrumentIndex): TradingTerms => this.#markets.at(index).terms;
    this.#options = options;
    this.#accounts = accounts;
    this.#transfers = transfers;
    this.#closings = closings;
    this.#orders = orders;
    this.#desk = desk;
    this.#accountDesk = new AccountDesk({ accounts, transfers, closings, outbox, termsAt, markAt, home });
    const force = (order: ForcedOrder, atMs: EpochMs): bigint => desk.force(order, atMs);
    this.#clearing = new Clearing({ accounts, marks, life, force, startMs });
    this.#feeds = new MarketFeeds({
      catalogue,
      past,
      marks: fairMarks,
      openInterest: new OpenInterestLevel(seed, (index) => ownLots(accounts, index)),
      store,
      outlet: options.outlet ?? null,
      report: (report, destination) => outbox.report(report, destination),
    });
    this.#markets = new MarketRegistry({
      ...options,
      listener: {
        filled: (order, execution, atMs) => life.filled(order, execution, atMs),
        prevented: (order, quantity, atMs) => life.prevented(order, quantity, atMs),
        printed: (print) => {
          outbox.print(print);
          this.#feeds.traded(print);
        },
      },
    });
    accounts.load();
    closings.load(accounts, terms);
    const survivors = orders.load();
    for (const order of survivors) life.resume(order);
    this.#markets.open(survivors);
  }

  handle(request: VenueRequest, origin: number, nowMs: EpochMs): void {
    const asker = { origin, nowMs };
    this.#live(nowMs);
    switch (request.kind) {
      case 'Submit':
        return this.#desk.submit(request, asker);
      case 'Cancel':
        return this.#desk.cancel(request, asker);
      case 'Query':
        return this.#desk.query(request, asker);
      case 'Amend':
        return this.#desk.amend(request, asker);
      case 'QueryOrders':
        return this.#outbox.report(this.#orders.list(request, nowMs), origin);
      case 'QueryCandles':
      case 'QueryFundingRates':
        return this.#feeds.ask(request, origin, nowMs);
      case 'QueryFunds':
      case 'QueryPositions':
      case 'SetLeverage':
      case 'SetMarginMode':
      case 'SetPositionMode':
      case 'Transfer':
        return this.#accountDesk.handle(request, origin, nowMs);
      default:
        request satisfies never;
    }
  }

  advance(nowMs: EpochMs, sink: VenueSink): void {
    this.#live(nowMs);
    this.#accountDesk.tellChanges(nowMs);
    this.#commit(nowMs);
    for (const market of this.#markets.takeChanged()) {
      const { index } = market.terms.instrument;
      const row = market.snapshot();
      sink.market(index, row);
      this.#feeds.lived(index, { book: market.book, atMs: row.atMs }, nowMs);
    }
    this.#feeds.tell(nowMs);
    for (const print of this.#outbox.takePrints()) sink.trade(print);
    for (const { report, destination } of this.#outbox.takeLetters()) sink.report(report, destination);
  }

  nextWakeMs(): EpochMs {
    return this.#feeds.isBusy ? NOW : this.#markets.nextStepMs;
  }

  close(): void {
    this.#options.store.close();
  }

  #touched({ instrument }: ChildSubmission): InstrumentMarket {
    this.#markets.touch(instrument);
    return this.#markets.at(instrument);
  }

  /**
   * Lets time act on markets and accounts step by step until now. What happens, in which order, and what is told of it
   * is thus the same however time is cut into turns.
   */
  #live(nowMs: EpochMs): void {
    for (const stepMs of this.#markets.takeSteps(nowMs)) {
      this.#markets.step(stepMs);
      for (const atMs of this.#clearing.takeMoments(stepMs)) this.#clearing.run(atMs);
      this.#accountDesk.tellChanges(stepMs);
    }
  }

  #commit(nowMs: EpochMs): void {
    const rows: Row[] = [];
    this.#orders.takeRows(rows, nowMs);
    this.#accounts.takeRows(rows);
    this.#transfers.takeRows(rows);
    this.#closings.takeRows(rows, nowMs);
    this.#markets.takeRows(rows, nowMs);
    this.#feeds.takeRows(rows);
    if (rows.length > 0) this.#options.store.commit(rows);
  }
}
