/** A fault script that cannot be used; the message names place, field, value and rule. */
export class FaultScriptError extends Error {
  override readonly name = 'FaultScriptError';
}

interface Range {
  readonly min: number;
  readonly max: number;
}

/** The fields of one rule as they are read: each is checked, and in the end none may be left over. */
export class FaultFields {
  readonly #fields: ReadonlyMap<string, unknown>;
  readonly #where: string;
  readonly #known: string[] = [];

  /** `where` begins every message, as `line 3`. */
  constructor(value: unknown, where: string) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new FaultScriptError(`${where}: a rule is a JSON object`);
    }
    this.#fields = new Map(Object.entries(value));
    this.#where = where;
  }

  text(name: string): string | null {
    const value = this.#take(name);
    if (value === undefined) return null;
    if (typeof value !== 'string' || value === '') throw this.#wrong(name, 'not a text');
    return value;
  }

  /** One of the words; without a fallback the field must be there. */
  word<Word extends string>(name: string, words: readonly Word[], fallback?: Word): Word {
    const value = this.#take(name) ?? fallback;
    const word = words.find((candidate) => candidate === value);
    if (word === undefined) throw this.#wrong(name, `not one of ${words.join(', ')}`);
    return word;
  }

  /** A whole number in the range; without a fallback the field must be there. */
  whole(name: string, range: Range, fallback?: number): number {
    const value = this.number(name, range, fallback);
    if (!Number.isInteger(value) && value !== fallback) throw this.#wrong(name, 'not a whole number');
    return value;
  }

  number(name: string, { min, max }: Range, fallback?: number): number {
    const value = this.#take(name);
    if (value === undefined && fallback !== undefined) return fallback;
    if (typeof value !== 'number' || !(value >= min && value <= max)) {
      throw this.#wrong(name, `not a number from ${min} to ${max}`);
    }
    return value;
  }

  has(name: string): boolean {
    return this.#fields.has(name);
  }

  /** Throws when a field was not read: a slip of the pen must not make another fault than was meant. */
  done(): void {
    for (const name of this.#fields.keys()) {
      if (!this.#known.includes(name)) {
        throw new FaultScriptError(
          `${this.#where}: ${name} is no field of this fault; it has ${this.#known.join(', ')}`,
        );
      }
    }
  }

  #take(name: string): unknown {
    this.#known.push(name);
    return this.#fields.get(name);
  }

  #wrong(name: string, rule: string): FaultScriptError {
    const value = this.#fields.get(name);
    const said = value === undefined ? `${name} is missing` : `${name}=${JSON.stringify(value)} is ${rule}`;
    return new FaultScriptError(
      `${this.#where}: ${said}${value === undefined ? `: it is ${rule.slice('not '.length)}` : ''}`,
    );
  }
}
