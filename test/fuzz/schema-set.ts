/** Schema of a field, body or answer: the part of JSON Schema that the service's documents use. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly examples?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly maxLength?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

const COMPONENTS = '#/components/schemas/';

interface Described {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** The named schemas of a document. */
export class SchemaSet {
  readonly #schemas: Readonly<Record<string, Schema>>;

  constructor(document: object) {
    this.#schemas = (document as Described).components.schemas;
  }

  /** Returns the schema, resolving a reference. */
  resolved(schema: Schema): Schema {
    const { $ref } = schema;
    return $ref === undefined ? schema : this.named($ref.slice(COMPONENTS.length));
  }

  named(name: string): Schema {
    const schema = this.#schemas[name];
    if (schema === undefined) throw new Error(`the document has no schema ${name}`);
    return schema;
  }
}
