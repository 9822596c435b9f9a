import { FORMER_MODES, type RealVenues, type Venue } from '../domain/exchange.js';
import { type AccountId, tradingAccount } from '../domain/ids.js';
import { modeOfInstrument } from '../domain/instrument.js';
import type { StateSnapshot } from '../journal/port.js';
import type { VenueKeyDirectory } from '../keys/port.js';
import type { RiskLimitDirectory } from '../risk/limit-directory.js';
import { isEmptyFolder, paperFolder } from '../storage/data-directory.js';

/** The data directory does not fit the modes of the exchanges. The message names both. */
export class LiveStartRefusal extends Error {
  override readonly name = 'LiveStartRefusal';
}

/** The folder of wallets that nothing reads any more; null: the data directory has none. */
export function unreadWallets(dataDir: string): string | null {
  const folder = paperFolder(dataDir);
  return isEmptyFolder(folder) ? null : folder;
}

/** What a start with real exchanges is checked against. */
export interface LiveStartParts {
  readonly modes: RealVenues;
  /** True when a real exchange has ever listed an instrument in this data directory. */
  readonly hasListed: boolean;
  readonly state: Pick<StateSnapshot, 'accountsWithOpenOrders' | 'openOrders'>;
  readonly keys: Pick<VenueKeyDirectory, 'accounts'>;
  readonly riskLimits: Pick<RiskLimitDirectory, 'hasLimits'>;
}

/**
 * Throws LiveStartRefusal when an open order trades in another mode than its exchange has now, because its children are
 * unknown there, and when an account with a key for real money has no risk limits.
 */
export function refuseUnsafeStart({ modes, hasListed, state, keys, riskLimits }: LiveStartParts): void {
  // Otherwise every order is simulated, and there may be a hundred thousand.
  if (modes.size > 0 || hasListed) refuseOtherModes(modes, state);
  for (const [venue, mode] of modes) {
    if (mode !== 'live') continue;
    for (const { account, subaccount } of keys.accounts(venue, 'live')) {
      if (riskLimits.hasLimits(account)) continue;
      throw new LiveStartRefusal(
        `account ${tradingAccount(account, subaccount)} has a key for ${venue}:live and no risk limits: ` +
          `set them with sluice risk-limits set --account ${account}`,
      );
    }
  }
}

function refuseOtherModes(modes: RealVenues, state: LiveStartParts['state']): void {
  for (const account of state.accountsWithOpenOrders()) {
    for (const { order } of state.openOrders(account)) {
      for (const { venue, instrument } of order.legs) {
        const [mode, now] = [modeOfInstrument(instrument), modes.get(venue) ?? 'simulated'];
        if (mode === now) continue;
        const first = FORMER_MODES.some((one) => one === mode)
          ? `this release has no mode ${mode}: end it with release 0.1.0 first`
          : `start with ${venue}:${mode} and end it first`;
        throw new LiveStartRefusal(
          `order ${order.orderId} is open at ${venue} in mode ${mode}, and SLUICE_LIVE sets ${now}: ${first}`,
        );
      }
    }
  }
}

/** True for an account that has no key of a real exchange. A simulated one needs none. */
export function isKeyless(
  keys: Pick<VenueKeyDirectory, 'accounts'>,
  modes: RealVenues,
  { account, venue }: { readonly account: AccountId; readonly venue: Venue },
): boolean {
  const mode = modes.get(venue);
  if (mode === undefined) return false;
  return !keys.accounts(venue, mode).some((place) => place.account === account);
}
