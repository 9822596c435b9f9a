import type { StrategyDecision, StrategyIntent, StrategyView } from '../model/intent.js';
import { LEAN_PAUSE_MS_MAX, LEAN_PAUSE_MS_MIN } from '../model/limits.js';
import { isTwoSided } from '../model/market.js';
import type { ChildNumber } from '../model/ids.js';
import { cancel, circumstances, isResting, nearTouch, restingChildren, restOf } from './placement.js';

const PPM = 1_000_000;
/** The book has stopped leaning when the share is so much below the threshold. */
const RELIEF_PPM = 50_000;

/**
 * Since when the best level of the book leans against the order, 0 when it does not. It leans from the threshold on,
 * until it is well below it and has been so for a moment at least. What has nothing in the book, and wants nothing there,
 * does not look: a book leans many times a minute.
 */
export function leaningSince(view: StrategyView, decision: StrategyDecision, sinceMs: number): number {
  const { imbalanceThresholdPpm } = view.state.order;
  if (imbalanceThresholdPpm === null || !isTwoSided(view.market)) return 0;
  if (sinceMs === 0 && !isAtStake(view, decision)) return 0;
  const share = otherShare(view);
  if (sinceMs === 0) return share >= imbalanceThresholdPpm / PPM ? view.nowMs : 0;
  const isRelieved = share < (imbalanceThresholdPpm - RELIEF_PPM) / PPM;
  return isRelieved && view.nowMs - sinceMs >= LEAN_PAUSE_MS_MIN ? 0 : sinceMs;
}

/** True while something of the order rests in the book, or is to. */
export function isAtStake({ state }: StrategyView, { intents }: StrategyDecision): boolean {
  return state.children.some(isResting) || intents.some(isToRest);
}

function isToRest(intent: StrategyIntent): boolean {
  return intent.kind === 'Place' && intent.timeInForce === 'GTC';
}

/** Share of the other side in what stands at the best prices, without the order's own quantity. */
function otherShare(view: StrategyView): number {
  const { state, market } = view;
  const { side } = state.order;
  const touch = nearTouch(side, market);
  let own = 0;
  for (const child of restingChildren(view)) {
    // A market that was told before the child came does not hold it yet.
    const { limitPrice, submittedAtMs } = child.order;
    if (limitPrice === touch && submittedAtMs < market.atMs) own += restOf(child);
  }
  const near = Math.max(0, (side === 'BUY' ? market.bidQuantity : market.askQuantity) - own);
  const far = side === 'BUY' ? market.askQuantity : market.bidQuantity;
  return far === 0 ? 0 : far / (near + far);
}

/**
 * While the book leans, nothing rests in it: resting children are withdrawn and none is placed, at most for so long that
 * a schedule can still be kept. What crosses goes on.
 */
export function leanBack(
  view: StrategyView,
  decision: StrategyDecision,
  sinceMs: number,
  wasLeaning: boolean,
): Omit<StrategyDecision, 'wake'> {
  const isPaused = sinceMs > 0 && view.nowMs < sinceMs + LEAN_PAUSE_MS_MAX;
  if (!isPaused || decision.end !== null) return decision;
  const kept = decision.intents.filter((intent) => !isToRest(intent));
  const isHindered = kept.length < decision.intents.length;
  const ending = new Set<ChildNumber>();
  for (const intent of kept) if (intent.kind === 'CancelChild') ending.add(intent.child);
  const resting = restingChildren(view).filter(({ order }) => !ending.has(order.child));
  const gate = `share=${otherShare(view).toFixed(3)} threshold=${(view.state.order.imbalanceThresholdPpm ?? 0) / PPM} since=${sinceMs}`;
  const reason = { code: 'BOOK_LEANS', detail: `${gate} ${circumstances(view, null)}` };
  return {
    intents: [...kept, ...cancel(resting, reason)],
    // What was to be placed was not: nothing is remembered of it, nor told.
    memory: isHindered ? null : decision.memory,
    note: (isHindered ? null : decision.note) ?? (wasLeaning ? null : reason),
    end: null,
  };
}
