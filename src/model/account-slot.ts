import type { Venue } from './exchange.js';
import { SLOT_COUNT, type AccountId } from './ids.js';

/** FNV-1a offset basis and prime, 32 bits. */
const FNV_BASIS = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** The slot of an account's balances and positions at a venue: one shard records them, so that their order is the venue's. */
export function accountSlot(account: AccountId, venue: Venue): number {
  let hash = FNV_BASIS;
  const text = `${account}/${venue}`;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), FNV_PRIME);
  }
  return (hash >>> 0) % SLOT_COUNT;
}
