import { ORDER_TIMELINE } from '../contract/timeline-operation.js';
import type { StateReader } from '../journal/port.js';
import { isRejected } from '../model/rejection.js';
import type { SignedEndpoint, SignedRequest } from './endpoint.js';
import { NOT_FOUND } from './errors.js';
import { namedOrder, STORE_BEHIND, unknownOrder } from './named-order.js';
import { parseQuery } from './parse/query-string.js';
import { parseTimelineQuery } from './parse/timeline-query.js';
import type { ReadDesk } from './read/read-desk.js';

export interface TimelineEndpointParts {
  readonly reader: StateReader;
  readonly reads: ReadDesk;
}

/** Everything that has happened to an order, from the journal. */
export function timelineEndpoint(parts: TimelineEndpointParts): SignedEndpoint {
  return { ...ORDER_TIMELINE, handle: (request) => answer(parts, request) };
}

function answer({ reader, reads }: TimelineEndpointParts, request: SignedRequest): void {
  const { call, account } = request;
  const query = parseQuery(call.head.query);
  if (isRejected(query)) return call.refuse(query.rejection);
  const asked = parseTimelineQuery(query);
  if (isRejected(asked)) return call.refuse(asked.rejection);
  const { ref, after, limit } = asked;
  if (!reader.refresh()) return call.refuse(STORE_BEHIND);
  const state = namedOrder(reader, account, ref);
  if (isRejected(state)) return call.refuse(state.rejection);
  if (state === null) return call.refuse(unknownOrder(ref), NOT_FOUND);
  reads.answer(request, { kind: 'timeline', orderId: state.order.orderId, after, limit });
}
