import { assert } from '../model/assert.js';
import type { ChildNumber } from '../model/ids.js';
import type { Instrument } from '../model/instrument.js';
import type { StrategyDecision, StrategyIntent } from '../model/intent.js';
import { LIVE_CHILDREN_MAX } from '../model/limits.js';
import type { ChildOrder, ParentState } from '../model/order.js';
import type { EpochMs } from '../model/time.js';
import { findChild } from './children.js';
import type { DecideContext } from './decision.js';
import type { Draft, VenueTerms } from './draft.js';
import { end, endedBy, endingOf, settle } from './settlement.js';
import { unplacedOf } from './working.js';

type Placement = Extract<StrategyIntent, { kind: 'Place' }>;

/** True where a strategy's word counts. */
export function isWorkable({ status, plannedAtMs, amendment }: ParentState): boolean {
  if (plannedAtMs === null || amendment !== null) return false;
  return status === 'ACCEPTED' || status === 'PARTIALLY_FILLED';
}

/**
 * Carries out what a strategy wants. A want that would break an invariant is a bug of the strategy and stops the
 * shard before anything is recorded or sent.
 */
export function work(draft: Draft, decision: StrategyDecision, { nowMs, instrument }: DecideContext): void {
  // An order bound for its end takes no more orders from its strategy.
  if (endingOf(draft.state, nowMs) !== null) return settle(draft, nowMs);
  if (decision.end !== null) {
    assert(decision.intents.length === 0, 'a strategy that ends the order wants nothing else');
    return end(draft, endedBy(decision.end));
  }
  let memory = noteDown(draft, decision);
  for (const intent of decision.intents) {
    if (intent.kind === 'CancelChild') {
      const child = findChild(draft.state.children, intent.child);
      assert(child !== null, `child ${intent.child} that is to be cancelled lives`);
      draft.cancel(child, intent.reason);
    } else {
      draft.submit(childOf(draft.state, intent, instrument, nowMs), memory, termsOf(intent, instrument));
      memory = null;
    }
  }
}

/** Records the note, and the memory unless the first placement carries it; returns what is still to be remembered. */
function noteDown(draft: Draft, { note, memory, intents }: StrategyDecision): StrategyDecision['memory'] {
  const isPlacing = intents.some(({ kind }) => kind === 'Place');
  if (note === null && (memory === null || isPlacing)) return memory;
  const reason = note ?? { code: 'REMEMBER', detail: '' };
  draft.add({ kind: 'StrategyNoted', reason, memory: memory ?? draft.state.memory });
  return null;
}

function childOf(state: ParentState, placement: Placement, instrument: Instrument, nowMs: EpochMs): ChildOrder {
  const { order, children, childCount } = state;
  const { quantity, type, timeInForce, limitPrice, postOnly, reason } = placement;
  assert(children.length < LIVE_CHILDREN_MAX, `at most ${LIVE_CHILDREN_MAX} children live at once`);
  assert(quantity <= unplacedOf(state), `a child of ${quantity} lots would exceed the order's quantity`);
  checkGrid(placement, instrument);
  checkLimit(placement, state);
  return {
    child: (childCount + 1) as ChildNumber,
    side: order.side,
    quantity,
    type,
    timeInForce,
    limitPrice,
    postOnly,
    reduceOnly: order.reduceOnly,
    submittedAtMs: nowMs,
    reason,
  };
}

function termsOf({ requestClass }: Placement, { filters }: Instrument): VenueTerms {
  const selfTradePrevention = filters.selfTradePreventions[0];
  return requestClass === undefined ? { selfTradePrevention } : { selfTradePrevention, requestClass };
}

function checkGrid({ quantity, type, timeInForce, limitPrice }: Placement, instrument: Instrument): void {
  const { quantityMin, quantityMax, notionalMin, symbol } = instrument;
  assert(
    Number.isSafeInteger(quantity) && quantity > 0,
    `a child's quantity is a whole number of lots, not ${quantity}`,
  );
  assert(quantity >= quantityMin && quantity <= quantityMax, `${quantity} lots lie within the bounds of ${symbol}`);
  assert((type === 'MARKET') === (limitPrice === null), 'a child has a limit price unless it is a market order');
  if (limitPrice === null) return assert(timeInForce === 'IOC', 'a market order does not rest');
  assert(Number.isSafeInteger(limitPrice) && limitPrice > 0, `a price is a whole number of ticks, not ${limitPrice}`);
  assert(
    quantity * limitPrice >= notionalMin,
    `${quantity} lots at ${limitPrice} reach the least notional of ${symbol}`,
  );
}

function checkLimit({ limitPrice, postOnly, timeInForce }: Placement, { order }: ParentState): void {
  assert(!postOnly || timeInForce === 'GTC', 'only a resting child can be post-only');
  if (order.limitPrice === null) return;
  assert(limitPrice !== null, `a limit of ${order.limitPrice} binds every child`);
  const isInside = order.side === 'BUY' ? limitPrice <= order.limitPrice : limitPrice >= order.limitPrice;
  assert(isInside, `a child at ${limitPrice} lies inside the limit of ${order.limitPrice}`);
}
