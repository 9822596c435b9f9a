import { assert } from '../model/assert.js';
import type { Instrument } from '../model/instrument.js';
import type { StrategyDecision, StrategyIntent } from '../model/intent.js';
import { LIVE_CHILDREN_MAX } from '../model/limits.js';
import type { ChildOrder, ParentState, StrategyMemory } from '../model/order.js';
import { nextChildNumber, tradedBy, type Traded } from '../model/pair.js';
import { findChild } from './children.js';
import type { DecideContext, OrderInput } from './decision.js';
import type { Draft, VenueTerms } from './draft.js';
import { end, endedBy, endingOf, settle } from './settlement.js';
import { childrenOf, unplacedOf } from './working.js';

/** A strategy's word, and whether, of a pair, nothing more can be hedged. */
type WorkInput = Omit<Extract<OrderInput, { kind: 'Work' }>, 'kind'>;
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
export function work(draft: Draft, input: WorkInput, { nowMs, instrument }: DecideContext): void {
  const { decision, hedged, follower } = input;
  const ofFollower = follower !== undefined;
  // An order bound for its end takes no more orders from its strategy.
  if (endingOf(draft.state, nowMs) !== null) return settle(draft, nowMs, hedged);
  if (decision.end !== null) {
    assert(decision.intents.length === 0, 'a strategy that ends the order wants nothing else');
    return end(draft, endedBy(decision.end), hedged);
  }
  let memory = noteDown(draft, decision, ofFollower);
  for (const intent of decision.intents) {
    if (intent.kind === 'CancelChild') {
      const child = findChild(draft.state.children, intent.child);
      assert(child !== null, `child ${intent.child} that is to be cancelled lives`);
      draft.cancel(child, intent.reason);
    } else {
      place(draft, intent, memory, { nowMs, instrument: follower ?? instrument, ofFollower });
      memory = null;
    }
  }
}

/** Whose child is placed, and by what rules. */
export interface PlacementContext extends DecideContext {
  readonly ofFollower: boolean;
}

export function place(
  draft: Draft,
  placement: Placement,
  memory: StrategyMemory | null,
  context: PlacementContext,
): void {
  const child = childOf(draft.state, placement, context);
  draft.submit(child, memory, termsOf(placement, context.instrument));
}

/** Records the note, and the memory unless the first placement carries it; returns what is still to be remembered. */
export function noteDown(
  draft: Draft,
  { note, memory, intents }: Pick<StrategyDecision, 'note' | 'memory' | 'intents'>,
  ofFollower: boolean,
): StrategyMemory | null {
  const isPlacing = intents.some(({ kind }) => kind === 'Place');
  if (note === null && (memory === null || isPlacing)) return memory;
  const reason = note ?? { code: 'REMEMBER', detail: '' };
  const known = ofFollower ? (draft.state.follower?.memory ?? []) : draft.state.memory;
  const noted = { kind: 'StrategyNoted', reason, memory: memory ?? known } as const;
  draft.add(ofFollower ? { ...noted, ofFollower } : noted);
  return null;
}

function childOf(state: ParentState, placement: Placement, context: PlacementContext): ChildOrder {
  const { nowMs, instrument, ofFollower } = context;
  const { quantity, type, timeInForce, limitPrice, postOnly, reason } = placement;
  const child = nextChildNumber(state, ofFollower);
  const traded = tradedBy(state.order, child);
  const liveCount = childrenOf(state, ofFollower).length;
  assert(liveCount < LIVE_CHILDREN_MAX, `at most ${LIVE_CHILDREN_MAX} children live at once`);
  assert(quantity <= unplacedOf(state, ofFollower), `a child of ${quantity} lots would exceed the order's quantity`);
  checkGrid(placement, instrument);
  checkLimit(placement, traded);
  return {
    child,
    side: traded.side,
    quantity,
    type,
    timeInForce,
    limitPrice,
    postOnly,
    reduceOnly: state.order.reduceOnly,
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

function checkLimit({ limitPrice, postOnly, timeInForce }: Placement, order: Traded): void {
  assert(!postOnly || timeInForce === 'GTC', 'only a resting child can be post-only');
  if (order.limitPrice === null) return;
  assert(limitPrice !== null, `a limit of ${order.limitPrice} binds every child`);
  const isInside = order.side === 'BUY' ? limitPrice <= order.limitPrice : limitPrice >= order.limitPrice;
  assert(isInside, `a child at ${limitPrice} lies inside the limit of ${order.limitPrice}`);
}
