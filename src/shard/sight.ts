import { assert } from '../model/assert.js';
import type { Depth } from '../model/depth.js';
import type { InstrumentIndex } from '../model/instrument.js';
import { VOLUME_UNKNOWN, type Strategy, type StrategyView } from '../model/intent.js';
import { MARKET_STALE_MS, PROFILE_WAIT_MS } from '../model/limits.js';
import type { Market } from '../model/market.js';
import type { ParentOrder, ParentState, Reason } from '../model/order.js';
import type { EpochMs } from '../model/time.js';
import { workingOf } from '../order/working.js';
import { leadState } from '../strategy/pair/leg-state.js';
import { randomOf } from '../strategy/random.js';
import type { MarketInterests } from './interests.js';
import type { MarketView } from './port.js';
import type { Seat } from './seat.js';
import type { VolumeProfiles } from './volume-profiles.js';

/** An order, or a leg of a pair, at its market. */
export type LegActor = Seat & { readonly state: ParentState };

export interface SightParts {
  readonly market: MarketView;
  readonly interests: MarketInterests;
  readonly profiles: VolumeProfiles;
  /** How an order is worked; null when its strategy is not offered. */
  readonly strategyFor: (order: ParentOrder) => Strategy | null;
}

/**
 * What strategies see: the best prices always, the book and the volume profile where they are needed. Orders that need
 * neither cost nothing here.
 */
export class Sight {
  readonly #parts: SightParts;
  /** Orders that wait for a profile at their start. */
  readonly #held = new Set<LegActor>();

  constructor(parts: SightParts) {
    this.#parts = parts;
  }

  strategyOf({ state }: LegActor): Strategy {
    const strategy = this.#parts.strategyFor(state.order);
    assert(strategy !== null, `strategy ${state.order.strategy} is offered`);
    return strategy;
  }

  /** The order may trade: its market is kept awake and what it looks at is shown from now on. */
  open(actor: LegActor): void {
    this.#parts.interests.keepAwake(actor, true);
    if (this.#needsDepth(actor)) this.#parts.interests.wantDepth(actor, true);
  }

  /** The order has ended. */
  close(actor: LegActor): void {
    this.#held.delete(actor);
    this.#parts.profiles.leave(actor);
    this.#parts.interests.wantDepth(actor, false);
    this.#parts.interests.keepAwake(actor, false);
  }

  /** Until when an order that may trade waits for its profile; null when it does not, or no longer. */
  heldUntilMs(actor: LegActor, nowMs: EpochMs): EpochMs | null {
    const untilMs = this.#needsProfile(actor) ? this.#parts.profiles.awaitedUntilMs(actor, nowMs) : null;
    if (untilMs === null) this.#held.delete(actor);
    else this.#held.add(actor);
    return untilMs;
  }

  /** True when the order waits only for its profile: whatever else had to come before its start has come. */
  isHeld(actor: LegActor): boolean {
    return this.#held.has(actor);
  }

  /** Why the order begins without the profile that it needs; null when it has it or needs none. */
  lackOf(actor: LegActor, nowMs: EpochMs): Reason | null {
    const { profiles } = this.#parts;
    if (!this.#needsProfile(actor) || profiles.of(actor, nowMs) !== null) return null;
    const { symbol } = actor.instrument;
    const detail = profiles.isLearnt(actor)
      ? `no full day of ${symbol} is known: the day is taken as flat`
      : `the volumes of ${symbol} were not told within ${PROFILE_WAIT_MS} ms: the day is taken as flat for now`;
    return { code: VOLUME_UNKNOWN, detail };
  }

  view(actor: LegActor, market: Market, nowMs: EpochMs): StrategyView {
    const { instrument } = actor;
    const state = leadState(actor.state);
    const random = randomOf(state.order.orderId);
    const view = { state, instrument, working: workingOf(state), market, nowMs, random };
    const depth = this.#needsDepth(actor) ? this.#depth(instrument.index, nowMs) : null;
    const profile = this.#needsProfile(actor) ? this.#parts.profiles.of(actor, nowMs) : null;
    if (depth === null && profile === null) return view;
    return { ...view, ...(depth !== null && { depth }), ...(profile !== null && { profile }) };
  }

  /** The book, unless it is older than a market may be that is traded on. */
  #depth(instrument: InstrumentIndex, nowMs: EpochMs): Depth | null {
    const depth = this.#parts.market.depth(instrument);
    return depth !== null && nowMs - depth.atMs <= MARKET_STALE_MS ? depth : null;
  }

  #needsDepth(actor: LegActor): boolean {
    return this.strategyOf(actor).needs?.depth === true || actor.state.order.placement?.mode === 'CUSTOM';
  }

  #needsProfile(actor: LegActor): boolean {
    return this.strategyOf(actor).needs?.profile === true;
  }
}
