import { createHash, createHmac, createPrivateKey, createSecretKey, randomBytes, sign } from 'node:crypto';

export { requestText, signedMessage } from './web-signature.js';
export type { RequestParts, SignedParts } from './web-signature.js';

/** Signs a message; the signature is standard Base64. */
export type Signer = (message: string) => string;

/** Decodes standard Base64 when the secret contains `+`, `/` or a final `=`, otherwise URL-safe Base64. */
export function decodeSecret(secret: string): Buffer {
  const isStandard = /[+/]|=$/.test(secret);
  return Buffer.from(secret, isStandard ? 'base64' : 'base64url');
}

/** Signs with HMAC-SHA256 and the decoded secret of a key that the service created. */
export function hmacSigner(apiSecret: string): Signer {
  const key = createSecretKey(decodeSecret(apiSecret));
  return (message) => createHmac('sha256', key).update(message).digest('base64');
}

/** Signs with RSA-SHA256 (PKCS#1 v1.5). Throws when the text is not a PEM private key. */
export function rsaSigner(privateKeyPem: string): Signer {
  const key = createPrivateKey(privateKeyPem);
  return (message) => sign('sha256', Buffer.from(message), key).toString('base64');
}

/** Chooses RSA for a PEM private key and HMAC for any other secret. */
export function signerOf(apiSecret: string): Signer {
  return apiSecret.includes('-----BEGIN') ? rsaSigner(apiSecret) : hmacSigner(apiSecret);
}

/** 128 random bits in hexadecimal. */
export function newNonce(): string {
  return randomBytes(16).toString('hex');
}

/** SHA-256 in hexadecimal. */
export function digestOf(body: string): string {
  return createHash('sha256').update(body).digest('hex');
}
