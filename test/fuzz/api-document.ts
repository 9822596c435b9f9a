import { type Schema, SchemaSet } from './schema-set.js';

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Schema;
}

export interface Operation {
  readonly id: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly isSigned: boolean;
  readonly query: readonly Parameter[];
  /** null: no body. */
  readonly body: Schema | null;
  /** Pointer to the schema of each documented status; null for an answer that is not JSON. */
  readonly answers: ReadonlyMap<number, string | null>;
}

interface Entry {
  readonly operationId: string;
  readonly security: readonly unknown[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Schema } } };
  readonly responses: Readonly<Record<string, { readonly content: Readonly<Record<string, unknown>> }>>;
}

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Entry>>>>;
}

const JSON_TYPE = 'application/json';

/** The service's REST interface, from its OpenAPI document. */
export class ApiDocument {
  readonly text: object;
  readonly schemas: SchemaSet;
  readonly operations: readonly Operation[];

  constructor(document: object) {
    this.text = document;
    this.schemas = new SchemaSet(document);
    this.operations = Object.entries((document as OpenApi).paths).flatMap(([path, entries]) =>
      Object.entries(entries).map(([method, entry]) => operationOf(path, method, entry)),
    );
  }
}

function operationOf(path: string, method: string, entry: Entry): Operation {
  const answers = Object.entries(entry.responses).map(([status, { content }]): [number, string | null] => [
    Number(status),
    JSON_TYPE in content ? pointer(['paths', path, method, 'responses', status, 'content', JSON_TYPE, 'schema']) : null,
  ]);
  return {
    id: entry.operationId,
    method: method === 'post' ? 'POST' : 'GET',
    path,
    isSigned: entry.security.length > 0,
    query: (entry.parameters ?? []).filter((parameter) => parameter.in === 'query'),
    body: entry.requestBody?.content[JSON_TYPE].schema ?? null,
    answers: new Map(answers),
  };
}

/** Returns a JSON pointer as a URL fragment. */
function pointer(names: readonly string[]): string {
  const steps = names.map((name) => encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1')));
  return `#/${steps.join('/')}`;
}
