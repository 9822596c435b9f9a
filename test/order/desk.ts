import type { Amount } from '../../src/model/amount.js';
import type { Depth } from '../../src/model/depth.js';
import type { OrderEvent } from '../../src/model/event.js';
import type { Instrument } from '../../src/model/instrument.js';
import type { Strategy, StrategyView, VolumeProfile, Wake } from '../../src/model/intent.js';
import { isMet, isTwoSided } from '../../src/model/market.js';
import { isTerminal, type ParentOrder, type ParentState } from '../../src/model/order.js';
import type { Rejection } from '../../src/model/rejection.js';
import type { EpochMs } from '../../src/model/time.js';
import { endsAtMs } from '../../src/order/amendment.js';
import { isPlanDue } from '../../src/order/control.js';
import { decide, type AdmissionGrounds, type OrderEffect, type OrderInput } from '../../src/order/decide.js';
import { checkInvariants } from '../../src/order/invariants.js';
import { record } from '../../src/order/standing.js';
import { triggerOf } from '../../src/order/trigger.js';
import { workingOf } from '../../src/order/working.js';
import { randomOf } from '../../src/strategy/random.js';
import { TinyVenue } from './tiny-venue.js';

const NEVER: Wake = { atMs: null, when: [] };

/**
 * One order, its strategy and a tiny venue, moved by hand. It keeps every event and checks the invariants after each;
 * what a shard does with a journal and rings, it does with arrays.
 */
export class Desk {
  readonly venue = new TinyVenue();
  /** What strategies know of the instrument's history; undefined: nothing. */
  profile: VolumeProfile | undefined;
  /** The book as strategies see it; undefined: not at all. */
  depth: Depth | undefined;
  readonly events: { readonly event: OrderEvent; readonly atMs: EpochMs }[] = [];
  readonly #order: ParentOrder;
  readonly #strategyOf: (order: ParentOrder) => Strategy;
  readonly #instrument: Instrument;
  readonly #seenTrades = new Set<number>();
  /** Decided and durable, not yet at the venue. */
  readonly #outbox: OrderEffect[] = [];
  #state: ParentState;
  #nowMs: EpochMs;
  #wake = NEVER;
  #isVenueUp = true;

  constructor(order: ParentOrder, strategy: Strategy | ((order: ParentOrder) => Strategy), instrument: Instrument) {
    this.#order = order;
    this.#strategyOf = typeof strategy === 'function' ? strategy : () => strategy;
    this.#instrument = instrument;
    this.#nowMs = order.createdAtMs;
    this.venue.nowMs = this.#nowMs;
    const { state } = record(null, { kind: 'ParentCreated', order }, this.#nowMs);
    this.events.push({ event: { kind: 'ParentCreated', order }, atMs: this.#nowMs });
    this.#state = state;
    this.apply({ kind: 'Admit', ...this.grounds });
  }

  /** Of an account that lacks nothing. */
  get grounds(): AdmissionGrounds {
    return { isVenueUp: true, market: this.venue.market, freeOf: () => (10n ** 30n) as Amount };
  }

  get state(): ParentState {
    return this.#state;
  }

  get wake(): Wake {
    return this.#wake;
  }

  get nowMs(): EpochMs {
    return this.#nowMs;
  }

  /** New terms may ask for another strategy, or gates around it. */
  get #strategy(): Strategy {
    return this.#strategyOf(this.#state.order);
  }

  get isOver(): boolean {
    return isTerminal(this.#state.status);
  }

  apply(input: OrderInput, atMs: EpochMs = this.#nowMs): Rejection | null {
    const context = { nowMs: this.#nowMs, instrument: this.#instrument };
    const decision = decide(this.#state, input, context);
    if ('rejection' in decision) return decision.rejection;
    for (const event of decision.events) {
      this.#state = record(this.#state, event, atMs).state;
      this.events.push({ event, atMs });
      checkInvariants(this.#state);
    }
    this.#outbox.push(...decision.effects);
    return null;
  }

  /** Lets the strategy look at the market, as after every report and every wake. */
  look(): void {
    this.#wake = NEVER;
    if (this.isOver) return;
    if (this.#nowMs >= this.#endMs()) this.apply({ kind: 'Expire' });
    const { status, startedAtMs, amendment } = this.#state;
    const mayTrade = status === 'ACCEPTED' || status === 'PARTIALLY_FILLED' || status === 'PENDING_UNPAUSE';
    if (!this.#isVenueUp || !mayTrade || amendment !== null) return;
    if (startedAtMs === null) {
      const trigger = triggerOf(this.#state.order);
      if (trigger !== null && !isMet(trigger, this.venue.market)) {
        this.#wake = { atMs: null, when: [trigger] };
        return;
      }
      if (!isTwoSided(this.venue.market)) return;
      this.apply({ kind: 'Start', market: this.venue.market, memory: this.#strategy.begin(this.view()) });
    } else if (isPlanDue(this.#state)) {
      if (!isTwoSided(this.venue.market)) return;
      this.apply({ kind: 'Plan', memory: this.#strategy.begin(this.view()) });
    }
    const decision = this.#strategy.work(this.view());
    this.#wake = decision.wake;
    this.apply({ kind: 'Work', decision });
  }

  view(): StrategyView {
    return {
      state: this.#state,
      instrument: this.#instrument,
      working: workingOf(this.#state),
      market: this.venue.market,
      nowMs: this.#nowMs,
      random: randomOf(this.#order.orderId),
      ...(this.profile && { profile: this.profile }),
      ...(this.depth && { depth: this.depth }),
    };
  }

  /** Hands the venue what was decided. */
  send(): void {
    for (const effect of this.#outbox.splice(0)) this.venue.handle(effect);
  }

  /** Takes the next report in; false when there is none. */
  take(): boolean {
    const report = this.venue.reports.shift();
    if (report === undefined) return false;
    if (report.kind === 'Filled') {
      if (this.#seenTrades.has(report.fill.tradeId)) return true;
      this.#seenTrades.add(report.fill.tradeId);
    }
    this.apply({ kind: 'Report', report }, report.atMs);
    this.look();
    return true;
  }

  /** Sends and takes until nothing is under way; time stands still. */
  exchange(): void {
    for (let round = 0; round < 10_000; round += 1) {
      this.send();
      if (!this.take()) return;
    }
    throw new Error('the order and the venue do not come to rest');
  }

  /** Lets time pass up to the given one, waking the strategy whenever it asked for it. */
  passUntil(untilMs: number): void {
    for (let wakes = 0; wakes < 100_000; wakes += 1) {
      this.exchange();
      const nextMs = this.#nextMs();
      if (nextMs > untilMs) return this.#setNow(Math.max(untilMs, this.#nowMs));
      this.#setNow(nextMs);
      this.look();
    }
    throw new Error('the strategy wakes again and again');
  }

  /** Lets time pass while the venue is silent: nothing is sent, nothing told. */
  wait(ms: number): void {
    this.#setNow(this.#nowMs + ms);
    this.look();
  }

  /** The market changes; the strategy is woken when it waits for that. */
  onMarket(market: TinyVenue['market'], depth = Infinity): void {
    this.venue.move(market, depth);
    if (this.#wake.when.some((condition) => isMet(condition, market))) this.look();
    this.exchange();
  }

  /** The process dies and starts again: what was under way is lost, the state is folded anew from the events. */
  restart(): void {
    this.#outbox.length = 0;
    this.venue.reports.length = 0;
    this.#wake = NEVER;
    let state: ParentState | null = null;
    for (const { event, atMs } of this.events) state = record(state, event, atMs).state;
    if (JSON.stringify(state, withBigint) !== JSON.stringify(this.#state, withBigint)) {
      throw new Error('a replay gives another state');
    }
    this.apply({ kind: 'Recover' });
    this.look();
  }

  loseVenue(): void {
    this.#isVenueUp = false;
    this.#outbox.length = 0;
    this.apply({ kind: 'VenueLost', venue: null });
  }

  regainVenue(): void {
    this.#isVenueUp = true;
    this.apply({ kind: 'VenueBack', venue: null });
    this.look();
  }

  /** The next wake or the end, whichever comes first, of what lies ahead. */
  #nextMs(): number {
    const endMs = this.#endMs();
    return Math.min(this.#wake.atMs ?? Infinity, this.isOver || endMs <= this.#nowMs ? Infinity : endMs);
  }

  #endMs(): number {
    return endsAtMs(this.#state) ?? Infinity;
  }

  #setNow(nowMs: number): void {
    this.#nowMs = nowMs as EpochMs;
    this.venue.nowMs = this.#nowMs;
  }
}

function withBigint(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}n` : value;
}
