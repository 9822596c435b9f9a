import { createHash, createHmac, createVerify, timingSafeEqual, type KeyObject } from 'node:crypto';

/** Base64 of 32 bytes. */
const HMAC_TEXT_CHARACTERS = 44;
/** Written and compared within one call; kept to spare two allocations a request. */
const expected = Buffer.alloc(HMAC_TEXT_CHARACTERS);
const given = Buffer.alloc(HMAC_TEXT_CHARACTERS);

/**
 * Whether `signature` is the standard Base64 of HMAC-SHA256 over head + payload. The texts are compared, in constant
 * time, so that only the one canonical encoding passes.
 */
export function isHmac(secret: KeyObject, head: string, payload: string | Buffer, signature: string): boolean {
  const digest = createHmac('sha256', secret).update(head).update(payload).digest('base64');
  expected.write(digest, 'latin1');
  // In UTF-8 no other character passes for an ASCII one; what is longer or shorter fills the buffer to another length.
  const isLong = signature.length > HMAC_TEXT_CHARACTERS;
  if (isLong || given.write(signature, 'utf8') !== HMAC_TEXT_CHARACTERS) return false;
  return timingSafeEqual(expected, given);
}

/** Whether `signature` is the standard Base64 of an RSA-SHA256 signature (PKCS#1 v1.5) over head + payload. */
export function isRsaSignature(
  publicKey: KeyObject,
  head: string,
  payload: string | Buffer,
  signature: string,
): boolean {
  const bytes = Buffer.from(signature, 'base64');
  if (bytes.toString('base64') !== signature) return false;
  return createVerify('RSA-SHA256').update(head).update(payload).verify(publicKey, bytes);
}

/** SHA-256 of a body, in hexadecimal: what the second way to sign covers instead of the body itself. */
export function bodyDigest(body: string | Buffer): string {
  return createHash('sha256').update(body).digest('hex');
}

/** Names one nonce of one key, in Base64. A key holds no line break. */
export function nonceMark(apiKey: string, nonce: string): string {
  return createHash('sha256').update(`${apiKey}\n${nonce}`).digest('base64');
}
