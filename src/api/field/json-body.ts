import { type OrRejection, reject, Rejected, type Rejection } from '../../domain/rejection.js';
import { JSON_LEVELS_MAX, jsonFaultOf } from './json-fault.js';
import { shown } from './json-value.js';

const REPLACEMENT_CHARACTER = '�';

/** A parsed JSON text. */
interface ParsedJson {
  readonly value: unknown;
  /** The text gives a member of an object twice. The parser keeps the last one. */
  readonly isAmbiguous: boolean;
}

/**
 * Parses the bytes of a JSON body. The result wraps the value, so that a body cannot look like a rejection.
 * INVALID_REQUEST: not UTF-8, not JSON, nested deeper than JSON_LEVELS_MAX, or a member that is given twice.
 */
export function parseJsonBody(bytes: Buffer): OrRejection<{ readonly value: unknown }> {
  const parsed = parseJson(bytes);
  return 'isAmbiguous' in parsed && parsed.isAmbiguous ? new Rejected(ambiguityOf(bytes)) : parsed;
}

/** The same, without the refusal of a member that is given twice. `what` begins the messages. */
export function parseJson(bytes: Buffer, what = 'the body'): OrRejection<ParsedJson> {
  const written = writtenMembers(bytes);
  if (written === null) return reject('INVALID_REQUEST', `${what} is nested deeper than ${JSON_LEVELS_MAX} levels`);
  const text = bytes.toString('utf8');
  // Decoding replaces invalid UTF-8. A body that contains the replacement character encodes back to the same bytes.
  if (text.includes(REPLACEMENT_CHARACTER) && !Buffer.from(text, 'utf8').equals(bytes)) {
    return reject('INVALID_REQUEST', `${what} is not UTF-8`);
  }
  try {
    const value = JSON.parse(text) as unknown;
    return { value, isAmbiguous: membersIn(value) !== written };
  } catch {
    return reject('INVALID_REQUEST', `${what} is not JSON`);
  }
}

/** The refusal that names the member which a text gives twice. */
export function ambiguityOf(bytes: Buffer): Rejection {
  const message = `the member ${shown(jsonFaultOf(bytes.toString('utf8'))?.repeated)} is given twice`;
  return { code: 'INVALID_REQUEST', message };
}

const [QUOTE, BACKSLASH, COLON] = [0x22, 0x5c, 0x3a];
const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * The number of members that a JSON text writes, which is the number of colons outside of its strings. null: it is
 * nested too deeply. One pass over the bytes, before the parser sees them.
 */
function writtenMembers(bytes: Buffer): number | null {
  const { length } = bytes;
  let level = 0;
  let count = 0;
  for (let at = 0; at < length; at += 1) {
    switch (bytes[at]!) {
      case QUOTE:
        for (at += 1; at < length; at += 1) {
          const byte = bytes[at];
          if (byte === QUOTE) break;
          if (byte === BACKSLASH) at += 1;
        }
        break;
      case OPEN_BRACE:
      case OPEN_BRACKET:
        level += 1;
        if (level > JSON_LEVELS_MAX) return null;
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        level -= 1;
        break;
      case COLON:
        count += 1;
    }
  }
  return count;
}

/** The number of members of a parsed text. It is smaller than the number written when an object has a name twice. */
function membersIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value as readonly unknown[]) count += membersIn(item);
    return count;
  }
  for (const name in value) count += 1 + membersIn((value as { readonly [name: string]: unknown })[name]);
  return count;
}
