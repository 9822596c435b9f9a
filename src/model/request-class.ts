import type { TimeInForce } from './order.js';

/**
 * What a request about a child is for, the most urgent first. All orders of an account share what its venue takes of it;
 * while that is used up, the more urgent class goes first.
 *
 *   CANCEL     less risk; a question about a child that is to be withdrawn goes with them
 *   HEDGE      the other leg of a pair has traded already
 *   DEADLINE   what the order's last moments are for
 *   QUESTION   a child whose state nobody knows keeps its quantity from being worked
 *   TAKING     done at once or not at all
 *   RESTING    waits in the book anyway; a change of such an order goes with them
 *   ROUTINE    a look at a child that rests and of which nothing is suspected
 */
export const REQUEST_CLASSES = ['CANCEL', 'HEDGE', 'DEADLINE', 'QUESTION', 'TAKING', 'RESTING', 'ROUTINE'] as const;
export type RequestClass = (typeof REQUEST_CLASSES)[number];

export type PlacementClass = 'HEDGE' | 'DEADLINE' | 'TAKING' | 'RESTING';
export type QuestionClass = 'CANCEL' | 'QUESTION' | 'ROUTINE';

/** The class of a placement of which nobody has said more. */
export function usualClassOf(timeInForce: TimeInForce): PlacementClass {
  return timeInForce === 'GTC' ? 'RESTING' : 'TAKING';
}
