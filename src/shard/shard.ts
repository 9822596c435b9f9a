import { JournalFailure, type NumberedEvent, type TurnJournal } from '../journal/port.js';
import { assert } from '../model/assert.js';
import type { Command } from '../model/command.js';
import type { EventEnvelope } from '../model/event.js';
import { ownerOf, shardOf, type AccountId, type ChildNumber, type CorrelationId, type OrderId } from '../model/ids.js';
import type { InstrumentCatalogue } from '../model/instrument.js';
import type { Strategy } from '../model/intent.js';
import { MESSAGES_PER_TURN_MAX, OPEN_PARENTS_PER_SHARD_MAX, TIMERS_PER_TURN_MAX } from '../model/limits.js';
import { isTerminal, type ParentOrder, type ParentState } from '../model/order.js';
import { tradesAt } from '../model/pair.js';
import type { Rejection } from '../model/rejection.js';
import type { RestoreMark } from '../model/restore.js';
import type { Clock, EpochMs } from '../model/time.js';
import { isHaltedFor, TRADING_OPEN, type TradingMode } from '../model/trading-halt.js';
import type {
  CandlesReport,
  ExecutionReport,
  FundsReport,
  HeldReport,
  LinkReport,
  PositionsReport,
  VenueReport,
  VenueRequest,
} from '../model/venue-message.js';
import { isChildNumber, isUsableFill } from '../order/contradiction.js';
import { decide, type OrderInput } from '../order/decide.js';
import { strategyFor } from '../strategy/registry.js';
import { AccountRecord } from './account-record.js';
import { Actor } from './actor.js';
import { FundsView } from './funds.js';
import { MarketInterests } from './interests.js';
import { LazyHeap } from './lazy-heap.js';
import { eventAtMs, OrderGuard } from './order-guard.js';
import { OrderLife } from './order-life.js';
import { MarketTape, type TapeParts } from './market-tape.js';
import type { Inbox, MainOutbox, MarketView, ShardWatch, VenueOutbox } from './port.js';
import { Sight } from './sight.js';
import { SilenceWatch } from './silence-watch.js';
import { Sweep } from './sweep.js';
import { TurnBatch } from './turn-batch.js';
import { VenueLinks } from './venue-links.js';
import { VolumeProfiles } from './volume-profiles.js';

/** Why every order is looked at: this shard has just started, or the venue went or came back. */
type SweepCause = Extract<OrderInput, { readonly kind: 'Recover' | 'Restore' | 'VenueLost' | 'VenueBack' }>;

/** An order, as an account names it in a command. */
interface Asked {
  readonly orderId: OrderId;
  readonly account: AccountId;
  readonly correlationId: CorrelationId;
}

export interface ShardParts {
  readonly shard: number;
  readonly shardCount: number;
  readonly clock: Clock;
  readonly catalogue: InstrumentCatalogue;
  readonly journal: TurnJournal;
  readonly inbox: Inbox;
  readonly main: MainOutbox;
  readonly venue: VenueOutbox;
  readonly market: MarketView;
  /** Whether children may be placed at the start; absent: they may. */
  readonly trading?: TradingMode;
  /** The restore that is not over; absent: there is none. */
  readonly restore?: RestoreMark | null;
  /** What is kept of the markets; absent: nothing is. */
  readonly tape?: TapeParts;
  /** Absent: nothing follows what goes wrong. */
  readonly watch?: ShardWatch;
  /** Orders to be quarantined at the start: the thread died repeatedly while it worked on them. */
  readonly suspects?: readonly OrderId[];
  /** How an order is worked, null when it cannot be; by the strategies that are offered when absent. */
  readonly strategyFor?: (order: ParentOrder) => Strategy | null;
}

/**
 * The turn of a shard. It owns its parent orders alone, never awaits, and lets nothing out before it is on disk:
 *
 *   read the clock ─▶ drain commands, reports, due timers, changed markets ─▶ decide and fold, order by order
 *        ─▶ journal.commit: one sync ─▶ release: answers, events, child orders ─▶ one LMDB transaction
 */
export class Shard {
  readonly #parts: ShardParts;
  readonly #actors = new Map<OrderId, Actor>();
  readonly #batch = new TurnBatch();
  readonly #timers = new LazyHeap<Actor>((actor, atMs) => actor.wakeAtMs === atMs);
  readonly #interests: MarketInterests;
  readonly #funds = new FundsView();
  readonly #accounts: AccountRecord;
  readonly #profiles = new VolumeProfiles((request) => this.#batch.requests.push(request));
  readonly #life: OrderLife;
  readonly #guard: OrderGuard;
  readonly #watch: ShardWatch;
  /** Orders to be looked at after a start or when the venue went or came back, a bounded number a turn. */
  readonly #sweep = new Sweep<SweepCause, Actor>();
  /** Orders to be looked at because trading goes on, a bounded number a turn. */
  readonly #resumed = new Sweep<null, Actor>();
  readonly #tape: MarketTape | null;
  readonly #links = new VenueLinks();
  readonly #silence = new SilenceWatch((venue) => this.#links.isUp(venue));
  /** Requests to be sent at a later time. */
  readonly #later = new LazyHeap<VenueRequest>(() => true);
  #commandsTaken = 0;
  #due: Actor[] = [];
  #isStopped = false;
  #nowMs = 0 as EpochMs;
  #hasMissed = false;
  #trading: TradingMode;
  #suspects: readonly OrderId[] = [];

  constructor(parts: ShardParts) {
    this.#parts = parts;
    this.#trading = parts.trading ?? TRADING_OPEN;
    this.#interests = new MarketInterests(parts.market);
    this.#accounts = new AccountRecord({ ...parts, batch: this.#batch });
    this.#tape = parts.tape
      ? new MarketTape({ ...parts, ...parts.tape, interests: this.#interests, batch: this.#batch })
      : null;
    this.#watch = parts.watch ?? NO_WATCH;
    const sight = new Sight({ strategyFor, ...parts, interests: this.#interests, profiles: this.#profiles });
    this.#life = new OrderLife({
      catalogue: parts.catalogue,
      batch: this.#batch,
      market: parts.market,
      interests: this.#interests,
      sight,
      timers: this.#timers,
      funds: this.#funds,
      isVenueUp: (venue) => this.#links.isUp(venue),
      isHalted: (account) => isHaltedFor(this.#trading, account),
      send: (request, atMs) => this.#send(request, atMs),
    });
    this.#guard = new OrderGuard({ batch: this.#batch, life: this.#life, watch: this.#watch });
  }

  /** Loads the open parents this shard owns; their children are then asked for at the venue, and markets observed on. */
  recover(): number {
    const { shard, shardCount, journal, suspects = [] } = this.#parts;
    const isOwn = (slot: number): boolean => ownerOf(slot, shardCount) === shard;
    for (const state of journal.openParents(isOwn, (orderId, error) => this.#guard.putAside(orderId, error))) {
      this.#load(state);
    }
    this.#suspects = suspects.filter((orderId) => this.#actors.has(orderId));
    this.#tape?.recover(this.#parts.clock.nowMs());
    this.#startRestore(this.#parts.restore ?? null);
    this.#sweep.start({ kind: 'Recover' }, this.#actors.values());
    return this.#actors.size;
  }

  #load(state: ParentState): void {
    const { orderId, instrument } = state.order;
    try {
      this.#actors.set(orderId, new Actor(state, this.#parts.catalogue.at(instrument)));
      if (state.quarantine !== null) this.#guard.noteLoaded(state);
    } catch (error) {
      this.#guard.putAside(orderId, error);
    }
  }

  /** Orders of accounts that trade again have been reconciled, or were created since. */
  #startRestore(restore: RestoreMark | null): void {
    if (restore === null) return;
    const { epoch, exempt } = restore;
    const restored = [...this.#actors.values()].filter(({ state }) => !exempt.includes(state.order.account));
    this.#sweep.start({ kind: 'Restore', epoch }, restored);
  }

  get openParentCount(): number {
    return this.#actors.size;
  }

  /** True once every order found at the start has been looked at. */
  get isRecovered(): boolean {
    return this.#sweep.isDone;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Service time of the next turn that is due even if nothing comes in. */
  nextWakeMs(): number {
    const roundMs = this.#tape?.nextRoundMs() ?? Infinity;
    return Math.min(this.#timers.lowest(), this.#later.lowest(), this.#silence.nextReviewMs(), roundMs);
  }

  /** True while new commands wait in their ring because the venue or the main thread is behind. */
  get isHeldBack(): boolean {
    return this.#parts.venue.isFull || !this.#parts.main.hasRoom() || this.#hasMissed;
  }

  /** True when the last turn took commands. */
  get hasAnswered(): boolean {
    return this.#commandsTaken > 0;
  }

  /**
   * One turn; true when it left something behind, so that the next one must follow without a wait. What comes in after
   * the drain rings the bell.
   */
  turn(): boolean {
    const nowMs = this.#parts.clock.nowMs();
    this.#nowMs = nowMs;
    this.#batch.begin(nowMs);
    this.#quarantineSuspects(nowMs);
    const isCutShort = this.#drain(nowMs);
    for (const actor of this.#due) {
      actor.isDue = false;
      this.#guard.run(actor, nowMs, () => {
        this.#life.advance(actor, nowMs);
        if (!actor.state.isReconciling) this.#silence.watch(actor, nowMs);
      });
    }
    this.#due = [];
    this.#watch.atWork(null);
    this.#tape?.observe(nowMs);
    this.#commitAndRelease();
    return isCutShort || !this.#sweep.isDone || !this.#resumed.isDone;
  }

  /** Takes in what waits, each kind up to its bound; true when a bound cut one short. */
  #drain(nowMs: EpochMs): boolean {
    const { inbox, market } = this.#parts;
    const reportsTaken = inbox.drainReports(MESSAGES_PER_TURN_MAX, (report) => this.#onReport(report));
    // While the venue or the main thread cannot take more, new work waits in its ring, which then refuses it.
    this.#commandsTaken = this.isHeldBack
      ? 0
      : inbox.drainCommands(MESSAGES_PER_TURN_MAX, (command) => this.#onCommand(command));
    for (let count = 0; count < TIMERS_PER_TURN_MAX; count += 1) {
      const actor = this.#timers.popUpTo(nowMs);
      if (actor === undefined) break;
      actor.wakeAtMs = Infinity;
      this.#markDue(actor);
    }
    for (let request = this.#later.popUpTo(nowMs); request !== undefined; request = this.#later.popUpTo(nowMs)) {
      this.#batch.requests.push(request);
    }
    this.#silence.review(nowMs, TIMERS_PER_TURN_MAX, (actor, children) => this.#breakSilence(actor, children));
    market.takeChanged((instrument) => {
      this.#interests.collect(instrument, market.read(instrument), (actor) => this.#markDue(actor));
    });
    this.#sweep.run(MESSAGES_PER_TURN_MAX, (cause, actor) => this.#onSweep(cause, actor));
    this.#resumed.run(MESSAGES_PER_TURN_MAX, (_cause, actor) => this.#markDue(actor));
    return reportsTaken === MESSAGES_PER_TURN_MAX || this.#commandsTaken === MESSAGES_PER_TURN_MAX;
  }

  /** Before anything else is done to them: their last look may have ended the thread. */
  #quarantineSuspects(nowMs: EpochMs): void {
    for (const orderId of this.#suspects) {
      const actor = this.#actors.get(orderId);
      const detail = 'the thread of the order died repeatedly while it worked on the order';
      if (actor !== undefined) this.#guard.quarantine(actor, nowMs, 'SHARD_DEATH', detail);
    }
    this.#suspects = [];
  }

  #commitAndRelease(): void {
    for (const { request, atMs } of this.#batch.later) this.#later.push(request, atMs);
    this.#batch.later.length = 0;
    this.#watch.setQuarantinedCount(this.#guard.quarantinedCount);
    if (this.#batch.isEmpty) return this.#flush();
    this.#batch.commit(this.#parts.journal, (events) => this.#release(events));
    this.#batch.forEachTouched((actor) => this.#settle(actor));
    this.#batch.clear();
  }

  /** Lets out what the turn has decided: it is on disk. */
  #release(events: readonly NumberedEvent[]): void {
    const { main, venue } = this.#parts;
    // Answers first: hasRoom kept room for them, and events that find none can be read in the journal.
    if (this.#batch.releaseAnswers(main) > 0) this.#hasMissed = true;
    for (const event of events) {
      this.#follow(event.envelope);
      // Nobody follows observations: who measures an execution reads them in the journal.
      if (event.envelope.event.kind !== 'MarketObserved' && !main.publish(event)) this.#hasMissed = true;
    }
    for (const request of this.#batch.requests) venue.send(request);
    this.#flush();
  }

  #follow({ event, orderId, account }: EventEnvelope): void {
    if (orderId === null) return;
    if (event.kind === 'ParentQuarantined') this.#watch.onQuarantined(orderId, account, event);
    else if (event.kind === 'ReportContradicted') this.#watch.onContradiction(event.contradiction);
    else if (event.kind === 'ChildFilled' && event.isLate) this.#watch.onContradiction('LATE_FILL');
  }

  #flush(): void {
    const { main, venue } = this.#parts;
    if (this.#hasMissed && main.missed()) this.#hasMissed = false;
    venue.flush();
    main.flush();
  }

  /** An order that has ended leaves the shard; its state stays in LMDB. */
  #settle(actor: Actor): void {
    if (!isTerminal(actor.state.status)) return;
    const { orderId } = actor.state.order;
    this.#actors.delete(orderId);
    this.#guard.leave(orderId);
    this.#silence.leave(actor);
    // The order is over and durable: what fails here concerns its markets alone.
    this.#pass(() => this.#life.retire(actor));
  }

  #send(request: VenueRequest, atMs: EpochMs): void {
    if (atMs > this.#nowMs) this.#batch.later.push({ request, atMs });
    else this.#batch.requests.push(request);
  }

  #markDue(actor: Actor): void {
    if (actor.isDue) return;
    actor.isDue = true;
    this.#due.push(actor);
  }

  #onCommand(command: Command): void {
    switch (command.kind) {
      case 'CreateParent':
        return this.#create(command);
      case 'CancelParent':
        return this.#ask(command, () => ({ kind: 'Cancel' }));
      case 'PauseParent':
        return this.#ask(command, () => ({ kind: 'Pause' }));
      case 'ResumeParent':
        return this.#ask(command, () => ({ kind: 'Resume' }));
      case 'AmendParent':
        return this.#amend(command);
      case 'ReleaseParent':
        return this.#releaseQuarantined(command);
      case 'ReconcileParent':
        return this.#ask(command, () => ({ ...command, kind: 'Reconcile' }));
      case 'VenueLink':
        return this.#onVenueLink(command.isUp);
      case 'SetTrading':
        return this.#setTrading(command);
      case 'StopShard':
        this.#isStopped = true;
        return undefined;
      default:
        return command satisfies never;
    }
  }

  /** Orders that may be worked are looked at once. */
  #setTrading({ isHalted, exempt }: TradingMode): void {
    this.#trading = { isHalted, exempt };
    const resumed = [...this.#actors.values()].filter(({ state }) => !isHaltedFor(this.#trading, state.order.account));
    this.#resumed.start(null, resumed);
  }

  #create({ order, correlationId }: Extract<Command, { kind: 'CreateParent' }>): void {
    const mark = this.#batch.mark(null);
    try {
      this.#begin(order, correlationId);
    } catch (error) {
      if (error instanceof JournalFailure) throw error;
      this.#batch.rollBack(mark);
      this.#watch.onFault(error);
      this.#batch.answer(correlationId, order.orderId, failureOf(order.orderId));
    }
  }

  #begin(order: ParentOrder, correlationId: CorrelationId): void {
    const { shard, shardCount, catalogue } = this.#parts;
    assert(shardOf(order.orderId, shardCount) === shard, `order ${order.orderId} belongs to shard ${shard}`);
    assert(!this.#actors.has(order.orderId), `order id ${order.orderId} is given once`);
    if (this.#actors.size >= OPEN_PARENTS_PER_SHARD_MAX) {
      const message = `shard ${shard} works ${OPEN_PARENTS_PER_SHARD_MAX} open orders, its maximum`;
      this.#batch.answer(correlationId, order.orderId, { code: 'SYSTEM_BUSY', message });
      return;
    }
    const instrument = catalogue.at(order.instrument);
    const decision = decide(null, { kind: 'Create', order }, { nowMs: this.#nowMs, instrument });
    if ('rejection' in decision) return this.#batch.answer(correlationId, order.orderId, decision.rejection);
    const [created] = decision.events;
    assert(created !== undefined && decision.events.length === 1, 'a create makes one event');
    const actor = this.#batch.create(created, instrument, correlationId);
    this.#actors.set(order.orderId, actor);
    this.#markDue(actor);
  }

  #amend({ order, correlationId }: Extract<Command, { kind: 'AmendParent' }>): void {
    this.#ask({ ...order, correlationId }, () => this.#life.amendmentOf(order));
  }

  /** What an account asks of one of its open orders. */
  #ask({ orderId, account, correlationId }: Asked, input: () => OrderInput): void {
    const actor = this.#actors.get(orderId);
    if (actor === undefined || actor.state.order.account !== account) {
      const message = `order_id ${orderId} is not an open order`;
      this.#batch.answer(correlationId, orderId, { code: 'INVALID_ORDER', message });
      return;
    }
    this.#carryOut(actor, correlationId, input);
  }

  /** Carries out a command, and answers it unless its events do. One that fails is tried again once, quarantined. */
  #carryOut(actor: Actor, correlationId: CorrelationId, input: () => OrderInput): void {
    const { orderId } = actor.state.order;
    let before = actor.state;
    let rejection: Rejection | null = null;
    const work = (): void => {
      before = actor.state;
      rejection = this.#life.apply(actor, input(), this.#nowMs, this.#nowMs, correlationId);
    };
    const isDone = this.#guard.run(actor, this.#nowMs, work) || this.#guard.run(actor, this.#nowMs, work);
    if (!isDone) this.#batch.answer(correlationId, orderId, failureOf(orderId));
    else if (rejection !== null || actor.state === before) this.#batch.answer(correlationId, orderId, rejection);
    this.#markDue(actor);
  }

  #releaseQuarantined({ orderId, correlationId }: Extract<Command, { kind: 'ReleaseParent' }>): void {
    const actor = this.#actors.get(orderId);
    if (actor === undefined) return this.#batch.answer(correlationId, orderId, null);
    this.#carryOut(actor, correlationId, () => ({ kind: 'Release' }));
  }

  #onReport(report: VenueReport): void {
    if (report.kind === 'Link') return this.#onLink(report);
    if (report.kind === 'Held') return this.#onHeld(report);
    if (report.kind === 'Funds' || report.kind === 'Positions' || report.kind === 'Candles') {
      return this.#pass(() => this.#onAccountReport(report));
    }
    if (!isExecution(report)) return;
    if (report.kind === 'Filled' && this.#isRepeated(report)) return;
    const actor = this.#actors.get(report.orderId);
    if (actor === undefined) return this.#onLateReport(report);
    this.#guard.takeReport(actor, this.#nowMs, report);
    this.#markDue(actor);
  }

  #onAccountReport(report: FundsReport | PositionsReport | CandlesReport): void {
    if (report.kind === 'Funds') this.#onFunds(report);
    else if (report.kind === 'Positions') this.#accounts.onPositions(report);
    else this.#onCandles(report);
  }

  /** Does what belongs to no single order. When it fails, nothing of it is left and the shard goes on without it. */
  #pass(work: () => void): void {
    const mark = this.#batch.mark(null);
    try {
      work();
    } catch (error) {
      if (error instanceof JournalFailure) throw error;
      this.#batch.rollBack(mark);
      this.#watch.onFault(error);
    }
  }

  #onHeld({ orderId, child }: HeldReport): void {
    const actor = this.#actors.get(orderId);
    if (actor !== undefined) this.#silence.excuse(actor, child);
  }

  #isRepeated(report: Extract<ExecutionReport, { kind: 'Filled' }>): boolean {
    const { orderId, child, fill } = report;
    // What is no fill can be no repeated one.
    if (!isUsableFill(fill) || !isChildNumber(child)) return false;
    return (
      this.#batch.noteTrade(orderId, child, fill.tradeId) || this.#parts.journal.hasTrade(orderId, child, fill.tradeId)
    );
  }

  /** A report on an order that has ended: a late fill is recorded, for dropping it would lose a position. */
  #onLateReport(report: ExecutionReport): void {
    if (this.#guard.isSetAside(report.orderId)) return this.#watch.onReportLost(report);
    this.#pass(() => this.#takeLate(report));
  }

  #takeLate(report: ExecutionReport): void {
    const state: ParentState | null =
      this.#batch.lateState(report.orderId) ?? this.#parts.journal.state(report.orderId);
    if (state === null) return this.#watch.onContradiction('UNKNOWN_CHILD');
    const instrument = this.#parts.catalogue.at(state.order.instrument);
    const decision = decide(state, { kind: 'Report', report }, { nowMs: this.#nowMs, instrument });
    if ('rejection' in decision) return;
    let next = state;
    for (const event of decision.events) next = this.#batch.addLate(next, event, eventAtMs(report, this.#nowMs));
  }

  #onFunds(report: FundsReport): void {
    for (const actor of this.#funds.apply(report)) this.#markDue(actor);
    this.#accounts.onFunds(report);
  }

  #onCandles(report: CandlesReport): void {
    for (const { owner } of this.#profiles.apply(report, this.#nowMs)) this.#markDue(owner);
  }

  /** The venue worker with all its venues went or came back. */
  #onVenueLink(isUp: boolean): void {
    if (!this.#links.setWorker(isUp)) return;
    for (const actor of this.#funds.forget(null)) this.#markDue(actor);
    this.#profiles.forget(null);
    this.#sweep.start({ kind: isUp ? 'VenueBack' : 'VenueLost', venue: null }, this.#actors.values());
  }

  /** One venue went or came back. */
  #onLink({ venue, isUp }: LinkReport): void {
    if (!this.#links.setVenue(venue, isUp)) return;
    for (const actor of this.#funds.forget(venue)) this.#markDue(actor);
    this.#profiles.forget(venue);
    const concerned = [...this.#actors.values()].filter(({ state }) => tradesAt(state.order, venue));
    this.#sweep.start({ kind: isUp ? 'VenueBack' : 'VenueLost', venue }, concerned);
  }

  #breakSilence(actor: Actor, children: readonly ChildNumber[]): void {
    const nowMs = this.#nowMs;
    this.#guard.run(actor, nowMs, () => void this.#life.apply(actor, { kind: 'Silence', children }, nowMs));
  }

  #onSweep(cause: SweepCause, actor: Actor): void {
    if (isTerminal(actor.state.status)) return;
    this.#guard.run(actor, this.#nowMs, () => void this.#life.apply(actor, cause, this.#nowMs));
    this.#markDue(actor);
  }
}

const NO_WATCH: ShardWatch = {
  atWork() {},
  onQuarantined() {},
  onContradiction() {},
  onSetAside() {},
  onReportLost() {},
  onFault() {},
  setQuarantinedCount() {},
};

function failureOf(orderId: OrderId): Rejection {
  const message = `order_id ${orderId}: the request failed by an error of the service, which is logged`;
  return { code: 'SYSTEM_ERROR', message };
}

/** Settings and amendments are nobody's here yet. */
function isExecution(report: Exclude<VenueReport, HeldReport>): report is ExecutionReport {
  return 'child' in report && report.kind !== 'Amended' && report.kind !== 'AmendRejected';
}
