import type { AccountId } from '../../model/ids.js';
import { decodeRow, encodeRow } from '../store/json-row.js';
import type { Row, VenueStore } from '../port.js';
import type { VenueAccount } from './venue-account.js';

/** What a transfer moved where. */
export interface TransferTerms {
  readonly to: AccountId;
  readonly asset: string;
  /** A count of 10^-18. */
  readonly amount: bigint;
}

/**
 * Every transfer that was ever carried out, so that none is twice.
 *
 *     transfer/<account>/<venue>/<transfer id>
 */
export class TransferBook {
  readonly #store: VenueStore;
  #fresh = new Map<string, TransferTerms>();

  constructor(store: VenueStore) {
    this.#store = store;
  }

  find(from: VenueAccount, transferId: string): TransferTerms | null {
    const key = keyOf(from, transferId);
    const fresh = this.#fresh.get(key);
    if (fresh !== undefined) return fresh;
    const stored = this.#store.get(key);
    if (stored === undefined) return null;
    const [to, asset, amount] = decodeRow(stored) as [AccountId, string, string];
    return { to, asset, amount: BigInt(amount) };
  }

  note(from: VenueAccount, transferId: string, terms: TransferTerms): void {
    this.#fresh.set(keyOf(from, transferId), terms);
  }

  takeRows(rows: Row[]): void {
    for (const [key, { to, asset, amount }] of this.#fresh) {
      rows.push({ key, value: encodeRow([to, asset, amount.toString()]) });
    }
    this.#fresh = new Map();
  }
}

function keyOf(from: VenueAccount, transferId: string): string {
  return `transfer/${from.key}/${encodeURIComponent(transferId)}`;
}
