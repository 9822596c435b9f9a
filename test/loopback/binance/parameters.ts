import { parseUnits, type Units } from '../decimal.js';
import { ApiError, missing } from './api-error.js';

const DECIMAL_FORM = '^([0-9]{1,20})(\\.[0-9]{1,20})?$';
const INTEGER_FORM = '^[0-9]{1,20}$';
const SYMBOL_FORM = '^[A-Z0-9-_.]{1,20}$';

function illegal(name: string, form: string): ApiError {
  return new ApiError(-1100, `Illegal characters found in parameter '${name}'; legal range is '${form}'.`);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The parameters of one request. Remembers which ones a handler read. */
export class Parameters {
  readonly #values: ReadonlyMap<string, string>;
  readonly #read = new Set<string>();

  constructor(values: ReadonlyMap<string, string>) {
    this.#values = values;
  }

  /** Of a query string and a form body. */
  static ofTexts(texts: readonly string[]): Parameters {
    const values = new Map<string, string>();
    for (const text of texts) {
      for (const [name, value] of new URLSearchParams(text)) {
        if (values.has(name)) throw new ApiError(-1101, 'Duplicate values for a parameter detected.');
        values.set(name, value);
      }
    }
    return new Parameters(values);
  }

  /** Of the `params` object of a socket request. Lists become JSON texts. */
  static ofObject(members: Readonly<Record<string, unknown>>): Parameters {
    const present = Object.entries(members).filter(([, value]) => value !== undefined && value !== null);
    return new Parameters(new Map(present.map(([name, value]) => [name, textOf(value)])));
  }

  get names(): readonly string[] {
    return [...this.#values.keys()];
  }

  /** Refuses parameters that no handler read. */
  requireAllRead(): void {
    const sent = this.#values.size;
    const read = this.names.filter((name) => this.#read.has(name)).length;
    if (read === sent) return;
    throw new ApiError(-1104, `Not all sent parameters were read; read '${read}' parameter(s) but was sent '${sent}'.`);
  }

  optional(name: string): string | null {
    this.#read.add(name);
    const value = this.#values.get(name);
    if (value === '') throw new ApiError(-1105, `Parameter '${name}' was empty.`);
    return value ?? null;
  }

  required(name: string): string {
    this.#read.add(name);
    const value = this.#values.get(name);
    if (value === undefined || value === '') throw missing(name);
    return value;
  }

  /** A text of a form; null when it was not sent. */
  matching(name: string, form: RegExp): string | null {
    const value = this.optional(name);
    if (value !== null && !form.test(value)) throw illegal(name, form.source);
    return value;
  }

  oneOf<Value extends string>(name: string, values: readonly Value[], failure: ApiError): Value | null {
    const value = this.optional(name);
    const found = values.find((known) => known === value);
    if (value !== null && found === undefined) throw failure;
    return found ?? null;
  }

  decimal(name: string): Units | null {
    const value = this.optional(name);
    if (value === null) return null;
    if (!new RegExp(DECIMAL_FORM).test(value)) throw illegal(name, DECIMAL_FORM);
    const parsed = parseUnits(value);
    if (parsed === null) throw new ApiError(-1111, `Parameter '${name}' has too much precision.`);
    return parsed;
  }

  integer(name: string): number | null {
    const value = this.optional(name);
    if (value === null) return null;
    if (!new RegExp(INTEGER_FORM).test(value)) throw illegal(name, INTEGER_FORM);
    return Number(value);
  }

  /** An integer within bounds; larger values become the bound, as for `limit`. */
  limit(standard: number, max: number): number {
    return Math.min(Math.max(this.integer('limit') ?? standard, 1), max);
  }

  symbol(name = 'symbol'): string {
    const value = this.required(name);
    if (!new RegExp(SYMBOL_FORM).test(value)) throw illegal(name, SYMBOL_FORM);
    return value;
  }

  flag(name: string): boolean | null {
    const value = this.optional(name);
    if (value === null) return null;
    const text = value.toLowerCase();
    if (text !== 'true' && text !== 'false') throw illegal(name, '^(true|false)$');
    return text === 'true';
  }
}
