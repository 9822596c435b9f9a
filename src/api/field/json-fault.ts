/** Objects and arrays inside each other. */
export const JSON_LEVELS_MAX = 64;

/** Why a text is refused as JSON, at its first fault. */
export interface JsonFault {
  /** Index of the fault in the text. */
  readonly at: number;
  /** The name that an object gives again; null: another fault. */
  readonly repeated: string | null;
}

const BLANK = /[ \t\r\n]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[Ee][+-]?\d+)?|true|false|null/y;

/** What may come next: a value, a name, the colon after it, or what follows a value. */
type Expected = 'value' | 'value or ]' | 'name' | 'name or }' | ':' | 'end';

/**
 * The first place where a text is not JSON, is nested deeper than JSON_LEVELS_MAX, or gives a member of an object
 * again. null: there is none. Called only for texts that are refused, to name the fault: the parser is faster.
 */
export function jsonFaultOf(text: string): JsonFault | null {
  const open: (Set<string> | null)[] = [];
  let expected: Expected = 'value';
  let at = lengthOf(BLANK, text, 0);
  while (at < text.length || expected !== 'end' || open.length > 0) {
    const character = text[at] ?? '';
    const names = open.at(-1);
    let length = 1;
    if (expected === ':') {
      if (character !== ':') return faultAt(at);
      expected = 'value';
    } else if (expected === 'end') {
      if (character === ',' && names !== undefined) expected = names === null ? 'value' : 'name';
      else if (names === undefined || character !== (names === null ? ']' : '}')) return faultAt(at);
      else open.pop();
    } else if ((character === ']' && expected === 'value or ]') || (character === '}' && expected === 'name or }')) {
      open.pop();
      expected = 'end';
    } else if (expected === 'name' || expected === 'name or }') {
      length = stringLength(text, at);
      if (length === 0) return faultAt(at);
      const name = JSON.parse(text.slice(at, at + length)) as string;
      if (names?.has(name) === true) return { at, repeated: name };
      names?.add(name);
      expected = ':';
    } else if (character === '{' || character === '[') {
      if (open.length === JSON_LEVELS_MAX) return faultAt(at);
      open.push(character === '{' ? new Set() : null);
      expected = character === '{' ? 'name or }' : 'value or ]';
    } else {
      length = character === '"' ? stringLength(text, at) : lengthOf(SCALAR, text, at);
      if (length === 0) return faultAt(at);
      expected = 'end';
    }
    at += length;
    at += lengthOf(BLANK, text, at);
  }
  return null;
}

function faultAt(at: number): JsonFault {
  return { at, repeated: null };
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
