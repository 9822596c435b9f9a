import type { AccountId } from '../model/ids.js';
import type { ListenKeyHolder } from './listen-key.js';
import { addressText, networkAddress } from './network-address.js';
import type { KeyDirectory } from './port.js';

export interface ListenKeyCheckParts {
  /** null: forged, expired or none of ours. */
  readonly verify: (listenKey: string) => ListenKeyHolder | null;
  readonly keys: KeyDirectory;
  /** Real time of day in milliseconds. */
  readonly realNowMs: () => number;
}

/**
 * A listen key lends what its API key may do, so it ends with it: nobody comes in by a key that has been revoked or has
 * expired since, or from a network where that key may not be used.
 */
export class ListenKeyCheck {
  readonly #parts: ListenKeyCheckParts;

  constructor(parts: ListenKeyCheckParts) {
    this.#parts = parts;
  }

  /** Whose stream it opens for a peer at `rawAddress`, as the socket tells it; null when it opens none. */
  holderOf(listenKey: string, rawAddress: ArrayBuffer): { readonly account: AccountId } | null {
    const { verify, keys, realNowMs } = this.#parts;
    const holder = verify(listenKey);
    const record = holder === null ? null : keys.find(holder.apiKey);
    if (holder === null || record === null || record.account !== holder.account) return null;
    if (record.expiresAtMs !== null && realNowMs() >= record.expiresAtMs) return null;
    const isAllowed = record.allowedFrom?.includes(addressText(networkAddress(rawAddress))) ?? true;
    return isAllowed ? { account: holder.account } : null;
  }
}
