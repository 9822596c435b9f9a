import type { AccountId } from './ids.js';

const SEPARATOR = '/';

/**
 * The account that trades at a venue: the client's own, or one of its sub-accounts as `<account>/<subaccount>`, each with
 * balances and positions of its own. No account's name contains a slash; a sub-account's may.
 */
export function tradingAccount(account: AccountId, subaccount: string | null): AccountId {
  return subaccount === null ? account : (`${account}${SEPARATOR}${subaccount}` as AccountId);
}

/** The client's account that a trading account belongs to: itself, when it is no sub-account. */
export function masterOf(trading: AccountId): AccountId {
  const end = trading.indexOf(SEPARATOR);
  return end === -1 ? trading : (trading.slice(0, end) as AccountId);
}
