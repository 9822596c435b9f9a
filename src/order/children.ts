import { assert } from '../model/assert.js';
import type { Fill } from '../model/event.js';
import type { ChildNumber, VenueOrderId } from '../model/ids.js';
import type { LiveChild, Progress } from '../model/order.js';
import { addNotional, type Lots } from '../model/quantity.js';
import type { QuestionClass } from '../model/request-class.js';
import { NO_CHILDREN } from '../model/untraded.js';
import { nextPhase, type ChildInput, type ChildNews } from './child-transitions.js';

/** The live child of that number; null when it has ended or never was. */
export function findChild(children: readonly LiveChild[], number: ChildNumber): LiveChild | null {
  for (const child of children) if (child.order.child === number) return child;
  return null;
}

/** The identifier the venue gave; null before it told one. */
export function venueOrderIdOf(child: LiveChild): VenueOrderId | null {
  return child.state === 'IN_FLIGHT' ? null : child.venueOrderId;
}

/** True once the venue has been asked, or will be as soon as it answers, to cancel the child. */
export function isBeingCancelled(child: LiveChild): boolean {
  return child.state === 'CANCEL_IN_FLIGHT' || (child.state === 'UNKNOWN' && child.cancelWanted);
}

/** True while the venue owes a word on the child; one that rests may be silent for as long as nobody meets it. */
export function isAnswerDue({ state, order }: LiveChild): boolean {
  return state !== 'OPEN' || order.timeInForce !== 'GTC';
}

/** How urgent it is to know where the child stands: of one that rests nothing bad is suspected. */
export function questionClassOf(child: LiveChild): QuestionClass {
  if (isBeingCancelled(child)) return 'CANCEL';
  return child.state === 'UNKNOWN' ? 'QUESTION' : 'ROUTINE';
}

export function progressAfter(progress: Progress, { quantity, price }: Fill): Progress {
  return {
    filled: (progress.filled + quantity) as Lots,
    notional: addNotional(progress.notional, quantity, price),
  };
}

/**
 * The child after the event; null once it has ended. A child with more fills than quantity has not: one of its fills is
 * wrong, so only its exchange knows whether it still rests.
 */
export function childAfter(child: LiveChild, event: ChildNews): LiveChild | null {
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

/** Swaps one child for its successor, or takes it out when there is none; the others keep their order. */
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

function inputOf(event: ChildNews, isWhole: boolean): ChildInput {
  return event.kind === 'ChildFilled' && isWhole ? 'ChildFilledWhole' : event.kind;
}

function venueOrderIdAfter(child: LiveChild, event: ChildNews): VenueOrderId | null {
  if (event.kind === 'ChildAccepted') return event.venueOrderId;
  if (event.kind === 'ChildFilled') return event.fill.venueOrderId;
  return venueOrderIdOf(child);
}

function isCancelWantedAfter(child: LiveChild, event: ChildNews): boolean {
  return isBeingCancelled(child) || event.kind === 'ChildCancelRequested';
}
