import { ORDER_COST, WINDOW_COST } from '../contract/cost-operations.js';
import type { StateReader } from '../journal/port.js';
import { isRejected, type OrRejection } from '../model/rejection.js';
import type { Clock } from '../model/time.js';
import type { Call } from './call.js';
import type { SignedEndpoint, SignedRequest } from './endpoint.js';
import { NOT_FOUND, OK } from './errors.js';
import { namedOrder, unknownOrder } from './named-order.js';
import { parseCostQuery } from './parse/cost-query.js';
import { parseOrderName } from './parse/order-name.js';
import { parseQuery } from './parse/query-string.js';
import type { CostDesk } from './port.js';

export interface CostEndpointParts {
  readonly reader: StateReader;
  readonly costs: CostDesk;
  readonly clock: Clock;
}

/** What orders cost, reckoned elsewhere from the journal. */
export function costEndpoints(parts: CostEndpointParts): readonly SignedEndpoint[] {
  return [
    { ...ORDER_COST, handle: (request) => tellOrder(parts, request) },
    { ...WINDOW_COST, handle: (request) => tellWindow(parts, request) },
  ];
}

function tellOrder({ reader, costs, clock }: CostEndpointParts, { call, account }: SignedRequest): void {
  const query = parseQuery(call.head.query);
  if (isRejected(query)) return call.refuse(query.rejection);
  const ref = parseOrderName(query);
  if (isRejected(ref)) return call.refuse(ref.rejection);
  const state = namedOrder(reader, account, ref);
  if (isRejected(state)) return call.refuse(state.rejection);
  if (state === null) return call.refuse(unknownOrder(ref), NOT_FOUND);
  const { orderId } = state.order;
  costs.ask({ kind: 'order', account, orderId, asOfMs: clock.nowMs() }, (report) => {
    if (report === null) return call.refuse(unknownOrder(ref), NOT_FOUND);
    tell(call, report);
  });
}

function tellWindow({ costs, clock }: CostEndpointParts, { call, account }: SignedRequest): void {
  const query = parseQuery(call.head.query);
  if (isRejected(query)) return call.refuse(query.rejection);
  const asOfMs = clock.nowMs();
  const asked = parseCostQuery(query, asOfMs);
  if (isRejected(asked)) return call.refuse(asked.rejection);
  costs.ask({ kind: 'window', account, asOfMs, ...asked }, (report) => {
    if (report !== null) tell(call, report);
  });
}

function tell(call: Call, report: OrRejection<string>): void {
  if (isRejected(report)) return call.refuse(report.rejection);
  call.answer(OK, report);
}
