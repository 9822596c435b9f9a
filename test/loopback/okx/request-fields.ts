import { parseUnits, type Units } from '../decimal.js';
import { OkxError } from './api-error.js';

/** The members of a query, a JSON body or the arguments of a socket request. An empty text counts as absent. */
export class RequestFields {
  readonly #members: Readonly<Record<string, unknown>>;

  constructor(members: Readonly<Record<string, unknown>>) {
    this.#members = members;
  }

  static ofQuery(query: string): RequestFields {
    return new RequestFields(Object.fromEntries(new URLSearchParams(query)));
  }

  optional(name: string): string | null {
    const value = Object.hasOwn(this.#members, name) ? this.#members[name] : undefined;
    if (value === undefined || value === null || value === '') return null;
    if (typeof value === 'string') return value;
    if (typeof value === 'number' || typeof value === 'boolean') return String(value);
    throw new OkxError('51000', name);
  }

  required(name: string): string {
    const value = this.optional(name);
    if (value === null) throw new OkxError('50014', name);
    return value;
  }

  matching(name: string, form: RegExp): string | null {
    const value = this.optional(name);
    if (value !== null && !form.test(value)) throw new OkxError('51000', name);
    return value;
  }

  choice<Value extends string>(name: string, values: readonly Value[]): Value | null {
    const value = this.optional(name);
    const found = values.find((known) => known === value);
    if (value !== null && found === undefined) throw new OkxError('51000', name);
    return found ?? null;
  }

  requiredChoice<Value extends string>(name: string, values: readonly Value[]): Value {
    this.required(name);
    return this.choice(name, values)!;
  }

  /** A decimal above 0; null when it is absent. */
  decimal(name: string): Units | null {
    const value = this.optional(name);
    if (value === null) return null;
    const parsed = parseUnits(value);
    if (parsed === null || parsed <= 0n) throw new OkxError('51000', name);
    return parsed;
  }

  /** A whole number from 0. */
  integer(name: string): number | null {
    const value = this.matching(name, /^\d{1,15}$/);
    return value === null ? null : Number(value);
  }

  /** The limit of a list: at most 100 unless the endpoint says otherwise. */
  limit(standard = 100, max = 100): number {
    const value = this.integer('limit') ?? standard;
    if (value < 1 || value > max) throw new OkxError('51000', 'limit');
    return value;
  }

  flag(name: string): boolean {
    return this.choice(name, ['true', 'false']) === 'true';
  }
}
