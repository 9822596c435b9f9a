import type { Amount } from '../../model/amount.js';
import type { Liquidity } from '../../model/order.js';
import type { Lots, Ticks } from '../../model/quantity.js';
import type { EpochMs } from '../../model/time.js';
import type { VenueOrder } from '../order/venue-order.js';
import { addTo, type House } from './house.js';
import { feeUnit, notionalOf, type TradingTerms } from './trading-terms.js';

export interface Execution {
  readonly quantity: Lots;
  readonly price: Ticks;
  readonly liquidity: Liquidity;
}

/**
 * Books one fill of an order against the house, to the last unit, and returns the fee in quote currency. When two of
 * our orders meet, each is booked so; the house buys and sells at one price and keeps nothing.
 */
export function settle(order: VenueOrder, house: House, execution: Execution, atMs: EpochMs): Amount {
  const { terms, account } = order;
  const { quantity, price, liquidity } = execution;
  const { quote } = terms.instrument;
  const notional = notionalOf(quantity, price);
  const fee = notional * feeUnit(terms, liquidity);
  if (terms.isFuture) settleFuture(order, execution, atMs);
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
function settleFuture(order: VenueOrder, { quantity, price }: Execution, atMs: EpochMs): void {
  const { terms, account, contract, position, submission } = order;
  const realised = contract.trade(position, { side: submission.side, quantity, price, atMs });
  account.credit(terms.instrument.quote, realised * terms.notionalUnit);
  account.retie(contract);
  account.notePosition(contract, position);
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
