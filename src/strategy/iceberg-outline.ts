import type { StrategyView } from '../model/intent.js';
import { REPOST_MS } from '../model/limits.js';
import { endOf } from '../model/order.js';
import type { Lots } from '../model/quantity.js';
import { usualClip } from './iceberg.js';
import { rungsOf } from './ladder.js';
import { slicesOf, type Outline } from './outline.js';

/**
 * Clip after clip, each `clipMs` after the one before it, and faster where the order's time asks for it; down a ladder,
 * rung after rung. One that takes places the next clip as soon as it may.
 */
export function icebergOutline(view: StrategyView, clipMs: number, pointsMax: number): Outline {
  const { order, startedAtMs } = view.state;
  const endMs = endOf(order, startedAtMs);
  const after = order.ladder === null ? afterClips(view) : afterRungs(view);
  const count = after.count;
  const usualMs = order.style === 'AGGRESSIVE' && order.limitPrice === null ? REPOST_MS : clipMs;
  const stepMs = endMs === null ? usualMs : Math.min(usualMs, (endMs - view.nowMs) / count);
  const course = { startMs: view.nowMs, stepMs, stepCount: count, after: after.done };
  return { slices: slicesOf(course, pointsMax), childCount: count, endMs };
}

interface Clips {
  readonly count: number;
  readonly done: (clips: number) => Lots;
}

function afterClips(view: StrategyView): Clips {
  const { quantity } = view.state.order;
  const clip = usualClip(view);
  return { count: Math.ceil(quantity / clip), done: (clips) => Math.min(quantity, clips * clip) as Lots };
}

function afterRungs({ state: { order }, instrument }: StrategyView): Clips {
  const rungs = order.ladder === null ? [] : rungsOf(order, order.ladder, instrument);
  const sums = [0];
  for (const { quantity } of rungs) sums.push((sums.at(-1) ?? 0) + quantity);
  return { count: rungs.length, done: (clips) => (sums[clips] ?? order.quantity) as Lots };
}
