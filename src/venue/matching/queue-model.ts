import { type Grid, type Lots, lotSize } from '../../domain/quantity.js';

export type QueueModelName = 'risk-averse' | 'probabilistic';

/** A change of a level's quantity, for an order that rests in it. Quantities in lots. */
interface LevelChange {
  readonly from: number;
  readonly to: number;
  /** Part of the change that trades have already reported; it must not count twice. */
  readonly traded: number;
}

/**
 * Estimates the lots ahead of an order after its level changed. Depth does not show which order was withdrawn, so a
 * model estimates it. In every model, trades at the price consume the front of the queue. `ahead` is 0 or more and may
 * be a fraction, because it is an estimate.
 */
export type QueueModel = (ahead: number, change: LevelChange) => number;

/**
 * Assumes that all withdrawals were after our order: the queue ahead shrinks only when the level shows less than it.
 * Never optimistic. Source: `RiskAdverseQueueModel` of hftbacktest (models/queue.rs).
 */
export const riskAverse: QueueModel = (ahead, { to }) => Math.min(ahead, to);

/**
 * Splits withdrawals between the quantity ahead of us and the quantity after us, by a weight of each:
 *
 *   withdrawn = from − to − traded        behind = from − ahead        p = f(behind) / (f(behind) + f(ahead))
 *   ahead' = min(ahead − (1 − p)·withdrawn + min(behind − p·withdrawn, 0), to)
 *
 * The min term moves the part that exceeds the quantity after us to the quantity ahead. A level grows after us. Source:
 * `ProbQueueModel` of hftbacktest (models/queue.rs), for any weight f with f(0) = 0.
 */
export function probabilistic(weight: (lots: number) => number): QueueModel {
  return (ahead, { from, to, traded }) => {
    const withdrawn = from - to - traded;
    if (withdrawn < 0) return Math.min(ahead, to);
    const behind = Math.max(0, from - ahead);
    const weights = weight(behind) + weight(ahead);
    const share = weights === 0 ? 1 : weight(behind) / weights;
    const estimate = ahead - (1 - share) * withdrawn + Math.min(behind - share * withdrawn, 0);
    return Math.max(0, Math.min(estimate, to));
  };
}

/**
 * Returns the model of that name. The probabilistic one uses f(x) = ln(1 + x) with x in base units, as hftbacktest's
 * `LogProbQueueFunc` does: of its weights this one is closest to order-by-order data.
 */
export function queueModelOf(name: QueueModelName, grid: Grid): QueueModel {
  if (name === 'risk-averse') return riskAverse;
  const lot = lotSize(grid);
  return probabilistic((lots) => Math.log1p(lots * lot));
}

/**
 * Queue position of an order in its level: last when it arrives, closer to the front with every trade and withdrawal. A
 * level that is not shown may be of any size: only a trade beyond its price then reaches the order.
 */
export class QueuePosition {
  readonly #model: QueueModel;
  #ahead: number;
  #shown: Lots | null;
  /** Traded at the price since the level's quantity last changed. */
  #traded = 0;

  /** `shown`: the level's quantity without our own; null: the level is not shown. */
  constructor(model: QueueModel, shown: Lots | null) {
    this.#model = model;
    this.#ahead = shown ?? Infinity;
    this.#shown = shown;
  }

  /** Lots ahead of the order; 0 or more, perhaps a fraction. Infinity: the level was never shown. */
  get ahead(): number {
    return this.#ahead;
  }

  /** Applies a trade at the price; returns the whole lots that reach the order, not bounded by its size. */
  onTrade(quantity: Lots): Lots {
    const beyond = quantity - this.#ahead;
    this.#traded += quantity;
    this.#ahead = Math.max(0, -beyond);
    return Math.max(0, Math.floor(beyond)) as Lots;
  }

  /** Applies the level's new quantity, without our own. A level that is no longer shown keeps its last quantity. */
  onShown(quantity: Lots | null): void {
    if (quantity === null || quantity === this.#shown) return;
    const from = this.#shown;
    this.#ahead = from === null ? quantity : this.#model(this.#ahead, { from, to: quantity, traded: this.#traded });
    this.#shown = quantity;
    this.#traded = 0;
  }
}
