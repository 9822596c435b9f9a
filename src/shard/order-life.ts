import type { AccountId, CorrelationId } from '../model/ids.js';
import { ANSWER_SILENCE_MS_MAX, MARKET_STALE_MS } from '../model/limits.js';
import { isCrossed, isMet, isTwoSided, type Market, type MarketCondition } from '../model/market.js';
import { isTerminal, type ParentOrder, type ParentState } from '../model/order.js';
import { followingLeg } from '../model/pair.js';
import type { Rejection } from '../model/rejection.js';
import type { EpochMs } from '../model/time.js';
import type { VenueRequest } from '../model/venue-message.js';
import { endsAtMs } from '../order/amendment.js';
import { isPlanDue } from '../order/control.js';
import { decide, type OrderEffect, type OrderInput } from '../order/decide.js';
import { triggerOf } from '../order/trigger.js';
import { QUIET } from '../strategy/all-at-once.js';
import type { Actor } from './actor.js';
import { Admission, type AdmissionParts } from './admission.js';
import type { MarketInterests } from './interests.js';
import type { LazyHeap } from './lazy-heap.js';
import type { Sight } from './sight.js';
import { PairLife } from './pair-life.js';
import { NOT_A_COMMAND, type TurnBatch } from './turn-batch.js';

export interface OrderLifeParts extends AdmissionParts {
  readonly batch: TurnBatch;
  readonly interests: MarketInterests;
  readonly sight: Sight;
  readonly timers: LazyHeap<Actor>;
  /** True while no child of the account may be placed. */
  readonly isHalted: (account: AccountId) => boolean;
}

/** Met by whatever the market does next. */
const ANY_CHANGE: readonly MarketCondition[] = [{ field: 'volume', at: 'or above', bound: 0 }];

/**
 * Moves one order on as far as it can go now:
 *
 *   PENDING_NEW ── funds known ──▶ admitted ── start time, fresh market ──▶ started ──▶ the strategy works
 *        paused ── resumed, or amended ── fresh market ──▶ planned anew ──┘
 *        any state ── end time ──▶ children cancelled, expired
 *
 * Everything it decides goes into the turn's batch; nothing leaves the thread here.
 */
export class OrderLife {
  readonly #parts: OrderLifeParts;
  readonly #admission: Admission;
  readonly #pairs: PairLife;

  constructor(parts: OrderLifeParts) {
    this.#parts = parts;
    this.#admission = new Admission(parts);
    this.#pairs = new PairLife({
      ...parts,
      apply: (actor, input, nowMs) => void this.apply(actor, input, nowMs),
      sleep: (actor, atMs, when, seen, nowMs) => {
        const endMs = this.#endOf(actor);
        this.#sleep(actor, Math.min(atMs, nowMs < endMs ? endMs : Infinity), when, seen, nowMs);
      },
    });
  }

  /** Decides one input; its events are folded and its effects listed. Returns why when it was refused. */
  apply(
    actor: Actor,
    input: OrderInput,
    nowMs: EpochMs,
    eventAtMs: EpochMs = nowMs,
    correlationId: CorrelationId = NOT_A_COMMAND,
  ): Rejection | null {
    const decision = decide(actor.state, input, { nowMs, instrument: actor.instrument });
    if ('rejection' in decision) return decision.rejection;
    for (const event of decision.events) this.#parts.batch.add(actor, event, eventAtMs, correlationId);
    for (const effect of decision.effects) this.#parts.send(requestOf(effect), sendAtMs(effect, nowMs));
    return null;
  }

  /** New terms of an order, and by what they are judged. */
  amendmentOf(order: ParentOrder): OrderInput {
    const { account, pair } = order;
    const { catalogue } = this.#parts;
    const grounds = this.#admission.groundsOf(account, catalogue.at(order.instrument));
    if (pair === null) return { kind: 'Amend', order, grounds };
    const instrument = catalogue.at(followingLeg(pair).instrument);
    const follower = { instrument, ...this.#admission.groundsOf(account, instrument) };
    return { kind: 'Amend', order, grounds, follower };
  }

  /** Called when anything that concerns the order has happened or a wake is due. */
  advance(actor: Actor, nowMs: EpochMs): void {
    if (actor.state.quarantine !== null) return this.retire(actor);
    // Only its reconciliation moves it on: it may have ended at its exchanges.
    if (actor.state.isReconciling) return this.#sleep(actor, Infinity, []);
    if (!isTerminal(actor.state.status) && nowMs >= this.#endOf(actor)) {
      this.apply(actor, { kind: 'Expire' }, nowMs);
      const isHedgeable = actor.state.order.pair !== null && !this.#isHalted(actor);
      return isHedgeable ? this.#advancePair(actor, nowMs) : this.#rest(actor, nowMs);
    }
    if (actor.state.status === 'PENDING_NEW') this.#admit(actor, nowMs);
    const { status, order } = actor.state;
    // Its funds are not known yet; a question that nobody answers is asked again.
    if (status === 'PENDING_NEW') return this.#sleep(actor, this.#askAgainMs(actor, nowMs), []);
    // Trading that is resumed wakes every order.
    if (this.#isHalted(actor)) return this.#rest(actor, nowMs);
    if (order.pair !== null) return this.#advancePair(actor, nowMs);
    if (status === 'PAUSED') this.#parts.sight.close(actor);
    if (!mayTrade(actor.state)) return this.#rest(actor, nowMs);
    if (nowMs < order.startAtMs) return this.#sleep(actor, order.startAtMs, []);
    this.#parts.sight.open(actor);
    // Nothing is placed at a venue that is down: its return wakes every order.
    if (!this.#parts.isVenueUp(order.venue)) return this.#rest(actor, nowMs);
    this.#trade(actor, nowMs);
  }

  /** Lets the market sleep again on behalf of an order that has ended or is quarantined. */
  retire(actor: Actor): void {
    this.#parts.interests.set(actor, []);
    actor.wakeAtMs = Infinity;
    this.#parts.sight.close(actor);
    if (actor.state.order.pair !== null) this.#pairs.retire(actor);
  }

  #isHalted({ state }: Actor): boolean {
    return this.#parts.isHalted(state.order.account);
  }

  /** What of a pair filled before its start time, or never, does not exist: only what has been worked is hedged. */
  #advancePair(actor: Actor, nowMs: EpochMs): void {
    const { state } = actor;
    if (isTerminal(state.status)) return this.#rest(actor, nowMs);
    if (state.startedAtMs === null && nowMs < state.order.startAtMs)
      return this.#sleep(actor, state.order.startAtMs, []);
    this.#pairs.advance(actor, nowMs);
  }

  #admit(actor: Actor, nowMs: EpochMs): void {
    const input = this.#admission.inputOf(actor, nowMs);
    if (input !== null) this.apply(actor, input, nowMs);
  }

  #trade(actor: Actor, nowMs: EpochMs): void {
    const market = this.#parts.market.read(actor.instrument.index);
    // A strategy never sees a price older than this, nor one that cannot be: a market that sleeps, or is lost or
    // wrong, must speak first.
    if (nowMs - market.atMs > MARKET_STALE_MS || isCrossed(market)) {
      return this.#sleep(actor, this.#endOf(actor), ANY_CHANGE);
    }
    const { sight } = this.#parts;
    const isPlanned = actor.state.startedAtMs !== null && !isPlanDue(actor.state);
    if (!isPlanned) {
      const trigger = actor.state.startedAtMs === null ? triggerOf(actor.state.order) : null;
      if (trigger !== null && !sight.isHeld(actor) && !isMet(trigger, market)) {
        return this.#sleep(actor, this.#endOf(actor), [trigger], market, nowMs);
      }
      if (!isTwoSided(market)) return this.#sleep(actor, this.#endOf(actor), ANY_CHANGE);
    }
    const heldUntilMs = sight.heldUntilMs(actor, nowMs);
    if (heldUntilMs !== null) return this.#sleep(actor, Math.min(heldUntilMs, this.#endOf(actor)), []);
    if (!isPlanned) this.#begin(actor, market, nowMs);
    const decision = sight.strategyOf(actor).work(sight.view(actor, market, nowMs));
    this.apply(actor, { kind: 'Work', decision }, nowMs);
    if (isTerminal(actor.state.status)) return this.#rest(actor, nowMs);
    this.#sleep(actor, Math.min(decision.wake.atMs ?? Infinity, this.#endOf(actor)), decision.wake.when, market, nowMs);
  }

  #begin(actor: Actor, market: Market, nowMs: EpochMs): void {
    const { sight } = this.#parts;
    const memory = sight.strategyOf(actor).begin(sight.view(actor, market, nowMs));
    if (actor.state.startedAtMs !== null) {
      this.apply(actor, { kind: 'Plan', memory }, nowMs);
      return;
    }
    this.apply(actor, { kind: 'Start', market, memory }, nowMs);
    const note = sight.lackOf(actor, nowMs);
    if (note !== null) this.apply(actor, { kind: 'Work', decision: { ...QUIET, note } }, nowMs);
  }

  #askAgainMs(actor: Actor, nowMs: EpochMs): number {
    return Math.min(this.#endOf(actor), nowMs + ANSWER_SILENCE_MS_MAX);
  }

  #endOf(actor: Actor): number {
    return endsAtMs(actor.state) ?? Infinity;
  }

  /** Only reports, commands and the end time wake it; past that, another look would find nothing new to do. */
  #rest(actor: Actor, nowMs: EpochMs): void {
    const endMs = this.#endOf(actor);
    const wakesAtEnd = nowMs < endMs && !isTerminal(actor.state.status);
    this.#sleep(actor, wakesAtEnd ? endMs : Infinity, []);
  }

  #sleep(
    actor: Actor,
    wakeAtMs: number,
    conditions: readonly MarketCondition[],
    seen: Market | null = null,
    nowMs: number = 0,
  ): void {
    this.#parts.interests.set(actor, conditions);
    const market = conditions.length > 0 && seen !== null ? this.#parts.market.read(actor.instrument.index) : null;
    // The market may have moved between the strategy's look and the watch: then it is woken at once.
    const hasMoved = market !== null && market.atMs !== seen?.atMs && conditions.some((one) => isMet(one, market));
    const at = hasMoved ? Math.min(wakeAtMs, nowMs) : wakeAtMs;
    if (at === actor.wakeAtMs) return;
    actor.wakeAtMs = at;
    if (at < Infinity) this.#parts.timers.push(actor, at);
  }
}

/** None works while children are withdrawn for new terms. */
function mayTrade({ status, amendment }: ParentState): boolean {
  if (amendment !== null) return false;
  return status === 'ACCEPTED' || status === 'PARTIALLY_FILLED' || status === 'PENDING_UNPAUSE';
}

/** A venue that could not answer in full is not asked again at once. */
function sendAtMs(effect: OrderEffect, nowMs: EpochMs): EpochMs {
  return effect.kind === 'Query' ? effect.notBeforeMs : nowMs;
}

function requestOf(effect: OrderEffect): VenueRequest {
  switch (effect.kind) {
    case 'Submit':
      return { kind: 'Submit', ...effect.submission };
    case 'Cancel':
      return { kind: 'Cancel', ...effect.ref };
    case 'Query':
      return { kind: 'Query', ...effect.ref, requestClass: effect.requestClass };
    default:
      return effect satisfies never;
  }
}
