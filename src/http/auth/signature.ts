import { createHash, createHmac, createVerify, hash, type KeyObject, timingSafeEqual } from 'node:crypto';

/** Length of the Base64 of 32 bytes. */
const HMAC_TEXT_CHARACTERS = 44;
/** Written and compared within one call. Reused to save two allocations per request. */
const expected = Buffer.alloc(HMAC_TEXT_CHARACTERS);
const given = Buffer.alloc(HMAC_TEXT_CHARACTERS);

/**
 * True when `signature` is the standard Base64 of HMAC-SHA256 over head + payload. Compares the texts in constant time,
 * so only the one canonical encoding is valid.
 */
export function isHmac(secret: KeyObject, head: string, payload: string | Buffer, signature: string): boolean {
  expected.write(hmac(secret, head, payload), 'latin1');
  // In UTF-8 no other character encodes as an ASCII byte. A longer or shorter text fills the buffer to another length.
  const isLong = signature.length > HMAC_TEXT_CHARACTERS;
  if (isLong || given.write(signature, 'utf8') !== HMAC_TEXT_CHARACTERS) return false;
  return timingSafeEqual(expected, given);
}

/** Block of SHA-256, in bytes. */
const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;
/** Longer messages are hashed without a copy. */
const COPIED_BYTES_MAX = 16 * 1024;
/** Written and hashed within one call: first block and message, first block and inner digest. */
const inner = Buffer.alloc(BLOCK_BYTES + COPIED_BYTES_MAX);
const outer = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES);

/** First blocks of the inner and the outer hash: the secret, padded with zeros, XOR 0x36 and XOR 0x5c. */
interface FirstBlocks {
  readonly inner: Buffer;
  readonly outer: Buffer;
}

const BLOCKS_BY_SECRET = new WeakMap<KeyObject, FirstBlocks>();

/**
 * HMAC-SHA256 (RFC 2104) as Base64. Two hashes of one call each take half the time of createHmac and leave no native
 * object to the garbage collection.
 */
function hmac(secret: KeyObject, head: string, payload: string | Buffer): string {
  const payloadBytes = typeof payload === 'string' ? Buffer.byteLength(payload) : payload.length;
  const messageBytes = Buffer.byteLength(head) + payloadBytes;
  if (messageBytes > COPIED_BYTES_MAX || (secret.symmetricKeySize ?? 0) > BLOCK_BYTES) {
    return createHmac('sha256', secret).update(head).update(payload).digest('base64');
  }
  let blocks = BLOCKS_BY_SECRET.get(secret);
  if (blocks === undefined) BLOCKS_BY_SECRET.set(secret, (blocks = firstBlocks(secret)));
  blocks.inner.copy(inner);
  const at = BLOCK_BYTES + inner.write(head, BLOCK_BYTES);
  if (typeof payload === 'string') inner.write(payload, at);
  else payload.copy(inner, at);
  blocks.outer.copy(outer);
  outer.write(hash('sha256', inner.subarray(0, BLOCK_BYTES + messageBytes), 'binary'), BLOCK_BYTES, 'latin1');
  return hash('sha256', outer, 'base64');
}

function firstBlocks(secret: KeyObject): FirstBlocks {
  const padded = Buffer.alloc(BLOCK_BYTES);
  secret.export().copy(padded);
  return { inner: padded.map((byte) => byte ^ 0x36) as Buffer, outer: padded.map((byte) => byte ^ 0x5c) as Buffer };
}

/** True when `signature` is the standard Base64 of an RSA-SHA256 signature (PKCS#1 v1.5) over head + payload. */
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

/** SHA-256 of a body in hexadecimal. Signature version 2 covers it instead of the body itself. */
export function bodyDigest(body: string | Buffer): string {
  return createHash('sha256').update(body).digest('hex');
}

/** Identifies one nonce of one key, in Base64. A key contains no line break. */
export function nonceMark(apiKey: string, nonce: string): string {
  return createHash('sha256').update(`${apiKey}\n${nonce}`).digest('base64');
}

const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const WHITE_SPACE = [TAB, LINE_FEED, CARRIAGE_RETURN, SPACE];

/**
 * Returns the bytes of a JSON text without the white space outside strings. Numbers and strings stay unchanged. Returns
 * the same buffer when there is no white space. Invalid JSON stays invalid.
 */
export function compactJson(bytes: Buffer): Buffer {
  if (!WHITE_SPACE.some((byte) => bytes.includes(byte))) return bytes;
  const compact = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  let isInString = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (isInString && byte === BACKSLASH) {
      compact[length] = byte;
      length += 1;
      at += 1;
      if (at === bytes.length) break;
      compact[length] = bytes[at] ?? 0;
      length += 1;
      continue;
    }
    if (byte === QUOTE) isInString = !isInString;
    if (!isInString && isWhiteSpace(byte)) continue;
    compact[length] = byte;
    length += 1;
  }
  return length === bytes.length ? bytes : compact.subarray(0, length);
}

function isWhiteSpace(byte: number): boolean {
  return byte === SPACE || byte === LINE_FEED || byte === CARRIAGE_RETURN || byte === TAB;
}
