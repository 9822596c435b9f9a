import type { Amount, Lots, Ticks } from '../../domain/quantity.js';
import type { Liquidity } from '../../domain/order.js';
import type { EpochMs } from '../../domain/time.js';
import type { VenueOrder } from '../order/venue-order.js';
import { feeUnit, notionalOf } from './trading-terms.js';
import type { VenueAccount } from './venue-account.js';

/**
 * The counterparty of every account at one venue. The sum over accounts, holdings, fees and insurance never changes.
 * Counts of 10^-18; a future counts under its canonical symbol.
 */
export interface ClearingHouse {
  /** The negated gains of the accounts by trading and funding, contracts of futures included. */
  readonly holdings: Map<string, bigint>;
  readonly fees: Map<string, bigint>;
  /** Receives the fees of liquidations and pays losses that they do not cover; may be negative. */
  readonly insurance: Map<string, bigint>;
}

/** An amount that the clearing house pays to an account in one asset; negative: the account pays. */
export interface Payment {
  readonly asset: string;
  /** A count of 10^-18. */
  readonly amount: bigint;
}

export function payFunding(account: VenueAccount, house: ClearingHouse, { asset, amount }: Payment): void {
  account.credit(asset, amount);
  addTo(house.holdings, asset, -amount);
}

/** Pays from the insurance fund; a negative amount is a fee to the fund. */
export function payInsurance(account: VenueAccount, house: ClearingHouse, { asset, amount }: Payment): void {
  account.credit(asset, amount);
  addTo(house.insurance, asset, -amount);
}

/** Takes what the cost of a position has grown by rounding; no balance changes. */
export function keepRounding(house: ClearingHouse, { asset, amount }: Payment): void {
  addTo(house.holdings, asset, amount);
}

export interface MatchedFill {
  readonly quantity: Lots;
  readonly price: Ticks;
  readonly liquidity: Liquidity;
}

/**
 * Books one fill of an order against the clearing house, exactly, and returns the fee in quote currency. When two of
 * our orders trade with each other, each is booked: the house buys and sells at one price and keeps nothing.
 */
export function settle(order: VenueOrder, house: ClearingHouse, execution: MatchedFill, atMs: EpochMs): Amount {
  const { terms, account, submission } = order;
  const { quantity, price, liquidity } = execution;
  const { base, quote, symbol } = terms.instrument;
  const notional = notionalOf(quantity, price);
  const fee = notional * feeUnit(terms, liquidity);
  const direction = submission.side === 'BUY' ? 1n : -1n;
  if (terms.isFuture) settleFuture(order, execution, atMs);
  else {
    account.credit(base, direction * BigInt(quantity) * terms.lotUnit);
    account.credit(quote, -direction * notional * terms.notionalUnit);
  }
  account.credit(quote, -fee);
  addTo(house.fees, quote, fee);
  addTo(house.holdings, terms.isFuture ? symbol : base, -direction * BigInt(quantity) * terms.lotUnit);
  addTo(house.holdings, quote, direction * notional * terms.notionalUnit);
  return fee as Amount;
}

/** Only realised profit moves the balance; the margin of the position stays locked. */
function settleFuture(order: VenueOrder, { quantity, price }: MatchedFill, atMs: EpochMs): void {
  const { terms, account, position, submission } = order;
  const realised = position.trade({ side: submission.side, quantity, price, atMs });
  account.credit(terms.instrument.quote, realised * terms.notionalUnit);
  account.updateLock(position);
  account.notePosition(position);
}

function addTo(sums: Map<string, bigint>, asset: string, amount: bigint): void {
  sums.set(asset, (sums.get(asset) ?? 0n) + amount);
}
