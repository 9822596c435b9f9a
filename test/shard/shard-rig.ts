import { JournalFailure, type TurnJournal } from '../../src/journal/port.js';
import type { Amount } from '../../src/model/amount.js';
import type { Command } from '../../src/model/command.js';
import type { Venue } from '../../src/model/exchange.js';
import type { AnyEvent } from '../../src/model/event.js';
import type {
  AccountId,
  ChildNumber,
  CorrelationId,
  OrderId,
  VenueOrderId,
  VenueTradeId,
} from '../../src/model/ids.js';
import type { ParentOrder, ParentState } from '../../src/model/order.js';
import type { Lots, Ticks } from '../../src/model/quantity.js';
import type { EpochMs } from '../../src/model/time.js';
import type {
  ChildRef,
  ExecutionReport,
  FundsReport,
  PositionsReport,
  QueriedState,
} from '../../src/model/venue-message.js';
import type { RestoreMark } from '../../src/model/restore.js';
import type { TradingMode } from '../../src/model/trading-halt.js';
import type { PositionState } from '../../src/model/position.js';
import type { ShardWatch } from '../../src/shard/port.js';
import { Shard, type ShardParts } from '../../src/shard/shard.js';
import { TapeClaims } from '../../src/wire/tape-claims.js';
import { FakeMarket, type Quote } from './fake-market.js';
import { FakeInbox, FakeMain, FakeVenue, type Diary } from './fake-ports.js';
import { MemoryJournal } from './memory-journal.js';
import { BTC, CATALOGUE, START_MS } from './sample-orders.js';

const TURNS_MAX = 50;
const RICH = 10n ** 27n;

type DistributiveOmit<Union, Key extends PropertyKey> = Union extends unknown ? Omit<Union, Key> : never;
/** A report without what the rig knows itself. */
type News = DistributiveOmit<ExecutionReport, keyof ChildRef | 'atMs'>;

export interface RigPlace {
  readonly shard: number;
  readonly shardCount: number;
  /** Stands in for the journal of the rig. */
  readonly journal?: TurnJournal;
  /** The shard observes its markets; it does not unless told. */
  readonly isObserving?: boolean;
  /** Whether children may be placed at the start; they may unless told. */
  readonly trading?: TradingMode;
  /** Hears of orders that are set aside, of reports that are lost, and of faults. */
  readonly onFault?: (line: string) => void;
  /** A restore that is not over; there is none unless told. It holds for restarts alone. */
  readonly restore?: RestoreMark;
  /** Stands in for the strategies that are offered. */
  readonly strategyFor?: NonNullable<ShardParts['strategyFor']>;
}

/** One shard among fakes, moved turn by turn; what it does to its surroundings stands in the diary. */
export class ShardRig {
  readonly diary: Diary = [];
  readonly inbox = new FakeInbox();
  readonly main = new FakeMain(this.diary);
  readonly venue = new FakeVenue(this.diary);
  readonly market = new FakeMarket();
  readonly journal = new MemoryJournal();
  shard: Shard;
  nowMs = START_MS;
  /** Orders that the next start quarantines. */
  suspects: readonly OrderId[] = [];
  /** The next commit fails as a broken disk does. */
  isDiskBroken = false;
  readonly #place: RigPlace;
  #lastCorrelationId = 0;

  constructor(place: RigPlace = { shard: 0, shardCount: 1 }) {
    this.#place = place;
    this.shard = this.#start();
    this.quote({});
  }

  /** The process is gone and back; only the journal is left. */
  restart(): void {
    this.inbox.commands.length = 0;
    this.inbox.reports.length = 0;
    this.venue.requests.length = 0;
    this.shard = this.#start();
    this.shard.recover();
  }

  /** Lets time pass, then takes one turn. */
  turn(afterMs = 0): boolean {
    this.nowMs = (this.nowMs + afterMs) as EpochMs;
    return this.shard.turn();
  }

  /** Takes turns until the shard would wait. A shard that never would has a turn that does nothing but call for the next. */
  rest(): void {
    for (let turns = 0; turns < TURNS_MAX; turns += 1) {
      if (!this.turn() && this.shard.nextWakeMs() > this.nowMs) return;
    }
    throw new Error(`the shard does not come to rest within ${TURNS_MAX} turns`);
  }

  /** Sends a create and takes a turn. */
  create(order: ParentOrder): CorrelationId {
    const correlationId = this.post({ kind: 'CreateParent', order });
    this.turn();
    return correlationId;
  }

  /** An order that works: its funds are known and it has placed what it can. */
  work(order: ParentOrder): void {
    this.create(order);
    this.fund(order.account);
    this.rest();
  }

  cancel(orderId: number, account = 'alice'): CorrelationId {
    return this.post({ kind: 'CancelParent', account: account as AccountId, orderId: orderId as OrderId });
  }

  post(command: DistributiveOmit<Command, 'correlationId'>): CorrelationId {
    this.#lastCorrelationId += 1;
    const correlationId = this.#lastCorrelationId as CorrelationId;
    this.inbox.commands.push({ ...command, correlationId });
    return correlationId;
  }

  /** The venue's answer to QueryFunds: enough of everything. */
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

  /** What the venue tells unasked of the positions of `alice`. */
  positions(positions: readonly PositionState[], change: Partial<PositionsReport> = {}): void {
    this.inbox.reports.push({
      kind: 'Positions',
      correlationId: 0 as CorrelationId,
      account: 'alice' as AccountId,
      venue: 'BINANCE',
      atMs: this.nowMs,
      isSnapshot: false,
      version: 2,
      positionMode: 'ONE_WAY',
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

  /** A request about the child waits on our side for its turn. */
  hold(orderId: number, child: number): void {
    this.inbox.reports.push({
      kind: 'Held',
      account: 'alice' as AccountId,
      venue: 'BINANCE',
      orderId: orderId as OrderId,
      child: child as ChildNumber,
      atMs: this.nowMs,
    });
  }

  /** The child has ended with quantity left; `filled` of it was traded in all. */
  end(orderId: number, child: number, filled = 0): void {
    this.report(orderId, child, {
      kind: 'Cancelled',
      venueOrderId: venueIdOf(child),
      cause: null,
      filled: filled as Lots,
    });
  }

  /** The same of a child at another venue than BINANCE. */
  endAt(venue: Venue, orderId: number, child: number): void {
    this.#elsewhere(venue, () => this.end(orderId, child));
  }

  fillAt(venue: Venue, orderId: number, child: number, quantity: number, tradeId: number): void {
    this.#elsewhere(venue, () => this.fill(orderId, child, quantity, tradeId));
  }

  #elsewhere(venue: Venue, report: () => void): void {
    const { reports } = this.inbox;
    const told = reports.length;
    report();
    reports.push(...reports.splice(told).map((one) => ({ ...one, venue })));
  }

  /** The answer to a query, behind the fills. */
  answer(orderId: number, child: number, answer: QueriedState, filled = 0): void {
    this.report(orderId, child, { kind: 'QueryAnswered', answer, filled: filled as Lots });
  }

  fill(orderId: number, child: number, quantity: number, tradeId: number): void {
    this.report(orderId, child, {
      kind: 'Filled',
      fill: {
        tradeId: tradeId as VenueTradeId,
        venueOrderId: venueIdOf(child),
        quantity: quantity as Lots,
        price: 6_399_000 as Ticks,
        liquidity: 'MAKER',
        fee: 1n as Amount,
        feeCurrency: 'USDT',
      },
    });
  }

  /** The connection to one venue is lost or back. */
  link(venue: Venue, isUp: boolean): void {
    this.inbox.reports.push({ kind: 'Link', venue, isUp, atMs: this.nowMs });
  }

  quote(quote: Quote, instrument = BTC): void {
    this.market.write(instrument.index, quote, this.nowMs);
  }

  state(orderId: number): ParentState | null {
    return this.journal.state(orderId as OrderId);
  }

  /** Kinds of everything journalled so far. */
  get kinds(): AnyEvent['kind'][] {
    return this.journal.entries.map(({ envelope }) => envelope.event.kind);
  }

  #start(): Shard {
    const { inbox, main, venue, market } = this;
    const { journal = this.#diaryJournal(), isObserving = false, onFault = () => undefined, ...place } = this.#place;
    const clock = { nowMs: () => this.nowMs };
    const claims = new TapeClaims(TapeClaims.create(CATALOGUE.instruments.length));
    const tape = isObserving ? { tape: { source: market, claims, past: this.journal } } : {};
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
      ...place,
      ...tape,
      watch,
      suspects,
      clock,
      catalogue: CATALOGUE,
      journal,
      inbox,
      main,
      venue,
      market,
    });
  }

  /** The journal of the rig, on a disk that may break. */
  #diaryJournal(): TurnJournal {
    const { diary, journal } = this;
    return {
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
