import type { OrderId } from '../domain/ids.js';
import type { Instrument, InstrumentCatalogue } from '../domain/instrument.js';
import type { HedgeDecision, StrategyDecision } from '../domain/intent.js';
import { HEDGE_WATCH_MS, MARKET_STALE_MS } from '../domain/limits/trading.js';
import { isCrossed, isMet, isTwoSided, type Market, type MarketCondition } from '../domain/market.js';
import { NumberMap } from '../domain/number-map.js';
import type { ParentState } from '../domain/order-state.js';
import { isTerminal } from '../domain/order.js';
import { hedgeDeficit, quotePath, quoteRate, type QuoteStep } from '../domain/pair-balance.js';
import { hedgingIndexOf, legAt, type LegIndex, mapLegs } from '../domain/pair.js';
import { leadingIndexOf } from '../domain/order-legs.js';
import { assert } from '../domain/rejection.js';
import type { LegMemory } from '../domain/strategy-memory.js';
import type { EpochMs } from '../domain/time.js';
import { isPlanDue, triggerOf } from '../order/control.js';
import type { OrderInput } from '../order/decide.js';
import { endingOf } from '../order/settlement.js';
import { withinHeadroom } from '../strategy/pair/headroom.js';
import { hedge } from '../strategy/pair/hedge.js';
import { aheadOf, inStep, legState } from '../strategy/pair/legs.js';
import type { LegPlace, PairView } from '../strategy/pair/pair-view.js';
import { QUIET } from '../strategy/placement/all-at-once.js';
import { type Actor, ExtraSubscription, type LegActor } from './actor.js';
import type { MarketSubscriptions } from './market-subscriptions.js';
import type { MarketView } from './port.js';
import type { StrategyHost } from './strategy-host.js';
import type { VenueLinks } from './venue-watch.js';

interface PairLifecycleParts {
  readonly catalogue: InstrumentCatalogue;
  readonly market: MarketView;
  readonly subscriptions: MarketSubscriptions;
  readonly strategies: StrategyHost;
  readonly isVenueUp: VenueLinks['isUp'];
  readonly apply: (actor: Actor, input: OrderInput, nowMs: EpochMs) => void;
  /** Wakes the order at `atMs`, or when the leading leg's market meets the strategy's conditions. */
  readonly sleep: (actor: Actor, atMs: number, when: readonly MarketCondition[], seen: Market | null) => void;
}

/** The inputs of one advance: the markets and the place of each leg. */
interface PairRound {
  readonly actor: Actor;
  readonly markets: PairMarkets;
  readonly places: PairView['places'];
  readonly nowMs: EpochMs;
}

/**
 * Advances one pair as far as possible now:
 *
 *     both markets valid ─▶ decisions of the strategies ─▶ hedge ─▶ the leading leg's decision within its headroom
 *
 * The hedge comes first. It also works without a strategy: in a pause, during a cancel, after the end time.
 */
export class PairLifecycle {
  readonly #parts: PairLifecycleParts;
  readonly #markets = new NumberMap<OrderId, PairMarkets>();

  constructor(parts: PairLifecycleParts) {
    this.#parts = parts;
  }

  /** Call it after anything that concerns the pair, from its start time on. */
  advance(actor: Actor, nowMs: EpochMs): void {
    const markets = this.#marketsOf(actor);
    const { state } = actor;
    if (state.status === 'PAUSED' && hedgeDeficit(state) === null) return this.#rest(actor, markets);
    markets.open();
    const places = mapLegs(markets.legs, (leg) => this.#placeOf(leg, actor, nowMs));
    const round: PairRound = { actor, markets, places, nowMs };
    const heldUntilMs = this.#start(round);
    if (heldUntilMs !== null) return this.#sleep(round, heldUntilMs, triggersOf(actor.state));
    this.#trade(round);
  }

  /** Releases the markets of a pair that has ended. */
  retire(actor: Actor): void {
    const { orderId } = actor.state.order;
    this.#markets.get(orderId)?.close();
    this.#markets.delete(orderId);
  }

  #rest(actor: Actor, markets: PairMarkets): void {
    markets.close();
    this.#parts.sleep(actor, Infinity, [], null);
  }

  #marketsOf(actor: Actor): PairMarkets {
    const { orderId } = actor.state.order;
    const known = this.#markets.get(orderId);
    if (known !== undefined) return known;
    const markets = new PairMarkets(actor, this.#parts);
    this.#markets.set(orderId, markets);
    return markets;
  }

  /** The place of a leg. Its market is null unless it is fresh, two-sided and not crossed, at a venue that is up. */
  #placeOf(leg: LegActor, { state }: Actor, nowMs: EpochMs): LegPlace {
    const instrument = this.#parts.catalogue.at(leg.instrument.index);
    leg.instrument = instrument;
    const market = this.#parts.market.read(instrument.index);
    const isFit = nowMs - market.atMs <= MARKET_STALE_MS && isTwoSided(market) && !isCrossed(market);
    const isUp = this.#parts.isVenueUp(instrument.venue, state.order.account);
    return { instrument, market: isFit && isUp ? market : null };
  }

  /**
   * Starts or plans the pair when both markets are valid and the conditions of the legs are met. Returns the time of
   * the next try, or null to continue.
   */
  #start(round: PairRound): number | null {
    const { actor, markets, places, nowMs } = round;
    const { state } = actor;
    const isStarted = state.startedAtMs !== null;
    if (isTerminal(state.status) || endingOf(state, nowMs) !== null || !isWorked(state)) return null;
    if (isStarted && !isPlanDue(state)) return null;
    const [first, second] = mapLegs(places, ({ market }) => market);
    if (first === null || second === null) return isStarted ? null : nowMs + HEDGE_WATCH_MS;
    const { worked } = markets;
    if (!isStarted && !worked.every((leg) => isTriggered(leg, this.#parts))) return nowMs + HEDGE_WATCH_MS;
    const heldUntilMs = Math.max(...worked.map((leg) => this.#parts.strategies.profileWaitUntilMs(leg, nowMs) ?? 0));
    if (heldUntilMs > 0) return heldUntilMs;
    this.#begin(round, [first, second]);
    return null;
  }

  #begin({ actor, markets, nowMs }: PairRound, seen: readonly [Market, Market]): void {
    const { strategies, apply } = this.#parts;
    const isStarted = actor.state.startedAtMs !== null;
    const legs = mapLegs(seen, (market, leg) => {
      const memory = markets.isWorked(leg) ? this.#planOf(markets.legs[leg], market, nowMs) : null;
      return { market, memory };
    });
    if (isStarted) apply(actor, { kind: 'Plan', memories: mapLegs(legs, ({ memory }) => memory) }, nowMs);
    else apply(actor, { kind: 'Start', legs }, nowMs);
    for (const leg of [0, 1] as const) {
      const own = markets.legs[leg];
      const note = isStarted || !markets.isWorked(leg) ? null : strategies.missingProfile(own, nowMs);
      if (note === null) continue;
      apply(actor, { kind: 'Work', leg, instrument: own.instrument, decision: { ...QUIET, note } }, nowMs);
    }
  }

  #planOf(leg: LegActor, market: Market, nowMs: EpochMs): LegMemory {
    const { strategies } = this.#parts;
    return strategies.strategyOf(leg).begin(strategies.view(leg, market, nowMs));
  }

  #trade(round: PairRound): void {
    const { actor, markets, places, nowMs } = round;
    const isFit = places.every(({ market }) => market !== null) && mayWork(actor.state, nowMs);
    const wanted = mapLegs(places, (place, leg) => {
      return isFit && markets.isWorked(leg) ? this.#decide(markets.legs[leg], place, nowMs) : null;
    });
    const hedged = this.#hedge(round, wanted);
    const isFree = hedged.withdraw === null && isWorked(actor.state);
    // The strategy decided before the hedge. Its decision is stale for a leg on which the hedge placed orders.
    const takenLeg = hedged.intents.length > 0 ? hedged.leg : null;
    const done = mapLegs(wanted, (decision, leg) =>
      isFree && decision !== null && leg !== takenLeg ? this.#work(round, leg, decision, hedged) : null,
    );
    this.#parts.subscriptions.set(markets.hedging, done[markets.hedging.leg]?.wake.when ?? []);
    // A strategy whose decision was not used runs again soon.
    const isUnused = wanted.some((decision, leg) => decision !== null && done[leg] === null);
    const watchMs = isUnused ? nowMs + HEDGE_WATCH_MS : Infinity;
    const ownMs = done.map((decision) => decision?.wake.atMs ?? Infinity);
    const when = done[leadingIndexOf(actor.state.order)]?.wake.when ?? [];
    this.#sleep(round, Math.min(hedged.wakeAtMs ?? Infinity, watchMs, ...ownMs), when);
  }

  #decide(leg: LegActor, { market }: LegPlace, nowMs: EpochMs): StrategyDecision | null {
    const { strategies } = this.#parts;
    return market === null
      ? null
      : strategies.strategyOf(leg).work(strategies.view(leg, market, nowMs), strategies.scratch);
  }

  #hedge({ actor, markets, places, nowMs }: PairRound, decisions: readonly (StrategyDecision | null)[]): HedgeDecision {
    const isEnding = endingOf(actor.state, nowMs) !== null || decisions.some((one) => (one?.end ?? null) !== null);
    const quoteRate = markets.quoteRate(nowMs);
    const decision = hedge({ state: actor.state, places, quoteRate, nowMs, isEnding });
    const instruments = mapLegs(places, ({ instrument }) => instrument);
    this.#parts.apply(actor, { kind: 'Hedge', decision, instruments }, nowMs);
    return decision;
  }

  /** Applies the part of the strategy's decision that the leg may do now. Returns it, or null for none. */
  #work(
    { actor, markets, places, nowMs }: PairRound,
    leg: LegIndex,
    wanted: StrategyDecision,
    hedged: HedgeDecision,
  ): StrategyDecision | null {
    const { instrument, market } = places[leg];
    if (market === null || !isWorked(actor.state)) return null;
    const view = this.#parts.strategies.view(markets.legs[leg], market, nowMs);
    const decision = markets.isLed
      ? withinHeadroom(wanted, view, hedged.headroom)
      : inStep(wanted, view, aheadOf(actor.state) === leg);
    if (decision !== null) this.#parts.apply(actor, { kind: 'Work', leg, instrument, decision, hedged }, nowMs);
    return decision;
  }

  #sleep({ actor, places }: PairRound, atMs: number, when: readonly MarketCondition[]): void {
    if (isTerminal(actor.state.status)) return this.#parts.sleep(actor, Infinity, [], null);
    this.#parts.sleep(actor, atMs, when, places[leadingIndexOf(actor.state.order)].market);
  }
}

function isTriggered(leg: LegActor, { market, strategies }: PairLifecycleParts): boolean {
  const trigger = triggerOf(leg.state.order);
  return trigger === null || strategies.isAwaitingProfile(leg) || isMet(trigger, market.read(leg.instrument.index));
}

function triggersOf({ order, startedAtMs }: ParentState): readonly MarketCondition[] {
  const trigger = startedAtMs === null ? triggerOf(order) : null;
  return trigger === null ? [] : [trigger];
}

/** True when the status allows the strategies to place orders. */
function isWorked({ status, amendment }: ParentState): boolean {
  if (amendment !== null) return false;
  return status === 'ACCEPTED' || status === 'PARTIALLY_FILLED' || status === 'PENDING_UNPAUSE';
}

function mayWork(state: ParentState, nowMs: EpochMs): boolean {
  return state.plannedAtMs !== null && isWorked(state) && endingOf(state, nowMs) === null;
}

/** The hedging leg at its market, with the state of an order of its own. */
class HedgingSubscription extends ExtraSubscription {
  readonly leg: LegIndex;

  constructor(owner: Actor, leg: LegIndex, instrument: Instrument) {
    super(owner, instrument);
    this.leg = leg;
  }

  get state(): ParentState {
    return legState(this.owner.state, this.leg);
  }
}

interface PairMarketsParts {
  readonly catalogue: InstrumentCatalogue;
  readonly market: MarketView;
  readonly subscriptions: MarketSubscriptions;
  readonly strategies: StrategyHost;
}

/** Subscribes to the markets of a pair: those of its legs, and those that convert between their quote currencies. */
class PairMarkets {
  readonly hedging: HedgingSubscription;
  /** In the order of the request: the actor follows the market of its leading leg, a subscription that of the other. */
  readonly legs: readonly [LegActor, LegActor];
  /** False when both legs have their own strategies. */
  readonly isLed: boolean;
  readonly #parts: PairMarketsParts;
  readonly #path: readonly QuoteStep[] | null;
  readonly #conversionMarkets: readonly ExtraSubscription[];
  #isOpen = false;

  constructor(actor: Actor, parts: PairMarketsParts) {
    const { pair, legs, orderId } = actor.state.order;
    assert(pair !== null, `order ${orderId} is a pair`);
    const { catalogue } = parts;
    this.#parts = parts;
    const leg = hedgingIndexOf(pair);
    this.hedging = new HedgingSubscription(actor, leg, catalogue.at(legAt(legs, leg).instrument));
    this.legs = leg === 0 ? [this.hedging, actor] : [actor, this.hedging];
    this.isLed = pair.isLed;
    this.#path = quotePath(catalogue, actor.instrument, this.hedging.instrument);
    this.#conversionMarkets = (this.#path ?? []).map(({ instrument }) => new ExtraSubscription(actor, instrument));
  }

  /** The legs that have a strategy. */
  get worked(): readonly LegActor[] {
    return this.legs.filter((_own, leg) => this.isWorked(leg as LegIndex));
  }

  /** True when the leg has a strategy of its own. */
  isWorked(leg: LegIndex): boolean {
    return !this.isLed || leg !== this.hedging.leg;
  }

  /** Keeps the markets awake and subscribes to the books that the strategies use. */
  open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    for (const leg of this.worked) this.#parts.strategies.open(leg);
    for (const subscription of [this.hedging, ...this.#conversionMarkets])
      this.#parts.subscriptions.keepAwake(subscription, true);
  }

  close(): void {
    this.#isOpen = false;
    for (const leg of this.worked) this.#parts.strategies.close(leg);
    for (const subscription of [this.hedging, ...this.#conversionMarkets])
      this.#parts.subscriptions.keepAwake(subscription, false);
    this.#parts.subscriptions.set(this.hedging, []);
  }

  /**
   * Value of one unit of the other leg's quote currency in the leading leg's. Returns null while a market is not
   * valid.
   */
  quoteRate(nowMs: EpochMs): number | null {
    if (this.#path === null) return null;
    return quoteRate(this.#path, ({ index }) => {
      const market = this.#parts.market.read(index);
      const isValid = nowMs - market.atMs <= MARKET_STALE_MS && isTwoSided(market) && !isCrossed(market);
      return isValid ? market.bid + market.ask : null;
    });
  }
}
