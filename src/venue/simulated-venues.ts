import { assert } from '../model/assert.js';
import type { Venue } from '../model/exchange.js';
import type { AccountId, CorrelationId } from '../model/ids.js';
import type { InstrumentCatalogue, InstrumentIndex } from '../model/instrument.js';
import type { EpochMs } from '../model/time.js';
import type { ChildSubmission, FundsReport, VenueRequest } from '../model/venue-message.js';
import { AccountRegistry } from './account/account-registry.js';
import { MarketRegistry } from './market-registry.js';
import { OrderDesk, type Asker } from './order/order-desk.js';
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
  /** The shard that hears of every change of an account's balances, whoever caused it. */
  readonly balanceHome: (account: AccountId, venue: Venue) => number;
  /** Told of a client id that is sent again: harmless here, but nobody should. */
  readonly onRepeated: (submission: ChildSubmission) => void;
}

const UNASKED = 0 as CorrelationId;

/**
 * The simulated exchange: every venue of the catalogue, in one thread, without a clock of its own.
 *
 *     handle ─▶ desk ─▶ market ─▶ life ─▶ ┐ accounts, orders, markets: touched
 *     advance ─▶ markets step ─▶ life ─▶ ┘        │
 *                                          one store.commit
 *                                                 ▼
 *                          sink: markets · prints · reports, in this order
 */
export class SimulatedVenues implements VenueGateway {
  readonly #options: SimulatedVenuesOptions;
  readonly #outbox = new Outbox();
  readonly #accounts: AccountRegistry;
  readonly #orders: OrderRegistry;
  readonly #markets: MarketRegistry;
  readonly #desk: OrderDesk;

  constructor(options: SimulatedVenuesOptions) {
    const outbox = this.#outbox;
    const accounts = new AccountRegistry(options.store);
    const orders = new OrderRegistry(options.store, accounts, (venue, symbol) => this.#markets.terms(venue, symbol));
    const life = new OrderLife({ orders, accounts, outbox, marketOf: (order) => this.#touched(order.submission) });
    this.#options = options;
    this.#accounts = accounts;
    this.#orders = orders;
    this.#desk = new OrderDesk({ orders, accounts, life, outbox, onRepeated: options.onRepeated });
    this.#markets = new MarketRegistry({
      ...options,
      listener: {
        filled: (order, execution, atMs) => life.filled(order, execution, atMs),
        printed: (print) => outbox.print(print),
      },
    });
    const survivors = orders.load();
    for (const order of survivors) life.resume(order);
    this.#markets.open(survivors);
  }

  handle(request: VenueRequest, origin: number, nowMs: EpochMs): void {
    const asker = { origin, nowMs };
    switch (request.kind) {
      case 'Submit':
        return this.#submit(request, asker);
      case 'Cancel':
        return this.#desk.cancel(request, asker);
      case 'Query':
        return this.#desk.query(request, asker);
      case 'QueryFunds':
        return this.#tellFunds(request, asker);
      default:
        request satisfies never;
    }
  }

  advance(nowMs: EpochMs, sink: VenueSink): void {
    this.#markets.advance(nowMs);
    this.#tellChanges(nowMs);
    this.#commit(nowMs);
    for (const market of this.#markets.takeChanged()) {
      sink.market(market.terms.instrument.index, market.snapshot(nowMs));
    }
    for (const print of this.#outbox.takePrints()) sink.trade(print);
    for (const { report, destination } of this.#outbox.takeLetters()) sink.report(report, destination);
  }

  nextWakeMs(): EpochMs {
    return this.#markets.nextStepMs;
  }

  close(): void {
    this.#options.store.close();
  }

  #submit(submission: ChildSubmission, asker: Asker): void {
    const market = this.#markets.wake(submission.instrument, asker.nowMs);
    assert(market.terms.instrument.venue === submission.venue, 'an order goes to the venue of its instrument');
    this.#desk.submit(submission, market, asker);
  }

  #touched({ instrument }: ChildSubmission): ReturnType<MarketRegistry['at']> {
    this.#markets.touch(instrument);
    return this.#markets.at(instrument);
  }

  #tellFunds({ account, venue, correlationId }: FundsQuery, { origin, nowMs }: Asker): void {
    const found = this.#accounts.account(account, venue);
    if (origin >= 0) found.askers.add(origin);
    const report: FundsReport = {
      kind: 'Funds',
      correlationId,
      account,
      venue,
      atMs: nowMs,
      isSnapshot: true,
      version: found.version,
      balances: found.balanceList(),
      causedBy: null,
    };
    this.#outbox.report(report, origin);
  }

  /** One report an account for all that changed since the last turn, behind the reports that say why. */
  #tellChanges(nowMs: EpochMs): void {
    for (const { account: found, change } of this.#accounts.takeChanges()) {
      const { account, venue, version } = found;
      const { balances, causedBy, audience } = change;
      const report: FundsReport = {
        kind: 'Funds',
        correlationId: UNASKED,
        account,
        venue,
        atMs: nowMs,
        isSnapshot: false,
        version,
        balances,
        causedBy,
      };
      audience.add(this.#options.balanceHome(account, venue));
      for (const destination of audience) this.#outbox.report(report, destination);
    }
  }

  #commit(nowMs: EpochMs): void {
    const rows: Row[] = [];
    this.#orders.takeRows(rows);
    this.#accounts.takeRows(rows);
    this.#markets.takeRows(rows, nowMs);
    if (rows.length > 0) this.#options.store.commit(rows);
  }
}

type FundsQuery = Extract<VenueRequest, { kind: 'QueryFunds' }>;
