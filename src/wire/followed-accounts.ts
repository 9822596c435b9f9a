import { CountByKey } from '../domain/count-by-key.js';
import type { AccountId } from '../domain/ids.js';

/** A power of two. Accounts of one slot are followed together, which costs only messages. */
const SLOTS = 65_536;

/** Creates the memory: for each slot of accounts, the number of followed ones. */
export function createFollowedAccounts(): SharedArrayBuffer {
  return new SharedArrayBuffer(SLOTS * Int32Array.BYTES_PER_ELEMENT);
}

/**
 * The accounts whose events the main thread needs, because they have subscribers or risk limits. A shard publishes no
 * other account's events.
 *
 * Call `add` before the read of the journal's state that the events continue. A shard checks the account after its
 * event is durable. So each event is either in that state, or it is published.
 */
export class FollowedAccounts {
  readonly #slots: Int32Array;
  readonly #counts = new CountByKey<AccountId>();

  constructor(memory: SharedArrayBuffer) {
    this.#slots = new Int32Array(memory);
  }

  has(account: AccountId): boolean {
    return this.#counts.of(account) > 0;
  }

  /** Counts one more follower. */
  add(account: AccountId): void {
    if (this.#counts.add(account) === 1) Atomics.add(this.#slots, slotOf(account), 1);
  }

  /** Removes a follower that was added. */
  remove(account: AccountId): void {
    if (this.has(account) && this.#counts.add(account, -1) === 0) Atomics.sub(this.#slots, slotOf(account), 1);
  }
}

/** A shard's view of the followed accounts. */
export class FollowedAccountsReader {
  readonly #slots: Int32Array;

  constructor(memory: SharedArrayBuffer) {
    this.#slots = new Int32Array(memory);
  }

  /** False: the main thread does not need the account's events. */
  mayHave(account: AccountId): boolean {
    return Atomics.load(this.#slots, slotOf(account)) > 0;
  }
}

/** FNV-1a over the UTF-16 units. */
function slotOf(account: AccountId): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < account.length; index += 1) {
    hash = Math.imul(hash ^ account.charCodeAt(index), 0x01000193);
  }
  return (hash ^ (hash >>> 16)) & (SLOTS - 1);
}
