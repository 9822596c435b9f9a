import { CodecError } from './codec-error.js';

/** The numbers of a generated enum by the names the model uses: SIDE_BUY of Side becomes BUY. */
type Unprefixed<Wire, Prefix extends string> = {
  readonly [Key in keyof Wire as Key extends `${Prefix}_${infer Name}` ? Name : never]: Wire[keyof Wire];
};

export function unprefixed<Wire extends object, Prefix extends string>(
  prefix: Prefix,
  wire: Wire,
): Unprefixed<Wire, Prefix> {
  const numbers = Object.entries(wire).map(([key, number]) => [key.slice(prefix.length + 1), number as unknown]);
  return Object.fromEntries(numbers) as Unprefixed<Wire, Prefix>;
}

/** A union of the model and its protobuf enum, both ways by one look-up. The compiler sees that no name is missing. */
export class WireEnum<Name extends string, Wire extends number> {
  readonly #enum: string;
  readonly #numbers: Readonly<Record<Name, Wire>>;
  /** Index is the number; 0 is UNSPECIFIED and has no name. */
  readonly #names: (Name | undefined)[] = [];

  constructor(enumName: string, numbers: Readonly<Record<Name, Wire>>) {
    this.#enum = enumName;
    this.#numbers = numbers;
    for (const [name, number] of Object.entries<Wire>(numbers)) {
      this.#names[number] = number === 0 ? undefined : (name as Name);
    }
  }

  /** Throws CodecError for a name that is not of the enum: it could be written, but never read. */
  number(name: Name): Wire {
    const number = this.#numbers[name] as Wire | undefined;
    if (number === undefined) throw new CodecError(`${name} is no ${this.#enum}`);
    return number;
  }

  /** Throws CodecError for a number that this version has no name for. */
  name(number: number, field: string): Name {
    const name = this.#names[number];
    if (name === undefined) throw new CodecError(`${field}: ${number} is no ${this.#enum} this version knows`);
    return name;
  }

  /** As `name`, but UNSPECIFIED reads as the default. */
  nameOr(fallback: Name, number: number, field: string): Name {
    return number === 0 ? fallback : this.name(number, field);
  }
}
