import type { LegActor } from './actor.js';
import { assert } from '../domain/rejection.js';
import type { Depth, Market } from '../domain/market.js';
import type { InstrumentIndex } from '../domain/instrument.js';
import { VOLUME_UNKNOWN, type StrategyView } from '../domain/intent.js';
import { MARKET_STALE_MS, PROFILE_WAIT_MS } from '../domain/limits/trading.js';
import type { GivenReason, ParentOrder } from '../domain/order.js';
import type { EpochMs } from '../domain/time.js';
import { workingOf } from '../order/children.js';
import { leadingIndexOf, leadingLeg } from '../domain/order-legs.js';
import { legState } from '../strategy/pair/legs.js';
import { randomOf } from '../strategy/random.js';
import { newScratch, type Strategy } from '../strategy/strategy.js';
import type { MarketSubscriptions } from './market-subscriptions.js';
import type { MarketView } from './port.js';
import type { VolumeProfiles } from './volume-profiles.js';

export interface StrategyHostParts {
  readonly market: MarketView;
  readonly subscriptions: MarketSubscriptions;
  readonly profiles: VolumeProfiles;
  /** Returns an order's strategy, or null when it is not offered. */
  readonly strategyFor: (order: ParentOrder) => Strategy | null;
}

/**
 * Runs strategies: gives them the best prices, and the book and the volume profile when they need them. Orders that
 * need neither cost nothing here.
 */
export class StrategyHost {
  /** Scratch memory that each decision of the thread reuses. */
  readonly scratch = newScratch();
  readonly #parts: StrategyHostParts;
  /** Orders whose start waits for a profile. */
  readonly #awaitingProfile = new Set<LegActor>();

  constructor(parts: StrategyHostParts) {
    this.#parts = parts;
  }

  strategyOf({ state }: LegActor): Strategy {
    const strategy = this.#parts.strategyFor(state.order);
    assert(strategy !== null, `strategy ${leadingLeg(state.order).strategy} is offered`);
    return strategy;
  }

  /** Keeps the order's market awake and subscribes to the book if its strategy needs it. */
  open(actor: LegActor): void {
    this.#parts.subscriptions.keepAwake(actor, true);
    if (this.#needsDepth(actor)) this.#parts.subscriptions.wantDepth(actor, true);
  }

  /** Releases everything that the order holds. */
  close(actor: LegActor): void {
    this.#awaitingProfile.delete(actor);
    this.#parts.profiles.leave(actor);
    this.#parts.subscriptions.wantDepth(actor, false);
    this.#parts.subscriptions.keepAwake(actor, false);
  }

  /** End of the order's wait for its profile. Returns null when it does not wait. */
  profileWaitUntilMs(actor: LegActor, nowMs: EpochMs): EpochMs | null {
    const untilMs = this.#needsProfile(actor) ? this.#parts.profiles.awaitedUntilMs(actor, nowMs) : null;
    if (untilMs === null) this.#awaitingProfile.delete(actor);
    else this.#awaitingProfile.add(actor);
    return untilMs;
  }

  /** True when the order waits only for its profile: all other start conditions were met. */
  isAwaitingProfile(actor: LegActor): boolean {
    return this.#awaitingProfile.has(actor);
  }

  /** Why the order starts without the profile it needs. Returns null when it has the profile or needs none. */
  missingProfile(actor: LegActor, nowMs: EpochMs): GivenReason | null {
    const { profiles } = this.#parts;
    if (!this.#needsProfile(actor) || profiles.of(actor, nowMs) !== null) return null;
    const { symbol } = actor.instrument;
    const detail = profiles.isLearnt(actor)
      ? `no full day of ${symbol} is known: the volume profile is flat`
      : `the volumes of ${symbol} did not arrive within ${PROFILE_WAIT_MS} ms: the volume profile is flat for now`;
    return { code: VOLUME_UNKNOWN, detail };
  }

  view(actor: LegActor, market: Market, nowMs: EpochMs): StrategyView {
    const { instrument } = actor;
    const state = legState(actor.state, leadingIndexOf(actor.state.order));
    const random = randomOf(state.order.orderId);
    const view = { state, instrument, working: workingOf(state), market, nowMs, random };
    const depth = this.#needsDepth(actor) ? this.#depth(instrument.index, nowMs) : null;
    const profile = this.#needsProfile(actor) ? this.#parts.profiles.of(actor, nowMs) : null;
    if (depth === null && profile === null) return view;
    return { ...view, ...(depth !== null && { depth }), ...(profile !== null && { profile }) };
  }

  /** The book, or null when it is older than MARKET_STALE_MS. */
  #depth(instrument: InstrumentIndex, nowMs: EpochMs): Depth | null {
    const depth = this.#parts.market.depth(instrument);
    return depth !== null && nowMs - depth.atMs <= MARKET_STALE_MS ? depth : null;
  }

  #needsDepth(actor: LegActor): boolean {
    return this.strategyOf(actor).needs?.depth === true || leadingLeg(actor.state.order).placement?.mode === 'CUSTOM';
  }

  #needsProfile(actor: LegActor): boolean {
    return this.strategyOf(actor).needs?.profile === true;
  }
}
