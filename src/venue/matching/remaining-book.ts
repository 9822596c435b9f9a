import type { Side } from '../../domain/order.js';
import { type Lots, type Ticks, ZERO_LOTS } from '../../domain/quantity.js';
import { assert } from '../../domain/rejection.js';
import type { EpochMs } from '../../domain/time.js';

/** Receives a level, best first; returns true to get the next one. */
export type LevelVisitor = (price: Ticks, quantity: Lots) => boolean;

/** The book of other participants, as far as it is shown. */
export interface ShownLevels {
  /** Best price of a side; 0 while it is empty or unknown. */
  best(side: Side): Ticks;
  /** 0: the level is empty. null: the level is not shown. */
  quantityAt(side: Side, price: Ticks): Lots | null;
  /** Visits the shown levels, best first. */
  walk(side: Side, visit: LevelVisitor): void;
}

/** True when an order of that side at `price` is served before one at `other`. */
export function isBetter(side: Side, price: Ticks, other: Ticks): boolean {
  return side === 'BUY' ? price > other : price < other;
}

/** Quantity that we took from a level, and the level's shown quantity at that time. */
interface Take {
  readonly side: Side;
  readonly price: Ticks;
  readonly shown: Lots;
  taken: number;
  /** When `taken` was right: it decreases with the half-life from then on. */
  atMs: EpochMs;
}

/**
 * The shown book minus our own takes. A recording or a real market does not react to us, so a take stays subtracted
 * until the level shows another quantity or is no longer shown, as in nautilus_trader's liquidity consumption. So we
 * never buy the same lots twice, and a change by other participants restores the level.
 *
 * With a half-life, a change does not restore the level: what we took comes back evenly over time, by the half in each
 * half-life, as in the exponential resilience of Obizhaeva and Wang (Optimal trading strategy and supply/demand
 * dynamics, Journal of Financial Markets 16, 2013).
 */
export class RemainingBook {
  readonly #shown: ShownLevels;
  /** By price; asks are negative. */
  readonly #takes = new Map<number, Take>();
  readonly #halfLifeMs: number | null;
  #nowMs = 0 as EpochMs;

  /** `halfLifeMs`: above 0; null: a change of the level restores it. */
  constructor(shown: ShownLevels, halfLifeMs: number | null = null) {
    this.#shown = shown;
    this.#halfLifeMs = halfLifeMs;
  }

  /** Best price with a remaining quantity; 0 when there is none. */
  best(side: Side): Ticks {
    if (this.#takes.size === 0) return this.#shown.best(side);
    let best = 0 as Ticks;
    this.walk(side, (price) => {
      best = price;
      return false;
    });
    return best;
  }

  quantityAt(side: Side, price: Ticks): Lots {
    return this.#left(side, price, this.#shown.quantityAt(side, price) ?? ZERO_LOTS);
  }

  /** Lots of the level that we have taken since it last changed. */
  takenAt(side: Side, price: Ticks): Lots {
    const take = this.#takes.get(keyOf(side, price));
    return take === undefined ? ZERO_LOTS : this.#missing(take);
  }

  /** Levels with a remaining quantity, best first. */
  walk(side: Side, visit: LevelVisitor): void {
    this.#shown.walk(side, (price, quantity) => {
      const left = this.#left(side, price, quantity);
      return left === 0 || visit(price, left);
    });
  }

  /** Takes at most the remaining quantity. */
  take(side: Side, price: Ticks, quantity: Lots): void {
    const shown = this.#shown.quantityAt(side, price) ?? ZERO_LOTS;
    assert(quantity <= this.#left(side, price, shown), 'a take is at most the remaining quantity of its level');
    const key = keyOf(side, price);
    const take = this.#takes.get(key);
    if (take === undefined) this.#takes.set(key, { side, price, shown, taken: quantity, atMs: this.#nowMs });
    else {
      take.taken = this.#decayed(take) + quantity;
      take.atMs = this.#nowMs;
    }
  }

  /** Called when the shown book may have changed, or time has passed: levels with news are whole again. */
  refresh(nowMs: EpochMs): void {
    this.#nowMs = nowMs;
    for (const [key, take] of this.#takes) {
      const isWhole =
        this.#halfLifeMs === null
          ? this.#shown.quantityAt(take.side, take.price) !== take.shown
          : this.#missing(take) === 0;
      if (isWhole) this.#takes.delete(key);
    }
  }

  #left(side: Side, price: Ticks, shown: Lots): Lots {
    const take = this.#takes.size === 0 ? undefined : this.#takes.get(keyOf(side, price));
    return (take === undefined ? shown : Math.max(0, shown - this.#missing(take))) as Lots;
  }

  /** Whole lots of a take that have not come back. */
  #missing(take: Take): Lots {
    return Math.round(this.#decayed(take)) as Lots;
  }

  #decayed({ taken, atMs }: Take): number {
    return this.#halfLifeMs === null ? taken : taken * 2 ** ((atMs - this.#nowMs) / this.#halfLifeMs);
  }
}

function keyOf(side: Side, price: Ticks): number {
  return side === 'BUY' ? price : 0 - price;
}
