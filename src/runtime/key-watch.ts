import type { KeyExpiries } from '../http/metrics/service-figures.js';
import type { Identity } from './identity.js';

/** An expired key is shown for so long: its owner is cut off and may not know why. */
const SHOWN_MS = 7 * 86_400_000;
/** The lists are read at most once in this time: a data directory may have thousands of keys. */
const READ_MS = 60_000;

/** Returns the earliest expiry of the keys in use, read from the stores at most once a minute. */
export function keyExpiries(
  { keys, venueKeys }: Pick<Identity, 'keys' | 'venueKeys'>,
  realNowMs: () => number,
): () => KeyExpiries {
  let found: KeyExpiries = { api: null, exchange: null };
  let readAtMs = -Infinity;
  return () => {
    const nowMs = realNowMs();
    if (Math.abs(nowMs - readAtMs) < READ_MS) return found;
    readAtMs = nowMs;
    const valid = keys.list().filter(({ revokedAtMs }) => revokedAtMs === null);
    const ofExchanges = venueKeys.list().map(({ header }) => header?.expiresAtMs ?? null);
    const earliest = (times: readonly (number | null)[]): number | null =>
      times.reduce((least, atMs) => {
        if (atMs === null || atMs < nowMs - SHOWN_MS) return least;
        return least === null ? atMs : Math.min(least, atMs);
      }, null);
    found = { api: earliest(valid.map(({ expiresAtMs }) => expiresAtMs)), exchange: earliest(ofExchanges) };
    return found;
  };
}

interface WarningLog {
  warn(context: object, message: string): void;
}

/** Warns of each key in use whose stored public RSA key breaks the rules: the service refuses it. */
export function warnOfWeakKeys({ keys }: Pick<Identity, 'keys'>, log: WarningLog): void {
  for (const { apiKey, account, weakness, revokedAtMs } of keys.list()) {
    if (weakness === null || revokedAtMs !== null) continue;
    const context = { key: apiKey, account, weakness };
    log.warn(context, 'this API key is refused: its RSA public key is too weak; create another one and revoke it');
  }
}
