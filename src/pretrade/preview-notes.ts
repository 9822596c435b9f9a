import { isTakingBetter } from '../strategy/placement/peg.js';
import { type PreviewedOrder, viewOfStart } from './previewed-order.js';

/** What a client should know about the cost of an order's own terms. */
export interface PreviewNote {
  readonly code: 'TAKING_IS_CHEAPER' | 'GATE_COSTS';
  /** Names the field, the value and the cost. */
  readonly message: string;
}

const PPM_PER_BPS = 100;
/**
 * Cost of ob_imbalance_cancel, all-in: a HYBRID order with it less the same order without it, on the recorded markets
 * on which no number was chosen (adr/0020). Its error is 0.25 bps on perpetuals and 0.07 bps on spot.
 */
const GATE_COST_BPS = { FUTURE: 0.19, SPOT: 0.02 } as const;
const FOLLOWING = new Set(['TWAP', 'VWAP', 'POV', 'IS', 'ICEBERG']);

/** `totalBps`: expected total of the order; `takingBpsOf` returns that of the same order in style AGGRESSIVE. */
export function notesOf(previewed: PreviewedOrder, totalBps: number, takingBpsOf: () => number): PreviewNote[] {
  const { order, instrument } = previewed;
  const [leg] = order.legs;
  const notes: PreviewNote[] = [];
  const isFollowing = FOLLOWING.has(leg.strategy) && leg.limitPrice === null;
  const isDearer = isFollowing && leg.style === 'PASSIVE' && isTakingBetter(viewOfStart(previewed));
  const savedBps = isDearer ? totalBps - takingBpsOf() : 0;
  if (savedBps > 0) {
    const [maker, taker] = [instrument.makerFeePpm, instrument.takerFeePpm].map((ppm) => ppm / PPM_PER_BPS);
    const message =
      `trading_style PASSIVE: makers pay ${maker} bps here and takers ${taker}, and a resting child risks more than it ` +
      `earns; AGGRESSIVE is expected to cost ${savedBps.toFixed(2)} bps less`;
    notes.push({ code: 'TAKING_IS_CHEAPER', message });
  }
  if (order.imbalanceThresholdPpm !== null) {
    const cost = GATE_COST_BPS[instrument.assetCategory];
    const message = `ob_imbalance_cancel true: on recorded markets of this kind such orders cost ${cost} bps more`;
    notes.push({ code: 'GATE_COSTS', message });
  }
  return notes;
}
