import type { Instrument } from '../domain/instrument.js';
import type { HedgeDecision, StrategyIntent } from '../domain/intent.js';
import { LIVE_CHILDREN_MAX } from '../domain/limits/trading.js';
import type { ChildOrder, ParentState } from '../domain/order-state.js';
import { type GivenReason, isTerminal } from '../domain/order.js';
import { hedgingIndexOf, legAt, type LegIndex } from '../domain/pair.js';
import type { Traded } from '../domain/order-legs.js';
import { assert, type Rejection } from '../domain/rejection.js';
import type { StrategyMemory } from '../domain/strategy-memory.js';
import { findChild, nextChildNumber, unplacedOf } from './children.js';
import type { DecideContext, Draft, OrderInput, StrategyOutput, VenueTerms } from './decision.js';
import { abandon, end, endedBy, type Ending, endingOf, settle } from './settlement.js';
import type { EpochMs } from '../domain/time.js';

/** The decision of a strategy, with the result of the hedge for a pair. */
type WorkInput = Omit<Extract<OrderInput, { kind: 'Work' }>, 'kind'>;
type Placement = Extract<StrategyIntent, { kind: 'Place' }>;

/** True when the decision of a strategy is carried out. */
export function isWorkable({ status, plannedAtMs, amendment }: ParentState): boolean {
  if (plannedAtMs === null || amendment !== null) return false;
  return status === 'ACCEPTED' || status === 'PARTIALLY_FILLED';
}

/**
 * Carries out the decision of a strategy. Throws InvariantViolation for an intent that would break an invariant, before
 * anything is recorded or sent.
 */
export function work(draft: Draft, input: WorkInput, { nowMs }: DecideContext): void {
  const { decision, hedged, leg, instrument } = input;
  // An order that must end ignores its strategy.
  if (endingOf(draft.state, nowMs) !== null) return settle(draft, nowMs, hedged);
  if (decision.end !== null) {
    assert(decision.intents.length === 0, 'a strategy that ends the order has no intents');
    return end(draft, endingBy(decision.end, draft.state), hedged);
  }
  let memory = noteDown(draft, decision, leg, legAt(draft.state.legs, leg).memory);
  for (const intent of decision.intents) {
    if (intent.kind === 'CancelChild') {
      const child = findChild(draft.state, intent.child);
      assert(child !== null, `child ${intent.child} is live when its cancel is requested`);
      draft.cancel(child, intent.reason);
    } else {
      place(draft, intent, memory, { nowMs, instrument, leg });
      memory = null;
    }
  }
}

/** An order that is under the minimum of its exchange as a whole ends REJECTED: no child of it was ever placed. */
function endingBy(cause: Rejection, { legs }: ParentState): Ending {
  const ending = endedBy(cause);
  if (cause.code !== 'INVALID_QUANTITY' || legs.some(({ childCount }) => childCount > 0)) return ending;
  return { ...ending, event: { kind: 'ParentRejected', rejection: cause } };
}

interface PlacementContext {
  readonly nowMs: EpochMs;
  readonly instrument: Instrument;
  readonly leg: LegIndex;
}

function place(draft: Draft, placement: Placement, memory: StrategyMemory | null, context: PlacementContext): void {
  const child = childOf(draft.state, placement, context);
  draft.submit(child, memory, termsOf(placement, context.instrument));
}

const REMEMBER: GivenReason = { code: 'REMEMBER', detail: '' };

/**
 * Records the note and the memory. Returns the memory when there is no note and the first placement can carry it, else
 * null.
 */
function noteDown(
  draft: Draft,
  { note, memory, intents }: Pick<StrategyOutput | HedgeDecision, 'note' | 'memory' | 'intents'>,
  leg: LegIndex,
  known: StrategyMemory | null,
): StrategyMemory | null {
  const isPlacing = intents.some(({ kind }) => kind === 'Place');
  if (note === null && (memory === null || isPlacing)) return memory;
  draft.add({ kind: 'StrategyNoted', reason: note ?? REMEMBER, memory: memory ?? known, leg });
  return null;
}

function childOf(state: ParentState, placement: Placement, context: PlacementContext): ChildOrder {
  const { nowMs, instrument, leg } = context;
  const { quantity, type, timeInForce, limitPrice, postOnly, reason } = placement;
  const traded = legAt(state.order.legs, leg);
  const liveCount = legAt(state.legs, leg).children.length;
  assert(liveCount < LIVE_CHILDREN_MAX, `at most ${LIVE_CHILDREN_MAX} children live at once`);
  assert(quantity <= unplacedOf(state, leg), `a child of ${quantity} lots would exceed the order's quantity`);
  checkGrid(placement, instrument);
  checkLimit(placement, traded);
  return {
    child: nextChildNumber(state),
    leg,
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
  assert(quantity >= quantityMin && quantity <= quantityMax, `${quantity} lots are within the bounds of ${symbol}`);
  assert((type === 'MARKET') === (limitPrice === null), 'a child has a limit price unless it is a market order');
  if (limitPrice === null) return assert(timeInForce === 'IOC', 'a market order is IOC');
  assert(Number.isSafeInteger(limitPrice) && limitPrice > 0, `a price is a whole number of ticks, not ${limitPrice}`);
  assert(
    quantity * limitPrice >= notionalMin,
    `${quantity} lots at ${limitPrice} reach the minimum notional of ${symbol}`,
  );
}

function checkLimit({ limitPrice, postOnly, timeInForce }: Placement, order: Traded): void {
  assert(!postOnly || timeInForce === 'GTC', 'only a resting child can be post-only');
  if (order.limitPrice === null) return;
  assert(limitPrice !== null, `every child has a price under the limit of ${order.limitPrice}`);
  const isInside = order.side === 'BUY' ? limitPrice <= order.limitPrice : limitPrice >= order.limitPrice;
  assert(isInside, `a child at ${limitPrice} is within the limit of ${order.limitPrice}`);
}

/**
 * Carries out the decision of a pair's hedge in every status between acceptance and end. A paused, cancelled or expired
 * pair is hedged first and then comes to its pause or end.
 */
export function hedge(
  draft: Draft,
  { decision, instruments }: Extract<OrderInput, { kind: 'Hedge' }>,
  { nowMs }: DecideContext,
): void {
  const { status, order } = draft.state;
  if (order.pair === null || status === 'PENDING_NEW' || isTerminal(status)) return;
  const { leg, intents, withdraw, giveUp } = decision;
  if (withdraw !== null) draft.withdraw(withdraw);
  let memory = noteDown(draft, decision, hedgingIndexOf(order.pair), draft.state.hedge);
  if (giveUp !== null) return abandon(draft, giveUp);
  const instrument = instruments[leg];
  for (const intent of intents) {
    place(draft, intent, memory, { nowMs, instrument, leg });
    memory = null;
  }
  settle(draft, nowMs, decision);
}
