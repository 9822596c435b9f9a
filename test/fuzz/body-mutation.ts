import type { Random } from '../torture/random.js';
import { hostileText } from './hostile-text.js';
import type { Schema, SchemaSet } from './schema-set.js';
import type { Json } from './value-source.js';

type Path = readonly (string | number)[];

/** Returns the texts that replace a member or an element: zero, one or more. */
type Edit = (key: string | null, text: string) => readonly string[];

interface Spot {
  readonly path: Path;
  readonly schema: Schema;
}

const WHOLE_SHARE = 0.08;
const POLLUTION: readonly string[] = [
  '"__proto__":{"isAdmin":true,"exchange":"BINANCE"}',
  '"__proto__":null',
  '"constructor":{"prototype":{"isAdmin":true}}',
  '"prototype":{}',
  '"toString":"x"',
  '"hasOwnProperty":1',
  '"":1',
  '"\\u0000":1',
  '"unknown_field":[1,2,3]',
];

/** Returns the JSON of a body with one flaw. */
export function mutatedBody(body: Json, given: Schema, schemas: SchemaSet, random: Random): Buffer {
  const valid = JSON.stringify(body);
  if (random.next() < WHOLE_SHARE) return mutatedWhole(valid, random);
  const spots = spotsOf(body, given, schemas, []);
  const { path, schema } = random.pick(spots);
  return Buffer.from(written(body, path, editOf(schema, random)));
}

/** Returns every member and element of a value, with its schema. */
function spotsOf(value: Json, given: Schema, schemas: SchemaSet, path: Path): Spot[] {
  const schema = schemas.resolved(given);
  const inner = isArray(value)
    ? value.flatMap((element, index) => spotsOf(element, schema.items ?? {}, schemas, [...path, index]))
    : Object.entries(isObject(value) ? value : {}).flatMap(([name, member]) =>
        spotsOf(member, schema.properties?.[name] ?? {}, schemas, [...path, name]),
      );
  return [{ path, schema }, ...inner];
}

function editOf(schema: Schema, random: Random): Edit {
  return (key, text) => {
    const other = hostileText(schema, text, random);
    if (key === null) return random.pick([[other], [], [text, other], [other, text]]);
    const [was, is] = [`${key}:${text}`, `${key}:${other}`];
    const misspelt = [
      `${key.toUpperCase()}:${text}`,
      `${key.slice(0, -1)} ":${text}`,
      `"${key.slice(1, -1)}s":${text}`,
    ];
    switch (random.below(10)) {
      case 0:
        return [];
      case 1:
        return [was, is];
      case 2:
        return [is, was];
      case 3:
        return [was, random.pick(POLLUTION)];
      case 4:
        return [random.pick(misspelt)];
      default:
        return [is];
    }
  };
}

/** Returns the JSON text of a value, with `edit` applied at one path. */
function written(value: Json, path: Path, edit: Edit): string {
  if (path.length === 0) return edit(null, JSON.stringify(value)).join();
  const [step, ...rest] = path;
  const inner = (member: Json, key: string | number): string =>
    key === step ? written(member, rest, edit) : JSON.stringify(member);
  const isHere = rest.length === 0;
  if (isArray(value)) {
    const elements = value.flatMap((element, index) =>
      isHere && index === step ? edit(null, JSON.stringify(element)) : [inner(element, index)],
    );
    return `[${elements.join()}]`;
  }
  const members = Object.entries(isObject(value) ? value : {}).flatMap(([name, member]) => {
    const key = JSON.stringify(name);
    return isHere && name === step ? edit(key, JSON.stringify(member)) : [`${key}:${inner(member, name)}`];
  });
  return `{${members.join()}}`;
}

/** Returns a body that is wrong as a whole. */
function mutatedWhole(valid: string, random: Random): Buffer {
  const at = random.below(valid.length);
  const bytes = Buffer.from(valid);
  switch (random.below(9)) {
    case 0:
      return Buffer.alloc(0);
    case 1:
      return Buffer.from(valid.slice(0, at));
    case 2:
      return Buffer.from(valid + valid);
    case 3:
      return Buffer.from(`\ufeff${valid}`);
    case 4:
      return Buffer.from(`[${valid}]`);
    case 5:
      bytes[at] = random.below(256);
      return bytes;
    case 6:
      return Buffer.concat([bytes.subarray(0, at), Buffer.from([0xc0, 0xaf, 0xff]), bytes.subarray(at)]);
    case 7:
      return Buffer.from(`${' \n\t'.repeat(random.below(1000))}${valid}`);
    default:
      return Buffer.from(valid, 'utf16le');
  }
}

function isArray(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function isObject(value: Json): value is { readonly [name: string]: Json } {
  return typeof value === 'object' && value !== null;
}
