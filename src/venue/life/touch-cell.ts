import type { Ticks } from '../../model/quantity.js';

/**
 * Where the makers agree that the touch is, while the fair price moves in a cell around it:
 *
 *            bid   ask
 *     ───┼────┼──┼──┼────┼───▶ price
 *        └── reach ─┴────┘     the fair price leaves the cell: the touch follows
 *
 * A touch that followed every move of the fair price would never gather a queue.
 */
export class TouchCell {
  readonly #reach: number;
  #bid = 0;
  /** The reach of this cell: cells differ, or their size could be read off the tape. */
  #span: number;

  /** `reach`: mean distance from the middle of the touch to the edges of the cell, in ticks. */
  constructor(reach: number) {
    this.#reach = reach;
    this.#span = reach;
  }

  get bid(): Ticks {
    return this.#bid as Ticks;
  }

  get ask(): Ticks {
    return (this.#bid + 1) as Ticks;
  }

  /** Place of a fair price in the cell: -1 at its lower edge, 1 at its upper one, beyond that outside. */
  leanOf(fair: number): number {
    return (fair - this.#bid - 0.5) / this.#span;
  }

  /**
   * Moves the touch so that the fair price leans by `lean` (-1..1) in the new cell; `chance` in [0, 1) makes the cell
   * wide or narrow. The lean is only met as far as whole ticks allow.
   */
  settle(fair: number, lean: number, chance: number): void {
    this.#span = this.#reach * (0.6 + 0.8 * chance);
    this.#bid = Math.max(1, Math.round(fair - 0.5 - lean * this.#span));
  }
}
