import type { StrategyView } from '../model/intent.js';
import { OUTLINE_POINTS_MAX } from '../model/limits.js';
import { endOf } from '../model/order.js';
import { icebergOutline } from './iceberg-outline.js';
import { IS } from './is.js';
import { rungsOf } from './ladder.js';
import type { Outline } from './outline.js';
import { farTouch, maximumAt, withinLimit } from './placement.js';
import { povOutline } from './pov-outline.js';
import { TWAP } from './twap.js';
import { VWAP } from './vwap.js';

/**
 * The outline of an order that begins now, in OUTLINE_POINTS_MAX slices at most: the view is that of an order that has
 * started and has nothing filled. What is left to chance in it is as `view.random` says: a half gives what is usual.
 */
export function outlineOf(view: StrategyView, paceMs: ClipPace): Outline {
  switch (view.state.order.strategy) {
    case 'TWAP':
      return TWAP.outline(view, OUTLINE_POINTS_MAX);
    case 'VWAP':
      return VWAP.outline(view, OUTLINE_POINTS_MAX);
    case 'IS':
      return IS.outline(view, OUTLINE_POINTS_MAX);
    case 'POV':
      return povOutline(view, OUTLINE_POINTS_MAX);
    case 'ICEBERG':
      return icebergOutline(view, paceMs.clipMs, OUTLINE_POINTS_MAX);
    case 'SCALE':
      return ladderOutline(view);
    case 'MARKET':
    case 'LIMIT':
      return outlineAtOnce(view);
  }
}

/** What no plan says but the market decides. */
export interface ClipPace {
  /** How long a clip that rests at the touch takes to be filled and followed by the next. */
  readonly clipMs: number;
}

/** All rungs stand from the start on. */
function ladderOutline({ state: { order, startedAtMs }, instrument, nowMs }: StrategyView): Outline {
  const rungs = order.ladder === null ? [] : rungsOf(order, order.ladder, instrument);
  return {
    slices: rungs.map(({ quantity }) => ({ atMs: nowMs, quantity })),
    childCount: rungs.length,
    endMs: endOf(order, startedAtMs),
  };
}

function outlineAtOnce({ state: { order, startedAtMs }, instrument, market, nowMs }: StrategyView): Outline {
  const { quantity } = order;
  const largest = maximumAt(instrument, withinLimit(order, farTouch(order.side, market)));
  return {
    slices: [{ atMs: nowMs, quantity }],
    childCount: Math.ceil(quantity / Math.max(1, largest)),
    endMs: endOf(order, startedAtMs),
  };
}
