import { BacktestVenue } from '../../../src/backtest/venue/backtest-venue.js';
import { type QueueModel, riskAverse } from '../../../src/venue/matching/queue-model.js';
import type { AccountId, ChildNumber, OrderId } from '../../../src/domain/ids.js';
import type { Instrument } from '../../../src/domain/instrument.js';
import { Depth, type DepthSide, type Market, type TradePrint } from '../../../src/domain/market.js';
import type { Side } from '../../../src/domain/order.js';
import type { Lots, Ticks } from '../../../src/domain/quantity.js';
import type { EpochMs } from '../../../src/domain/time.js';
import type { ChildSubmission, VenueRequest } from '../../../src/domain/venue-message.js';
import type { ExecutionReport, VenueReport } from '../../../src/domain/venue-report.js';
import { buildCatalogue } from '../../../src/venue/listing/catalogue.js';
import { type MadeMarket, START_MS } from './made-market.js';
import { targetOf } from '../../venue/child-target.js';

const listed = buildCatalogue().findCanonical('BINANCE', 'BTC/USDT');
if (listed === null) throw new Error('BINANCE does not list BTC/USDT');
export const INSTRUMENT: Instrument = listed;

/** A quantity above the minimum notional at prices around 10,000 ticks. */
export const UNIT = 10_000;

type Terms = Partial<Pick<ChildSubmission, 'type' | 'timeInForce' | 'postOnly'>>;

/** A backtest venue and an account that sends orders. Times are milliseconds from the start of the made market. */
export class BacktestRig {
  readonly venue: BacktestVenue;
  readonly reports: VenueReport[] = [];
  readonly prints: TradePrint[] = [];
  /** Trades of other participants, as `price x quantity`. */
  readonly others: string[] = [];
  market: Market | null = null;
  /** The last book, while it is subscribed. */
  readonly book = new Depth();
  isBookWanted = true;
  #childCount = 0;
  #nowMs = START_MS;

  constructor(made: MadeMarket, queueModel: QueueModel = riskAverse) {
    this.venue = new BacktestVenue({
      instrument: INSTRUMENT,
      streams: made.streams(),
      queueModel,
      observer: {
        onQuote: () => undefined,
        onTrade: (price, quantity) => this.others.push(`${price} x ${quantity}`),
      },
      outlet: {
        isDepthWanted: () => this.isBookWanted,
        showDepth: (_, depth) => void Object.assign(this.book, structuredClone(depth)),
      },
    });
  }

  at(ms: number): this {
    this.#nowMs = START_MS + ms;
    this.venue.advance(this.#nowMs as EpochMs, {
      report: (report) => this.reports.push(report),
      market: (_, market) => (this.market = market),
      trade: (print) => this.prints.push(print),
    });
    return this;
  }

  /** Sends a GTC limit order; returns the number of the child. */
  limit(side: Side, price: number, quantity: number, terms: Terms = {}): number {
    return this.#submit({ side, quantity: quantity as Lots, limitPrice: price as Ticks, type: 'LIMIT', ...terms });
  }

  take(side: Side, quantity: number): number {
    return this.#submit({ side, quantity: quantity as Lots, limitPrice: null, type: 'MARKET', timeInForce: 'IOC' });
  }

  cancel(child: number): this {
    return this.send({ kind: 'Cancel', ...targetOf(this.#ref(child)) });
  }

  query(child: number): this {
    return this.send({ kind: 'QueryStatus', ...targetOf(this.#ref(child)) });
  }

  send(request: VenueRequest): this {
    this.venue.handle(request, 0, this.#nowMs as EpochMs);
    return this.at(this.#nowMs - START_MS);
  }

  submission(child: number, terms: Partial<ChildSubmission>): ChildSubmission {
    return {
      ...this.#ref(child),
      instrument: INSTRUMENT.index,
      side: 'BUY',
      quantity: UNIT as Lots,
      type: 'LIMIT',
      timeInForce: 'GTC',
      limitPrice: null,
      postOnly: false,
      reduceOnly: false,
      selfTradePrevention: 'NONE',
      ...terms,
    };
  }

  /** Reports of a child in short form: `Filled 10000 @ 10001 TAKER`. */
  reportsOf(child: number): string[] {
    return this.reports
      .filter((report): report is ExecutionReport => report.kind !== 'Funds' && 'child' in report)
      .filter((report) => report.child === child)
      .map(shortly);
  }

  #submit(terms: Partial<ChildSubmission>): number {
    this.#childCount += 1;
    this.send({ kind: 'Submit', ...this.submission(this.#childCount, terms) });
    return this.#childCount;
  }

  #ref(child: number) {
    const account = 'replay' as AccountId;
    return { account, venue: INSTRUMENT.venue, orderId: 1 as OrderId, child: child as ChildNumber };
  }
}

/** The levels of one side of a book. */
export function levelsOf({ count, prices, quantities }: DepthSide): [number, number][] {
  return Array.from({ length: count }, (_, rank) => [prices[rank]!, quantities[rank]!]);
}

function shortly(report: ExecutionReport): string {
  switch (report.kind) {
    case 'Filled':
      return `Filled ${report.fill.quantity} @ ${report.fill.price} ${report.fill.liquidity}`;
    case 'Rejected':
    case 'CancelRejected':
      return `${report.kind} ${report.rejection.code}: ${report.rejection.message}`;
    case 'StatusAnswered':
      return `${report.kind} ${report.answer.state}`;
    case 'Accepted':
    case 'Cancelled':
    case 'Unreadable':
      return report.kind;
    default:
      return report satisfies never;
  }
}
