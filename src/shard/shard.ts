import type { TurnJournal } from '../journal/port.js';
import { type Command, isHaltedFor, TRADING_OPEN, type TradingMode } from '../domain/command.js';
import type { EventEnvelope } from '../domain/event.js';
import type { AccountId, ChildNumber, OrderId } from '../domain/ids.js';
import type { RealVenues, Venue } from '../domain/exchange.js';
import type { InstrumentCatalogue } from '../domain/instrument.js';
import type { Strategy } from '../strategy/strategy.js';
import { MESSAGES_PER_TURN_MAX, TIMERS_PER_TURN_MAX } from '../domain/limits/trading.js';
import { NumberMap } from '../domain/number-map.js';
import { isTerminal, type ParentOrder } from '../domain/order.js';
import type { RestoreMark } from '../domain/restore.js';
import type { Clock, EpochMs } from '../domain/time.js';
import type { VenueRequest } from '../domain/venue-message.js';
import type { LinkReport } from '../domain/venue-report.js';
import { strategyFor } from '../strategy/registry.js';
import { AccountRecord, FundsView } from './accounts.js';
import { AdmissionPositions } from './admission-positions.js';
import type { Actor } from './actor.js';
import { MarketSubscriptions } from './market-subscriptions.js';
import { LazyHeap } from '../domain/queues.js';
import { OrderGuard } from './order-guard.js';
import { OrderCommands } from './order-commands.js';
import { OrderLifecycle } from './order-lifecycle.js';
import { OrderLoading } from './order-loading.js';
import { OrderPasses } from './order-passes.js';
import { QuoteHistory, type QuoteParts } from './quote-history.js';
import {
  type AccountOrders,
  type Inbox,
  type MainOutbox,
  type MarketView,
  NO_ACCOUNT_ORDERS,
  NO_WATCH,
  type ShardWatch,
  type VenueOutbox,
} from './port.js';
import { PackedStates } from './packed-states.js';
import { ReportIntake } from './report-intake.js';
import { StrategyHost } from './strategy-host.js';
import { AckTimeoutWatchdog, VenueLinks } from './venue-watch.js';
import { type Answer, TurnBatch, type TurnOutput } from './turn-batch.js';
import { VolumeProfiles } from './volume-profiles.js';

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
  /** Trading mode at the start. Default: trading is open. */
  readonly trading?: TradingMode;
  /** The unfinished restore. Default: none. */
  readonly restore?: RestoreMark | null;
  /** Parts of the quote history. Default: no history is journalled. */
  readonly quotes?: QuoteParts;
  /** Observer of faults. Default: none. */
  readonly watch?: ShardWatch;
  /** Counts open orders by account. Default: they are not counted. */
  readonly accountOrders?: AccountOrders;
  /** Orders to quarantine at the start: the thread died repeatedly during their work. */
  readonly suspects?: readonly OrderId[];
  /** Exchanges with a worker of their own. Default: none. */
  readonly realVenues?: RealVenues;
  /** Returns an order's strategy, or null when it has none. Default: the strategies that the service offers. */
  readonly strategyFor?: (order: ParentOrder) => Strategy | null;
}

const NO_VENUES: RealVenues = new Map();

/**
 * Runs the turns of a shard. The shard alone owns its parent orders, never awaits, and releases nothing before it is
 * on disk:
 *
 *   release the earlier turns that are durable: answers, events, child orders
 *        ─▶ read the clock ─▶ drain commands, reports, due timers, changed markets ─▶ decide and fold, order by order
 *        ─▶ journal.commit
 *
 * The next turn does not wait for the disk. Only what leaves the shard waits.
 */
export class Shard {
  readonly #parts: ShardParts;
  readonly #actors = new NumberMap<OrderId, Actor>();
  readonly #packed = new PackedStates();
  readonly #batch = new TurnBatch();
  readonly #timers = new LazyHeap<Actor>((actor, atMs) => actor.wakeAtMs === atMs);
  readonly #subscriptions: MarketSubscriptions;
  readonly #funds = new FundsView();
  readonly #positions = new AdmissionPositions();
  readonly #profiles = new VolumeProfiles((request) => this.#batch.requests.push(request));
  readonly #lifecycle: OrderLifecycle;
  readonly #guard: OrderGuard;
  readonly #loading: OrderLoading;
  readonly #commands: OrderCommands;
  readonly #reports: ReportIntake;
  readonly #watch: ShardWatch;
  readonly #accountOrders: AccountOrders;
  readonly #passes: OrderPasses;
  readonly #quotes: QuoteHistory | null;
  readonly #links: VenueLinks;
  readonly #ackTimeouts: AckTimeoutWatchdog;
  /** Requests for a later time. */
  readonly #later = new LazyHeap<VenueRequest>(() => true);
  #commandsTaken = 0;
  #due: Actor[] = [];
  #isStopped = false;
  #nowMs = 0 as EpochMs;
  #hasMissed = false;
  #trading: TradingMode;

  constructor(parts: ShardParts) {
    this.#parts = parts;
    this.#trading = parts.trading ?? TRADING_OPEN;
    this.#links = new VenueLinks(parts.realVenues ?? NO_VENUES);
    this.#ackTimeouts = new AckTimeoutWatchdog((venue, account) => this.#links.isUp(venue, account));
    const { shard, shardCount, catalogue, journal, quotes } = parts;
    this.#subscriptions = new MarketSubscriptions(parts.market);
    this.#quotes = quotes
      ? new QuoteHistory({ ...quotes, shard, catalogue, subscriptions: this.#subscriptions, batch: this.#batch })
      : null;
    this.#watch = parts.watch ?? NO_WATCH;
    this.#accountOrders = parts.accountOrders ?? NO_ACCOUNT_ORDERS;
    this.#lifecycle = this.#newLifecycle(parts);
    this.#guard = new OrderGuard({ batch: this.#batch, lifecycle: this.#lifecycle, watch: this.#watch });
    this.#loading = new OrderLoading({
      ...parts,
      actors: this.#actors,
      packed: this.#packed,
      guard: this.#guard,
      accountOrders: this.#accountOrders,
    });
    const markDue = (actor: Actor): void => this.#markDue(actor);
    this.#passes = new OrderPasses({
      guard: this.#guard,
      lifecycle: this.#lifecycle,
      packed: this.#packed,
      markDue,
      isHalted: (account) => isHaltedFor(this.#trading, account),
      restore: parts.restore ?? null,
      realVenues: parts.realVenues ?? NO_VENUES,
    });
    const work = {
      catalogue,
      actors: this.#actors,
      batch: this.#batch,
      guard: this.#guard,
      markDue,
    };
    this.#commands = new OrderCommands({
      ...work,
      shard,
      shardCount,
      openSeq: journal.openSeq,
      accountOrders: this.#accountOrders,
      lifecycle: this.#lifecycle,
    });
    this.#reports = new ReportIntake({
      ...work,
      journal,
      watch: this.#watch,
      funds: this.#funds,
      positions: this.#positions,
      accounts: new AccountRecord({ batch: this.#batch, catalogue, shard, shardCount }),
      profiles: this.#profiles,
      ackTimeouts: this.#ackTimeouts,
      beforeReport: (actor) => this.#passes.restoreFirst(actor, this.#nowMs),
      send: (request, atMs) => this.#send(request, atMs),
    });
  }

  #newLifecycle({ catalogue, market, strategyFor: strategyOf = strategyFor }: ShardParts): OrderLifecycle {
    const strategies = new StrategyHost({
      strategyFor: strategyOf,
      market,
      subscriptions: this.#subscriptions,
      profiles: this.#profiles,
    });
    return new OrderLifecycle({
      catalogue,
      batch: this.#batch,
      market,
      subscriptions: this.#subscriptions,
      strategies,
      timers: this.#timers,
      funds: this.#funds,
      positions: this.#positions,
      isVenueUp: (venue, account) => this.#links.isUp(venue, account),
      venueWaitUntilMs: (venue, account) => this.#links.waitUntilMs(venue, account),
      isHalted: (account) => isHaltedFor(this.#trading, account),
      send: (request, atMs) => this.#send(request, atMs),
    });
  }

  /** Loads this shard's open parents. The next turns request the status of their children and observe their markets. */
  recover(): number {
    this.#loading.load();
    const nowMs = this.#parts.clock.nowMs();
    this.#subscriptions.begin(nowMs);
    this.#quotes?.recover(nowMs);
    const { restore = null } = this.#parts;
    if (restore !== null) this.#passes.sweep({ kind: 'Restore', epoch: restore.epoch }, this.#actors.values());
    this.#passes.sweep({ kind: 'Recover' }, this.#actors.values());
    return this.#actors.size;
  }

  get openParentCount(): number {
    return this.#actors.size;
  }

  /** True after every order found at the start was checked. */
  get isRecovered(): boolean {
    return this.#passes.isSwept;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Service time of the next turn that is due without a message. */
  nextWakeMs(): number {
    const roundMs = this.#quotes?.nextRoundMs() ?? Infinity;
    return Math.min(this.#timers.lowest(), this.#later.lowest(), this.#ackTimeouts.nextReviewMs(), roundMs);
  }

  /** True while new commands wait in their ring because the venue, the main thread or the disk is too slow. */
  get isBackpressured(): boolean {
    const { venue, main, journal } = this.#parts;
    return venue.isFull || !main.hasRoom() || this.#hasMissed || journal.isFull;
  }

  /** True while a turn waits for the disk. */
  get isWaiting(): boolean {
    return this.#parts.journal.waitingCount > 0;
  }

  /** Releases the turns that are durable and makes no new one. */
  releaseDurable(): void {
    if (!this.isWaiting) return;
    this.#parts.journal.releaseDurable();
    this.#flush();
  }

  /**
   * Runs one turn. Returns true when work is left, so that the next turn must follow without a wait. A message after
   * the drain rings the bell.
   */
  turn(): boolean {
    this.releaseDurable();
    const nowMs = this.#parts.clock.nowMs();
    this.#nowMs = nowMs;
    this.#batch.begin(nowMs);
    this.#subscriptions.begin(nowMs);
    this.#loading.quarantineSuspects(nowMs);
    const isCutShort = this.#drain(nowMs);
    for (const actor of this.#due) {
      actor.isDue = false;
      this.#guard.run(actor, nowMs, () => {
        this.#lifecycle.advance(actor, nowMs);
        if (!actor.state.isReconciling) this.#ackTimeouts.watch(actor, nowMs);
      });
    }
    const due = this.#due;
    this.#due = [];
    this.#watch.atWork(null);
    this.#quotes?.observe(nowMs);
    this.#commitAndRelease();
    for (const actor of due) actor.rest(this.#packed);
    return isCutShort || !this.#passes.isDone || this.#profiles.isLearning;
  }

  /** Takes waiting messages and timers, each kind up to its bound. Returns true when a bound left some. */
  #drain(nowMs: EpochMs): boolean {
    const { inbox, market } = this.#parts;
    const reportsTaken = inbox.drainReports(MESSAGES_PER_TURN_MAX, (report) =>
      report.kind === 'Link' ? this.#onLink(report) : this.#reports.take(report),
    );
    // While the venue or the main thread has no room, new commands wait in their ring. A full ring refuses more.
    this.#commandsTaken = this.isBackpressured
      ? 0
      : inbox.drainCommands(MESSAGES_PER_TURN_MAX, (command, order) => this.#onCommand(command, order));
    for (let count = 0; count < TIMERS_PER_TURN_MAX; count += 1) {
      const actor = this.#timers.popUpTo(nowMs);
      if (actor === undefined) break;
      actor.wakeAtMs = Infinity;
      this.#markDue(actor);
    }
    for (let request = this.#later.popUpTo(nowMs); request !== undefined; request = this.#later.popUpTo(nowMs)) {
      this.#batch.requests.push(request);
    }
    this.#ackTimeouts.review(nowMs, TIMERS_PER_TURN_MAX, (actor, children) => this.#breakSilence(actor, children));
    market.takeChanged((instrument) => {
      this.#subscriptions.collect(instrument, market.read(instrument), (actor) => this.#markDue(actor));
    });
    this.#passes.run(MESSAGES_PER_TURN_MAX, nowMs);
    for (const { owner } of this.#profiles.step()) this.#markDue(owner);
    return reportsTaken === MESSAGES_PER_TURN_MAX || this.#commandsTaken === MESSAGES_PER_TURN_MAX;
  }

  #commitAndRelease(): void {
    for (const { request, atMs } of this.#batch.later) this.#later.push(request, atMs);
    this.#batch.later.length = 0;
    this.#watch.setQuarantinedCount(this.#guard.quarantinedCount);
    if (this.#batch.isEmpty) return this.#flush();
    const { journal, main } = this.#parts;
    const release = (output: TurnOutput): void => this.#release(output);
    this.#batch.commit(journal, release, (event) => main.needs(event));
    this.#batch.forEachTouched((actor) => this.#settle(actor));
    this.#batch.clear();
    this.#flush();
  }

  /** Releases the answers, events and requests of a durable turn. */
  #release({ events, answers, requests }: TurnOutput): void {
    const { main, venue } = this.#parts;
    for (const [index, { envelope }] of events.entries()) {
      const { account, seq } = envelope;
      if (events[index + 1]?.envelope.account !== account) main.noteDurable(account, seq);
    }
    // Answers come first: hasRoom reserved room for them. Events without room can be read in the journal.
    for (const answer of answers) if (!send(main, answer)) this.#hasMissed = true;
    for (const event of events) {
      this.#follow(event.envelope);
      // Observations are not published: cost reports read them in the journal.
      if (event.envelope.event.kind !== 'MarketObserved' && !main.publish(event)) this.#hasMissed = true;
    }
    for (const request of requests) venue.send(request);
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

  /** Removes an order that has ended from the shard. Its state stays in the journal. */
  #settle(actor: Actor): void {
    if (!isTerminal(actor.state.status)) return;
    const { orderId, account } = actor.state.order;
    this.#actors.delete(orderId);
    this.#accountOrders.left(account);
    actor.release();
    this.#guard.leave(orderId);
    this.#ackTimeouts.leave(actor);
    // The order has ended. An error here concerns only its markets.
    this.#guard.runShared(() => this.#lifecycle.retire(actor));
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

  #onCommand(command: Command, encodedOrder?: Uint8Array): void {
    if (command.kind === 'VenueLink') this.#onWorkerLink(command.venue ?? null, command.isUp);
    else if (command.kind === 'SetTrading') this.#setTrading(command);
    else if (command.kind === 'StopShard') this.#isStopped = true;
    else this.#commands.take(command, encodedOrder);
  }

  /** Changes the trading mode and checks the orders that may trade. */
  #setTrading(mode: TradingMode): void {
    this.#trading = mode;
    this.#passes.resume(this.#actors.values());
  }

  /** Handles the loss or return of the worker of one real exchange, or of that of the simulated ones (null). */
  #onWorkerLink(venue: Venue | null, isUp: boolean): void {
    if (this.#links.setWorker(venue, isUp)) this.#onLinkChanged(venue, null, isUp);
  }

  /** Handles the loss or return of one venue, for one account or for all. */
  #onLink(report: LinkReport): void {
    const { venue, account, isUp } = report;
    if (this.#links.setVenue(report, this.#nowMs)) this.#onLinkChanged(venue, account, isUp);
  }

  /**
   * `venue` null: all venues, also real ones, because the simulated ones share a worker. `account` null: all accounts.
   * Known balances are forgotten and asked for again.
   */
  #onLinkChanged(venue: Venue | null, account: AccountId | null, isUp: boolean): void {
    for (const actor of this.#funds.forget(venue, account)) this.#markDue(actor);
    for (const actor of this.#positions.forget()) this.#markDue(actor);
    this.#profiles.forget(venue);
    this.#passes.sweep({ kind: isUp ? 'VenueBack' : 'VenueLost', venue, account }, this.#actors.values());
  }

  #breakSilence(actor: Actor, children: readonly ChildNumber[]): void {
    const nowMs = this.#nowMs;
    this.#guard.run(actor, nowMs, () => void this.#lifecycle.apply(actor, { kind: 'Silence', children }, nowMs));
  }
}

/** Returns false when the main thread had no room for the answer. */
function send(main: MainOutbox, { correlationId, orderId, rejection }: Answer): boolean {
  return rejection === null ? main.unchanged(correlationId, orderId) : main.refuse(correlationId, orderId, rejection);
}
