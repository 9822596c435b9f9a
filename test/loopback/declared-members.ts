import { readFileSync } from 'node:fs';
import ts from 'typescript';

/** The members of one declared object, by name, as type texts: `string`, `number | bigint`, `Array<Other>`. */
type DeclaredMembers = ReadonlyMap<string, string>;

/**
 * The interfaces of a declaration file. The connectors of Binance are generated from its own description of the API, so
 * their declarations say which members an answer has.
 */
export class Declarations {
  readonly #interfaces = new Map<string, DeclaredMembers>();

  constructor(file: string) {
    const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ES2022);
    for (const statement of source.statements) {
      if (!ts.isInterfaceDeclaration(statement)) continue;
      const members = statement.members.filter(ts.isPropertySignature);
      const named = members.map((member): [string, string] => {
        return [member.name.getText(source).replaceAll("'", ''), member.type?.getText(source) ?? 'unknown'];
      });
      this.#interfaces.set(statement.name.text, new Map(named));
    }
  }

  /** What differs between a value and a declared interface, as `path: difference`; members inside are checked too. */
  differences(value: unknown, name: string, path = name): readonly string[] {
    const declared = this.#interfaces.get(name);
    if (declared === undefined) return [`${path}: ${name} is not declared`];
    if (typeof value !== 'object' || value === null) return [`${path}: no object`];
    const present = Object.keys(value);
    const missing = [...declared.keys()].filter((member) => !present.includes(member));
    const added = present.filter((member) => !declared.has(member));
    const inner = Object.entries(value).flatMap(([member, part]) => {
      const type = declared.get(member);
      return type === undefined ? [] : this.#difference(part, type, `${path}.${member}`);
    });
    return [
      ...missing.map((member) => `${path}: lacks ${member}`),
      ...added.map((member) => `${path}: adds ${member}`),
      ...inner,
    ];
  }

  #difference(value: unknown, type: string, path: string): readonly string[] {
    const element = /^Array<(.+)>$/.exec(type)?.[1];
    if (element !== undefined) {
      if (!Array.isArray(value)) return [`${path}: no list`];
      return value.flatMap((part, index) => this.#difference(part, element, `${path}[${index}]`));
    }
    if (this.#interfaces.has(type)) return this.differences(value, type, path);
    const names = type.split(' | ').map((part) => (part === 'bigint' ? 'number' : part));
    const isPlain = names.every((part) => ['string', 'number', 'boolean'].includes(part));
    // Other types are enumerations and unions of filters.
    if (!isPlain || names.includes(typeof value) || value === null) return [];
    return [`${path}: ${typeof value} instead of ${type}`];
  }
}
