import { VENUE_LEVELS_COUNT } from '../model/limits.js';
import type { Side } from '../model/order.js';
import type { Lots, Ticks } from '../model/quantity.js';
import type { Book } from './book.js';
import type { MarketProfile } from './market-profile.js';
import type { Random } from './prng.js';

/** A market order of the background, good for prices up to `limit`. */
export interface BackgroundOrder {
  readonly side: Side;
  readonly quantity: Lots;
  readonly limit: Ticks;
}

/** Levels away from the best hold more: each adds this part of the best level's quantity. */
const DEPTH_GROWTH = 0.15;

/**
 * The background's quotes: a window of levels on both sides of the mid, at multiples of the level spacing, so that a
 * level keeps its place in time while the mid moves past it.
 *
 *     bids  … mid-3s  mid-2s  mid-s │ mid │ mid+s  mid+2s …  asks
 *
 * It never quotes through one of our orders: it first trades against those the mid has passed, with the quantity of
 * the levels it would have quoted there, and what it cannot fill holds the window back.
 */
export class BackgroundQuotes {
  readonly #book: Book;
  readonly #profile: MarketProfile;
  readonly #random: Random;
  readonly #trade: (order: BackgroundOrder) => void;
  /** Best price of each window; 0 before the first quotes. */
  readonly #top: Record<Side, number> = { BUY: 0, SELL: 0 };

  constructor(book: Book, profile: MarketProfile, random: Random, trade: (order: BackgroundOrder) => void) {
    this.#book = book;
    this.#profile = profile;
    this.#random = random;
    this.#trade = trade;
  }

  /** The worst price the background gives a taker of this side. */
  limitFor(takerSide: Side): Ticks {
    return this.#priceAt(takerSide === 'BUY' ? 'SELL' : 'BUY', VENUE_LEVELS_COUNT - 1);
  }

  /** Moves the windows to the mid (ticks) and brings each level the part `share` in (0, 1] of the way to a new quantity. */
  refresh(mid: number, share: number): void {
    const { levelSpacing } = this.#profile;
    const bid = Math.floor(mid / levelSpacing) * levelSpacing;
    const ask = bid + levelSpacing;
    this.#moveTo('BUY', bid);
    this.#moveTo('SELL', ask);
    this.#press('BUY', bid);
    this.#press('SELL', ask);
    this.#moveTo('BUY', Math.min(bid, this.#heldBackBid()));
    this.#moveTo('SELL', Math.max(ask, this.#heldBackAsk()));
    this.#quote('BUY', share);
    this.#quote('SELL', share);
  }

  /** Takes the quotes back that the new window leaves out. */
  #moveTo(side: Side, top: number): void {
    const movedUp = (top - this.#top[side]) / this.#profile.levelSpacing;
    if (movedUp === 0) return;
    const offset = side === 'BUY' ? movedUp : -movedUp;
    const levels = this.#book.side(side);
    for (let depth = 0; depth < VENUE_LEVELS_COUNT; depth += 1) {
      const newDepth = depth + offset;
      if (newDepth >= 0 && newDepth < VENUE_LEVELS_COUNT) continue;
      levels.clearBackground(this.#priceAt(side, depth));
    }
    this.#top[side] = top;
  }

  /** Trades against our orders that the mid has passed. */
  #press(side: Side, limit: number): void {
    const best = this.#book.opposite(side).best;
    if (best === undefined || !this.#book.isCrossing(side, limit as Ticks)) return;
    const { levelSpacing, levelQuantity } = this.#profile;
    const levels = 1 + Math.floor(Math.abs(limit - best.price) / levelSpacing);
    const quantity = Math.max(1, Math.round(levels * levelQuantity * 2 * this.#random.uniform()));
    this.#trade({ side, quantity: quantity as Lots, limit: limit as Ticks });
  }

  /** The best bid that leaves our best ask alone. */
  #heldBackBid(): number {
    const { levelSpacing } = this.#profile;
    const ask = this.#book.asks.best;
    return ask === undefined ? Infinity : (Math.ceil(ask.price / levelSpacing) - 1) * levelSpacing;
  }

  #heldBackAsk(): number {
    const { levelSpacing } = this.#profile;
    const bid = this.#book.bids.best;
    return bid === undefined ? 0 : (Math.floor(bid.price / levelSpacing) + 1) * levelSpacing;
  }

  #quote(side: Side, share: number): void {
    const levels = this.#book.side(side);
    for (let depth = 0; depth < VENUE_LEVELS_COUNT; depth += 1) {
      const price = this.#priceAt(side, depth);
      if (price <= 0) return;
      const level = levels.level(price);
      const mean = this.#profile.levelQuantity * (1 + DEPTH_GROWTH * depth);
      const wanted = mean * (0.5 + this.#random.uniform());
      const next = Math.max(1, Math.round(level.background + (wanted - level.background) * share));
      level.changeBackground(next - level.background);
    }
  }

  #priceAt(side: Side, depth: number): Ticks {
    const distance = depth * this.#profile.levelSpacing;
    return (this.#top[side] + (side === 'BUY' ? -distance : distance)) as Ticks;
  }
}
