import type { InstrumentIndex } from '../../model/instrument.js';
import type { Lots } from '../../model/quantity.js';
import type { AccountRegistry } from '../account/account-registry.js';

/** What all accounts of ours have open in a future: the larger side, for the other half of it is against it. */
export function ownLots(accounts: AccountRegistry, instrument: InstrumentIndex): Lots {
  let [long, short] = [0, 0];
  for (const account of accounts.holders()) {
    for (const contract of account.contracts.values()) {
      if (contract.terms.instrument.index !== instrument) continue;
      for (const [, { net }] of contract.open()) {
        if (net > 0) long += net;
        else short -= net;
      }
    }
  }
  return Math.max(long, short) as Lots;
}
