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

/** Who holds a stream, and from where. */
export interface StreamHolder extends ListenKeyHolder {
  /** IPv4 or IPv6 as text. */
  readonly address: string;
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
  holderOf(listenKey: string, rawAddress: ArrayBuffer): StreamHolder | null {
    const holder = this.#parts.verify(listenKey);
    if (holder === null) return null;
    const peer = { ...holder, address: addressText(networkAddress(rawAddress)) };
    return this.failureOf(peer) === null ? peer : null;
  }

  /** Why the API key of a stream is not good any more; null while it is. */
  failureOf({ account, apiKey, address }: StreamHolder): string | null {
    const { keys, realNowMs } = this.#parts;
    const record = keys.find(apiKey);
    if (record === null || record.account !== account) return 'the API key was revoked';
    if (record.expiresAtMs !== null && realNowMs() >= record.expiresAtMs) return 'the API key has expired';
    const isAllowed = record.allowedFrom?.includes(address) ?? true;
    return isAllowed ? null : 'the API key is not allowed from this address';
  }
}
