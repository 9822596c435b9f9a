import { minimumFault, quantityRefusal } from '../domain/exchange-rules.js';
import { currentTwiceMid, type MarketCondition } from '../domain/market.js';
import { type ParentState, endOf, wantedTerms } from '../domain/order-state.js';
import { isTerminal, type Leg, type ParentOrder } from '../domain/order.js';
import { legAt, mapLegs, type PerLeg } from '../domain/pair.js';
import { leadingIndexOf, leadingLeg } from '../domain/order-legs.js';
import { formatLots, type Lots } from '../domain/quantity.js';
import { assert, type OrRejection, reject, type Rejection, Rejected } from '../domain/rejection.js';
import type { LegMemory } from '../domain/strategy-memory.js';
import type { EpochMs } from '../domain/time.js';
import { refusalOfMore } from './admission.js';
import { areSameTerms, ruledOutBy } from './amendment.js';
import { workingOf } from './children.js';
import {
  type AdmissionGrounds,
  type DecideContext,
  type Decision,
  Draft,
  type OrderInput,
  NOTHING,
} from './decision.js';
import { settle } from './settlement.js';

/**
 * Cancels the children; the order is paused when none is live. A pause of a paused or pausing order changes nothing. A
 * new order can be paused once it is accepted.
 */
export function decidePause(state: ParentState, context: DecideContext): OrRejection<Decision> {
  if (state.quarantine !== null) return quarantined(state, 'paused');
  const { status } = state;
  if (status === 'PENDING_PAUSE' || status === 'PAUSED') return NOTHING;
  if (status === 'PENDING_NEW') {
    const message = `order_id ${state.order.orderId} waits for the balances of its account; repeat the request later`;
    return reject('SYSTEM_BUSY', message);
  }
  if (status !== 'ACCEPTED' && status !== 'PARTIALLY_FILLED') return impossible(state, 'paused');
  const draft = new Draft(state, context);
  draft.add({ kind: 'ParentPauseRequested' });
  settle(draft, context.nowMs);
  return draft.decision;
}

/**
 * Resumes a paused order. The strategy plans again at the next market update; an order that has not started waits for
 * its start. A resume of an order that is not paused changes nothing.
 */
export function decideResume(state: ParentState, context: DecideContext): OrRejection<Decision> {
  if (state.quarantine !== null) return quarantined(state, 'resumed');
  const { status, startedAtMs } = state;
  if (isTerminal(status) || status === 'PENDING_CANCEL' || status === 'PENDING_PAUSE') {
    return impossible(state, 'resumed');
  }
  if (status !== 'PAUSED') return NOTHING;
  const draft = new Draft(state, context);
  draft.add({ kind: 'ParentResumeRequested' });
  if (startedAtMs === null) draft.add({ kind: 'ParentResumed' });
  settle(draft, context.nowMs);
  return draft.decision;
}

/** Records the plans of the legs' strategies for the leaves. The order is worked from here on. */
export function plan(draft: Draft, memories: PerLeg<LegMemory | null>): void {
  if (!isPlanDue(draft.state)) return;
  if (draft.state.status === 'PENDING_UNPAUSE') draft.add({ kind: 'ParentResumed' });
  draft.add({ kind: 'ParentPlanned', memories });
}

/** True when the strategy must plan again before the order is worked. */
export function isPlanDue({ status, startedAtMs, plannedAtMs, amendment }: ParentState): boolean {
  if (startedAtMs === null || amendment !== null) return false;
  if (status === 'PENDING_UNPAUSE') return true;
  return plannedAtMs === null && (status === 'ACCEPTED' || status === 'PARTIALLY_FILLED');
}

/** Applies new terms, or refuses them by the state of the order. Equal terms change nothing. */
export function decideAmend(
  state: ParentState,
  { order: terms, legs }: Extract<OrderInput, { kind: 'Amend' }>,
  context: DecideContext,
): OrRejection<Decision> {
  const { nowMs } = context;
  assert(terms.orderId === state.order.orderId, `order ${terms.orderId} is amended by terms with its id`);
  if (state.quarantine !== null) return quarantined(state, 'amended');
  if (isTerminal(state.status) || state.status === 'PENDING_CANCEL') return impossible(state, 'amended');
  if (areSameTerms(terms, wantedTerms(state))) return NOTHING;
  if (state.isReconciling) {
    const message = `order_id ${state.order.orderId} is being reconciled with its exchanges; repeat the request later`;
    return reject('SYSTEM_BUSY', message);
  }
  const refusal =
    staleness(state, terms) ??
    lateness(state, terms, nowMs) ??
    shortage(state, terms) ??
    smallness(state, terms, legs, nowMs) ??
    refusalOfMore(wantedTerms(state), terms, placedOf(state), legs);
  if (refusal !== null) return new Rejected(refusal);
  const draft = new Draft(state, context);
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

/** Refuses terms that were made from an older revision. */
function staleness({ order, amendment }: ParentState, terms: ParentOrder): Rejection | null {
  if (amendment === null && terms.revision === order.revision + 1) return null;
  const message = `order_id ${order.orderId} is being amended by an earlier request; repeat the request later`;
  return { code: 'INVALID_ORDER', message };
}

function lateness({ order, startedAtMs }: ParentState, terms: ParentOrder, nowMs: number): Rejection | null {
  if (startedAtMs !== null && JSON.stringify(leadingLeg(terms).trigger) !== JSON.stringify(leadingLeg(order).trigger)) {
    return { code: 'INVALID_PARAM', message: 'params.trigger cannot be amended after the order has started' };
  }
  const endAtMs = endOf(terms, startedAtMs);
  if (endAtMs === null || endAtMs > nowMs) return null;
  const [end, now] = [endAtMs, nowMs].map((atMs) => new Date(atMs).toISOString());
  return { code: 'INVALID_END_TIME', message: `the order would end at ${end}, which is not after ${now}` };
}

/** Refuses a quantity below the filled quantity of a leg. */
function shortage(state: ParentState, terms: ParentOrder): Rejection | null {
  const leading = leadingIndexOf(terms);
  const shortages = mapLegs(terms.legs, (own, leg) => {
    const what = leg === leading ? 'quantity' : 'quantity: the quantity of the other leg becomes';
    return shortageOf(what, own, legAt(state.legs, leg).progress.filled);
  });
  return legAt(shortages, leading) ?? shortages.find((found) => found !== null) ?? null;
}

function shortageOf(what: string, terms: Leg, filled: Lots): Rejection | null {
  if (terms.quantity >= filled) return null;
  const [quantity, done] = [terms.quantity, filled].map((lots) => formatLots(lots, terms));
  return { code: 'INVALID_QUANTITY', message: `${what} ${quantity} is below the filled quantity ${done}` };
}

/** Refuses a new quantity or price that leaves a rest under the minimum of the exchange. */
function smallness(
  state: ParentState,
  terms: ParentOrder,
  grounds: PerLeg<AdmissionGrounds>,
  nowMs: EpochMs,
): Rejection | null {
  const before = wantedTerms(state);
  const refusals = mapLegs(terms.legs, (own, leg) => {
    const { quantity, limitPrice } = legAt(before.legs, leg);
    const rest = (own.quantity - legAt(state.legs, leg).progress.filled) as Lots;
    if (rest === 0 || (own.quantity === quantity && own.limitPrice === limitPrice)) return null;
    const { instrument, market } = legAt(grounds, leg);
    const subject = leg === leadingIndexOf(terms) ? 'quantity: the rest of' : `quantity: the rest of legs[${leg}] of`;
    const fault = minimumFault(own, rest, instrument, currentTwiceMid(market, nowMs));
    return fault === null ? null : quantityRefusal(subject, fault);
  });
  return refusals.find((found) => found !== null) ?? null;
}

/** Filled and working lots of each leg. The venue already holds their funds. */
function placedOf(state: ParentState): PerLeg<number> {
  return mapLegs(state.legs, ({ progress }, leg) => progress.filled + workingOf(state, leg));
}

/** Market condition of the order's trigger, on the last price. null: the order has no trigger. */
export function triggerOf(order: ParentOrder): MarketCondition | null {
  const { trigger } = leadingLeg(order);
  if (trigger === null) return null;
  const { price, condition } = trigger;
  return { field: 'last', at: condition === 'ABOVE' ? 'or above' : 'or below', bound: price };
}
