import { assert } from '../model/assert.js';
import type { OrderEvent } from '../model/event.js';
import type { LiveChild } from '../model/order.js';

/** Events about one child. */
export type ChildEvent = Extract<OrderEvent, { readonly kind: `Child${string}` }>;
/** Events about a child after its submission. */
export type ChildNews = Exclude<ChildEvent, { readonly kind: 'ChildSubmitted' | 'ChildAdopted' }>;

export function isChildEvent(event: OrderEvent): event is ChildEvent {
  return event.kind.startsWith('Child');
}

export type ChildPhase = LiveChild['state'] | 'ENDED';
/** ChildFilledWhole is the fill after which nothing of the child is left. */
export type ChildInput = ChildNews['kind'] | 'ChildFilledWhole';
/** No child comes back into flight: a client id is sent once. */
type NextPhase = Exclude<ChildPhase, 'IN_FLIGHT'>;

/**
 * The life of a child from its submission. What is not here is impossible; reports that come twice or out of order
 * are dropped before they become events.
 *
 *   IN_FLIGHT ──▶ OPEN ──▶ CANCEL_IN_FLIGHT ──▶ ENDED
 *       └───────────┴──── venue lost ─▶ UNKNOWN ──▶ OPEN or ENDED, as the venue answers
 */
const TABLE: { readonly [Phase in ChildPhase]: { readonly [Input in ChildInput]?: NextPhase } } = {
  IN_FLIGHT: {
    ChildAccepted: 'OPEN',
    ChildRejected: 'ENDED',
    // A venue may fill before it acknowledges: the fill tells as much.
    ChildFilled: 'OPEN',
    ChildFilledWhole: 'ENDED',
    ChildCancelRequested: 'CANCEL_IN_FLIGHT',
    ChildCancelled: 'ENDED',
    ChildUnknown: 'UNKNOWN',
  },
  OPEN: {
    ChildRejected: 'ENDED',
    ChildFilled: 'OPEN',
    ChildFilledWhole: 'ENDED',
    ChildCancelRequested: 'CANCEL_IN_FLIGHT',
    ChildCancelled: 'ENDED',
    ChildUnknown: 'UNKNOWN',
  },
  CANCEL_IN_FLIGHT: {
    ChildAccepted: 'CANCEL_IN_FLIGHT',
    ChildRejected: 'ENDED',
    ChildFilled: 'CANCEL_IN_FLIGHT',
    ChildFilledWhole: 'ENDED',
    // We believe it alive, the venue would not cancel it: only asking tells which of the two is right.
    ChildCancelRefused: 'UNKNOWN',
    ChildCancelled: 'ENDED',
    ChildUnknown: 'UNKNOWN',
  },
  UNKNOWN: {
    ChildAccepted: 'OPEN',
    ChildRejected: 'ENDED',
    // The venue repeats the fills first and answers last: until then more may come.
    ChildFilled: 'UNKNOWN',
    ChildFilledWhole: 'ENDED',
    ChildCancelRequested: 'UNKNOWN',
    ChildCancelled: 'ENDED',
    ChildNeverPlaced: 'ENDED',
  },
  // Late fills are kept: dropping one would lose a position.
  ENDED: { ChildFilled: 'ENDED' },
};

/** The phase after the input; an illegal step is an invariant violation. */
export function nextPhase(phase: ChildPhase, input: ChildInput): NextPhase {
  const next = TABLE[phase][input];
  assert(next !== undefined, `no step of a child from ${phase} by ${input}`);
  return next;
}
