import { restOf } from '../../domain/order-state.js';
import type { ChildNumber } from '../../domain/ids.js';
import type { StrategyDecision, StrategyIntent, StrategyView } from '../../domain/intent.js';
import { IMBALANCE_LEAN_MS_MIN, IMBALANCE_PAUSE_MS_MAX, IMBALANCE_PAUSE_MS_MIN } from '../../domain/limits/trading.js';
import { isTwoSided } from '../../domain/market.js';
import type { EpochMs } from '../../domain/time.js';
import { cancel, circumstances, isResting, nearTouch, restingChildren } from '../placement/child.js';

const PPM = 1_000_000;
/** The imbalance ends when the share is this far below the threshold, in units of 10^-6. */
const RELIEF_PPM = 50_000;

/**
 * Returns the time since when the best level of the book is out of balance against the order; 0 when it is in balance.
 * The imbalance begins at the threshold. It ends after at least IMBALANCE_PAUSE_MS_MIN, when the share is RELIEF_PPM
 * below the threshold. Returns 0 for an order that neither rests nor places to rest, because the imbalance changes many
 * times a minute.
 */
export function imbalancedSince(view: StrategyView, decision: StrategyDecision, sinceMs: EpochMs): EpochMs {
  const { imbalanceThresholdPpm } = view.state.order;
  if (imbalanceThresholdPpm === null || !isTwoSided(view.market)) return 0 as EpochMs;
  if (sinceMs === 0 && !isAtStake(view, decision)) return 0 as EpochMs;
  const share = otherShare(view);
  if (sinceMs === 0) return share >= imbalanceThresholdPpm / PPM ? view.nowMs : (0 as EpochMs);
  const isRelieved = share < (imbalanceThresholdPpm - RELIEF_PPM) / PPM;
  const leantMs = view.nowMs - sinceMs;
  const isKept = leantMs >= IMBALANCE_LEAN_MS_MIN && leantMs < IMBALANCE_LEAN_MS_MIN + IMBALANCE_PAUSE_MS_MIN;
  return isRelieved && !isKept ? (0 as EpochMs) : sinceMs;
}

/** True while a child of the order rests in the book, or the decision places one to rest. */
export function isAtStake({ state }: StrategyView, { intents }: StrategyDecision): boolean {
  return state.legs[0].children.some(isResting) || intents.some(isToRest);
}

function isToRest(intent: StrategyIntent): boolean {
  return intent.kind === 'Place' && intent.timeInForce === 'GTC';
}

/** Share of the other side in the quantity at the best prices, without the order's own quantity. */
function otherShare(view: StrategyView): number {
  const { state, market } = view;
  const { side } = state.order.legs[0];
  const touch = nearTouch(side, market);
  let own = 0;
  for (const child of restingChildren(view)) {
    // A market published before the child was placed does not contain it yet.
    const { limitPrice, submittedAtMs } = child.order;
    if (limitPrice === touch && submittedAtMs < market.atMs) own += restOf(child);
  }
  const near = Math.max(0, (side === 'BUY' ? market.bidQuantity : market.askQuantity) - own);
  const far = side === 'BUY' ? market.askQuantity : market.bidQuantity;
  return far === 0 ? 0 : far / (near + far);
}

/**
 * Removes resting children from a decision while the book is out of balance: cancels them and places none. Children
 * that cross stay in the decision. The pause ends after IMBALANCE_PAUSE_MS_MAX, so that a schedule can still be kept.
 */
export function withoutResting(
  view: StrategyView,
  decision: StrategyDecision,
  sinceMs: EpochMs,
  wasImbalanced: boolean,
): Omit<StrategyDecision, 'wake'> {
  const isPaused = sinceMs > 0 && view.nowMs < sinceMs + IMBALANCE_PAUSE_MS_MAX;
  if (!isPaused || decision.end !== null) return decision;
  const kept = decision.intents.filter((intent) => !isToRest(intent));
  const isHindered = kept.length < decision.intents.length;
  const ending = new Set<ChildNumber>();
  for (const intent of kept) if (intent.kind === 'CancelChild') ending.add(intent.child);
  const resting =
    view.nowMs < sinceMs + IMBALANCE_LEAN_MS_MIN
      ? []
      : restingChildren(view).filter(({ order }) => !ending.has(order.child));
  const gate = [Math.round(otherShare(view) * PPM), view.state.order.imbalanceThresholdPpm ?? 0, sinceMs];
  const reason = { code: 'BOOK_LEANS', detail: '', figures: [...circumstances(view, null), ...gate] } as const;
  return {
    intents: [...kept, ...cancel(resting, reason)],
    // Drops the memory and the note of a placement that was removed.
    memory: isHindered ? null : decision.memory,
    note: (isHindered ? null : decision.note) ?? (wasImbalanced ? null : reason),
    end: null,
  };
}
