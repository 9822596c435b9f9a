import { assert } from '../model/assert.js';
import type { InstrumentCatalogue } from '../model/instrument.js';
import { MARKET_STALE_MS } from '../model/limits.js';
import { isCrossed, isTwoSided } from '../model/market.js';
import type { ParentState } from '../model/order.js';
import { followingLeg } from '../model/pair.js';
import { quotePath, quoteRate, type QuoteStep } from '../model/quote-path.js';
import type { EpochMs } from '../model/time.js';
import { followerState } from '../strategy/pair/leg-state.js';
import type { Actor } from './actor.js';
import type { MarketInterests } from './interests.js';
import type { MarketView } from './port.js';
import { FurtherSeat } from './seat.js';
import type { LegActor, Sight } from './sight.js';

/** A pair's other leg: an order of its own to whoever works it or looks at its market. */
export class FollowerSeat extends FurtherSeat {
  get state(): ParentState {
    return followerState(this.owner.state);
  }
}

export interface PairSeatsParts {
  readonly catalogue: InstrumentCatalogue;
  readonly market: MarketView;
  readonly interests: MarketInterests;
  readonly sight: Sight;
}

/** The markets that a pair needs: those of its legs, and those that tell the quote currency of one in that of the other. */
export class PairSeats {
  readonly follower: FollowerSeat;
  /** False when both legs are worked by their strategies. */
  readonly isLed: boolean;
  readonly #parts: PairSeatsParts;
  readonly #actor: Actor;
  readonly #path: readonly QuoteStep[] | null;
  readonly #tellers: readonly FurtherSeat[];
  #isOpen = false;

  constructor(actor: Actor, parts: PairSeatsParts) {
    const { pair, orderId } = actor.state.order;
    assert(pair !== null, `order ${orderId} is a pair`);
    const { catalogue } = parts;
    this.#parts = parts;
    this.#actor = actor;
    this.follower = new FollowerSeat(actor, catalogue.at(followingLeg(pair).instrument));
    this.isLed = pair.isLed;
    this.#path = quotePath(catalogue, actor.instrument, this.follower.instrument);
    this.#tellers = (this.#path ?? []).map(({ instrument }) => new FurtherSeat(actor, instrument));
  }

  /** The legs that have a strategy. */
  get worked(): readonly LegActor[] {
    return this.isLed ? [this.#actor] : [this.#actor, this.follower];
  }

  /** Keeps the markets awake, and shows the strategies what they look at. */
  open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    for (const leg of this.worked) this.#parts.sight.open(leg);
    for (const seat of [this.follower, ...this.#tellers]) this.#parts.interests.keepAwake(seat, true);
  }

  close(): void {
    this.#isOpen = false;
    for (const leg of this.worked) this.#parts.sight.close(leg);
    for (const seat of [this.follower, ...this.#tellers]) this.#parts.interests.keepAwake(seat, false);
    this.#parts.interests.set(this.follower, []);
  }

  /** What a unit of the other leg's quote currency is worth in the leading one's; null while a market does not tell. */
  quoteRate(nowMs: EpochMs): number | null {
    if (this.#path === null) return null;
    return quoteRate(this.#path, ({ index }) => {
      const market = this.#parts.market.read(index);
      const isTold = nowMs - market.atMs <= MARKET_STALE_MS && isTwoSided(market) && !isCrossed(market);
      return isTold ? market.bid + market.ask : null;
    });
  }
}
