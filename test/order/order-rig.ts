import type { Command } from '../../src/domain/command.js';
import { isOrderEvent, type OrderEvent } from '../../src/domain/event.js';
import { type Instrument, InstrumentCatalogue } from '../../src/domain/instrument.js';
import type { StrategyView, VolumeProfile, Wake } from '../../src/domain/intent.js';
import type { Depth, Market } from '../../src/domain/market.js';
import type { ParentState } from '../../src/domain/order-state.js';
import { isTerminal, type ParentOrder } from '../../src/domain/order.js';
import { assert } from '../../src/domain/rejection.js';
import type { EpochMs } from '../../src/domain/time.js';
import type { AccountRequest } from '../../src/domain/venue-message.js';
import { checkInvariants } from '../../src/order/invariants.js';
import { record } from '../../src/order/snapshot.js';
import type { Strategy } from '../../src/strategy/strategy.js';
import { encodeState } from '../../src/wire/codec/state.js';
import { LONG } from '../domain/sample-position.js';
import { type DistributiveOmit, ShardRig } from '../shard/shard-rig.js';
import { CANCEL } from './orders.js';
import { TinyVenue } from './tiny-venue.js';
import { VenueMarket } from './venue-market.js';

const LOTS_MANY = 1e12;
const NEVER: Wake = { atMs: null, when: [] };

interface JournalledEvent {
  readonly event: OrderEvent;
  readonly atMs: EpochMs;
}

/**
 * Runs one order and its strategy in a shard against a tiny venue, step by step. The account covers every order, and
 * the market always has a current row. Requests and reports wait until the test passes them on.
 */
export class OrderRig {
  readonly venue = new TinyVenue();
  /** History of the instrument for strategies; undefined: no history. */
  profile: VolumeProfile | undefined;
  readonly #order: ParentOrder;
  readonly #strategyOf: (order: ParentOrder) => Strategy;
  readonly #instrument: Instrument;
  readonly #market: VenueMarket;
  readonly #shardRig: ShardRig;
  readonly #events: JournalledEvent[] = [];
  /** What the shard would log. */
  readonly #faults: string[] = [];
  #wake = NEVER;
  #lastView: StrategyView | null = null;
  /** The state after a number of events. */
  #folded: { readonly count: number; readonly state: ParentState } | null = null;

  constructor(order: ParentOrder, strategy: Strategy | ((order: ParentOrder) => Strategy), instrument: Instrument) {
    this.#order = order;
    this.#strategyOf = typeof strategy === 'function' ? strategy : () => strategy;
    this.#instrument = instrument;
    this.#market = new VenueMarket(this.venue);
    this.#shardRig = new ShardRig({
      shard: 0,
      shardCount: 1,
      catalogue: catalogueOf(instrument),
      market: this.#market,
      strategyFor: (terms) => this.#observed(this.#strategyOf(terms)),
      onFault: (line) => this.#faults.push(line),
    });
    this.#setNow(order.createdAtMs);
    this.#shardRig.place(order);
  }

  /** The book as strategies see it; undefined: no book. */
  get depth(): Depth | undefined {
    return this.#market.shownBook;
  }

  set depth(book: Depth | undefined) {
    this.#market.shownBook = book;
  }

  get state(): ParentState {
    const count = this.#shardRig.journal.entries.length;
    if (this.#folded?.count !== count) {
      const state = this.#shardRig.state(this.#order.orderId)!;
      checkInvariants(state);
      this.#folded = { count, state };
    }
    return this.#folded.state;
  }

  /** The journal of the order. */
  get events(): readonly JournalledEvent[] {
    for (const { envelope } of this.#shardRig.journal.entries.slice(this.#events.length)) {
      const { event, eventAtMs: atMs } = envelope;
      if (!isOrderEvent(event)) throw new Error(`${event.kind} belongs to no order`);
      this.#events.push({ event, atMs });
    }
    return this.#events;
  }

  /** When the strategy wants to work again, by its last decision. */
  get wake(): Wake {
    return this.isOver ? NEVER : this.#wake;
  }

  get nowMs(): EpochMs {
    return this.#shardRig.nowMs;
  }

  get isOver(): boolean {
    return isTerminal(this.state.status);
  }

  /** The client cancels the order. */
  cancel(): void {
    const { account, orderId } = this.#order;
    this.#ask({ kind: 'CancelParent', account, orderId, cancelCause: CANCEL.cancelCause });
  }

  pause(): void {
    const { account, orderId } = this.#order;
    this.#ask({ kind: 'PauseParent', account, orderId });
  }

  resume(): void {
    const { account, orderId } = this.#order;
    this.#ask({ kind: 'ResumeParent', account, orderId });
  }

  amend(order: ParentOrder): void {
    this.#ask({ kind: 'AmendParent', order });
  }

  /** Works the order on the present market. */
  look(): void {
    // A release of an order that is not quarantined changes nothing, and the shard works the order.
    this.#ask({ kind: 'ReleaseParent', orderId: this.#order.orderId });
  }

  /** What the strategy saw at its last decision. */
  get lastView(): StrategyView {
    assert(this.#lastView !== null, 'the strategy has decided');
    return this.#lastView;
  }

  /** Sends all waiting requests to the venue. */
  send(): void {
    for (const request of this.#shardRig.venue.requests.splice(0)) this.venue.handle(request);
  }

  /** Applies the next report; false when no report waits. */
  take(): boolean {
    const report = this.venue.reports.shift();
    if (report === undefined) return false;
    this.#shardRig.inbox.reports.push(report);
    this.#turn();
    return true;
  }

  /** Sends requests and applies reports until none waits. Time does not advance. */
  exchange(): void {
    for (let round = 0; round < 10_000; round += 1) {
      this.send();
      if (!this.take()) return;
    }
    throw new Error('requests and reports do not end');
  }

  /** Advances the time to `untilMs` and wakes the strategy at each requested time. */
  passUntil(untilMs: number): void {
    for (let wakes = 0; wakes < 100_000; wakes += 1) {
      this.exchange();
      const nextMs = Math.ceil(this.#shardRig.shard.nextWakeMs());
      this.#setNow(Math.max(this.nowMs, Math.min(nextMs, untilMs)));
      if (nextMs > untilMs) return;
      this.#turn();
    }
    throw new Error('the strategy wakes again and again');
  }

  /** Advances the time by `ms` without requests to the venue and without reports. */
  wait(ms: number): void {
    this.#setNow(this.nowMs + ms);
    this.look();
  }

  /** Changes the market and wakes the strategy when a wake condition is met. */
  onMarket(market: Market, depth = Infinity): void {
    this.venue.move(market, depth);
    this.#turn();
    this.exchange();
  }

  /** Restarts the process: requests and reports in flight are lost, and the shard reads the state of the journal. */
  restart(): void {
    if (!this.isReplayed()) throw new Error('a replay gives another state');
    this.venue.reports.length = 0;
    this.#wake = NEVER;
    this.#shardRig.restart();
    this.#turn();
  }

  /** True when the events fold to the stored state. */
  isReplayed(): boolean {
    let state: ParentState | null = null;
    for (const { event, atMs } of this.events) state = record(state, event, atMs).state;
    return state !== null && Buffer.from(encodeState(state)).equals(encodeState(this.state));
  }

  /** Loses the venue with all waiting requests. */
  loseVenue(): void {
    this.#shardRig.venue.requests.length = 0;
    this.#ask({ kind: 'VenueLink', isUp: false });
  }

  regainVenue(): void {
    this.#ask({ kind: 'VenueLink', isUp: true });
    this.look();
  }

  #ask(command: DistributiveOmit<Command, 'correlationId'>): void {
    this.#shardRig.post(command);
    this.#turn();
  }

  /** The strategy with the profile of the rig. Keeps when it wants to work again. */
  #observed(strategy: Strategy): Strategy {
    const seen = (view: StrategyView): StrategyView =>
      (this.#lastView = this.profile ? { ...view, profile: this.profile } : view);
    return {
      name: strategy.name,
      needs: { depth: this.depth !== undefined, profile: false },
      begin: (view) => strategy.begin(seen(view)),
      work: (view, scratch) => {
        const decision = strategy.work(seen(view), scratch);
        this.#wake = decision.wake;
        return decision;
      },
    };
  }

  /**
   * Runs the shard until nothing is left to do at this time. Questions about the account are answered at once. Throws
   * when the shard has met an error: it goes on without the order.
   */
  #turn(): void {
    const { venue, inbox, journal } = this.#shardRig;
    const first = journal.entries.length;
    do {
      this.#shardRig.rest();
      for (const request of venue.requests.splice(0)) {
        if (request.kind !== 'QueryFunds' && request.kind !== 'QueryPositions') venue.requests.push(request);
        else this.#answer(request);
      }
    } while (inbox.reports.length > 0);
    for (const { envelope } of journal.entries.slice(first)) {
      if (envelope.event.kind === 'ParentQuarantined') throw new Error(`quarantined: ${envelope.event.detail}`);
    }
    if (this.#faults.length > 0) throw new Error(this.#faults.join('; '));
  }

  /** Answers with funds that cover every order, and with a position that each order of this side can reduce. */
  #answer({ kind, correlationId, account, venue }: AccountRequest): void {
    if (kind === 'QueryFunds') return this.#shardRig.fund(account, { correlationId, venue });
    const net = this.#order.legs[0].side === 'BUY' ? -LOTS_MANY : LOTS_MANY;
    const position = { ...LONG, instrument: this.#instrument.index, net, isShort: net < 0 };
    this.#shardRig.positions([position], { correlationId, account, venue, isSnapshot: true, version: 1 });
  }

  #setNow(nowMs: number): void {
    this.#shardRig.nowMs = nowMs as EpochMs;
    this.venue.nowMs = this.nowMs;
    this.#market.nowMs = this.nowMs;
  }
}

/** A catalogue in which the instrument has its row. */
function catalogueOf(instrument: Instrument): InstrumentCatalogue {
  const rows: Instrument[] = [];
  rows[instrument.index] = instrument;
  return new InstrumentCatalogue(rows);
}
