import { createHash, createHmac, createPrivateKey, createSecretKey, randomBytes, sign } from 'node:crypto';

export { requestText, signedMessage } from './web-signature.js';
export type { RequestParts, SignedParts } from './web-signature.js';

/** Signs a message; the signature is standard Base64. */
export type Signer = (message: string) => string;

/** With `+`, `/` or a final `=` a secret is standard Base64, otherwise the URL-safe kind, padded or not. */
export function decodeSecret(secret: string): Buffer {
  const isStandard = /[+/]|=$/.test(secret);
  return Buffer.from(secret, isStandard ? 'base64' : 'base64url');
}

/** For keys made by the service: HMAC-SHA256 with the decoded secret. */
export function hmacSigner(apiSecret: string): Signer {
  const key = createSecretKey(decodeSecret(apiSecret));
  return (message) => createHmac('sha256', key).update(message).digest('base64');
}

/** For keys made by the client: RSA-SHA256 (PKCS#1 v1.5). Throws when the text is no PEM private key. */
export function rsaSigner(privateKeyPem: string): Signer {
  const key = createPrivateKey(privateKeyPem);
  return (message) => sign('sha256', Buffer.from(message), key).toString('base64');
}

/** An RSA private key in PEM in the place of a secret signs with RSA, everything else with HMAC. */
export function signerOf(apiSecret: string): Signer {
  return apiSecret.includes('-----BEGIN') ? rsaSigner(apiSecret) : hmacSigner(apiSecret);
}

/** A nonce of 128 random bits. */
export function newNonce(): string {
  return randomBytes(16).toString('hex');
}

/** SHA-256 in hexadecimal. */
export function digestOf(body: string): string {
  return createHash('sha256').update(body).digest('hex');
}
