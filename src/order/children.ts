import type { Fill } from '../domain/event.js';
import type { ChildNumber, VenueOrderId } from '../domain/ids.js';
import { type LiveChild, NO_CHILDREN, type ParentState, type Progress, restOf } from '../domain/order-state.js';
import { legAt, type LegIndex } from '../domain/pair.js';
import { leadingIndexOf } from '../domain/order-legs.js';
import { addNotional, type Lots } from '../domain/quantity.js';
import { assert } from '../domain/rejection.js';
import type { StatusRequestClass } from '../domain/venue-message.js';
import { type ChildInput, type ChildUpdate, nextPhase } from './transitions.js';

/** Returns the live child with the number, or null when it has ended or was never placed. */
export function findChild({ legs }: Pick<ParentState, 'legs'>, number: ChildNumber): LiveChild | null {
  for (const { children } of legs) {
    for (const child of children) if (child.order.child === number) return child;
  }
  return null;
}

/** True when no child of any leg is live. */
export function hasNoChild({ legs }: Pick<ParentState, 'legs'>): boolean {
  return legs[0].children.length === 0 && (legs.length === 1 || legs[1].children.length === 0);
}

/** The order id of the venue. null: the venue has not stated one yet. */
export function venueOrderIdOf(child: LiveChild): VenueOrderId | null {
  return child.state === 'IN_FLIGHT' ? null : child.venueOrderId;
}

/** True when a cancel was sent, or will be sent after the answer to an order status request. */
export function isBeingCancelled(child: LiveChild): boolean {
  return child.state === 'CANCEL_IN_FLIGHT' || (child.state === 'UNKNOWN' && child.cancelWanted);
}

/** True while an answer or a fill of the venue is due. A resting child may stay silent until it trades. */
export function isAnswerDue({ state, order }: LiveChild): boolean {
  return state !== 'OPEN' || order.timeInForce !== 'GTC';
}

/** Urgency of an order status request about the child. A resting child has the lowest. */
export function statusRequestClassOf(child: LiveChild): StatusRequestClass {
  if (isBeingCancelled(child)) return 'CANCEL';
  return child.state === 'UNKNOWN' ? 'STATUS' : 'ROUTINE';
}

export function progressAfter(progress: Progress, { quantity, price }: Fill): Progress {
  return {
    filled: (progress.filled + quantity) as Lots,
    notional: addNotional(progress.notional, quantity, price),
  };
}

/**
 * Returns the child after the event, or null when it has ended. A child that is filled beyond its quantity stays live:
 * one fill is wrong, and only the exchange knows whether the child still rests.
 */
export function childAfter(child: LiveChild, event: ChildUpdate): LiveChild | null {
  const { order } = child;
  const progress = event.kind === 'ChildFilled' ? progressAfter(child.progress, event.fill) : child.progress;
  const state = nextPhase(child.state, inputOf(event, progress.filled === order.quantity));
  if (state === 'ENDED') return null;
  const venueOrderId = venueOrderIdAfter(child, event);
  switch (state) {
    case 'OPEN':
      assert(venueOrderId !== null, `open child ${order.child} has the venue's identifier`);
      return { order, progress, state, venueOrderId };
    case 'CANCEL_IN_FLIGHT':
      return { order, progress, state, venueOrderId };
    case 'UNKNOWN':
      return { order, progress, state, venueOrderId, cancelWanted: isCancelWantedAfter(child, event) };
    default:
      return state satisfies never;
  }
}

/** Replaces one child, or removes it when `next` is null. The other children keep their order. */
export function replaceChild(
  children: readonly LiveChild[],
  number: ChildNumber,
  next: LiveChild | null,
): readonly LiveChild[] {
  if (next === null && children.length === 1) return NO_CHILDREN;
  const replaced: LiveChild[] = [];
  for (const child of children) {
    if (child.order.child !== number) replaced.push(child);
    else if (next !== null) replaced.push(next);
  }
  return replaced;
}

function inputOf(event: ChildUpdate, isWhole: boolean): ChildInput {
  return event.kind === 'ChildFilled' && isWhole ? 'ChildFilledWhole' : event.kind;
}

function venueOrderIdAfter(child: LiveChild, event: ChildUpdate): VenueOrderId | null {
  if (event.kind === 'ChildAccepted') return event.venueOrderId;
  if (event.kind === 'ChildFilled') return event.fill.venueOrderId;
  return venueOrderIdOf(child);
}

function isCancelWantedAfter(child: LiveChild, event: ChildUpdate): boolean {
  return isBeingCancelled(child) || event.kind === 'ChildCancelRequested';
}

/** Leaves of the leg's live children, unknown ones included. They may still trade. */
export function workingOf({ order, legs }: ParentState, leg: LegIndex = leadingIndexOf(order)): Lots {
  let working = 0;
  for (const child of legAt(legs, leg).children) working += restOf(child);
  return working as Lots;
}

/** Number of the next child. Children of both legs share one sequence. */
export function nextChildNumber({ legs }: Pick<ParentState, 'legs'>): ChildNumber {
  return (legs[0].childCount + (legs[1]?.childCount ?? 0) + 1) as ChildNumber;
}

/**
 * Quantity of the leg that is neither filled nor working. Negative while working children exceed the leaves after a
 * late fill.
 */
export function unplacedOf(state: ParentState, leg: LegIndex = leadingIndexOf(state.order)): number {
  return legAt(state.order.legs, leg).quantity - legAt(state.legs, leg).progress.filled - workingOf(state, leg);
}
