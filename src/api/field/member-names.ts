import { QUOTED_CHARACTERS_MAX } from '../../domain/limits/clients.js';
import { asciiLower, asciiUpper } from '../../domain/letter-case.js';
import { type OrRejection, Rejected, type Rejection } from '../../domain/rejection.js';
import { editDistance, foldedName } from '../../domain/similar-name.js';
import { isJsonObject, type JsonObject, shown } from './json-value.js';

/*
 * Names of the members of requests. A field of a table has two spellings: `limit_price` and `limitPrice`. A member with
 * another name is refused, because an order whose misspelt limit is ignored trades through that limit.
 */

/** Rows of a table of fields, or properties of a schema. A row with `fields` is an object, or a list of objects. */
type NamedFields = { readonly [name: string]: object };
type NamedField = { readonly kind?: unknown; readonly fields?: NamedFields };

/** Members of a request without effect, which clients send for other services. */
const IGNORED: readonly string[] = ['source'];
/** Those of a batch. Its orders are always independent. */
export const IGNORED_IN_BATCH: readonly string[] = [...IGNORED, 'allOrNone'];

/** Wrong members that a preview reports. */
const VIOLATIONS_MAX = 20;

interface KnownMember {
  /** The spelling of the table. */
  readonly name: string;
  /** Names of the object, or of each object in the list; null: a value. */
  readonly inner: MemberNames | null;
  readonly isList: boolean;
}

/** The names that one object of a request may have. Made once, from the table. */
export class MemberNames {
  readonly #known = new Map<string, KnownMember>();
  /** Begins the path of each member, for example `params.would.` or `legs[].`. */
  readonly #prefix: string;
  readonly #root: MemberNames;
  /** All fields of the request, for messages. Only the root has them. */
  readonly #fields: { readonly path: string; readonly owner: MemberNames; readonly folded: string }[] = [];

  private constructor(fields: NamedFields, prefix: string, root: MemberNames | null) {
    this.#prefix = prefix;
    this.#root = root ?? this;
    for (const [name, field] of Object.entries(fields)) {
      const { kind, fields: within } = field as NamedField;
      const path = prefix + name;
      const isList = kind === 'legs';
      this.#root.#fields.push({ path, owner: this, folded: foldedName(name) });
      const inner =
        within === undefined ? null : new MemberNames(within, isList ? `${path}[].` : `${path}.`, this.#root);
      this.#add({ name, inner, isList });
    }
  }

  /** Names of a whole request: its fields, and members without effect. */
  static of(fields: NamedFields, ignored = IGNORED): MemberNames {
    const names = new MemberNames(fields, '', null);
    for (const name of ignored) names.#add({ name, inner: null, isList: false });
    return names;
  }

  #add(member: KnownMember): void {
    for (const spelling of spellingsOf(member.name)) this.#known.set(spelling, member);
  }

  /**
   * Returns the request with each member under its name in the table, or the first violation, INVALID_PARAM: an unknown
   * member, or both spellings of a field. A request with the names of the table is returned as it is.
   */
  read(body: JsonObject): OrRejection<JsonObject> {
    const violations: Rejection[] = [];
    const read = this.readAll(body, violations, false);
    const [first] = violations;
    return first === undefined ? read : new Rejected(first);
  }

  /** The same without the wrong members. Adds the first violation to the list, with `isComplete` the others too. */
  readAll(body: JsonObject, violations: Rejection[], isComplete: boolean): JsonObject {
    return this.#readObject(body, 0, violations, isComplete ? VIOLATIONS_MAX : 1);
  }

  /** `index`: place of the leg that the object belongs to. `most`: violations that are wanted. */
  #readObject(body: JsonObject, index: number, violations: Rejection[], most: number): JsonObject {
    let changed: [string, unknown][] | null = null;
    for (const spelling in body) {
      const member = this.#known.get(spelling);
      if (member !== undefined && member.name === spelling && member.inner === null) continue;
      if (member === undefined || (member.name !== spelling && Object.hasOwn(body, member.name))) {
        changed ??= [];
        if (violations.length < most) violations.push(this.#refusalOf(spelling, member, index));
        continue;
      }
      const { name, inner, isList } = member;
      const value = body[spelling];
      let read = value;
      if (inner !== null && isList) read = inner.#readList(value, violations, most);
      else if (inner !== null && isJsonObject(value)) read = inner.#readObject(value, index, violations, most);
      if (read !== value || name !== spelling) (changed ??= []).push([name, read]);
    }
    if (changed === null) return body;
    const kept = Object.entries(body).filter(([spelling]) => this.#known.get(spelling)?.name === spelling);
    return Object.fromEntries([...kept, ...changed]);
  }

  #readList(list: unknown, violations: Rejection[], most: number): unknown {
    if (!Array.isArray(list)) return list;
    const before = list as readonly unknown[];
    const read = before.map((one, index) => (isJsonObject(one) ? this.#readObject(one, index, violations, most) : one));
    return read.every((one, index) => one === before[index]) ? list : read;
  }

  /** `member`: the field that the object has under its other spelling too; undefined: the name is unknown. */
  #refusalOf(spelling: string, member: KnownMember | undefined, index: number): Rejection {
    // Outside of a leg, a field of legs is named without a place.
    const place = this.#prefix.startsWith('legs') ? `[${index}]` : '[]';
    const prefix = this.#prefix.replace('[]', place);
    if (member !== undefined) {
      const message = `${prefix}${member.name} is given twice: ${spelling} is another spelling of it`;
      return { code: 'INVALID_PARAM', message };
    }
    const nearest = this.#nearest(spelling);
    const advice = nearest === null ? 'no known field is near' : `the nearest is ${nearest.replace('[]', place)}`;
    const message = `${prefix}${shownName(spelling)} is not a known field of this request; ${advice}`;
    return { code: 'INVALID_PARAM', message, reason: 'UNKNOWN_FIELD' };
  }

  /** Path of the field with the most similar name; of equal ones, that of this object. null: none is similar. */
  #nearest(spelling: string): string | null {
    if (spelling.length > QUOTED_CHARACTERS_MAX) return null;
    const wanted = foldedName(spelling);
    let nearest: string | null = null;
    let least = Infinity;
    for (const { path, owner, folded: name } of this.#root.#fields) {
      const farthest = Math.max(1, Math.floor(Math.max(wanted.length, name.length) / NEAR_PART));
      if (Math.abs(wanted.length - name.length) > farthest) continue;
      const distance = editDistance(wanted, name);
      const rank = distance - (owner === this ? OWN_FIRST : 0);
      if (distance <= farthest && rank < least) [nearest, least] = [path, rank];
    }
    return nearest;
  }
}

/** A name is near when at most one of so many letters differs. */
const NEAR_PART = 3;
/** Prefers a field of the same object among equally near ones. */
const OWN_FIRST = 0.5;

/** Both spellings of a field: its name, and the name in camelCase or snake_case. */
function spellingsOf(name: string): readonly [string, string] {
  const isSnake = name.includes('_');
  const other = isSnake
    ? name.replace(/_([a-z\d])/g, (_, letter: string) => asciiUpper(letter))
    : name.replace(/[A-Z]/g, (letter) => `_${asciiLower(letter)}`);
  return [name, other];
}

/** Reads a field of a request whose names are not checked yet. */
export function reading(field: string): (body: JsonObject) => unknown {
  const [name, other] = spellingsOf(field);
  return (body) => body[name] ?? body[other];
}

const PLAIN_NAME = new RegExp(String.raw`^\w{1,${QUOTED_CHARACTERS_MAX}}$`);

/** The name of a client's member for a message. */
function shownName(name: string): string {
  return PLAIN_NAME.test(name) ? name : shown(name);
}
