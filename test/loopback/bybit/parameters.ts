import { parseUnits, type Units } from '../decimal.js';
import { parameterError } from './api-error.js';
import type { Category } from './instruments.js';

const CATEGORIES: readonly Category[] = ['spot', 'linear'];

/** The parameters of one request: of a query, where all values are texts, or of a JSON object. */
export class Parameters {
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(values: Readonly<Record<string, unknown>>) {
    this.#values = values;
  }

  static ofQuery(query: string): Parameters {
    return new Parameters(Object.fromEntries(new URLSearchParams(query)));
  }

  static ofBody(body: string): Parameters {
    let value: unknown;
    try {
      value = JSON.parse(body === '' ? '{}' : body);
    } catch {
      throw parameterError('params error: invalid json');
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw parameterError('params error: invalid json');
    }
    return new Parameters(value as Record<string, unknown>);
  }

  category(): Category {
    const text = this.optional('category');
    const category = CATEGORIES.find((name) => name === text);
    if (category === undefined) throw parameterError('params error: Category is invalid');
    return category;
  }

  required(name: string): string {
    const text = this.optional(name);
    if (text === null) throw parameterError(`params error: ${name} is required`);
    return text;
  }

  /** null: absent or empty. A number or a boolean where a text belongs is refused. */
  optional(name: string): string | null {
    const value = this.#values[name];
    if (value === undefined || value === null || value === '') return null;
    if (typeof value !== 'string') throw parameterError(`params error: ${name} must be a string`);
    return value;
  }

  oneOf<Value extends string>(name: string, values: readonly Value[]): Value | null {
    const text = this.optional(name);
    const found = values.find((value) => value === text);
    if (text !== null && found === undefined) throw parameterError(`params error: ${name} invalid`);
    return found ?? null;
  }

  /** A decimal of at most 8 places above or at 0. */
  decimal(name: string): Units | null {
    const text = this.optional(name);
    if (text === null) return null;
    const value = parseUnits(text);
    if (value === null) throw parameterError(`params error: ${name} invalid`);
    return value;
  }

  /** An integer, as a number or as text. */
  integer(name: string): number | null {
    const value = this.#values[name];
    if (value === undefined || value === null || value === '') return null;
    const number = Number(value);
    if (!Number.isSafeInteger(number)) throw parameterError(`params error: ${name} invalid`);
    return number;
  }

  flag(name: string): boolean {
    const value = this.#values[name];
    if (value !== undefined && typeof value !== 'boolean') throw parameterError(`params error: ${name} invalid`);
    return value === true;
  }

  /** The size of a page, from 1 to `most`. */
  limit(standard: number, most: number): number {
    return Math.min(Math.max(this.integer('limit') ?? standard, 1), most);
  }
}

/** One page of a list, with the cursor of the next one. The cursor is percent-encoded, as at Bybit. */
export function pageOf<Entry>(
  entries: readonly Entry[],
  parameters: Parameters,
  { standard, most }: { standard: number; most: number },
): { readonly list: readonly Entry[]; readonly nextPageCursor: string } {
  const cursor = decodeURIComponent(parameters.optional('cursor') ?? '');
  const match = /^page_token=(\d+)&$/.exec(cursor);
  if (cursor !== '' && match === null) throw parameterError('params error: cursor invalid');
  const from = Number(match?.[1] ?? 0);
  const to = from + parameters.limit(standard, most);
  const nextPageCursor = to < entries.length ? encodeURIComponent(`page_token=${to}&`) : '';
  return { list: entries.slice(from, to), nextPageCursor };
}
