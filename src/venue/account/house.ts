import type { VenueAccount } from './venue-account.js';

/**
 * The other side of everything at one venue: the sum over accounts, holdings, fees and insurance never changes. Counts
 * of 10^-18; a future counts under its canonical symbol.
 */
export interface House {
  /** Negated, whatever the accounts gained by trading and funding, contracts of futures included. */
  readonly holdings: Map<string, bigint>;
  readonly fees: Map<string, bigint>;
  /** Fed by the fees of liquidations, and pays what they could not cover; negative when that was more. */
  readonly insurance: Map<string, bigint>;
}

export function addTo(sums: Map<string, bigint>, asset: string, amount: bigint): void {
  sums.set(asset, (sums.get(asset) ?? 0n) + amount);
}

/** What an account and the house have to settle in one asset. */
export interface Payment {
  readonly asset: string;
  /** A count of 10^-18. */
  readonly amount: bigint;
}

/** The house pays the account for its positions; a negative amount is paid by the account. */
export function payFunding(account: VenueAccount, house: House, { asset, amount }: Payment): void {
  account.credit(asset, amount);
  addTo(house.holdings, asset, -amount);
}

/** The insurance fund pays what an account cannot; a negative amount is the account's fee to the fund. */
export function payInsurance(account: VenueAccount, house: House, { asset, amount }: Payment): void {
  account.credit(asset, amount);
  addTo(house.insurance, asset, -amount);
}
