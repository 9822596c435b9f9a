import { JournalFailure, type TurnJournal } from '../../src/journal/port.js';
import { createIn } from '../../src/backtest/memory-ports.js';
import { requestedBy } from '../../src/domain/cancel-cause.js';
import type { Amount, Lots, Ticks } from '../../src/domain/quantity.js';
import type { Command, TradingMode } from '../../src/domain/command.js';
import type { Venue } from '../../src/domain/exchange.js';
import type { AnyEvent } from '../../src/domain/event.js';
import type {
  AccountId,
  ChildNumber,
  CorrelationId,
  OrderId,
  ApiKeyId,
  VenueOrderId,
  VenueTradeId,
} from '../../src/domain/ids.js';
import type { InstrumentCatalogue, InstrumentIndex } from '../../src/domain/instrument.js';
import type { ParentState } from '../../src/domain/order-state.js';
import type { ParentOrder } from '../../src/domain/order.js';
import type { EpochMs } from '../../src/domain/time.js';
import type { ChildRef } from '../../src/domain/venue-message.js';
import type {
  ExecutionReport,
  FundsReport,
  PositionsReport,
  OrderStatusAnswer,
} from '../../src/domain/venue-report.js';
import type { RestoreMark } from '../../src/domain/restore.js';
import type { PositionState } from '../../src/domain/position.js';
import type { ShardWatch } from '../../src/shard/port.js';
import { Shard, type ShardParts } from '../../src/shard/shard.js';
import { QuoteClaims } from '../../src/shard/quote-history.js';
import { FakeMarket, type Quote } from './fake-market.js';
import { FakeInbox, FakeMain, FakeVenue, type Diary } from './fake-ports.js';
import { MemoryJournal } from './memory-journal.js';
import { BTC, CATALOGUE, START_MS } from './sample-orders.js';
import { leadingLeg } from '../../src/domain/order-legs.js';

const TURNS_MAX = 50;
const RICH = 10n ** 27n;

export type DistributiveOmit<Union, Key extends PropertyKey> = Union extends unknown ? Omit<Union, Key> : never;
/** A report without the fields that the rig adds. */
type News = DistributiveOmit<ExecutionReport, keyof ChildRef | 'atMs'>;

export interface RigPlace {
  readonly shard: number;
  readonly shardCount: number;
  /** Replaces the rig's journal. */
  readonly journal?: TurnJournal;
  /** True: the shard observes its markets. Default: false. */
  readonly isObserving?: boolean;
  /** Trading mode at the start. Default: open. */
  readonly trading?: TradingMode;
  /** Receives orders set aside, lost reports and faults. */
  readonly onFault?: (line: string) => void;
  /** An unfinished restore, for restarts. Default: none. */
  readonly restore?: RestoreMark;
  /** Replaces the strategies that the service offers. */
  readonly strategyFor?: NonNullable<ShardParts['strategyFor']>;
  /** Default: the sample instruments. */
  readonly catalogue?: InstrumentCatalogue;
  /** Default: a market in which only quotes of the test make rows. */
  readonly market?: FakeMarket;
}

/** One shard with fake ports, run turn by turn. The diary lists its calls to the ports. */
export class ShardRig {
  readonly diary: Diary = [];
  #venue: Venue = 'BINANCE';
  readonly #orders = new Map<number, ParentOrder>();
  readonly inbox = new FakeInbox();
  readonly main = new FakeMain(this.diary);
  readonly venue = new FakeVenue(this.diary);
  readonly market: FakeMarket;
  readonly journal = new MemoryJournal();
  shard: Shard;
  nowMs = START_MS;
  /** Orders that the next start quarantines. */
  suspects: readonly OrderId[] = [];
  /** True: the next commit fails like a broken disk. */
  isDiskBroken = false;
  readonly #place: RigPlace;
  #lastCorrelationId = 0;

  constructor(place: RigPlace = { shard: 0, shardCount: 1 }) {
    this.#place = place;
    this.market = place.market ?? new FakeMarket();
    this.shard = this.#start();
    this.quote({});
  }

  /** Restarts the shard. Only the journal remains. */
  restart(): void {
    this.inbox.commands.length = 0;
    this.inbox.reports.length = 0;
    this.venue.requests.length = 0;
    this.shard = this.#start();
    this.shard.recover();
  }

  /** Lets time pass, then runs one turn. */
  turn(afterMs = 0): boolean {
    this.nowMs = (this.nowMs + afterMs) as EpochMs;
    return this.shard.turn();
  }

  /** Runs turns until the shard would wait. Throws when it never would. */
  rest(): void {
    for (let turns = 0; turns < TURNS_MAX; turns += 1) {
      if (!this.turn() && this.shard.nextWakeMs() > this.nowMs) return;
    }
    throw new Error(`the shard does not come to rest within ${TURNS_MAX} turns`);
  }

  /** Sends a create and runs a turn. */
  create(order: ParentOrder): CorrelationId {
    this.#orders.set(order.orderId, order);
    const correlationId = this.place(order);
    this.turn();
    return correlationId;
  }

  /** Creates an order, funds its account and runs the shard until it rests. */
  work(order: ParentOrder): void {
    this.create(order);
    this.fund(order.account);
    this.rest();
  }

  cancel(orderId: number, account = 'alice'): CorrelationId {
    const cancelCause = requestedBy('CLIENT', 'key-1' as ApiKeyId);
    return this.post({ kind: 'CancelParent', account: account as AccountId, orderId: orderId as OrderId, cancelCause });
  }

  /** Makes an order durable, as the main thread does, and sends it to the shard. */
  place(order: ParentOrder): CorrelationId {
    const correlationId = this.#nextCorrelationId();
    this.inbox.commands.push(createIn(this.#place.journal ?? this.journal, order, this.nowMs, correlationId));
    return correlationId;
  }

  post(command: DistributiveOmit<Command, 'correlationId'>): CorrelationId {
    const correlationId = this.#nextCorrelationId();
    this.inbox.commands.push({ ...command, correlationId });
    return correlationId;
  }

  #nextCorrelationId(): CorrelationId {
    this.#lastCorrelationId += 1;
    return this.#lastCorrelationId as CorrelationId;
  }

  /** Sends the venue's answer to QueryFunds, with plenty of every asset. */
  fund(account = 'alice', change: Partial<FundsReport> = {}): void {
    const [free, total] = [RICH as Amount, RICH as Amount];
    this.inbox.reports.push({
      kind: 'Funds',
      correlationId: 0 as CorrelationId,
      account: account as AccountId,
      venue: 'BINANCE',
      atMs: this.nowMs,
      isSnapshot: true,
      version: 1,
      balances: ['USDT', 'BTC', 'ETH'].map((asset) => ({ asset, total, free })),
      causedBy: null,
      ...change,
    });
  }

  /** Sends an unrequested positions report for `alice`. */
  positions(positions: readonly PositionState[], change: Partial<PositionsReport> = {}): void {
    this.inbox.reports.push({
      kind: 'Positions',
      correlationId: 0 as CorrelationId,
      account: 'alice' as AccountId,
      venue: 'BINANCE',
      atMs: this.nowMs,
      isSnapshot: false,
      version: 2,
      positions,
      ...change,
    });
  }

  report(orderId: number, child: number, news: News, account = 'alice'): void {
    const ref: ChildRef = {
      account: account as AccountId,
      venue: 'BINANCE',
      orderId: orderId as OrderId,
      child: child as ChildNumber,
    };
    this.inbox.reports.push({ ...ref, atMs: this.nowMs, ...news });
  }

  accept(orderId: number, child: number): void {
    this.report(orderId, child, { kind: 'Accepted', venueOrderId: venueIdOf(child) });
  }

  /** Reports that the throttle delays a request about the child. */
  hold(orderId: number, child: number): void {
    this.inbox.reports.push({
      kind: 'Throttled',
      account: 'alice' as AccountId,
      venue: 'BINANCE',
      orderId: orderId as OrderId,
      child: child as ChildNumber,
      atMs: this.nowMs,
    });
  }

  /** Reports that the child ended with quantity left. `filled`: its total fill. */
  end(orderId: number, child: number, filled = 0): void {
    this.report(orderId, child, {
      kind: 'Cancelled',
      venueOrderId: venueIdOf(child),
      cause: null,
      filled: filled as Lots,
    });
  }

  /** The same for a child at another venue than BINANCE. */
  endAt(venue: Venue, orderId: number, child: number): void {
    this.at(venue, () => this.end(orderId, child));
  }

  /** Reports from another venue than BINANCE. */
  at(venue: Venue, report: () => void): void {
    const { reports } = this.inbox;
    const count = reports.length;
    this.#venue = venue;
    report();
    this.#venue = 'BINANCE';
    reports.push(...reports.splice(count).map((one) => ({ ...one, venue })));
  }

  /** Instrument that the order trades at the venue; undefined: the order is unknown. */
  #instrumentOf(orderId: number, venue: Venue): InstrumentIndex | undefined {
    const order = this.#orders.get(orderId);
    if (order === undefined) return undefined;
    return (order.legs.find((leg) => leg.venue === venue) ?? leadingLeg(order)).instrument;
  }

  /** Sends the answer to a status request, after the fills. */
  answer(orderId: number, child: number, answer: OrderStatusAnswer, filled = 0): void {
    this.report(orderId, child, { kind: 'StatusAnswered', answer, filled: filled as Lots });
  }

  fill(orderId: number, child: number, quantity: number, tradeId: number): void {
    const instrument = this.#instrumentOf(orderId, this.#venue);
    this.report(orderId, child, {
      kind: 'Filled',
      ...(instrument !== undefined && { instrument }),
      fill: {
        tradeId: tradeId as VenueTradeId,
        exchangeTradeId: '',
        venueOrderId: venueIdOf(child),
        quantity: quantity as Lots,
        price: 6_399_000 as Ticks,
        liquidity: 'MAKER',
        fee: 1n as Amount,
        feeCurrency: 'USDT',
      },
    });
  }

  /** Reports that the connection to one venue is lost or back, for one account or for all. */
  link(venue: Venue, isUp: boolean, account: AccountId | null = null): void {
    this.inbox.reports.push({ kind: 'Link', venue, account, isUp, atMs: this.nowMs });
  }

  quote(quote: Quote, instrument = BTC): void {
    this.market.write(instrument.index, quote, this.nowMs);
  }

  state(orderId: number): ParentState | null {
    return this.journal.state(orderId as OrderId);
  }

  /** Kinds of all journalled events. */
  get kinds(): AnyEvent['kind'][] {
    return this.journal.entries.map(({ envelope }) => envelope.event.kind);
  }

  #start(): Shard {
    const { inbox, main, venue, market } = this;
    const { journal = this.#diaryJournal(), isObserving = false, onFault = () => undefined, ...place } = this.#place;
    const clock = { nowMs: () => this.nowMs };
    const claims = new QuoteClaims(QuoteClaims.create(CATALOGUE.instruments.length));
    const quotes = isObserving ? { quotes: { source: market, claims, past: this.journal } } : {};
    const watch: ShardWatch = {
      atWork: () => undefined,
      onQuarantined: () => undefined,
      onContradiction: () => undefined,
      onSetAside: (orderId) => onFault(`set aside ${orderId}`),
      onReportLost: ({ orderId }) => onFault(`report lost ${orderId}`),
      onFault: (error) => onFault(String(error)),
      setQuarantinedCount: () => undefined,
    };
    const { suspects } = this;
    return new Shard({
      catalogue: CATALOGUE,
      ...place,
      ...quotes,
      watch,
      suspects,
      clock,
      journal,
      inbox,
      main,
      venue,
      market,
    });
  }

  /** The rig's journal, with a disk that can fail. */
  #diaryJournal(): TurnJournal {
    const { diary, journal } = this;
    return {
      waitingCount: 0,
      isFull: false,
      get openSeq(): number {
        return journal.openSeq;
      },
      releaseDurable: () => undefined,
      commit: (events, touched, release) => {
        if (this.isDiskBroken) throw new JournalFailure('the disk is broken');
        diary.push('commit');
        return journal.commit(events, touched, release);
      },
      hasTrade: (orderId, child, tradeId) => journal.hasTrade(orderId, child, tradeId),
      state: (orderId) => journal.state(orderId),
      openParents: (ownsSlot, onUnreadable) => journal.openParents(ownsSlot, onUnreadable),
    };
  }
}

export function venueIdOf(child: number): VenueOrderId {
  return `v${child}` as VenueOrderId;
}
