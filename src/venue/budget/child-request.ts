import { REQUEST_CLASSES, usualClassOf, type RequestClass } from '../../model/request-class.js';
import type { ChildRef, VenueRequest } from '../../model/venue-message.js';

/** What is counted against a budget: venues count questions about accounts and markets apart. */
export type ChildRequest = Extract<VenueRequest, ChildRef>;

export function requestClassOf(request: ChildRequest): RequestClass {
  switch (request.kind) {
    case 'Submit':
      return request.requestClass ?? usualClassOf(request.timeInForce);
    case 'Cancel':
      return 'CANCEL';
    case 'Query':
      return request.requestClass ?? 'QUESTION';
    case 'Amend':
      return 'RESTING';
    default:
      return request satisfies never;
  }
}

const RANKS = Object.fromEntries(REQUEST_CLASSES.map((name, rank) => [name, rank])) as Record<RequestClass, number>;

/** 0 is the most urgent. */
export function rankOf(requestClass: RequestClass): number {
  return RANKS[requestClass];
}

/** What the reserve of a budget is for. */
export function isPressing(requestClass: RequestClass): boolean {
  return requestClass === 'CANCEL' || requestClass === 'HEDGE';
}
