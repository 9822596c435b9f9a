import { ORDER_COST, parseCostQuery, WINDOW_COST } from '../api/order/execution-cost.js';
import { NOT_FOUND, OK } from '../api/field/error-code.js';
import type { SignedOperation } from '../api/document/operation.js';
import { parseOrderName } from '../api/order/order-reference.js';
import { parseNames, parseSearch, parseTradeSearch, parseWanted } from '../api/order/order-query.js';
import { parseQuery, type Query, venueValue } from '../api/field/query.js';
import { ORDER_TIMELINE, parseTimelineQuery } from '../api/order/timeline.js';
import { balancesText, positionsText } from '../api/account/account-answer.js';
import { quote } from '../api/field/json-text.js';
import {
  FIND_ORDERS,
  GET_LISTEN_KEY,
  GET_ORDERS,
  LIST_BALANCES,
  LIST_OPEN_ORDERS,
  LIST_POSITIONS,
  LIST_USER_TRADES,
} from '../api/order/query-operations.js';
import type { Venue } from '../domain/exchange.js';
import type { AccountId } from '../domain/ids.js';
import type { InstrumentCatalogue } from '../domain/instrument.js';
import type { ReadRequest } from '../domain/query.js';
import { isRejected, type OrRejection } from '../domain/rejection.js';
import type { Clock } from '../domain/time.js';
import type { PositionsReport } from '../domain/venue-report.js';
import type { Intake } from '../intake/intake.js';
import type { OrderAnswer } from '../intake/order-query.js';
import type { ReadQueue } from '../intake/read-queue.js';
import type { ListenKeys } from '../keys/port.js';
import type { RequestCall } from './call.js';
import { recipientOf, type SignedEndpoint, type SignedRequest } from './endpoint.js';

export interface QueryEndpointParts {
  readonly intake: Intake;
  readonly listenKeys: ListenKeys;
  readonly clock: Clock;
  readonly catalogue: InstrumentCatalogue;
}

/** The endpoints that read an account: orders, trades, positions, balances, costs. */
export function queryEndpoints({
  intake,
  listenKeys,
  clock,
  catalogue,
}: QueryEndpointParts): readonly SignedEndpoint[] {
  const { reads, accounts } = intake;
  return [
    reading(LIST_OPEN_ORDERS, reads, (query, account) => {
      const wanted = parseWanted(query);
      return isRejected(wanted) ? wanted : { kind: 'open', account, wanted };
    }),
    reading(FIND_ORDERS, reads, (query, account) => {
      const search = parseSearch(query, clock.nowMs());
      if (isRejected(search)) return search;
      const wanted = parseWanted(query);
      return isRejected(wanted) ? wanted : { kind: 'find', account, ...search, wanted };
    }),
    reading(GET_ORDERS, reads, (query, account) => {
      const names = parseNames(query);
      if (isRejected(names)) return names;
      const wanted = parseWanted(query);
      return isRejected(wanted) ? wanted : { kind: 'named', account, names, wanted };
    }),
    reading(LIST_USER_TRADES, reads, (query, account) => {
      const search = parseTradeSearch(query);
      return isRejected(search) ? search : { kind: 'trades', account, ...search };
    }),
    {
      ...LIST_POSITIONS,
      handle: ({ call, account }) =>
        askVenue<PositionsReport>(
          call,
          (venue, answer) => accounts.positions(account, venue, answer),
          (report) => positionsText(report, catalogue),
        ),
    },
    {
      ...LIST_BALANCES,
      handle: ({ call, account }) =>
        askVenue(call, (venue, answer) => accounts.balances(account, venue, answer), balancesText),
    },
    {
      ...GET_LISTEN_KEY,
      handle: ({ call, account, apiKey }) => call.answer(OK, quote(listenKeys.issue(account, apiKey))),
    },
    { ...ORDER_TIMELINE, handle: (request) => timeline(intake, request) },
    { ...ORDER_COST, handle: (request) => orderCost(intake, request) },
    { ...WINDOW_COST, handle: (request) => windowCost(intake, clock, request) },
  ];
}

/**
 * Answers with the report of the query's exchange on the account. Accepts and ignores `subaccount`: a simulated account
 * is one unified account.
 */
function askVenue<Result>(
  call: RequestCall,
  ask: (venue: Venue, answer: (result: OrRejection<Result>) => void) => void,
  textOf: (result: Result) => string,
): void {
  const query = parseQuery(call.head.query);
  if (isRejected(query)) return call.refuse(query.rejection);
  const venue = venueValue(query);
  if (isRejected(venue)) return call.refuse(venue.rejection);
  const answer = call.guarded((result: OrRejection<Result>) => {
    if (isRejected(result)) call.refuse(result.rejection);
    else call.answer(OK, textOf(result));
  });
  ask(venue, answer);
}

/** A GET that answers with a list of the journal. `ask` returns the request, or refuses the query. */
function reading(
  operation: SignedOperation,
  reads: ReadQueue,
  ask: (query: Query, account: AccountId) => OrRejection<ReadRequest>,
): SignedEndpoint {
  return {
    ...operation,
    handle: (request) => {
      const { call, account } = request;
      const query = parseQuery(call.head.query);
      if (isRejected(query)) return call.refuse(query.rejection);
      const readRequest = ask(query, account);
      if (isRejected(readRequest)) call.refuse(readRequest.rejection);
      else reads.answer(recipientOf(request), readRequest);
    },
  };
}

/** A GET with an immediate answer. `ask` returns the JSON text, or refuses the query. */
export function listing(
  operation: SignedOperation,
  ask: (query: Query, account: AccountId) => OrRejection<string>,
): SignedEndpoint {
  return {
    ...operation,
    handle: ({ call, account }) => {
      const query = parseQuery(call.head.query);
      if (isRejected(query)) return call.refuse(query.rejection);
      const text = ask(query, account);
      if (isRejected(text)) call.refuse(text.rejection);
      else call.answer(OK, text);
    },
  };
}

function timeline({ orders, reads }: Intake, request: SignedRequest): void {
  const { call } = request;
  const query = parseQuery(call.head.query);
  if (isRejected(query)) return call.refuse(query.rejection);
  const asked = parseTimelineQuery(query);
  if (isRejected(asked)) return call.refuse(asked.rejection);
  const { after, limit } = asked;
  orders.idOf(request, asked.ref, (found) => {
    if (found.kind !== 'found') return refuseOrder(call, found);
    reads.answer(recipientOf(request), { kind: 'timeline', orderId: found.value, after, limit });
  });
}

function orderCost({ orders }: Intake, request: SignedRequest): void {
  const { call } = request;
  const query = parseQuery(call.head.query);
  if (isRejected(query)) return call.refuse(query.rejection);
  const ref = parseOrderName(query);
  if (isRejected(ref)) return call.refuse(ref.rejection);
  orders.cost(request, ref, (cost) => {
    if (cost.kind === 'found') call.answer(OK, cost.value);
    else refuseOrder(call, cost);
  });
}

function windowCost({ orders }: Intake, clock: Clock, { call, account }: SignedRequest): void {
  const query = parseQuery(call.head.query);
  if (isRejected(query)) return call.refuse(query.rejection);
  const asOfMs = clock.nowMs();
  const range = parseCostQuery(query, asOfMs);
  if (isRejected(range)) return call.refuse(range.rejection);
  orders.windowCost({ kind: 'window', account, asOfMs, ...range }, (report) => {
    if (isRejected(report)) call.refuse(report.rejection);
    else call.answer(OK, report);
  });
}

function refuseOrder(call: RequestCall, { kind, rejection }: Exclude<OrderAnswer<never>, { kind: 'found' }>): void {
  call.refuse(rejection, kind === 'unknown' ? NOT_FOUND : undefined);
}
