import { createSecretKey, randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Vault } from '../../src/keys/vault.js';

const vault = new Vault(createSecretKey(randomBytes(32)));

describe('the vault', () => {
  it('opens a sealed secret, and the sealed bytes do not contain the secret', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 8, maxLength: 100 }), fc.string(), (secret, purpose) => {
        const sealed = vault.seal(secret, purpose);
        expect(sealed.includes(Buffer.from(secret))).toBe(false);
        expect(vault.open(sealed, purpose)).toEqual(Buffer.from(secret));
      }),
    );
  });

  it('refuses to open for another purpose or with another master key', () => {
    const sealed = vault.seal(Buffer.from('secret'), 'a');
    expect(vault.open(sealed, 'b')).toBeNull();
    expect(new Vault(createSecretKey(randomBytes(32))).open(sealed, 'a')).toBeNull();
  });

  it('refuses to open bytes that were changed or cut at any place', () => {
    const sealed = vault.seal(Buffer.from('secret'), 'a');
    for (let index = 0; index < sealed.length; index += 1) {
      const altered = Buffer.from(sealed);
      altered.writeUInt8(sealed.readUInt8(index) ^ 1, index);
      expect(vault.open(altered, 'a')).toBeNull();
      expect(vault.open(sealed.subarray(0, index), 'a')).toBeNull();
    }
  });
});
