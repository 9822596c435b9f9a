import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Validator } from '@seriousme/openapi-schema-validator';
import type { TSchema } from '@sinclair/typebox';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { asyncApiDocument, CLIENT_MESSAGES, SERVER_MESSAGES } from '../../src/api/document/asyncapi.js';
import type { DocumentPart } from '../../src/api/document/components.js';
import type { SigningSamples } from '../../src/api/document/guide.js';
import { openApiDocument } from '../../src/api/document/openapi.js';
import { isSigned } from '../../src/api/document/operation.js';
import { OPERATIONS } from '../../src/api/document/operations.js';
import { REJECTION_CODES } from '../../src/domain/rejection.js';
import { complaintsOf, open } from './compiled.js';

const require = createRequire(import.meta.url);
const VECTORS = JSON.parse(
  readFileSync(new URL('../../src/http/auth/signing-vectors.json', import.meta.url), 'utf8'),
) as SigningSamples;

const OPENAPI = written(openApiDocument(VECTORS));
const ASYNCAPI = written(asyncApiDocument());

/** The document as parsed JSON. */
function written(document: DocumentPart): Record<string, never> {
  return JSON.parse(JSON.stringify(document)) as Record<string, never>;
}

/** Every object below a value, with its path. */
function* objectsIn(value: unknown, path = ''): Generator<[path: string, object: Record<string, unknown>]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [path, value as Record<string, unknown>];
  for (const [name, part] of Object.entries(value)) yield* objectsIn(part, `${path}/${name}`);
}

function resolve(document: unknown, pointer: string): unknown {
  return pointer
    .slice('#/'.length)
    .split('/')
    .reduce<unknown>((part, name) => (part as Record<string, unknown> | undefined)?.[name], document);
}

describe('the documents', () => {
  it('/openapi.json is valid OpenAPI 3.1', async () => {
    const result = await new Validator().validate(structuredClone(OPENAPI));
    expect(result.errors ?? []).toEqual([]);
    expect(result.valid).toBe(true);
  });

  it('/asyncapi.json is valid AsyncAPI 3', () => {
    const specification = require('@asyncapi/specs/schemas/3.0.0.json') as object;
    // The published schema does not pass the strict mode, and contains its own copy of the meta-schema.
    const ajv = new Ajv({ strict: false, allErrors: true, meta: false, validateSchema: false });
    (addFormats as unknown as typeof addFormats.default)(ajv);
    const validate = ajv.compile(specification);
    expect(validate(ASYNCAPI), ajv.errorsText(validate.errors)).toBe(true);
  });

  it.each([
    ['/openapi.json', OPENAPI],
    ['/asyncapi.json', ASYNCAPI],
  ])('%s has only references with a target', (_name, document) => {
    const pointers = [...objectsIn(document)].flatMap(([path, { $ref }]) =>
      typeof $ref === 'string' ? [[path, $ref] as const] : [],
    );
    expect(pointers.length).toBeGreaterThan(10);
    for (const [path, pointer] of pointers) expect(resolve(document, pointer), `${path} → ${pointer}`).toBeDefined();
  });

  it('name every operation once', () => {
    const ids = OPERATIONS.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('describe every field and parameter of a request', () => {
    const requests = OPERATIONS.flatMap((operation) =>
      isSigned(operation) ? [operation.body, operation.query].filter((schema) => schema !== null) : [],
    );
    for (const schema of [...requests, ...CLIENT_MESSAGES]) {
      for (const [path, part] of objectsIn(schema)) {
        for (const [name, field] of Object.entries((part['properties'] ?? {}) as Record<string, TSchema>)) {
          if (/\/(if|then)\b/.test(path) || name === 'orders' || field['const'] !== undefined) continue;
          expect(field.description ?? '', `${path}/${name}`).not.toBe('');
        }
      }
    }
  });

  it('describe every text, number and flag of an answer and a frame', () => {
    const answers = OPERATIONS.map(({ success }) => success.schema);
    const missing = new Set<string>();
    for (const schema of [...answers, ...SERVER_MESSAGES]) {
      for (const [, part] of objectsIn(schema)) {
        for (const [name, field] of Object.entries((part['properties'] ?? {}) as Record<string, TSchema>)) {
          const isScalar = ['string', 'number', 'integer', 'boolean'].includes(String(field['type']));
          if (isScalar && field['const'] === undefined && (field.description ?? '') === '')
            missing.add(`${(part as TSchema).title ?? schema.title ?? ''}.${name}`);
        }
      }
    }
    expect([...missing]).toEqual([]);
  });

  it('describe each error code', () => {
    const { description } = resolve(OPENAPI, '#/components/schemas/ApiErrorCode') as { description: string };
    for (const code of REJECTION_CODES) expect(description).toMatch(new RegExp(`\`${code}\`: \\S`));
  });

  it('contain the signing vectors, without the long ones of RSA', () => {
    const { description } = OPENAPI['info'] as unknown as { description: string };
    for (const { secret, headers } of VECTORS.vectors) {
      if (secret.kind === 'HMAC') expect(description).toContain(headers['X-SIGN']);
    }
  });

  it('contain examples that their schemas accept', () => {
    const answers = OPERATIONS.map(({ success }) => success.schema);
    const bodies = OPERATIONS.flatMap((operation) =>
      isSigned(operation) && operation.body !== null ? [operation.body] : [],
    );
    let count = 0;
    for (const schema of [...answers, ...bodies, ...CLIENT_MESSAGES, ...SERVER_MESSAGES]) {
      for (const [path, part] of objectsIn(schema)) {
        if (!Array.isArray(part['examples'])) continue;
        for (const example of part['examples'] as readonly unknown[]) {
          expect(complaintsOf(open(part as TSchema), example), `${schema.title ?? ''}${path}`).toBe('');
          count += 1;
        }
      }
    }
    expect(count).toBeGreaterThan(20);
  });
});
