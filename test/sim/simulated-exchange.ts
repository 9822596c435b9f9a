import type { RealVenues, Venue } from '../../src/domain/exchange.js';
import type { AccountId, ChildNumber, CorrelationId, OrderId } from '../../src/domain/ids.js';
import { InstrumentCatalogue, type Instrument, type InstrumentIndex } from '../../src/domain/instrument.js';
import type { Market, TradePrint } from '../../src/domain/market.js';
import type { Side } from '../../src/domain/order.js';
import type { Lots, Ticks } from '../../src/domain/quantity.js';
import type { EpochMs } from '../../src/domain/time.js';
import type { ChildRef, ChildSubmission, VenueRequest } from '../../src/domain/venue-message.js';
import type { ExecutionReport, FundsReport, VenueReport } from '../../src/domain/venue-report.js';
import type { MarkSource } from '../../src/sim/account/margin.js';
import type { VenueStore } from '../../src/venue/port.js';
import { SimulatedVenues } from '../../src/sim/simulated-venues.js';
import { MemoryVenueStore } from './memory-store.js';
import { buildCatalogue } from '../../src/venue/listing/catalogue.js';
import { targetOf } from '../venue/child-target.js';

export const CATALOGUE = buildCatalogue();
export const START_MS = 1_800_000_000_000 as EpochMs;
const SHARD = 3;
export const HOME = 7;

export function instrumentAt(venue: Venue, symbol: string): Instrument {
  const instrument = CATALOGUE.findCanonical(venue, symbol);
  if (instrument === null) throw new Error(`no ${symbol} at ${venue}`);
  return instrument;
}

export interface Sent {
  readonly report: VenueReport;
  readonly destination: number;
}

/** Fields of a test order; defaults: LIMIT GTC BUY of account `alice`. */
export type OrderFields = Partial<Omit<ChildSubmission, 'quantity' | 'limitPrice' | 'account'>> & {
  readonly account?: string;
  readonly quantity: number;
  readonly limitPrice?: number | null;
};

export interface ExchangeOptions {
  readonly instrument: Instrument;
  readonly store?: VenueStore;
  readonly seed?: number;
  readonly isWatched?: boolean;
  /** Lists only this instrument, because opening all instruments takes time. */
  readonly isAlone?: boolean;
  /** Mark prices for positions instead of the fair prices. */
  readonly marks?: MarkSource;
}

/** The simulated venues under a test clock, with one instrument in focus. */
export class SimulatedExchange {
  readonly instrument: Instrument;
  readonly store: VenueStore;
  readonly sent: Sent[] = [];
  /** Orders sent by a random run. */
  readonly placed: ChildSubmission[] = [];
  readonly prints: TradePrint[] = [];
  readonly markets = new Map<InstrumentIndex, Market>();
  nowMs: number = START_MS;
  #venues: SimulatedVenues;
  #lastOrderId = 0;
  readonly #options: ExchangeOptions;
  readonly #catalogue: InstrumentCatalogue;

  #realVenues: RealVenues = new Map();

  constructor(options: ExchangeOptions) {
    this.#catalogue =
      options.isAlone === true
        ? new InstrumentCatalogue([{ ...options.instrument, index: 0 as InstrumentIndex }])
        : CATALOGUE;
    const { venue, symbol } = options.instrument;
    this.instrument = this.#catalogue.findCanonical(venue, symbol)!;
    this.store = options.store ?? new MemoryVenueStore();
    this.#options = options;
    this.#venues = this.#start();
    this.settle();
  }

  /** Kills the process, which loses requests since the last advance, and opens a new one from the store. */
  restart(realVenues: RealVenues = new Map()): void {
    this.#realVenues = realVenues;
    this.#venues = this.#start();
    this.settle();
  }

  get market(): Market {
    return this.markets.get(this.instrument.index)!;
  }

  get reports(): ExecutionReport[] {
    return this.sent.flatMap(({ report }) => (isExecution(report) ? [report] : []));
  }

  get funds(): FundsReport[] {
    return this.sent.map(({ report }) => report).filter((report) => report.kind === 'Funds');
  }

  get nextWakeMs(): number {
    return this.#venues.nextWakeMs();
  }

  submission(fields: OrderFields): ChildSubmission {
    this.#lastOrderId += 1;
    const { account = 'alice', quantity, limitPrice = null, ...rest } = fields;
    return {
      venue: this.instrument.venue,
      orderId: this.#lastOrderId as OrderId,
      child: 1 as ChildNumber,
      instrument: this.instrument.index,
      side: 'BUY',
      type: 'LIMIT',
      timeInForce: 'GTC',
      postOnly: false,
      reduceOnly: false,
      selfTradePrevention: 'NONE',
      ...rest,
      account: account as AccountId,
      quantity: quantity as Lots,
      limitPrice: limitPrice as Ticks | null,
    };
  }

  /** Passes a request to the venues without releasing reports. */
  handle(request: VenueRequest, origin = SHARD): void {
    this.#venues.handle(request, origin, this.nowMs as EpochMs);
  }

  /** Places an order; returns it with its immediate reports. */
  submit(fields: OrderFields, origin = SHARD): { order: ChildSubmission; reports: ExecutionReport[] } {
    const order = this.submission(fields);
    return { order, reports: this.ask({ kind: 'Submit', ...order }, origin) };
  }

  cancel(order: ChildRef, origin = SHARD): ExecutionReport[] {
    return this.ask({ kind: 'Cancel', ...targetOf(order) }, origin);
  }

  query(order: ChildRef, origin = SHARD): ExecutionReport[] {
    return this.ask({ kind: 'QueryStatus', ...targetOf(order) }, origin);
  }

  queryFunds(account = 'alice', origin = SHARD): FundsReport {
    const correlationId = 99 as CorrelationId;
    const from = this.sent.length;
    this.handle(
      { kind: 'QueryFunds', correlationId, account: account as AccountId, venue: this.instrument.venue },
      origin,
    );
    this.settle();
    const report = this.sent.slice(from).find((sent) => sent.report.kind === 'Funds' && sent.report.isSnapshot)?.report;
    if (report?.kind !== 'Funds') throw new Error('no answer to the balance query');
    return report;
  }

  /** Free and total balance of an asset, in counts of 10^-18. */
  balance(asset: string, account = 'alice'): { free: bigint; total: bigint } {
    const found = this.queryFunds(account).balances.find((balance) => balance.asset === asset);
    return { free: found?.free ?? 0n, total: found?.total ?? 0n };
  }

  /** Immediate reports of a request. */
  send(request: VenueRequest, origin = SHARD): VenueReport[] {
    const from = this.sent.length;
    this.handle(request, origin);
    this.settle();
    return this.sent.slice(from).map(({ report }) => report);
  }

  /** Immediate execution reports of a request. */
  ask(request: VenueRequest, origin = SHARD): ExecutionReport[] {
    const from = this.reports.length;
    this.handle(request, origin);
    this.settle();
    return this.reports.slice(from);
  }

  /** Advances time in small turns, as the worker does. */
  pass(ms: number, turnMs = 100): void {
    const untilMs = this.nowMs + ms;
    while (this.nowMs < untilMs) {
      this.nowMs = Math.min(untilMs, this.nowMs + turnMs);
      this.settle();
    }
  }

  settle(): void {
    this.#venues.advance(this.nowMs as EpochMs, {
      report: (report, destination) => this.sent.push({ report, destination }),
      market: (instrument, market) => this.markets.set(instrument, market),
      trade: (print) => this.prints.push(print),
    });
  }

  #start(): SimulatedVenues {
    return new SimulatedVenues({
      catalogue: this.#catalogue,
      seed: this.#options.seed ?? 1,
      ...(this.#options.marks === undefined ? {} : { marks: this.#options.marks }),
      store: this.store,
      startMs: this.nowMs as EpochMs,
      isWatched: (instrument) => this.#options.isWatched === true && instrument === this.instrument.index,
      balanceHome: () => HOME,
      onRepeated: () => undefined,
      realVenues: this.#realVenues,
    });
  }
}

const EXECUTIONS: ReadonlySet<string> = new Set([
  'Accepted',
  'Rejected',
  'Filled',
  'Cancelled',
  'CancelRejected',
  'StatusAnswered',
]);

function isExecution(report: VenueReport): report is ExecutionReport {
  return EXECUTIONS.has(report.kind);
}

/** Fills among the reports, in the form that tests compare. */
export function fillsOf(reports: readonly ExecutionReport[], order?: ChildRef) {
  return reports.flatMap((report) =>
    report.kind === 'Filled' && (order === undefined || report.orderId === order.orderId) ? [report.fill] : [],
  );
}

/** Takes the whole touch of a side; returns its price, which is then empty. */
export function emptyTouch(venue: SimulatedExchange, side: Side): number {
  const { bid, ask, bidQuantity, askQuantity } = venue.market;
  const quantity = side === 'BUY' ? bidQuantity : askQuantity;
  venue.submit({ account: 'sweeper', side: side === 'BUY' ? 'SELL' : 'BUY', type: 'MARKET', quantity });
  return side === 'BUY' ? bid : ask;
}
