import type { DepthSide } from '../model/depth.js';
import type { Side } from '../model/order.js';
import { dailyVolatility } from '../strategy/is.js';
import { IMPACT_OF_SWEEP, SWEEPERS_SHARE } from './preview-fit.js';
import { viewOfStart, type PreviewedOrder } from './preview-view.js';

/** Somebody takes so much of the book at once. */
export interface Sweep {
  /** Of who takes. */
  readonly side: Side;
  /** In lots, not necessarily whole; more than 0. */
  readonly quantity: number;
}

/** What a sweep pays on average beyond the best price, as a fraction of the mid. */
export interface SweepImpact {
  /** In the book that is shown; null: none is. */
  readonly walked: number | null;
  /** Whatever book there is: Y·σ_D·√(q/V_D), the square root law; 0 while the volume is not known. */
  readonly usual: number;
}

export function sweepImpact(previewed: PreviewedOrder, { side, quantity }: Sweep): SweepImpact {
  const { depth, profile, market } = previewed;
  const taken = depth === null ? null : side === 'BUY' ? depth.asks : depth.bids;
  const ticks = taken === null ? null : sweepCost(taken, quantity);
  const part = profile === null ? 0 : quantity / profile.dailyVolume;
  return {
    walked: ticks === null ? null : (2 * ticks) / (market.bid + market.ask),
    usual: IMPACT_OF_SWEEP * dailyVolatility(viewOfStart(previewed), 0) * Math.sqrt(part),
  };
}

/**
 * What others pay who sweep the side of the book on which the order rests, as large as some come in any few minutes; 0
 * while the volume is not known.
 */
export function sweepersImpact(previewed: PreviewedOrder): number {
  const { order, profile } = previewed;
  if (profile === null) return 0;
  const side = order.side === 'BUY' ? 'SELL' : 'BUY';
  const { walked, usual } = sweepImpact(previewed, { side, quantity: SWEEPERS_SHARE * profile.dailyVolume });
  return walked ?? usual;
}

/**
 * What sweeping a side of the book pays on average beyond its best price, in ticks: level by level as far as levels are
 * shown, and beyond the last as if it went on as thick as it is shown. null: nothing is shown.
 */
export function sweepCost({ count, prices, quantities }: DepthSide, wanted: number): number | null {
  const best = prices[0];
  if (count === 0 || best === undefined) return null;
  let left = wanted;
  let shown = 0;
  let paid = 0;
  for (let level = 0; level < count && left > 0; level += 1) {
    const taken = Math.min(left, quantities[level] as number);
    paid += taken * Math.abs((prices[level] as number) - best);
    shown += quantities[level] as number;
    left -= taken;
  }
  if (left <= 0) return paid / wanted;
  const reach = Math.abs((prices[count - 1] as number) - best);
  const perTick = shown / (reach + 1);
  return (paid + left * (reach + 1 + left / perTick / 2)) / wanted;
}
