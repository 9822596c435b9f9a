import type { ParentOrder } from '../model/order.js';
import type { Lots } from '../model/quantity.js';
import type { EpochMs } from '../model/time.js';
import type { Outline, OutlinedSlice } from '../strategy/outline.js';
import { outlineOf } from '../strategy/outlines.js';
import { forecastVolume } from '../strategy/volume-forecast.js';
import { expectedCost, type ExpectedCost } from './preview-cost.js';
import { CLIP_MS } from './preview-fit.js';
import { viewOfStart, type PreviewedOrder } from './preview-view.js';

export type { PreviewedOrder } from './preview-view.js';

/** What would come of an order if it were placed now. */
export interface Preview {
  /** As its strategy plans it; together the order's quantity. */
  readonly schedule: readonly OutlinedSlice[];
  readonly children: {
    readonly count: number;
    /** Of one of them, on average and rounded down; at least one lot. */
    readonly quantity: Lots;
  };
  readonly cost: ExpectedCost;
  /** The order's quantity ÷ the volume that is expected while it is worked; null while that is not known. */
  readonly participation: number | null;
}

const DAY_MS = 24 * 3600 * 1000;
/** Volume is expected over this long at least. */
const HORIZON_MS_MIN = 60_000;

/** Takes well below a millisecond. */
export function previewOf(previewed: PreviewedOrder): Preview {
  const { quantity } = previewed.order;
  const outline = outlineOf(viewOfStart(previewed), { clipMs: CLIP_MS });
  const count = Math.max(1, outline.childCount);
  return {
    schedule: outline.slices,
    children: { count, quantity: Math.max(1, Math.floor(quantity / count)) as Lots },
    cost: expectedCost(previewed, outline),
    participation: participationOf(previewed, outline),
  };
}

function participationOf(previewed: PreviewedOrder, { slices, endMs }: Outline): number | null {
  const { order, profile } = previewed;
  if (profile === null) return null;
  const startMs = viewOfStart(previewed).nowMs;
  const untilMs = order.strategy === 'MARKET' ? startMs : workedUntilMs(order, slices, endMs);
  const volume = forecastVolume(profile, startMs, Math.max(untilMs, startMs + HORIZON_MS_MIN));
  return volume > 0 ? order.quantity / volume : null;
}

/** When it is expected to be done: by its plan where it has one, else at its end, or after a day. */
function workedUntilMs(order: ParentOrder, slices: Outline['slices'], endMs: EpochMs | null): number {
  const { strategy, limitPrice, ladder } = order;
  const last = slices.at(-1)?.atMs ?? 0;
  const waitsForPrice = limitPrice !== null || ladder !== null;
  if (strategy === 'POV' || (strategy === 'ICEBERG' && !waitsForPrice)) return last;
  return endMs ?? last + DAY_MS;
}
