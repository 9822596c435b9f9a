import { createPublicKey } from 'node:crypto';
import { RSA_MODULUS_BITS_MAX, RSA_MODULUS_BITS_MIN } from '../../model/limits.js';
import { reject } from '../../model/rejection.js';
import type { OrRejection } from '../../model/rejection.js';

/**
 * The canonical SPKI PEM of an RSA public key of 2048 to 8192 bits. A private key, which node:crypto would quietly
 * accept, is refused, so that its owner learns that it was sent where it should not go.
 */
export function parseRsaPublicKey(pem: string): OrRejection<string> {
  const text = pem.trim();
  if (!text.startsWith('-----BEGIN PUBLIC KEY-----')) {
    return reject('INVALID_PARAM', 'rsa_public_key is not an SPKI PEM (it starts with "-----BEGIN PUBLIC KEY-----")');
  }
  try {
    const key = createPublicKey({ key: text, format: 'pem', type: 'spki' });
    if (key.asymmetricKeyType !== 'rsa') {
      return reject('INVALID_PARAM', `rsa_public_key is a key of type ${key.asymmetricKeyType}, not rsa`);
    }
    const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
    if (bits < RSA_MODULUS_BITS_MIN || bits > RSA_MODULUS_BITS_MAX) {
      const range = `${RSA_MODULUS_BITS_MIN} to ${RSA_MODULUS_BITS_MAX}`;
      return reject('INVALID_PARAM', `rsa_public_key has ${bits} bits; the allowed range is ${range}`);
    }
    return key.export({ format: 'pem', type: 'spki' }).toString();
  } catch {
    return reject('INVALID_PARAM', 'rsa_public_key cannot be read as an SPKI PEM');
  }
}
