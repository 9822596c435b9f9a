import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts secrets at rest with AES-256-GCM. Sealed bytes are nonce, tag, ciphertext. The purpose is authenticated
 * with them, so that a sealed secret moved to another row does not open there.
 */
export class Vault {
  readonly #masterKey: KeyObject;

  constructor(masterKey: KeyObject) {
    this.#masterKey = masterKey;
  }

  seal(secret: Uint8Array, purpose: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#masterKey, nonce).setAAD(Buffer.from(purpose));
    const ciphertext = Buffer.concat([cipher.update(secret), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]);
  }

  /** Null when the bytes were sealed by another master key, for another purpose, or were altered. */
  open(sealed: Uint8Array, purpose: string): Buffer | null {
    if (sealed.length < NONCE_BYTES + TAG_BYTES) return null;
    const nonce = sealed.subarray(0, NONCE_BYTES);
    const decipher = createDecipheriv(CIPHER, this.#masterKey, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(purpose)).setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    try {
      return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
    } catch {
      return null;
    }
  }
}
