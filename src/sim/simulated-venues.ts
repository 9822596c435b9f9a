import type { RealVenues, Venue } from '../domain/exchange.js';
import type { AccountId } from '../domain/ids.js';
import type { InstrumentCatalogue, InstrumentIndex } from '../domain/instrument.js';
import type { EpochMs } from '../domain/time.js';
import type { ChildSubmission, VenueRequest } from '../domain/venue-message.js';
import { parseFaultScript } from './faults/fault-script.js';
import { VENUE_LISTINGS } from '../venue/listing/exchanges.js';
import type { VenueDistance, VenueGateway, VenueRow, VenueSink, VenueStore } from '../venue/port.js';
import type { VenueRates } from '../venue/throttle/request-rates.js';
import { ThrottledVenues } from '../venue/throttle/throttled-venues.js';
import { AccountRegistry, type TermsLookup } from './account/account-registry.js';
import { AccountService } from './account/account-service.js';
import { Clearing } from './account/clearing.js';
import { ClosedPositions } from './account/closed-positions.js';
import type { ForcedOrder } from './account/liquidation.js';
import type { MarkOf, MarkSource } from './account/margin.js';
import { FaultyVenues } from './faults/faulty-venues.js';
import { MarkPrices } from './feed/mark-prices.js';
import { MarketFeeds } from './feed/market-feeds.js';
import { OpenInterestLevel, ownLots } from './feed/open-interest.js';
import type { FeedOutlet } from './feed/port.js';
import { latencyOf } from './latency/latency-model.js';
import { LatentVenues } from './latency/latent-venues.js';
import { FairPast } from './market/fair-market.js';
import type { InstrumentMarket } from './market/instrument-market.js';
import { MarketRegistry } from './market/market-registry.js';
import { VenueOrderLifecycle } from './order/order-lifecycle.js';
import { OrderHistory } from './order/order-history.js';
import { OrderRegistry } from './order/order-registry.js';
import { OrderService } from './order/order-service.js';
import { ReportQueue } from './order/reports.js';
import type { VenueOrder } from './order/venue-order.js';

interface SimulatedVenuesOptions {
  readonly catalogue: InstrumentCatalogue;
  /** The same seed and the same requests at the same times give the same reports. */
  readonly seed: number;
  readonly store: VenueStore;
  readonly startMs: EpochMs;
  /** Called once a step for every instrument. A market without subscribers and orders does not move. */
  readonly isWatched: (instrument: InstrumentIndex) => boolean;
  /**
   * Called in every turn. Passes each instrument that became watched since the last call to `wake`, so its market is
   * published in this turn; absent: a market wakes with the next step.
   */
  readonly takeNewlyWatched?: (wake: (instrument: InstrumentIndex) => void) => void;
  /** The shard that receives every change of an account's balances and positions. */
  readonly balanceHome: (account: AccountId, venue: Venue) => number;
  /** Mark prices and funding rates for accounts; absent: those of the feeds. */
  readonly marks?: MarkSource;
  /** Receives the followed feeds; absent: no feed is followed. */
  readonly outlet?: FeedOutlet;
  /**
   * Venues with a worker of their own. Their simulated accounts from before are kept, and nothing is reported about
   * them.
   */
  readonly realVenues?: RealVenues;
  /** Called when a client id is sent again. The repeat has no effect here, but it is a fault of the sender. */
  readonly onRepeated: (submission: ChildSubmission) => void;
}

/** A time in the past: the next turn runs at once. */
const NOW = 0 as EpochMs;

/**
 * The simulated exchange: every venue of the catalogue, in one thread, without an own clock.
 *
 *     a step of time ─▶ markets ─▶ order lifecycle ───────────┐
 *                    ─▶ clearing ─▶ orders ───────────────────┤ accounts, orders, markets: touched
 *     handle ─▶ order service ─▶ market ─▶ order lifecycle ───┘         │
 *     advance                                                           ▼
 *                                                      one store.commit
 *                                                             ▼
 *                          sink: markets · prints · reports, in this order; outlet: feeds
 */
export class SimulatedVenues implements VenueGateway {
  readonly #options: SimulatedVenuesOptions;
  readonly #reports = new ReportQueue();
  readonly #accounts: AccountRegistry;
  readonly #closedPositions: ClosedPositions;
  readonly #orders: OrderRegistry;
  readonly #markets: MarketRegistry;
  readonly #orderService: OrderService;
  readonly #accountService: AccountService;
  readonly #clearing: Clearing;
  readonly #feeds: MarketFeeds;

  constructor(options: SimulatedVenuesOptions) {
    const { catalogue, seed, store, startMs, balanceHome: home, onRepeated } = options;
    const reports = this.#reports;
    const terms: TermsLookup = (venue, symbol) => this.#markets.terms(venue, symbol);
    const accounts = new AccountRegistry(store, terms);
    const closedPositions = new ClosedPositions(store);
    const history = new OrderHistory(store, (venue) => VENUE_LISTINGS[venue].orderHistoryMs);
    const orders = new OrderRegistry({ store, accounts, terms, history });
    const past = new FairPast(seed);
    const fairMarks = new MarkPrices(catalogue, past);
    const marks = options.marks ?? fairMarks;
    const markAt = (atMs: EpochMs): MarkOf => {
      return ({ instrument }) => marks.markPrice(instrument.index, atMs);
    };
    const marketOf = (order: VenueOrder): InstrumentMarket => this.#touchedMarket(order.submission);
    const lifecycle = new VenueOrderLifecycle({ orders, accounts, reports, marketOf });
    const wake = (index: InstrumentIndex, nowMs: EpochMs): InstrumentMarket => this.#markets.wake(index, nowMs);
    const orderService = new OrderService({ orders, history, accounts, lifecycle, reports, wake, markAt, onRepeated });
    this.#options = options;
    this.#accounts = accounts;
    this.#closedPositions = closedPositions;
    this.#orders = orders;
    this.#orderService = orderService;
    this.#accountService = new AccountService({ accounts, closedPositions, reports, markAt, home });
    const force = (order: ForcedOrder, atMs: EpochMs): bigint => orderService.force(order, atMs);
    this.#clearing = new Clearing({ accounts, marks, lifecycle, force, startMs });
    this.#feeds = new MarketFeeds({
      catalogue,
      past,
      marks: fairMarks,
      openInterest: new OpenInterestLevel(seed, (index) => ownLots(accounts, index)),
      store,
      outlet: options.outlet ?? null,
      report: (report, destination) => reports.report(report, destination),
    });
    this.#markets = new MarketRegistry({
      ...options,
      listener: {
        filled: (order, execution, atMs) => lifecycle.filled(order, execution, atMs),
        prevented: (order, quantity, atMs) => lifecycle.prevented(order, quantity, atMs),
        printed: (print) => {
          reports.print(print);
          this.#feeds.traded(print);
        },
      },
    });
    accounts.load();
    closedPositions.load(accounts, terms);
    const survivors = orders.load();
    for (const order of survivors) lifecycle.resume(order);
    this.#markets.open(survivors);
  }

  handle(request: VenueRequest, origin: number, nowMs: EpochMs): void {
    const requester = { origin, nowMs };
    this.#advanceTo(nowMs);
    switch (request.kind) {
      case 'Submit':
        return this.#orderService.submit(request, requester);
      case 'Cancel':
        return this.#orderService.cancel(request, requester);
      case 'QueryStatus':
        return this.#orderService.query(request, requester);
      case 'QueryOrders':
        return this.#reports.report(this.#orders.list(request, nowMs), origin);
      case 'QueryCandles':
      case 'QueryFundingRates':
        return this.#feeds.handle(request, origin, nowMs);
      case 'QueryFunds':
      case 'QueryPositions':
        return this.#accountService.handle(request, origin, nowMs);
      default:
        request satisfies never;
    }
  }

  advance(nowMs: EpochMs, sink: VenueSink): void {
    this.#advanceTo(nowMs);
    this.#options.takeNewlyWatched?.((instrument) => void this.#markets.wake(instrument, nowMs));
    this.#accountService.reportChanges(nowMs);
    this.#commit(nowMs);
    for (const market of this.#markets.takeChanged()) {
      const { index } = market.terms.instrument;
      const row = market.snapshot();
      sink.market(index, row);
      this.#feeds.noteAdvanced(index, { book: market.book, atMs: row.atMs }, nowMs);
    }
    this.#feeds.publish(nowMs);
    for (const print of this.#reports.takePrints()) sink.trade(print);
    for (const { report, destination } of this.#reports.takeReports()) {
      if (this.#options.realVenues?.has(report.venue) !== true) sink.report(report, destination);
    }
  }

  nextWakeMs(): EpochMs {
    return this.#feeds.isBusy ? NOW : this.#markets.nextStepMs;
  }

  close(): void {
    this.#options.store.close();
  }

  #touchedMarket({ instrument }: ChildSubmission): InstrumentMarket {
    this.#markets.touch(instrument);
    return this.#markets.at(instrument);
  }

  /**
   * Advances markets and accounts step by step to `nowMs`, so the events and reports do not depend on how turns divide
   * time.
   */
  #advanceTo(nowMs: EpochMs): void {
    for (const stepMs of this.#markets.takeSteps(nowMs)) {
      this.#markets.step(stepMs);
      for (const atMs of this.#clearing.takeDueTimes(stepMs)) this.#clearing.run(atMs);
      this.#accountService.reportChanges(stepMs);
    }
  }

  #commit(nowMs: EpochMs): void {
    const rows: VenueRow[] = [];
    this.#orders.takeRows(rows, nowMs);
    this.#accounts.takeRows(rows);
    this.#closedPositions.takeRows(rows, nowMs);
    this.#markets.takeRows(rows, nowMs);
    this.#feeds.takeRows(rows);
    if (rows.length > 0) this.#options.store.commit(rows);
  }
}

/** Faults, distance and request rates of the simulated venues. */
interface VenueConditions {
  /** A valid fault script; empty: no faults. */
  readonly faultScript: string;
  readonly distance: VenueDistance;
  /** Request rate that each venue accepts from one account. */
  readonly rates: VenueRates;
}

interface ConditionedVenuesParts extends VenueConditions {
  readonly open: (nowMs: EpochMs) => VenueGateway;
  readonly catalogue: InstrumentCatalogue;
  readonly seed: number;
  readonly startMs: EpochMs;
  /** The shards that receive connection reports. */
  readonly listeners: readonly number[];
  /** Memory of createThrottleMemory. */
  readonly throttleFigures: SharedArrayBuffer;
}

/**
 * Opens the venues under these conditions. Faults act at the venue, latency between the venue and here, and the
 * throttle on this side.
 */
export function openVenues(parts: ConditionedVenuesParts): VenueGateway {
  const { rates, throttleFigures: figures } = parts;
  const gateway = distantVenues(parts);
  const isUnbounded = Object.values(rates).every((rate) => rate === null);
  return isUnbounded ? gateway : new ThrottledVenues({ gateway, rates, figures });
}

function distantVenues({ faultScript, distance, ...parts }: ConditionedVenuesParts): VenueGateway {
  const { open, startMs } = parts;
  const rules = parseFaultScript(faultScript);
  const gateway = rules.length === 0 ? open(startMs) : new FaultyVenues({ ...parts, rules });
  if (distance === 'none') return gateway;
  return new LatentVenues({ ...parts, gateway, latencyOf: (venue) => latencyOf(VENUE_LISTINGS[venue].latency) });
}
