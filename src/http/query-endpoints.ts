import {
  FIND_ORDERS,
  GET_LISTEN_KEY,
  GET_ORDERS,
  LIST_BALANCES,
  LIST_OPEN_ORDERS,
  LIST_POSITIONS,
  LIST_USER_TRADES,
} from '../contract/query-operations.js';
import type { Venue } from '../model/exchange.js';
import type { InstrumentCatalogue } from '../model/instrument.js';
import { isRejected, type OrRejection } from '../model/rejection.js';
import type { PositionsReport } from '../model/venue-message.js';
import type { Clock } from '../model/time.js';
import type { Call } from './call.js';
import type { SignedEndpoint } from './endpoint.js';
import { OK } from './errors.js';
import { reading } from './listing.js';
import { parseNames, parseSearch, parseTradeSearch, parseWanted } from './parse/order-query.js';
import { parseQuery } from './parse/query-string.js';
import { venueValue } from './parse/query-value.js';
import type { BalanceDesk, ListenKeys, PositionDesk } from './port.js';
import { balancesText } from './present/balance-entry.js';
import { quote } from './present/json-text.js';
import { positionsText } from './present/position-entry.js';
import type { ReadDesk } from './read/read-desk.js';

export interface QueryEndpointParts {
  readonly reads: ReadDesk;
  readonly balances: BalanceDesk;
  readonly positions: PositionDesk;
  readonly listenKeys: ListenKeys;
  readonly clock: Clock;
  readonly catalogue: InstrumentCatalogue;
}

/** Everything an account may ask for. */
export function queryEndpoints(parts: QueryEndpointParts): readonly SignedEndpoint[] {
  const { reads, balances, positions, listenKeys, clock, catalogue } = parts;
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
          (venue, answer) => positions.positions(account, venue, answer),
          (report) => positionsText(report, catalogue),
        ),
    },
    {
      ...LIST_BALANCES,
      handle: ({ call, account }) =>
        askVenue(call, (venue, answer) => balances.balances(account, venue, answer), balancesText),
    },
    {
      ...GET_LISTEN_KEY,
      handle: ({ call, account, apiKey }) => call.answer(OK, quote(listenKeys.issue(account, apiKey))),
    },
  ];
}

/**
 * Answers with what the exchange of the query says of the account. `subaccount` is taken and makes no difference: a
 * simulated account is one unified account.
 */
function askVenue<Result>(
  call: Call,
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
