import type { Identity } from './identity.js';

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
