import type { Random } from '../torture/random.js';
import type { Parameter } from './api-document.js';
import { hostileText } from './hostile-text.js';
import type { ValueSource } from './value-source.js';

/** Name and value as sent: percent-encoded, or deliberately not. */
type Pair = readonly [name: string, value: string];

const OPTIONAL_SHARE = 0.5;
const LONG_CHARACTERS = 8 * 1024;
const BAD_ESCAPES: readonly string[] = [
  ['%', '%%', '%2', '%zz', '%ff', '%C0%AF', '%00', '%0d%0aX-Injected:%201', '%ED%A0%80', '%F8%88%80%80%80'],
  [
    '+',
    '%2B',
    '%25',
    '%2525',
    'a+b',
    '%2C%2C',
    ',,,',
    '=',
    '==',
    ';',
    '[]',
    '{}',
    '%E2%80%AE',
    '\u00e9',
    '"',
    '<',
    '|',
  ],
].flat();
const ODD_NAMES: readonly string[] = ['__proto__', 'constructor', 'orderIds[]', '', 'toString', 'limit%00', '%'];

/** Returns a query string that the operation documents. */
export function validQuery(parameters: readonly Parameter[], source: ValueSource, random: Random): string {
  return textOf(validPairs(parameters, source, random));
}

/** Returns a query string with one flaw, in characters that a request line may contain. */
export function mutatedQuery(parameters: readonly Parameter[], source: ValueSource, random: Random): string {
  const pairs = validPairs(parameters, source, random);
  const index = random.below(pairs.length + 1);
  const pair = pairs[index];
  if (pair === undefined) return textOf([...pairs, [random.pick(ODD_NAMES), '1']]);
  return textOf([...pairs.slice(0, index), ...mutated(pair, parameters, random), ...pairs.slice(index + 1)]);
}

function validPairs(parameters: readonly Parameter[], source: ValueSource, random: Random): Pair[] {
  const chosen = parameters.filter(({ required }) => required === true || random.next() < OPTIONAL_SHARE);
  return chosen.map(({ name, schema }): Pair => {
    const value = source.value(schema, name);
    const elements = Array.isArray(value) ? value : [value];
    return [name, elements.map((element) => encodeURIComponent(String(element))).join()];
  });
}

function mutated([name, value]: Pair, parameters: readonly Parameter[], random: Random): Pair[] {
  const schema = parameters.find((parameter) => parameter.name === name)?.schema ?? {};
  const other = encodeURIComponent(hostileText(schema, value, random).replace(/^"|"$/g, ''));
  switch (random.below(10)) {
    case 0:
      return [];
    case 1:
      return [[name, '']];
    case 2:
      return [
        [name, value],
        [name, other],
      ];
    case 3:
      return [[name.toUpperCase(), value]];
    case 4:
      return [[name, 'x'.repeat(LONG_CHARACTERS)]];
    case 5:
      return Array.from({ length: 1 + random.below(600) }, (): Pair => [name, value]);
    case 6:
      return [[name, Array.from({ length: 1 + random.below(600) }, () => value).join()]];
    case 7:
      return [[name, random.pick(BAD_ESCAPES)]];
    case 8:
      return [[name, value + random.pick(BAD_ESCAPES)]];
    default:
      return [[name, other]];
  }
}

function textOf(pairs: readonly Pair[]): string {
  return pairs.map(([name, value]) => `${name}=${value}`).join('&');
}
