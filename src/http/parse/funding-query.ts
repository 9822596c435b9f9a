import type { ExchangeCode } from '../../model/exchange.js';
import type { ListedInstrument } from '../../model/instrument.js';
import { isRejected, reject, type OrRejection } from '../../model/rejection.js';
import { shown } from './json-field.js';
import { singleValue, type Query } from './query-string.js';
import { exchangeValue } from './query-value.js';

type Futures = readonly ListedInstrument[];

/** The one of the futures that exchange and symbol name; both are required. */
export function parseFuture(query: Query, futures: Futures): OrRejection<ListedInstrument> {
  const exchange = exchangeValue(query);
  if (isRejected(exchange)) return exchange;
  if (exchange === null) return reject('INVALID_EXCHANGE', 'exchange is missing');
  const symbol = singleValue(query, 'symbol');
  if (isRejected(symbol)) return symbol;
  if (symbol === null) return reject('INVALID_SYMBOL', 'symbol is missing');
  const [future] = ofExchange(named(futures, symbol), exchange);
  return (
    future ?? reject('INVALID_SYMBOL', `symbol ${shown(symbol)} is no instrument of ${exchange} that pays funding`)
  );
}

/** The futures that exchange and symbol leave; either may be absent. A symbol must be a future of some exchange. */
export function parseFutures(query: Query, futures: Futures): OrRejection<Futures> {
  const exchange = exchangeValue(query);
  if (isRejected(exchange)) return exchange;
  const symbol = singleValue(query, 'symbol');
  if (isRejected(symbol)) return symbol;
  const left = symbol === null ? futures : named(futures, symbol);
  if (left.length > 0) return exchange === null ? left : ofExchange(left, exchange);
  return reject('INVALID_SYMBOL', `symbol ${shown(symbol)} is no instrument that pays funding`);
}

function ofExchange(futures: Futures, exchange: ExchangeCode): Futures {
  return futures.filter(({ venue }) => venue === exchange);
}

/** In any letter case; only futures pay funding, so that `BTC/USDT` names `BTC/USDT:USDT` here. */
function named(futures: Futures, text: string): Futures {
  const upper = text.toUpperCase();
  return futures.filter(({ symbol, base, quote }) => symbol === upper || `${base}/${quote}` === upper);
}
