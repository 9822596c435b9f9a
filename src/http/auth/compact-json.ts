const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const WHITE_SPACE = [TAB, LINE_FEED, CARRIAGE_RETURN, SPACE];

/**
 * The bytes of a JSON text without the white space outside of strings; numbers and strings stay as they are. Returns
 * the same buffer when there is none. Bytes that are no JSON come out as something else that is no JSON.
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
