import type { Lots } from '../../model/quantity.js';
import type { QueueModel } from './queue-model.js';

/** Where an order waits in its level: behind all that was shown when it came, closer with every trade and withdrawal. */
export class QueuePosition {
  readonly #model: QueueModel;
  #ahead: number;
  #shown: Lots;
  /** Traded at the price since the level last showed another quantity. */
  #traded = 0;

  constructor(model: QueueModel, shown: Lots) {
    this.#model = model;
    this.#ahead = shown;
    this.#shown = shown;
  }

  /** Lots that are served first; 0 or more, perhaps a fraction. */
  get ahead(): number {
    return this.#ahead;
  }

  /** So much traded at the price; returns the whole lots of it that come to the order, however small that is. */
  onTrade(quantity: Lots): Lots {
    const beyond = quantity - this.#ahead;
    this.#traded += quantity;
    this.#ahead = Math.max(0, -beyond);
    return Math.max(0, Math.floor(beyond)) as Lots;
  }

  /** The level shows that quantity now, ours not counted. */
  onShown(quantity: Lots): void {
    if (quantity === this.#shown) return;
    this.#ahead = this.#model(this.#ahead, { from: this.#shown, to: quantity, traded: this.#traded });
    this.#shown = quantity;
    this.#traded = 0;
  }
}
