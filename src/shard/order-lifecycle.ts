import { instrumentFor } from '../domain/exchange-rules.js';
import type { AccountId, CorrelationId } from '../domain/ids.js';
import { ANSWER_SILENCE_MS_MAX, MARKET_STALE_MS } from '../domain/limits/trading.js';
import { isCrossed, isMet, isTwoSided, type Market, type MarketCondition } from '../domain/market.js';
import { type ParentState, endsAtMs } from '../domain/order-state.js';
import { isTerminal, type ParentOrder } from '../domain/order.js';
import { isRejected, type Rejection } from '../domain/rejection.js';
import type { EpochMs } from '../domain/time.js';
import type { VenueRequest } from '../domain/venue-message.js';
import { isPlanDue, triggerOf } from '../order/control.js';
import { decide, type OrderEffect, type OrderInput } from '../order/decide.js';
import { QUIET } from '../strategy/placement/all-at-once.js';
import type { Actor } from './actor.js';
import { Admission, type AdmissionParts } from './accounts.js';
import type { MarketSubscriptions } from './market-subscriptions.js';
import type { LazyHeap } from '../domain/queues.js';
import type { StrategyHost } from './strategy-host.js';
import { PairLifecycle } from './pair-lifecycle.js';
import { NOT_A_COMMAND, type TurnBatch } from './turn-batch.js';

export interface OrderLifecycleParts extends AdmissionParts {
  readonly batch: TurnBatch;
  readonly subscriptions: MarketSubscriptions;
  readonly strategies: StrategyHost;
  readonly timers: LazyHeap<Actor>;
  /** True while no child of the account may be placed. */
  readonly isHalted: (account: AccountId) => boolean;
}

/** True for every change of the market. */
const ANY_CHANGE: readonly MarketCondition[] = [{ field: 'volume', at: 'or above', bound: 0 }];

/**
 * Advances one order as far as possible now:
 *
 *   PENDING_NEW ── funds known ──▶ admitted ── start time, fresh market ──▶ started ──▶ the strategy works
 *        paused ── resumed, or amended ── fresh market ──▶ planned again ──┘
 *        any state ── end time ──▶ children cancelled, expired
 *
 * All decisions go into the turn's batch. Nothing leaves the thread here.
 */
export class OrderLifecycle {
  readonly #parts: OrderLifecycleParts;
  readonly #admission: Admission;
  readonly #pairs: PairLifecycle;

  constructor(parts: OrderLifecycleParts) {
    this.#parts = parts;
    this.#admission = new Admission(parts);
    const { catalogue, market, subscriptions, strategies, isVenueUp } = parts;
    this.#pairs = new PairLifecycle({
      catalogue,
      market,
      subscriptions,
      strategies,
      isVenueUp,
      apply: (actor, input, nowMs) => void this.apply(actor, input, nowMs),
      sleep: (actor, atMs, when, seen) => {
        const endMs = this.#endOf(actor);
        this.#sleep(actor, Math.min(atMs, parts.batch.nowMs < endMs ? endMs : Infinity), when, seen);
      },
    });
  }

  /** Decides one input and lists its events and effects. Returns the rejection, or null. */
  apply(actor: Actor, input: OrderInput, nowMs: EpochMs, eventAtMs: EpochMs = nowMs): Rejection | null {
    const decision = decide(actor.state, input, { nowMs, eventAtMs });
    if (isRejected(decision)) return decision.rejection;
    this.#parts.batch.add(actor, decision, eventAtMs, NOT_A_COMMAND);
    this.#send(decision.effects, nowMs);
    return null;
  }

  /** Decides the input of a command in the same way. Its events have the correlation id of the command. */
  applyCommand(actor: Actor, input: OrderInput, nowMs: EpochMs, correlationId: CorrelationId): Rejection | null {
    const decision = decide(actor.state, input, { nowMs, eventAtMs: nowMs });
    if (isRejected(decision)) return decision.rejection;
    this.#parts.batch.add(actor, decision, nowMs, correlationId);
    this.#send(decision.effects, nowMs);
    return null;
  }

  #send(effects: readonly OrderEffect[], nowMs: EpochMs): void {
    for (const effect of effects) this.#parts.send(requestOf(effect), sendAtMs(effect, nowMs));
  }

  /** Returns the input of an amendment: the new terms, and the data that they are checked against. */
  amendmentOf(order: ParentOrder): OrderInput {
    return { kind: 'Amend', order, legs: this.#admission.groundsOf(order) };
  }

  /** Call it after anything that concerns the order, and when a wake is due. */
  advance(actor: Actor, nowMs: EpochMs): void {
    if (actor.state.quarantine !== null) return this.retire(actor);
    // Only its reconciliation may advance it: the order may have ended at its exchanges.
    if (actor.state.isReconciling) return this.#sleep(actor, Infinity, []);
    if (!isTerminal(actor.state.status) && nowMs >= this.#endOf(actor)) {
      this.apply(actor, { kind: 'Expire' }, nowMs);
      const isHedgeable = actor.state.order.pair !== null && !this.#isHalted(actor);
      return isHedgeable ? this.#advancePair(actor, nowMs) : this.#rest(actor, nowMs);
    }
    this.admit(actor, nowMs);
    const { status, order } = actor.state;
    // Its connection may come back, or its funds are still unknown. An unanswered request is repeated.
    if (status === 'PENDING_NEW') return this.#sleep(actor, this.#askAgainMs(actor, nowMs), []);
    // A resume of trading wakes every order.
    if (this.#isHalted(actor)) return this.#rest(actor, nowMs);
    if (order.pair !== null) return this.#advancePair(actor, nowMs);
    if (status === 'PAUSED') this.#parts.strategies.close(actor);
    if (!mayTrade(actor.state)) return this.#rest(actor, nowMs);
    if (nowMs < order.startAtMs) return this.#sleep(actor, order.startAtMs, []);
    this.#parts.strategies.open(actor);
    // The order places nothing at a venue that is down. The venue's return wakes every order.
    if (!this.#parts.isVenueUp(order.legs[0].venue, order.account)) return this.#rest(actor, nowMs);
    this.#trade(actor, nowMs);
  }

  /** Releases the markets of an order that has ended or is quarantined. */
  retire(actor: Actor): void {
    this.#parts.subscriptions.set(actor, []);
    actor.wakeAtMs = Infinity;
    this.#parts.strategies.close(actor);
    if (actor.state.order.pair !== null) this.#pairs.retire(actor);
  }

  #isHalted({ state }: Actor): boolean {
    return this.#parts.isHalted(state.order.account);
  }

  /** Advances a pair. Before its start time it has no fills and needs no hedge. */
  #advancePair(actor: Actor, nowMs: EpochMs): void {
    const { state } = actor;
    if (isTerminal(state.status)) return this.#rest(actor, nowMs);
    if (state.startedAtMs === null && nowMs < state.order.startAtMs)
      return this.#sleep(actor, state.order.startAtMs, []);
    this.#pairs.advance(actor, nowMs);
  }

  /** Accepts or rejects a new order, unless its balances are unknown. Does nothing with any other order. */
  admit(actor: Actor, nowMs: EpochMs): void {
    const { status, quarantine, isReconciling } = actor.state;
    if (status !== 'PENDING_NEW' || quarantine !== null || isReconciling) return;
    const input = this.#admission.inputOf(actor, nowMs);
    if (input !== null) this.apply(actor, input, nowMs);
  }

  #trade(actor: Actor, nowMs: EpochMs): void {
    actor.instrument = instrumentFor(actor.state.order, this.#parts.catalogue.at(actor.instrument.index));
    const market = this.#parts.market.read(actor.instrument.index);
    // A strategy never gets an older or an impossible price. A market that sleeps, is lost or is wrong must publish a
    // new row first.
    if (nowMs - market.atMs > MARKET_STALE_MS || isCrossed(market)) {
      return this.#sleep(actor, this.#endOf(actor), ANY_CHANGE);
    }
    const { strategies, subscriptions } = this.#parts;
    // The arrival price must not be older than the wake of the market.
    if (actor.state.startedAtMs === null && !subscriptions.isCurrent(actor.instrument.index, market.atMs)) {
      return this.#sleep(actor, this.#endOf(actor), ANY_CHANGE);
    }
    const isPlanned = actor.state.startedAtMs !== null && !isPlanDue(actor.state);
    if (!isPlanned) {
      const trigger = actor.state.startedAtMs === null ? triggerOf(actor.state.order) : null;
      if (trigger !== null && !strategies.isAwaitingProfile(actor) && !isMet(trigger, market)) {
        return this.#sleep(actor, this.#endOf(actor), [trigger], market);
      }
      if (!isTwoSided(market)) return this.#sleep(actor, this.#endOf(actor), ANY_CHANGE);
    }
    const heldUntilMs = strategies.profileWaitUntilMs(actor, nowMs);
    if (heldUntilMs !== null) return this.#sleep(actor, Math.min(heldUntilMs, this.#endOf(actor)), []);
    if (!isPlanned) this.#begin(actor, market, nowMs);
    const decision = strategies.strategyOf(actor).work(strategies.view(actor, market, nowMs), strategies.scratch);
    this.apply(actor, { kind: 'Work', leg: 0, instrument: actor.instrument, decision }, nowMs);
    if (isTerminal(actor.state.status)) return this.#rest(actor, nowMs);
    this.#sleep(actor, Math.min(decision.wake.atMs ?? Infinity, this.#endOf(actor)), decision.wake.when, market);
  }

  #begin(actor: Actor, market: Market, nowMs: EpochMs): void {
    const { strategies } = this.#parts;
    const memory = strategies.strategyOf(actor).begin(strategies.view(actor, market, nowMs));
    if (actor.state.startedAtMs !== null) {
      this.apply(actor, { kind: 'Plan', memories: [memory] }, nowMs);
      return;
    }
    this.apply(actor, { kind: 'Start', legs: [{ market, memory }] }, nowMs);
    const note = strategies.missingProfile(actor, nowMs);
    if (note === null) return;
    this.apply(actor, { kind: 'Work', leg: 0, instrument: actor.instrument, decision: { ...QUIET, note } }, nowMs);
  }

  #askAgainMs(actor: Actor, nowMs: EpochMs): number {
    const waitUntilMs = this.#admission.waitUntilMs(actor.state.order);
    const askMs = nowMs < waitUntilMs ? waitUntilMs : nowMs + ANSWER_SILENCE_MS_MAX;
    return Math.min(this.#endOf(actor), askMs);
  }

  #endOf(actor: Actor): number {
    return endsAtMs(actor.state) ?? Infinity;
  }

  /** Sleeps until a report, a command or the end time. After the end time there is nothing more to do. */
  #rest(actor: Actor, nowMs: EpochMs): void {
    const endMs = this.#endOf(actor);
    const wakesAtEnd = nowMs < endMs && !isTerminal(actor.state.status);
    this.#sleep(actor, wakesAtEnd ? endMs : Infinity, []);
  }

  /**
   * Wakes the order at `wakeAtMs`, or when its market meets a condition. `seen`: the market that the strategy read;
   * null: none.
   */
  #sleep(actor: Actor, wakeAtMs: number, conditions: readonly MarketCondition[], seen: Market | null = null): void {
    this.#parts.subscriptions.set(actor, conditions);
    const market = conditions.length > 0 && seen !== null ? this.#parts.market.read(actor.instrument.index) : null;
    // The market may have changed after the strategy read it. The order then wakes at once.
    const hasMoved = market !== null && market.atMs !== seen?.atMs && conditions.some((one) => isMet(one, market));
    const at = hasMoved ? Math.min(wakeAtMs, this.#parts.batch.nowMs) : wakeAtMs;
    if (at === actor.wakeAtMs) return;
    actor.wakeAtMs = at;
    if (at < Infinity) this.#parts.timers.push(actor, at);
  }
}

/** Returns false while children are withdrawn for new terms. */
function mayTrade({ status, amendment }: ParentState): boolean {
  if (amendment !== null) return false;
  return status === 'ACCEPTED' || status === 'PARTIALLY_FILLED' || status === 'PENDING_UNPAUSE';
}

/** Delays the next request to a venue that answered only in part. */
export function sendAtMs(effect: OrderEffect, nowMs: EpochMs): EpochMs {
  return effect.kind === 'QueryStatus' ? effect.notBeforeMs : nowMs;
}

/** The request of an effect. */
export function requestOf(effect: OrderEffect): VenueRequest {
  switch (effect.kind) {
    case 'Submit':
      return { kind: 'Submit', ...effect.submission };
    case 'Cancel':
      return { kind: 'Cancel', ...effect.target };
    case 'QueryStatus':
      return { kind: 'QueryStatus', ...effect.target, requestClass: effect.requestClass };
    default:
      return effect satisfies never;
  }
}
