import {
  FIND_ORDERS,
  GET_LISTEN_KEY,
  GET_ORDERS,
  LIST_BALANCES,
  LIST_OPEN_ORDERS,
  LIST_USER_TRADES,
} from '../contract/query-operations.js';
import type { AccountId } from '../model/ids.js';
import { isRejected, type OrRejection } from '../model/rejection.js';
import type { AssetBalance } from '../model/venue-message.js';
import type { Clock } from '../model/time.js';
import type { Call } from './call.js';
import type { SignedEndpoint } from './endpoint.js';
import { OK } from './errors.js';
import { listing } from './listing.js';
import type { OrderLookup } from './order-lookup.js';
import { parseNames, parseSearch, parseTradeSearch, parseWanted } from './parse/order-query.js';
import { parseQuery } from './parse/query-string.js';
import { venueValue } from './parse/query-value.js';
import type { BalanceDesk, ListenKeys } from './port.js';
import { balancesText } from './present/balance-entry.js';
import { quote } from './present/json-text.js';

export interface QueryEndpointParts {
  readonly lookup: OrderLookup;
  readonly balances: BalanceDesk;
  readonly listenKeys: ListenKeys;
  readonly clock: Clock;
}

/** Everything an account may ask for. */
export function queryEndpoints({ lookup, balances, listenKeys, clock }: QueryEndpointParts): readonly SignedEndpoint[] {
  return [
    listing(LIST_OPEN_ORDERS, (query, account) => {
      const wanted = parseWanted(query);
      return isRejected(wanted) ? wanted : lookup.open(account, wanted);
    }),
    listing(FIND_ORDERS, (query, account) => {
      const search = parseSearch(query, clock.nowMs());
      if (isRejected(search)) return search;
      const wanted = parseWanted(query);
      return isRejected(wanted) ? wanted : lookup.find(account, search, wanted);
    }),
    listing(GET_ORDERS, (query, account) => {
      const names = parseNames(query);
      if (isRejected(names)) return names;
      const wanted = parseWanted(query);
      return isRejected(wanted) ? wanted : lookup.byNames(account, names, wanted);
    }),
    listing(LIST_USER_TRADES, (query, account) => {
      const search = parseTradeSearch(query);
      return isRejected(search) ? search : lookup.trades(account, search);
    }),
    {
      ...LIST_BALANCES,
      handle: ({ call, account }) => balance(balances, call, account),
    },
    {
      ...GET_LISTEN_KEY,
      handle: ({ call, account, apiKey }) => call.answer(OK, quote(listenKeys.issue(account, apiKey))),
    },
  ];
}

/** `subaccount` is taken and makes no difference: a simulated account is one unified account. */
function balance(balances: BalanceDesk, call: Call, account: AccountId): void {
  const query = parseQuery(call.head.query);
  if (isRejected(query)) return call.refuse(query.rejection);
  const venue = venueValue(query);
  if (isRejected(venue)) return call.refuse(venue.rejection);
  const answer = call.guarded((result: OrRejection<readonly AssetBalance[]>) => {
    if (isRejected(result)) call.refuse(result.rejection);
    else call.answer(OK, balancesText(result));
  });
  balances.balances(account, venue, answer);
}
