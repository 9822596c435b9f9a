/**
 * The other side of every fill at one venue. It holds, negated, whatever the accounts gained, contracts of futures
 * included, and what they paid in fees: the sum over accounts, house and fees never changes. Counts of 10^-18;
 * a future counts under its canonical symbol.
 */
export interface House {
  readonly holdings: Map<string, bigint>;
  readonly fees: Map<string, bigint>;
}

export function addTo(sums: Map<string, bigint>, asset: string, amount: bigint): void {
  sums.set(asset, (sums.get(asset) ?? 0n) + amount);
}
