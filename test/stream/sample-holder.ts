import type { AccountId, ApiKeyId } from '../../src/domain/ids.js';
import type { StreamHolder } from '../../src/stream/port.js';

/** The holder of a stream of an account. */
export function holderAt(account: string): StreamHolder {
  return { account: account as AccountId, apiKey: `key of ${account}` as ApiKeyId, address: '127.0.0.1' };
}
