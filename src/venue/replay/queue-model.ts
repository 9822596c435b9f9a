import type { Grid } from '../../model/quantity.js';

export type QueueModelName = 'risk-averse' | 'probabilistic';

/** A level that shows another quantity than before, as an order that waits in it sees it. Quantities in lots. */
export interface LevelChange {
  readonly from: number;
  readonly to: number;
  /** Of the change, what trades have told already: it must not count twice. */
  readonly traded: number;
}

/**
 * How many lots wait before an order, after its level has changed. Depth does not say whose order was withdrawn: that is
 * what the models guess. Trades at the price come off the front in every model. `ahead` is 0 or more and may be a
 * fraction: it is an estimate, not money.
 */
export type QueueModel = (ahead: number, change: LevelChange) => number;

/**
 * Everything that is withdrawn waited behind us: only when the level shows less than what we had before us does it
 * shrink. Never flatters. `RiskAdverseQueueModel` of hftbacktest (models/queue.rs).
 */
export const riskAverse: QueueModel = (ahead, { to }) => Math.min(ahead, to);

/**
 * What is withdrawn was before or behind us with a probability that grows with what waits there:
 *
 *   withdrawn = from − to − traded        behind = from − ahead        p = f(behind) / (f(behind) + f(ahead))
 *   ahead' = min(ahead − (1 − p)·withdrawn + min(behind − p·withdrawn, 0), to)
 *
 * The last sum hands on what cannot have come from behind us. A level that grows grows behind us. `ProbQueueModel` of
 * hftbacktest (models/queue.rs), for any weight f with f(0) = 0.
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
 * The model of that name. The probabilistic one weighs by f(x) = ln(1 + x) with x in base units, as hftbacktest's
 * `LogProbQueueFunc` does: of its weights the one that comes nearest to the truth on order-by-order data.
 */
export function queueModelOf(name: QueueModelName, { quantityPrecision }: Grid): QueueModel {
  if (name === 'risk-averse') return riskAverse;
  const lot = 10 ** -quantityPrecision;
  return probabilistic((lots) => Math.log1p(lots * lot));
}
