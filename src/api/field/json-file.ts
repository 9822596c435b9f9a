import { BODY_BYTES_MAX } from '../../domain/limits/clients.js';
import { isRejected, type OrRejection, reject } from '../../domain/rejection.js';
import { JSON_LEVELS_MAX, parseJsonBody } from './json-body.js';

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Parses the bytes of a file that contains the body of a request. Skips a byte order mark. INVALID_REQUEST as for a
 * body, also when the file is larger than a body may be: the message names the file, and line and column of the fault.
 */
export function parseJsonFile(bytes: Buffer, file: string): OrRejection<{ readonly value: unknown }> {
  const hasMark = bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
  const content = hasMark ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes;
  if (content.length > BODY_BYTES_MAX) {
    return reject(
      'INVALID_REQUEST',
      `${file}: the file has ${content.length} bytes; at most ${BODY_BYTES_MAX} are read`,
    );
  }
  const body = parseJsonBody(content);
  if (!isRejected(body)) return body;
  const text = content.toString('utf8');
  const at = jsonFaultAt(text);
  const place = at === null ? file : `${file}, ${placeOf(text, at)}`;
  return reject(body.rejection.code, `${place}: ${body.rejection.message}`);
}

/** Line and column of a place in a text, both from 1. */
function placeOf(text: string, at: number): string {
  const before = text.slice(0, at);
  return `line ${before.split('\n').length}, column ${at - before.lastIndexOf('\n')}`;
}

const BLANK = /[ \t\r\n]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[Ee][+-]?\d+)?|true|false|null/y;

/** What may come next: a value, a name, the colon after it, or what follows a value. */
type Expected = 'value' | 'value or ]' | 'name' | 'name or }' | ':' | 'end';

/**
 * The first place where a text is not JSON, is nested deeper than JSON_LEVELS_MAX, or gives a member of an object again.
 * null: there is none.
 */
function jsonFaultAt(text: string): number | null {
  const open: (Set<string> | null)[] = [];
  let expected: Expected = 'value';
  let at = lengthOf(BLANK, text, 0);
  while (at < text.length || expected !== 'end' || open.length > 0) {
    const character = text[at] ?? '';
    const names = open.at(-1);
    let length = 1;
    if (expected === ':') {
      if (character !== ':') return at;
      expected = 'value';
    } else if (expected === 'end') {
      if (character === ',' && names !== undefined) expected = names === null ? 'value' : 'name';
      else if (names === undefined || character !== (names === null ? ']' : '}')) return at;
      else open.pop();
    } else if ((character === ']' && expected === 'value or ]') || (character === '}' && expected === 'name or }')) {
      open.pop();
      expected = 'end';
    } else if (expected === 'name' || expected === 'name or }') {
      length = stringLength(text, at);
      if (length === 0) return at;
      const name = JSON.parse(text.slice(at, at + length)) as string;
      if (names?.has(name) === true) return at;
      names?.add(name);
      expected = ':';
    } else if (character === '{' || character === '[') {
      if (open.length === JSON_LEVELS_MAX) return at;
      open.push(character === '{' ? new Set() : null);
      expected = character === '{' ? 'name or }' : 'value or ]';
    } else {
      length = character === '"' ? stringLength(text, at) : lengthOf(SCALAR, text, at);
      if (length === 0) return at;
      expected = 'end';
    }
    at += length;
    at += lengthOf(BLANK, text, at);
  }
  return null;
}

/** Length of the string at a place, with its quotes; 0: there is none. */
function stringLength(text: string, at: number): number {
  if (text[at] !== '"') return 0;
  for (let end = at + 1; end < text.length; end += 1) {
    const character = text[end]!;
    if (character === '"') return end + 1 - at;
    if (character < ' ') return 0;
    if (character !== '\\') continue;
    const length = lengthOf(ESCAPE, text, end);
    if (length === 0) return 0;
    end += length - 1;
  }
  return 0;
}

/** Length of the match of a sticky expression at a place; 0: none. */
function lengthOf(expression: RegExp, text: string, at: number): number {
  expression.lastIndex = at;
  return expression.exec(text)?.[0].length ?? 0;
}
