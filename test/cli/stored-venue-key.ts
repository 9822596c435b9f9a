import { isRejected } from '../../src/domain/rejection.js';
import type { VenueKeyPlace } from '../../src/keys/port.js';
import { openIdentity } from '../../src/runtime/identity.js';

export const API_KEY = 'vmPUZE6mv9SD5VNHk4HlWFsOr6aPE2zvsw0MuIgwCIPy6utIco14y7Ju91duEh8A';
export const SECRET = 'NhqPtmdSJYdKjVHjA7PZj4Mge3R5YNiP1e3UZjInClVN65XAbvqqM6A7H5fATj0j';
export const PLACE = ['--account', 'desk', '--exchange', 'BINANCE', '--environment', 'testnet'];
/** The arguments that add the key. The secret comes from elsewhere. */
export const ADD = ['venue-keys', 'add', ...PLACE, '--api-key', API_KEY];

/** Secret and passphrase of the key of a place, by default that of ADD. Returns null when the place has no key. */
export async function storedKey(
  dataDir: string,
  place: Partial<VenueKeyPlace> = {},
): Promise<(string | undefined)[] | null> {
  const identity = openIdentity(dataDir);
  const whole = { account: 'desk', subaccount: null, venue: 'BINANCE', environment: 'testnet', ...place };
  const key = identity.venueKeyDirectory.find(whole as VenueKeyPlace);
  await identity.close();
  if (key === null) return null;
  if (isRejected(key)) return [key.rejection.message];
  return [key.secret, key.passphrase].map((part) => part?.export().toString());
}
