import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { ApiDocument, Operation } from './api-document.js';
import { SchemaSet } from './schema-set.js';

const ERROR = '#/components/schemas/Error';
const [OPEN_API, ASYNC_API] = ['openapi', 'asyncapi'];

interface AsyncApi {
  readonly operations: { readonly sendFrame: { readonly messages: readonly { readonly $ref: string }[] } };
}

/** Validates answers and frames against the service's own documents. An undocumented field is a complaint. */
export class AnswerSchemas {
  readonly #ajv = new Ajv2020({ strict: false, allErrors: false });
  /** Pointer to the schema of the frames of each topic; '' for answers, which have no topic. */
  readonly #frames = new Map<string, string>();

  constructor(document: ApiDocument, asyncApi: object) {
    // The package is CommonJS: its default export is the module.
    (addFormats as unknown as typeof addFormats.default)(this.#ajv);
    this.#ajv.addSchema(closed(document.text), OPEN_API);
    this.#ajv.addSchema(closed(asyncApi), ASYNC_API);
    const schemas = new SchemaSet(asyncApi);
    for (const { $ref } of (asyncApi as AsyncApi).operations.sendFrame.messages) {
      const name = $ref.slice($ref.lastIndexOf('/') + 1);
      const topic = schemas.resolved(schemas.named(name).properties?.['topic'] ?? { const: '' });
      for (const one of topic.enum ?? [topic.const]) this.#frames.set(String(one), `#/components/schemas/${name}`);
    }
  }

  /** Returns what is wrong with the JSON of an answer; '' for a valid one. */
  complaint(operation: Operation | null, status: number, text: string): string {
    const pointer = operation?.answers.get(status) ?? (status >= 400 ? ERROR : null);
    if (pointer === null) return `status ${status} is not documented`;
    return this.#complaint(OPEN_API + pointer, text);
  }

  /** Returns what is wrong with a frame of the stream; '' for a valid one. */
  frameComplaint(text: string): string {
    const { topic = '' } = parsed(text) as { topic?: string };
    const pointer = this.#frames.get(topic);
    return pointer === undefined
      ? `no frame of topic ${topic} is documented`
      : this.#complaint(ASYNC_API + pointer, text);
  }

  /** Returns what is wrong with an answer of a session; '' for a valid one. */
  sessionComplaint(text: string): string {
    return this.#complaint(`${ASYNC_API}#/components/schemas/SessionAnswer`, text);
  }

  #complaint(name: string, text: string): string {
    const value = parsed(text);
    if (value === undefined) return 'the text is not JSON';
    const validate = this.#ajv.getSchema(name) as ValidateFunction | undefined;
    if (validate === undefined) return `there is no schema at ${name}`;
    return validate(value) ? '' : this.#ajv.errorsText(validate.errors);
  }
}

/** Parses JSON; undefined for other text. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the document with additional properties forbidden in each object schema that lists its properties. */
function closed(document: object): object {
  return JSON.parse(JSON.stringify(document), (_key, part: unknown) => {
    const isObject = typeof part === 'object' && part !== null && 'properties' in part && 'type' in part;
    return isObject ? { additionalProperties: false, ...part } : part;
  }) as object;
}
