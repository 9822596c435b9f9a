import { formatAmount } from '../../model/amount.js';
import type { AssetBalance } from '../../model/venue-message.js';
import { arrayText, quote } from './json-text.js';

/** The balances above 0 as the contract's balance entries. */
export function balancesText(balances: readonly AssetBalance[]): string {
  return arrayText(balances.filter(({ total }) => total > 0n).map(balanceText));
}

function balanceText({ asset, total, free }: AssetBalance): string {
  return `{"balance":${formatAmount(total)},"free":${formatAmount(free)},"symbol":${quote(asset)}}`;
}
