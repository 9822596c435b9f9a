import { ORDER_TIMELINE } from '../contract/timeline-operation.js';
import type { StateReader } from '../journal/port.js';
import type { AccountId } from '../model/ids.js';
import { isRejected } from '../model/rejection.js';
import type { Call } from './call.js';
import type { SignedEndpoint } from './endpoint.js';
import { NOT_FOUND, OK } from './errors.js';
import { namedOrder, unknownOrder } from './named-order.js';
import { parseQuery } from './parse/query-string.js';
import { parseTimelineQuery } from './parse/timeline-query.js';
import { arrayText, quote } from './present/json-text.js';
import { timelineEntryText } from './present/timeline-entry.js';

export interface TimelineEndpointParts {
  readonly reader: StateReader;
}

/** Everything that has happened to an order, from the journal. */
export function timelineEndpoint({ reader }: TimelineEndpointParts): SignedEndpoint {
  return { ...ORDER_TIMELINE, handle: ({ call, account }) => tell(reader, call, account) };
}

function tell(reader: StateReader, call: Call, account: AccountId): void {
  const query = parseQuery(call.head.query);
  if (isRejected(query)) return call.refuse(query.rejection);
  const asked = parseTimelineQuery(query);
  if (isRejected(asked)) return call.refuse(asked.rejection);
  reader.refresh();
  const state = namedOrder(reader, account, asked.ref);
  if (isRejected(state)) return call.refuse(state.rejection);
  if (state === null) return call.refuse(unknownOrder(asked.ref), NOT_FOUND);
  const { order } = state;
  // One more tells whether there are more.
  const found = reader.events(order.orderId, asked.after, asked.limit + 1);
  const told = found.slice(0, asked.limit);
  const last = found.length > told.length ? told.at(-1) : undefined;
  call.answer(
    OK,
    `{"order_id":${order.orderId}` +
      (order.clientOrderId === null ? '' : `,"client_order_id":${quote(order.clientOrderId)}`) +
      `,"events":${arrayText(told.map((envelope) => timelineEntryText(order, envelope)))}` +
      (last === undefined ? '}' : `,"next_after":${last.seq}}`),
  );
}
