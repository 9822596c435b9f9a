import type { Side } from '../../src/domain/order.js';
import type { Lots, Ticks } from '../../src/domain/quantity.js';
import type { DurationMs, EpochMs } from '../../src/domain/time.js';
import { isBetter, type ShownLevels } from '../../src/venue/matching/remaining-book.js';
import { opposite } from '../../src/venue/matching/market-matching.js';

/** Longest time between a trade and the book that shows its loss: depth comes in batches of 100 ms. */
const SHOWN_WITHIN_MS = 200;
/** Of a sum of floats. */
const ROUNDING = 1e-9;
/** Time for which a level is watched. */
export const WATCHED_MS = 10_000 as DurationMs;

/** What a trade took from one level. */
interface Take {
  readonly side: Side;
  readonly price: Ticks;
  /** Shown before the trade. */
  readonly shown: number;
  readonly tradedAtMs: EpochMs;
  taken: number;
  /** When the book showed the loss of at least half; null: not yet. */
  lostAtMs: EpochMs | null;
}

/** How long a quantity was away: until its half came back, or at least `ms`, when it was last watched. */
interface Absence {
  readonly ms: number;
  readonly quantity: number;
  readonly isOver: boolean;
}

/**
 * Estimates how fast a level of a recorded book fills again after a trade: its half-life.
 *
 * A take is all trades of one millisecond at one price. The quantity shown before it is the reference. A take counts
 * when the book then shows a loss of at least half of it. It is back when the book shows a loss of less than half.
 *
 * Each take is watched for at most 10 s. The watch ends when the best price moves away from the level: such a level
 * stays empty because no order trades there. The half-life is the median time until a take is back. A watch that ended
 * early counts until its end (Kaplan and Meier, Nonparametric estimation from incomplete observations, 1958). Each take
 * is weighted by its quantity.
 *
 * A take whose loss is not shown within 200 ms does not count. Either the book was ahead of the trade, or the level was
 * filled again before it was shown. Quick refills are left out this way, so the half-life is rather too long.
 */
export class RefillEstimate {
  readonly #shown: ShownLevels;
  #open: Take[] = [];
  readonly #absences: Absence[] = [];
  #checkedAtMs = 0;

  constructor(shown: ShownLevels) {
    this.#shown = shown;
  }

  /** Called before the book shows the trade. */
  onTrade(price: Ticks, quantity: Lots, takerSide: Side, atMs: EpochMs): void {
    const side = opposite(takerSide);
    const same = this.#open.at(-1);
    if (same?.price === price && same.side === side && same.tradedAtMs === atMs) {
      same.taken += quantity;
      return;
    }
    const shown = this.#shown.quantityAt(side, price) ?? 0;
    if (shown > 0) this.#open.push({ side, price, shown, tradedAtMs: atMs, taken: quantity, lostAtMs: null });
  }

  /** Called when the book may have changed. */
  onBook(atMs: EpochMs): void {
    if (this.#open.length === 0 || atMs === this.#checkedAtMs) return;
    this.#checkedAtMs = atMs;
    this.#open = this.#open.filter((take) => this.#isOpen(take, atMs));
  }

  /** Called at the end of the recording. */
  finish(atMs: EpochMs): void {
    for (const { lostAtMs, taken } of this.#open) {
      if (lostAtMs !== null) this.#absences.push({ ms: atMs - lostAtMs, quantity: taken, isOver: false });
    }
    this.#open = [];
  }

  /** Number of takes whose loss was shown. */
  get count(): number {
    return this.#absences.length;
  }

  /** In milliseconds, from 1 on; at most the watched time, which also stands for longer; null without any take. */
  get halfLifeMs(): DurationMs | null {
    if (this.count === 0) return null;
    // Of one time, what came back was still watched when the rest was lost sight of.
    const sorted = this.#absences.toSorted(
      (one, other) => one.ms - other.ms || Number(other.isOver) - Number(one.isOver),
    );
    let atRisk = sorted.reduce((sum, { quantity }) => sum + quantity, 0);
    let away = 1;
    for (const { ms, quantity, isOver } of sorted) {
      if (isOver) away *= 1 - quantity / atRisk;
      if (away <= 0.5 + ROUNDING) return Math.min(WATCHED_MS, Math.max(1, ms)) as DurationMs;
      atRisk -= quantity;
    }
    return WATCHED_MS;
  }

  #isOpen(take: Take, atMs: EpochMs): boolean {
    // A level that loses more than it showed was refilled meanwhile.
    const taken = Math.min(take.taken, take.shown);
    const missing = take.shown - (this.#shown.quantityAt(take.side, take.price) ?? 0);
    if (take.lostAtMs === null) {
      if (missing < taken / 2) return atMs - take.tradedAtMs < SHOWN_WITHIN_MS;
      take.lostAtMs = atMs;
    }
    const ms = atMs - take.lostAtMs;
    const isBack = missing < taken / 2;
    const best = this.#shown.best(take.side);
    const hasLeft = best > 0 && isBetter(take.side, take.price, best);
    const isEnd = isBack || hasLeft || ms >= WATCHED_MS;
    if (isEnd) this.#absences.push({ ms, quantity: taken, isOver: isBack });
    return !isEnd;
  }
}
