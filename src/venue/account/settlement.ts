import type { Amount } from '../../model/amount.js';
import type { Liquidity } from '../../model/order.js';
import type { Lots, Ticks } from '../../model/quantity.js';
import { addTo, type House } from './house.js';
import { feeUnit, notionalOf, type TradingTerms } from './trading-terms.js';
import type { VenueOrder } from '../order/venue-order.js';

export interface Execution {
  readonly quantity: Lots;
  readonly price: Ticks;
  readonly liquidity: Liquidity;
}

/**
 * Books one fill of an order against the house, to the last unit, and returns the fee in quote currency. When two of
 * our orders meet, each is booked so; the house buys and sells at one price and keeps nothing.
 */
export function settle(order: VenueOrder, house: House, { quantity, price, liquidity }: Execution): Amount {
  const { terms, account } = order;
  const { quote } = terms.instrument;
  const notional = notionalOf(quantity, price);
  const fee = notional * feeUnit(terms, liquidity);
  if (terms.isFuture) settleFuture(order, quantity, price);
  else settleSpot(order, quantity, notional);
  account.credit(quote, -fee);
  addTo(house.fees, quote, fee);
  bookHouse(order, house, { terms, quantity, notional });
  return fee as Amount;
}

function settleSpot({ terms, account, submission }: VenueOrder, quantity: Lots, notional: bigint): void {
  const direction = submission.side === 'BUY' ? 1n : -1n;
  account.credit(terms.instrument.base, direction * BigInt(quantity) * terms.lotUnit);
  account.credit(terms.instrument.quote, -direction * notional * terms.notionalUnit);
}

/** Only realised profit moves the balance; the margin of the position stays locked in it. */
function settleFuture({ terms, account, submission }: VenueOrder, quantity: Lots, price: Ticks): void {
  const { symbol, quote } = terms.instrument;
  const position = account.position(symbol);
  const lockedBefore = magnitude(position.cost);
  const realised = position.trade(submission.side, quantity, price);
  account.credit(quote, realised * terms.notionalUnit);
  account.lock(quote, (magnitude(position.cost) - lockedBefore) * terms.marginUnit);
}

interface Booking {
  readonly terms: TradingTerms;
  readonly quantity: Lots;
  readonly notional: bigint;
}

function bookHouse({ submission }: VenueOrder, house: House, { terms, quantity, notional }: Booking): void {
  const direction = submission.side === 'BUY' ? 1n : -1n;
  const { base, quote, symbol } = terms.instrument;
  addTo(house.holdings, terms.isFuture ? symbol : base, -direction * BigInt(quantity) * terms.lotUnit);
  addTo(house.holdings, quote, direction * notional * terms.notionalUnit);
}

function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value;
}
