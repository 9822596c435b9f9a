import type { OrderEvent } from '../../src/domain/event.js';
import type { Instrument } from '../../src/domain/instrument.js';
import type { StrategyView, VolumeProfile, Wake } from '../../src/domain/intent.js';
import { type Depth, isMet, isTwoSided } from '../../src/domain/market.js';
import { type ParentState, endsAtMs } from '../../src/domain/order-state.js';
import { isTerminal, type ParentOrder } from '../../src/domain/order.js';
import type { Amount } from '../../src/domain/quantity.js';
import { isRejected, type Rejection } from '../../src/domain/rejection.js';
import type { EpochMs } from '../../src/domain/time.js';
import type { Strategy } from '../../src/strategy/strategy.js';
import { isPlanDue, triggerOf } from '../../src/order/control.js';
import { decide, type AdmissionGrounds, type OrderEffect, type OrderInput } from '../../src/order/decide.js';
import { checkInvariants } from '../../src/order/invariants.js';
import { record } from '../../src/order/snapshot.js';
import { workingOf } from '../../src/order/children.js';
import { randomOf } from '../../src/strategy/random.js';
import { TinyVenue } from './tiny-venue.js';

const NEVER: Wake = { atMs: null, when: [] };

/**
 * Runs one order and its strategy against a tiny venue, step by step. It keeps every event and checks the invariants
 * after each event. Arrays replace the journal and the rings of a shard.
 */
export class Desk {
  readonly venue = new TinyVenue();
  /** History of the instrument for strategies; undefined: no history. */
  profile: VolumeProfile | undefined;
  /** The book as strategies see it; undefined: no book. */
  depth: Depth | undefined;
  readonly events: { readonly event: OrderEvent; readonly atMs: EpochMs }[] = [];
  readonly #order: ParentOrder;
  readonly #strategyOf: (order: ParentOrder) => Strategy;
  readonly #instrument: Instrument;
  readonly #seenTrades = new Set<number>();
  /** Durable requests that are not sent to the venue yet. */
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
    this.apply({ kind: 'Admit', legs: [this.grounds] });
  }

  /** Balances that cover every order. */
  get grounds(): AdmissionGrounds {
    return {
      instrument: this.#instrument,
      isVenueUp: true,
      market: this.venue.market,
      freeOf: () => (10n ** 30n) as Amount,
      reducible: null,
    };
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

  /** New terms may need another strategy or other gates. */
  get #strategy(): Strategy {
    return this.#strategyOf(this.#state.order);
  }

  get isOver(): boolean {
    return isTerminal(this.#state.status);
  }

  apply(input: OrderInput, atMs: EpochMs = this.#nowMs): Rejection | null {
    const context = { nowMs: this.#nowMs, eventAtMs: atMs };
    const decision = decide(this.#state, input, context);
    if (isRejected(decision)) return decision.rejection;
    for (const { event, state } of decision.recorded) {
      this.#state = state;
      this.events.push({ event, atMs });
      checkInvariants(this.#state);
    }
    this.#outbox.push(...decision.effects);
    return null;
  }

  /** Runs the strategy on the present market, as after every report and every wake. */
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
      this.apply({ kind: 'Start', legs: [{ market: this.venue.market, memory: this.#strategy.begin(this.view()) }] });
    } else if (isPlanDue(this.#state)) {
      if (!isTwoSided(this.venue.market)) return;
      this.apply({ kind: 'Plan', memories: [this.#strategy.begin(this.view())] });
    }
    const decision = this.#strategy.work(this.view());
    this.#wake = decision.wake;
    this.apply({ kind: 'Work', leg: 0, instrument: this.#instrument, decision });
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

  /** Sends all waiting requests to the venue. */
  send(): void {
    for (const effect of this.#outbox.splice(0)) this.venue.handle(effect);
  }

  /** Applies the next report; false when no report waits. */
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
      const nextMs = this.#nextMs();
      if (nextMs > untilMs) return this.#setNow(Math.max(untilMs, this.#nowMs));
      this.#setNow(nextMs);
      this.look();
    }
    throw new Error('the strategy wakes again and again');
  }

  /** Advances the time by `ms` without requests to the venue and without reports. */
  wait(ms: number): void {
    this.#setNow(this.#nowMs + ms);
    this.look();
  }

  /** Changes the market and wakes the strategy when a wake condition is met. */
  onMarket(market: TinyVenue['market'], depth = Infinity): void {
    this.venue.move(market, depth);
    if (this.#wake.when.some((condition) => isMet(condition, market))) this.look();
    this.exchange();
  }

  /** Restarts the process: requests and reports in flight are lost, and the state is folded again from the events. */
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

  /** Time of the next wake or of the end, whichever is earlier. */
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
