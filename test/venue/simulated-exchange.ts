import type { Venue } from '../../src/model/exchange.js';
import type { AccountId, ChildNumber, CorrelationId, OrderId } from '../../src/model/ids.js';
import { InstrumentCatalogue, type Instrument, type InstrumentIndex } from '../../src/model/instrument.js';
import type { Market, TradePrint } from '../../src/model/market.js';
import type { Side } from '../../src/model/order.js';
import type { Lots, Ticks } from '../../src/model/quantity.js';
import type { EpochMs } from '../../src/model/time.js';
import type {
  ChildRef,
  ChildSubmission,
  ExecutionReport,
  FundsReport,
  VenueReport,
  VenueRequest,
} from '../../src/model/venue-message.js';
import type { MarkSource } from '../../src/venue/account/mark-source.js';
import type { VenueStore } from '../../src/venue/port.js';
import { buildCatalogue, MemoryVenueStore, SimulatedVenues } from '../../src/venue/index.js';

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

/** What a test says of an order; the rest is a LIMIT GTC BUY of account `alice`. */
export type Wish = Partial<Omit<ChildSubmission, 'quantity' | 'limitPrice' | 'account'>> & {
  readonly account?: string;
  readonly quantity: number;
  readonly limitPrice?: number | null;
};

export interface ExchangeOptions {
  readonly instrument: Instrument;
  readonly store?: VenueStore;
  readonly seed?: number;
  readonly isWatched?: boolean;
  /** Lists this instrument and no other: opening all of them takes its time. */
  readonly isAlone?: boolean;
  /** What positions are valued at, instead of the fair prices. */
  readonly marks?: MarkSource;
}

/** The simulated venues under a clock of the test, with one instrument in focus. */
export class SimulatedExchange {
  readonly instrument: Instrument;
  readonly store: VenueStore;
  readonly sent: Sent[] = [];
  /** Orders that a random run has sent. */
  readonly placed: ChildSubmission[] = [];
  readonly prints: TradePrint[] = [];
  readonly markets = new Map<InstrumentIndex, Market>();
  nowMs: number = START_MS;
  #venues: SimulatedVenues;
  #lastOrderId = 0;
  readonly #options: ExchangeOptions;
  readonly #catalogue: InstrumentCatalogue;

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

  /** The process dies: what `handle` took in after the last advance is lost. A new one opens the store. */
  restart(): void {
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

  submission(wish: Wish): ChildSubmission {
    this.#lastOrderId += 1;
    const { account = 'alice', quantity, limitPrice = null, ...rest } = wish;
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

  /** Hands the request over without letting its reports out. */
  handle(request: VenueRequest, origin = SHARD): void {
    this.#venues.handle(request, origin, this.nowMs as EpochMs);
  }

  /** Places an order and returns it with the reports that follow at once. */
  submit(wish: Wish, origin = SHARD): { order: ChildSubmission; reports: ExecutionReport[] } {
    const order = this.submission(wish);
    return { order, reports: this.ask({ kind: 'Submit', ...order }, origin) };
  }

  cancel(order: ChildRef, origin = SHARD): ExecutionReport[] {
    return this.ask({ kind: 'Cancel', ...refOf(order) }, origin);
  }

  query(order: ChildRef, origin = SHARD): ExecutionReport[] {
    return this.ask({ kind: 'Query', ...refOf(order) }, origin);
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

  /** Free and total of an asset, in counts of 10^-18. */
  balance(asset: string, account = 'alice'): { free: bigint; total: bigint } {
    const found = this.queryFunds(account).balances.find((balance) => balance.asset === asset);
    return { free: found?.free ?? 0n, total: found?.total ?? 0n };
  }

  /** Every report that a request causes at once. */
  tell(request: VenueRequest, origin = SHARD): VenueReport[] {
    const from = this.sent.length;
    this.handle(request, origin);
    this.settle();
    return this.sent.slice(from).map(({ report }) => report);
  }

  /** The execution reports that a request causes at once. */
  ask(request: VenueRequest, origin = SHARD): ExecutionReport[] {
    const from = this.reports.length;
    this.handle(request, origin);
    this.settle();
    return this.reports.slice(from);
  }

  /** Time passes in small turns, as it does in the worker. */
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
    });
  }
}

const EXECUTIONS: ReadonlySet<string> = new Set([
  'Accepted',
  'Rejected',
  'Filled',
  'Cancelled',
  'CancelRejected',
  'QueryAnswered',
]);

function isExecution(report: VenueReport): report is ExecutionReport {
  return EXECUTIONS.has(report.kind);
}

function refOf({ account, venue, orderId, child }: ChildRef): ChildRef {
  return { account, venue, orderId, child };
}

/** The fills among reports: side by side, what a test compares. */
export function fillsOf(reports: readonly ExecutionReport[], order?: ChildRef) {
  return reports.flatMap((report) =>
    report.kind === 'Filled' && (order === undefined || report.orderId === order.orderId) ? [report.fill] : [],
  );
}

/** Trades away all that is quoted at the touch of a side; returns its price, where the book is empty now. */
export function emptyTouch(venue: SimulatedExchange, side: Side): number {
  const { bid, ask, bidQuantity, askQuantity } = venue.market;
  const quantity = side === 'BUY' ? bidQuantity : askQuantity;
  venue.submit({ account: 'sweeper', side: side === 'BUY' ? 'SELL' : 'BUY', type: 'MARKET', quantity });
  return side === 'BUY' ? bid : ask;
}
