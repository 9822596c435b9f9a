import type { InstrumentCatalogue } from '../model/instrument.js';
import type { HedgeDecision } from '../model/hedge.js';
import type { StrategyDecision } from '../model/intent.js';
import { HEDGE_WATCH_MS, MARKET_STALE_MS } from '../model/limits.js';
import { isCrossed, isMet, isTwoSided, type Market, type MarketCondition } from '../model/market.js';
import { isTerminal, type ParentState } from '../model/order.js';
import { shortfallOf } from '../model/pair-balance.js';
import type { EpochMs } from '../model/time.js';
import { isPlanDue } from '../order/control.js';
import type { OrderInput } from '../order/decide.js';
import { endingOf } from '../order/settlement.js';
import { triggerOf } from '../order/trigger.js';
import { QUIET } from '../strategy/all-at-once.js';
import { hedge } from '../strategy/pair/hedge.js';
import { aheadOf, inStep } from '../strategy/pair/in-step.js';
import { withinRoom } from '../strategy/pair/lead-room.js';
import { withBeginning, withStrategyMemory } from '../strategy/pair/leg-state.js';
import type { LegPlace } from '../strategy/pair/pair-view.js';
import type { Actor } from './actor.js';
import type { MarketInterests } from './interests.js';
import { PairSeats } from './pair-seats.js';
import type { MarketView } from './port.js';
import type { LegActor, Sight } from './sight.js';
import type { VenueLinks } from './venue-links.js';

export interface PairLifeParts {
  readonly catalogue: InstrumentCatalogue;
  readonly market: MarketView;
  readonly interests: MarketInterests;
  readonly sight: Sight;
  readonly isVenueUp: VenueLinks['isUp'];
  readonly apply: (actor: Actor, input: OrderInput, nowMs: EpochMs) => void;
  /** Wakes the order at that time, and when its leading leg's market is as its strategy wants. */
  readonly sleep: (
    actor: Actor,
    atMs: number,
    when: readonly MarketCondition[],
    seen: Market | null,
    nowMs: EpochMs,
  ) => void;
}

/** What one look has found. */
interface Look {
  readonly actor: Actor;
  readonly seats: PairSeats;
  readonly lead: LegPlace;
  readonly follower: LegPlace;
  readonly nowMs: EpochMs;
}

/**
 * Moves one pair on as far as it can go now:
 *
 *     both markets fit to trade in ─▶ the strategies say what they want ─▶ hedge ─▶ what the leading leg may do of it
 *
 * The hedge comes first, and also without a strategy: in a pause, a cancel, at the end of the time.
 */
export class PairLife {
  readonly #parts: PairLifeParts;
  readonly #seats = new Map<Actor, PairSeats>();

  constructor(parts: PairLifeParts) {
    this.#parts = parts;
  }

  /** Called when anything that concerns the pair has happened, from its start time on or when it is bound for its end. */
  advance(actor: Actor, nowMs: EpochMs): void {
    const seats = this.#seatsOf(actor);
    const { state } = actor;
    if (state.status === 'PAUSED' && shortfallOf(state) === null) return this.#rest(actor, seats, nowMs);
    seats.open();
    const { order } = state;
    const look: Look = {
      actor,
      seats,
      nowMs,
      lead: this.#placeOf(actor, order.venue, nowMs),
      follower: this.#placeOf(seats.follower, seats.follower.state.order.venue, nowMs),
    };
    const heldUntilMs = this.#start(look);
    if (heldUntilMs !== null) return this.#sleep(look, heldUntilMs, triggersOf(actor.state));
    this.#trade(look);
  }

  /** The order has ended: its markets may sleep. */
  retire(actor: Actor): void {
    this.#seats.get(actor)?.close();
    this.#seats.delete(actor);
  }

  #rest(actor: Actor, seats: PairSeats, nowMs: EpochMs): void {
    seats.close();
    this.#parts.sleep(actor, Infinity, [], null, nowMs);
  }

  #seatsOf(actor: Actor): PairSeats {
    const known = this.#seats.get(actor);
    if (known !== undefined) return known;
    const seats = new PairSeats(actor, this.#parts);
    this.#seats.set(actor, seats);
    return seats;
  }

  /** A market is fit to trade in when it is fresh, two-sided and not crossed, at a venue that is up. */
  #placeOf({ instrument }: LegActor, venue: Actor['instrument']['venue'], nowMs: EpochMs): LegPlace {
    const market = this.#parts.market.read(instrument.index);
    const isFit = nowMs - market.atMs <= MARKET_STALE_MS && isTwoSided(market) && !isCrossed(market);
    return { instrument, market: isFit && this.#parts.isVenueUp(venue) ? market : null };
  }

  /** Begins when both markets are fit and what the legs wait for has come. Returns when to look again; null: go on. */
  #start(look: Look): number | null {
    const { actor, seats, lead, follower, nowMs } = look;
    const { state } = actor;
    const isStarted = state.startedAtMs !== null;
    if (isTerminal(state.status) || endingOf(state, nowMs) !== null || !isWorked(state)) return null;
    if (isStarted && !isPlanDue(state)) return null;
    if (lead.market === null || follower.market === null) return isStarted ? null : nowMs + HEDGE_WATCH_MS;
    const legs = seats.worked;
    if (!isStarted && !legs.every((leg) => isTriggered(leg, this.#parts))) return nowMs + HEDGE_WATCH_MS;
    const heldUntilMs = Math.max(...legs.map((leg) => this.#parts.sight.heldUntilMs(leg, nowMs) ?? 0));
    if (heldUntilMs > 0) return heldUntilMs;
    this.#begin(look, lead.market, follower.market);
    return null;
  }

  #begin({ actor, seats, nowMs }: Look, lead: Market, follower: Market): void {
    const { sight, apply } = this.#parts;
    const isStarted = actor.state.startedAtMs !== null;
    const memory = sight.strategyOf(actor).begin(sight.view(actor, lead, nowMs));
    if (isStarted) apply(actor, { kind: 'Plan', memory }, nowMs);
    else apply(actor, { kind: 'Start', market: lead, memory }, nowMs);
    for (const leg of seats.worked) {
      const note = isStarted ? null : sight.lackOf(leg, nowMs);
      if (note !== null) apply(actor, { kind: 'Work', decision: { ...QUIET, note } }, nowMs);
    }
    if (seats.isLed) return;
    const own = sight.strategyOf(seats.follower).begin(sight.view(seats.follower, follower, nowMs));
    const beginning = withBeginning(actor.state, follower.bid + follower.ask, own);
    const { instrument } = seats.follower;
    apply(actor, { kind: 'Work', decision: { ...QUIET, memory: beginning }, follower: instrument }, nowMs);
  }

  #trade(look: Look): void {
    const { actor, seats, lead, follower, nowMs } = look;
    const isFit = lead.market !== null && follower.market !== null && mayWork(actor.state, nowMs);
    const leading = isFit ? this.#decide(actor, lead, nowMs) : null;
    const following = isFit && !seats.isLed ? this.#decide(seats.follower, follower, nowMs) : null;
    const hedged = this.#hedge(look, [leading, following]);
    const isFree = hedged.withdraw === null && isWorked(actor.state);
    // A strategy's word is from before the hedge: it does not hold for the leg of which that has taken from what was left.
    const isTaken = (ofFollower: boolean): boolean => hedged.intents.length > 0 && hedged.ofFollower === ofFollower;
    const led = isFree && leading !== null && !isTaken(false) ? this.#lead(look, leading, hedged) : null;
    const followed = isFree && following !== null && !isTaken(true) ? this.#follow(look, following, hedged) : null;
    this.#parts.interests.set(seats.follower, followed?.wake.when ?? []);
    // A strategy that was not heard is asked again soon.
    const isUnheard = (leading !== null && led === null) || (following !== null && followed === null);
    const watchMs = isUnheard ? nowMs + HEDGE_WATCH_MS : Infinity;
    const ownMs = Math.min(led?.wake.atMs ?? Infinity, followed?.wake.atMs ?? Infinity);
    this.#sleep(look, Math.min(hedged.wakeAtMs ?? Infinity, ownMs, watchMs), led?.wake.when ?? []);
  }

  #decide(leg: LegActor, { market }: LegPlace, nowMs: EpochMs): StrategyDecision | null {
    const { sight } = this.#parts;
    return market === null ? null : sight.strategyOf(leg).work(sight.view(leg, market, nowMs));
  }

  #hedge({ actor, seats, lead, follower, nowMs }: Look, words: readonly (StrategyDecision | null)[]): HedgeDecision {
    const isEnding = endingOf(actor.state, nowMs) !== null || words.some((word) => (word?.end ?? null) !== null);
    const quoteRate = seats.quoteRate(nowMs);
    const decision = hedge({ state: actor.state, lead, follower, quoteRate, nowMs, isEnding });
    const instruments = { lead: lead.instrument, follower: follower.instrument };
    this.#parts.apply(actor, { kind: 'Hedge', decision, instruments }, nowMs);
    return decision;
  }

  /** What the leading leg may do of its strategy's word is done; null: nothing. */
  #lead({ actor, seats, lead, nowMs }: Look, word: StrategyDecision, hedged: HedgeDecision): StrategyDecision | null {
    if (lead.market === null) return null;
    const view = this.#parts.sight.view(actor, lead.market, nowMs);
    const decision = seats.isLed
      ? withinRoom(word, view, hedged.leadRoom)
      : inStep(word, view, aheadOf(actor.state) === 'lead');
    if (decision !== null) this.#parts.apply(actor, { kind: 'Work', decision, hedged }, nowMs);
    return decision;
  }

  #follow(look: Look, word: StrategyDecision, hedged: HedgeDecision): StrategyDecision | null {
    const { actor, seats, follower, nowMs } = look;
    if (follower.market === null || !isWorked(actor.state)) return null;
    const view = this.#parts.sight.view(seats.follower, follower.market, nowMs);
    const decision = inStep(word, view, aheadOf(actor.state) === 'follower');
    const memory = decision.memory === null ? null : withStrategyMemory(actor.state, decision.memory);
    const input = { kind: 'Work', decision: { ...decision, memory }, hedged, follower: follower.instrument } as const;
    this.#parts.apply(actor, input, nowMs);
    return decision;
  }

  #sleep({ actor, lead, nowMs }: Look, atMs: number, when: readonly MarketCondition[]): void {
    if (isTerminal(actor.state.status)) return this.#parts.sleep(actor, Infinity, [], null, nowMs);
    this.#parts.sleep(actor, atMs, when, lead.market, nowMs);
  }
}

function isTriggered(leg: LegActor, { market, sight }: PairLifeParts): boolean {
  const trigger = triggerOf(leg.state.order);
  return trigger === null || sight.isHeld(leg) || isMet(trigger, market.read(leg.instrument.index));
}

function triggersOf({ order, startedAtMs }: ParentState): readonly MarketCondition[] {
  const trigger = startedAtMs === null ? triggerOf(order) : null;
  return trigger === null ? [] : [trigger];
}

/** Where a strategy's word counts, as soon as it has begun. */
function isWorked({ status, amendment }: ParentState): boolean {
  if (amendment !== null) return false;
  return status === 'ACCEPTED' || status === 'PARTIALLY_FILLED' || status === 'PENDING_UNPAUSE';
}

function mayWork(state: ParentState, nowMs: EpochMs): boolean {
  return state.plannedAtMs !== null && isWorked(state) && endingOf(state, nowMs) === null;
}
