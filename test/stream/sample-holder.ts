import type { AccountId, ApiKeyId } from '../../src/model/ids.js';
import type { StreamHolder } from '../../src/stream/port.js';

/** Who has opened a stream of an account. */
export function holderAt(account: string): StreamHolder {
  return { account: account as AccountId, apiKey: `key of ${account}` as ApiKeyId, address: '127.0.0.1' };
}
