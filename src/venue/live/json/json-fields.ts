import { formatSteps } from '../../../domain/quantity.js';
import type { EpochMs } from '../../../domain/time.js';
import { type Decimal, parseDecimal, stepsBelow, ZERO } from './decimal.js';

/** A JSON object. Only its own members are read: a name such as `__proto__` is a name like any other. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function asObject(value: unknown): JsonObject | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;
}

export function memberOf(object: JsonObject | null, name: string): unknown {
  return object !== null && Object.hasOwn(object, name) ? object[name] : undefined;
}

/** A set of names from a text with blanks between them. */
export function namesIn(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}

/** The longest text of an exchange that is taken, and the longest part of one that is shown. */
const TEXT_CHARACTERS_MAX = 256;
const SHOWN_CHARACTERS_MAX = 64;

/** A value of an exchange in a message: short, without the content of objects. */
export function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : typeof value === 'number' ? String(value) : typeof value;
  return text.length > SHOWN_CHARACTERS_MAX ? `${text.slice(0, SHOWN_CHARACTERS_MAX)}…` : text;
}

/** One price of a book. */
export interface Level {
  readonly price: string;
  /** 0: the price is no longer in the book. */
  readonly quantity: string;
}

/** More levels than any exchange sends for one side. */
const LEVELS_MAX = 10_000;

/** Takes a member or a value that is not known. */
export type ReportUnknown = (message: string) => void;

/**
 * Reads the members of a JSON object of an exchange. The first unreadable member is the problem of the whole message,
 * and reading goes on with a neutral value. Objects inside share the problem.
 */
export class JsonFields {
  readonly #object: JsonObject;
  readonly #unknown: ReportUnknown;
  readonly #path: string;
  readonly #root: JsonFields;
  #problem: string | null = null;

  constructor(object: JsonObject, unknown: ReportUnknown, path = '', root?: JsonFields) {
    this.#object = object;
    this.#unknown = unknown;
    this.#path = path;
    this.#root = root ?? this;
  }

  get problem(): string | null {
    return this.#root.#problem;
  }

  fail(problem: string): void {
    this.#root.#problem ??= problem;
  }

  /** Reports members that are not known. */
  expect(known: ReadonlySet<string>): void {
    for (const member of Object.keys(this.#object)) {
      if (!known.has(member)) this.#unknown(`unknown member ${this.#path}${shown(member)}`);
    }
  }

  /** Reports a member whose content is not counted, unless it has none. */
  expectEmpty(member: string): void {
    const value = this.value(member);
    const isEmpty = this.#isAbsent(member) || (Array.isArray(value) && value.length === 0);
    if (!isEmpty) this.#unknown(`the content of ${this.#path}${member} is not counted`);
  }

  value(member: string): unknown {
    return memberOf(this.#object, member);
  }

  /** A text that must be there and is not empty. */
  text(member: string): string {
    const value = this.value(member);
    if (typeof value === 'string' && value !== '' && value.length <= TEXT_CHARACTERS_MAX) return value;
    this.#refuse(member, 'no text');
    return '';
  }

  /** A text that may be missing; null for an empty one too. */
  optionalText(member: string): string | null {
    return this.#isAbsent(member) ? null : this.text(member);
  }

  /** A text of a known set; another one is reported and returned as it is. */
  choice(member: string, known: ReadonlySet<string>): string {
    const value = this.value(member);
    if (typeof value !== 'string' || value.length > TEXT_CHARACTERS_MAX) {
      this.#refuse(member, 'no text');
      return '';
    }
    if (!known.has(value)) this.#unknown(`unknown value ${this.#path}${member}=${shown(value)}`);
    return value;
  }

  /** What a text stands for in a table; an unknown text is reported and stands for `otherwise`. */
  mapped<Result>(member: string, table: ReadonlyMap<string, Result>, otherwise: Result): Result {
    const value = this.value(member);
    const result = typeof value === 'string' ? table.get(value) : undefined;
    if (result !== undefined) return result;
    if (typeof value === 'string') this.#unknown(`unknown value ${this.#path}${member}=${shown(value)}`);
    else this.#refuse(member, 'no text');
    return otherwise;
  }

  /** What a text stands for in a table; an unknown text is unreadable, and `otherwise` is only a placeholder. */
  keyed<Result>(member: string, table: ReadonlyMap<string, Result>, otherwise: Result): Result {
    const value = this.value(member);
    const result = typeof value === 'string' ? table.get(value) : undefined;
    if (result === undefined) this.#refuse(member, 'not a known value');
    return result ?? otherwise;
  }

  /** A decimal from 0 that must be there. */
  decimal(member: string): Decimal {
    const value = this.bound(member);
    if (value === null) this.fail(`${this.#path}${member} is missing`);
    return value ?? ZERO;
  }

  /** A decimal from 0 that may be missing, null or an empty text. */
  bound(member: string): Decimal | null {
    if (this.#isAbsent(member)) return null;
    const parsed = parseDecimal(this.value(member));
    if (parsed !== null && parsed.units >= 0n) return parsed;
    this.#refuse(member, 'no decimal from 0');
    return null;
  }

  /** A decimal from 0 as canonical text: no exponent, no zeros at the end. */
  amount(member: string): string {
    return decimalText(this.decimal(member));
  }

  /** As `amount`, or null when it is missing. */
  optionalAmount(member: string): string | null {
    const value = this.bound(member);
    return value === null ? null : decimalText(value);
  }

  /** A decimal of any sign as canonical text. */
  signed(member: string): string {
    const parsed = parseDecimal(this.value(member));
    if (parsed === null) this.#refuse(member, 'no decimal');
    return decimalText(parsed ?? ZERO);
  }

  /** As `signed`, or null when it is missing. */
  optionalSigned(member: string): string | null {
    return this.#isAbsent(member) ? null : this.signed(member);
  }

  /** A multiple or a rate in parts per million, cut off; null when it is missing. */
  ppm(member: string): number | null {
    if (this.#isAbsent(member)) return null;
    const parsed = parseDecimal(this.value(member));
    const ppm = parsed === null ? Number.NaN : Number(stepsBelow(parsed, { units: 1n, precision: 6 }));
    if (Number.isSafeInteger(ppm)) return ppm;
    this.#refuse(member, 'no rate');
    return null;
  }

  /** A count from 1 to 2^53 - 1; null when it is missing. */
  count(member: string): number | null {
    const value = this.bound(member);
    const count = value === null ? null : Number(value.units);
    if (value === null || (value.precision === 0 && Number.isSafeInteger(count) && value.units > 0n)) return count;
    this.#refuse(member, 'no count');
    return null;
  }

  /** An identifier: a text, or an exact integer. A larger number has lost digits: see exact-json.ts. */
  id(member: string): string {
    const value = this.value(member);
    if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
    if (typeof value === 'number') {
      this.#refuse(member, 'not an exact integer');
      return '';
    }
    return this.text(member);
  }

  /** As `id`, or null when it is missing. */
  optionalId(member: string): string | null {
    return this.#isAbsent(member) ? null : this.id(member);
  }

  /** A time in milliseconds since 1970, as a number or as text. */
  time(member: string): EpochMs {
    const parsed = parseDecimal(this.value(member));
    const time = parsed !== null && parsed.precision === 0 ? Number(parsed.units) : Number.NaN;
    if (Number.isSafeInteger(time) && time >= 0) return time as EpochMs;
    this.#refuse(member, 'no time');
    return 0 as EpochMs;
  }

  /** As `time`, or null when it is missing. */
  optionalTime(member: string): EpochMs | null {
    return this.#isAbsent(member) ? null : this.time(member);
  }

  flag(member: string): boolean {
    const value = this.value(member);
    if (typeof value !== 'boolean') this.#refuse(member, 'no boolean');
    return value === true;
  }

  /** As `flag`, or null when it is missing. */
  optionalFlag(member: string): boolean | null {
    return this.#isAbsent(member) ? null : this.flag(member);
  }

  /** An object inside; an empty one when the member is missing or is no object. */
  inside(member: string, known?: ReadonlySet<string>): JsonFields {
    return this.open(this.value(member), member, known);
  }

  /** Opens a value as an object inside this one. */
  open(value: unknown, path: string, known?: ReadonlySet<string>): JsonFields {
    const fields = new JsonFields(asObject(value) ?? {}, this.#unknown, `${this.#path}${path}.`, this.#root);
    if (known !== undefined) fields.expect(known);
    return fields;
  }

  /** The elements of an array that must be there and has at most `countMax` elements. */
  elements(member: string, countMax: number): readonly unknown[] {
    const value = this.value(member);
    if (Array.isArray(value) && value.length <= countMax) return value;
    this.#refuse(member, Array.isArray(value) ? `longer than ${countMax} elements` : 'no array');
    return [];
  }

  /** Prices and quantities of one side of a book: arrays that begin with both. */
  levels(member: string): readonly Level[] {
    return this.elements(member, LEVELS_MAX).map((element): Level => {
      const [price, quantity] = Array.isArray(element) ? (element as readonly unknown[]) : [];
      const level = this.open({ price, quantity }, member);
      return { price: level.amount('price'), quantity: level.amount('quantity') };
    });
  }

  #isAbsent(member: string): boolean {
    const value = this.value(member);
    return value === undefined || value === null || value === '';
  }

  #refuse(member: string, rule: string): void {
    this.fail(`${this.#path}${member} ${shown(this.value(member))} is ${rule}`);
  }
}

export function decimalText({ units, precision }: Decimal): string {
  return formatSteps(units, precision);
}
