import { assert } from '../model/assert.js';
import { endOf, isTerminal, type ParentOrder, type ParentState, type StrategyMemory } from '../model/order.js';
import { followingLeg } from '../model/pair.js';
import { formatLots, type Grid, type Lots } from '../model/quantity.js';
import { reject, type OrRejection, type Rejection } from '../model/rejection.js';
import { refusalOfMore } from './admission.js';
import { areSameTerms, ruledOutBy, wantedTerms } from './amendment.js';
import type { DecideContext, Decision, LegGrounds, OrderInput } from './decision.js';
import { Draft } from './draft.js';
import { settle } from './settlement.js';
import { workingOf } from './working.js';

const NOTHING: Decision = { events: [], effects: [] };

/** Its children are withdrawn; it rests once none lives. One that is paused already, or being paused, is right too. */
export function decidePause(state: ParentState, { nowMs }: DecideContext): OrRejection<Decision> {
  if (state.quarantine !== null) return quarantined(state, 'paused');
  const { status } = state;
  if (status === 'PENDING_PAUSE' || status === 'PAUSED') return NOTHING;
  if (status !== 'ACCEPTED' && status !== 'PARTIALLY_FILLED') return impossible(state, 'paused');
  const draft = new Draft(state, nowMs);
  draft.add({ kind: 'ParentPauseRequested' });
  settle(draft, nowMs);
  return draft.decision;
}

/**
 * It is worked again from its next look at the market on; one that has not started waits for its start again at once.
 * One that is worked, or about to be, is right too.
 */
export function decideResume(state: ParentState, { nowMs }: DecideContext): OrRejection<Decision> {
  if (state.quarantine !== null) return quarantined(state, 'resumed');
  const { status, startedAtMs } = state;
  if (isTerminal(status) || status === 'PENDING_CANCEL' || status === 'PENDING_PAUSE') {
    return impossible(state, 'resumed');
  }
  if (status !== 'PAUSED') return NOTHING;
  const draft = new Draft(state, nowMs);
  draft.add({ kind: 'ParentResumeRequested' });
  if (startedAtMs === null) draft.add({ kind: 'ParentResumed' });
  settle(draft, nowMs);
  return draft.decision;
}

/** The strategy has looked at the market and begins with what is left: the order is worked from here. */
export function plan(draft: Draft, memory: StrategyMemory): void {
  if (!isPlanDue(draft.state)) return;
  if (draft.state.status === 'PENDING_UNPAUSE') draft.add({ kind: 'ParentResumed' });
  draft.add({ kind: 'ParentPlanned', memory });
}

/** True when the strategy must begin anew before the order is worked. */
export function isPlanDue({ status, startedAtMs, plannedAtMs, amendment }: ParentState): boolean {
  if (startedAtMs === null || amendment !== null) return false;
  if (status === 'PENDING_UNPAUSE') return true;
  return plannedAtMs === null && (status === 'ACCEPTED' || status === 'PARTIALLY_FILLED');
}

/** New terms, as far as the order's present state allows them; the same terms twice are right and change nothing. */
export function decideAmend(
  state: ParentState,
  { order: terms, grounds, follower }: Extract<OrderInput, { kind: 'Amend' }>,
  { nowMs, instrument }: DecideContext,
): OrRejection<Decision> {
  assert(terms.orderId === state.order.orderId, `order ${terms.orderId} is amended by its own terms`);
  if (state.quarantine !== null) return quarantined(state, 'amended');
  if (isTerminal(state.status) || state.status === 'PENDING_CANCEL') return impossible(state, 'amended');
  if (areSameTerms(terms, wantedTerms(state))) return NOTHING;
  if (state.isReconciling) {
    const message = `order_id ${state.order.orderId} is being reconciled with its exchanges; ask again`;
    return reject('SYSTEM_BUSY', message);
  }
  const refusal =
    staleness(state, terms) ??
    lateness(state, terms, nowMs) ??
    shortage(state, terms) ??
    refusalOfMore(unplacedPart(wantedTerms(state), state), unplacedPart(terms, state), instrument, grounds) ??
    (follower === undefined ? null : shortageOfOther(state, terms, follower));
  if (refusal !== null) return { rejection: refusal };
  const draft = new Draft(state, nowMs);
  const isFree = ruledOutBy(terms, state).length === 0;
  draft.add({ kind: isFree ? 'ParentAmended' : 'ParentAmendRequested', order: terms });
  settle(draft, nowMs);
  return draft.decision;
}

function impossible({ order, status }: ParentState, what: string): OrRejection<never> {
  return reject('INVALID_ORDER', `order_id ${order.orderId} is ${status} and cannot be ${what}`);
}

function quarantined({ order, status, quarantine }: ParentState, what: string): OrRejection<never> {
  const id = `order_id ${order.orderId} is ${status}`;
  const rule = `is quarantined (${quarantine?.reason}) and cannot be ${what}; it can be cancelled`;
  return reject('INVALID_ORDER', `${id}, ${rule}`);
}

/** The terms were made from others than those that hold. */
function staleness({ order, amendment }: ParentState, terms: ParentOrder): Rejection | null {
  if (amendment === null && terms.revision === order.revision + 1) return null;
  const message = `order_id ${order.orderId} is being amended by an earlier request; ask again`;
  return { code: 'INVALID_ORDER', message };
}

function lateness({ order, startedAtMs }: ParentState, terms: ParentOrder, nowMs: number): Rejection | null {
  if (startedAtMs !== null && JSON.stringify(terms.trigger) !== JSON.stringify(order.trigger)) {
    return { code: 'INVALID_PARAM', message: 'params.trigger cannot be amended once the order has started' };
  }
  const endAtMs = endOf(terms, startedAtMs);
  if (endAtMs === null || endAtMs > nowMs) return null;
  const [end, now] = [endAtMs, nowMs].map((atMs) => new Date(atMs).toISOString());
  return { code: 'INVALID_END_TIME', message: `the order would end at ${end}, which is not after ${now}` };
}

/** What has filled stays filled, of either leg. */
function shortage({ progress, follower }: ParentState, terms: ParentOrder): Rejection | null {
  const other = terms.pair === null ? null : followingLeg(terms.pair);
  const filledOfOther = follower?.progress.filled ?? (0 as Lots);
  if (terms.quantity < progress.filled) return underFilled('quantity', terms, progress.filled);
  if (other === null || other.quantity >= filledOfOther) return null;
  return underFilled('quantity: of the other leg it makes', other, filledOfOther);
}

function underFilled(what: string, terms: Grid & { readonly quantity: Lots }, filled: Lots): Rejection {
  const [quantity, done] = [terms.quantity, filled].map((lots) => formatLots(lots, terms));
  return { code: 'INVALID_QUANTITY', message: `${what} ${quantity} is under what is filled already, ${done}` };
}

/** What would be left to place by the terms: the rest is paid for, or held at the venue. */
function unplacedPart(terms: ParentOrder, state: ParentState): ParentOrder {
  const unplaced = terms.quantity - state.progress.filled - workingOf(state);
  return { ...terms, quantity: Math.max(0, unplaced) as Lots };
}

/** The same of a pair's other leg. */
function shortageOfOther(state: ParentState, terms: ParentOrder, grounds: LegGrounds): Rejection | null {
  const before = wantedTerms(state);
  if (before.pair === null || terms.pair === null) return null;
  const done = (state.follower?.progress.filled ?? 0) + workingOf(state, true);
  const [legBefore, leg] = [before.pair, terms.pair].map((pair) => {
    const other = followingLeg(pair);
    return { ...other, reduceOnly: false, quantity: Math.max(0, other.quantity - done) as Lots };
  });
  const refusal = refusalOfMore(legBefore!, leg!, grounds.instrument, grounds);
  const index = 1 - terms.pair.leadingIndex;
  return refusal === null ? null : { ...refusal, message: `legs[${index}]: ${refusal.message}` };
}
