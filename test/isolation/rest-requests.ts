import * as fc from 'fast-check';
import { createBody } from '../http/orders.js';
import { pairBody } from '../api/pairs.js';
import { BOTH_NAMES, FOREIGN_IDS, OWN_IDS, foreignName, ownName } from './rest-world.js';

/** A request of `demo`: the query string of a GET, the body of a POST. */
export interface RestRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly payload: string;
}

type Payload = fc.Arbitrary<string>;

/** Ids of the own account, of the other account and of no account, also of kinds that do not belong here. */
const orderId = fc.constantFrom<number>(...OWN_IDS, ...FOREIGN_IDS, 1, 4242, 2 ** 52);
const name = fc.constantFrom(
  BOTH_NAMES,
  'nobody',
  ...OWN_IDS.map(ownName),
  ...FOREIGN_IDS.map(foreignName),
  // The client id of a child, its exchange order id, its trade, an account, a key.
  ...FOREIGN_IDS.map((id) => `${id}-3`),
  'v-7',
  '99',
  'other',
  'STRANGER',
);
const anyId = fc.oneof(orderId, name);
const exchange = fc.constantFrom('BINANCE', 'OKX', 'KRAKEN');
const future = fc.constantFrom('BTC/USDT', 'BTC/USDT:USDT', 'ETH/BTC');
const flag = fc.constantFrom('true', 'false');
const maybe = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> =>
  fc.option(value, { nil: undefined });

const details = { include_trades: maybe(flag), include_fees: maybe(flag) };
const named = { orderIds: maybe(ids(orderId)), clientOrderIds: maybe(ids(name)) };
const cancel = fc.record({ order_id: maybe(anyId), client_order_id: maybe(name) });
const amend = fc.record({
  order_id: maybe(anyId),
  client_order_id: maybe(name),
  quantity: maybe(fc.constantFrom('0.5', '1.5', 'all')),
});
const create = fc
  .record({ client_order_id: maybe(name), subaccount: maybe(name), side: fc.constantFrom('BUY', 'SELL') })
  .map((fields) => createBody(fields));

const createPair = fc
  .record({ client_order_id: maybe(name), subaccount: maybe(name), ccy: fc.constantFrom('BTC', 'USD') })
  .map(({ ccy, ...fields }) => pairBody(fields, { ccy }));

/** Requests to every endpoint that needs a key. A new endpoint is added here before it is served. */
export const PAYLOADS: Readonly<Record<string, Payload>> = {
  'POST /api/v2/trading/order/create': json(create),
  'POST /api/v2/trading/order/createMany': json(batch(create)),
  'POST /api/v2/trading/order/create_multiLegs': json(createPair),
  'POST /api/v2/trading/order/createMany/multilegs': json(batch(createPair)),
  'POST /api/v2/trading/order/cancel': json(cancel),
  'POST /api/v2/trading/order/cancelMany': json(batch(cancel)),
  'GET /api/v2/trading/order/cancelAll': fc.constant(''),
  'POST /api/v2/trading/order/cancelAll': fc.constantFrom('', '{}'),
  'POST /api/v2/trading/order/pause': json(cancel),
  'POST /api/v2/trading/order/resume': json(cancel),
  'POST /api/v2/trading/order/amend': json(amend),
  // A timer that is switched on answers with its own time.
  'POST /api/v2/trading/order/cancelAllAfter': json(fc.record({ timeout_ms: fc.constantFrom(0, -1, 'now') })),
  'POST /api/v2/trading/killSwitch': json(fc.record({ engaged: maybe(flag.map((text) => text === 'true')) })),
  'GET /api/v2/account/guardrails': fc.constant(''),
  'POST /api/v2/trading/order/preview': json(create),
  'GET /api/v2/trading/order/timeline': query({ orderId: maybe(orderId.map(String)), clientOrderId: maybe(name) }),
  'GET /api/v2/trading/order/tca': query({ orderId: maybe(orderId.map(String)), clientOrderId: maybe(name) }),
  'GET /api/v2/trading/tca': query({
    by: maybe(fc.constantFrom('strategy', 'symbol,side', 'exchange')),
    exchange: maybe(exchange),
    from: maybe(fc.constantFrom('0', '9007199254740993')),
  }),
  'GET /api/v2/trading/order/open': query(details),
  'GET /api/v2/trading/order/find': query({ ...details, limit: maybe(fc.constantFrom('1', '3', '1000')) }),
  'GET /api/v2/trading/order/byId': query({ ...details, ...named }),
  'GET /api/v2/trading/userTrades': query({ exchange, subaccount: maybe(name), ...named }),
  'GET /api/v2/trading/position': query({ exchange, subaccount: maybe(name) }),
  'GET /api/v2/trading/balance': query({ exchange, subaccount: maybe(name) }),
  'GET /api/v2/trading/listenKey': query({ account: maybe(name), subaccount: maybe(name) }),
  'GET /api/v2/data/exchanges': query({ all: maybe(flag) }),
  'GET /api/v2/data/instruments': query({ exchange: maybe(exchange) }),
  'GET /api/v2/data/fundingRateHistory': query({ exchange: maybe(exchange), symbol: maybe(future) }),
  'GET /api/v2/data/lastFundingRates': query({ exchange: maybe(exchange), symbol: maybe(future) }),
};

export const requests: fc.Arbitrary<readonly RestRequest[]> = fc.array(
  fc.oneof(
    ...Object.entries(PAYLOADS).map(([endpoint, payloads]) => {
      const [method, path] = endpoint.split(' ') as ['GET' | 'POST', string];
      return payloads.map((payload) => ({ method, path, payload }));
    }),
  ),
  { minLength: 1, maxLength: 24 },
);

function ids<Id>(id: fc.Arbitrary<Id>): Payload {
  return fc.array(id, { minLength: 1, maxLength: 4 }).map((list) => list.join(','));
}

function batch<Member>(member: fc.Arbitrary<Member>): fc.Arbitrary<object> {
  return fc.array(member, { minLength: 1, maxLength: 4 }).map((orders) => ({ orders }));
}

function json(value: fc.Arbitrary<object>): Payload {
  return value.map((one) => JSON.stringify(one));
}

function query(fields: Readonly<Record<string, fc.Arbitrary<string | undefined>>>): Payload {
  return fc
    .record(fields)
    .map((values) =>
      Object.entries(values).flatMap(([key, value]) =>
        value === undefined ? [] : [`${key}=${encodeURIComponent(value)}`],
      ),
    )
    .map((parts) => parts.toSorted().join('&'));
}
