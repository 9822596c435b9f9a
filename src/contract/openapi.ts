import type { TObject, TSchema } from '@sinclair/typebox';
import { Components, type Json, type JsonObject } from './components.js';
import { guideText, type SigningSamples } from './guide.js';
import { isSigned, type OpenOperation, type SignedOperation } from './operation.js';
import { OPERATIONS } from './operations.js';
import {
  COMMON_HEADERS,
  addressRefusal,
  refusalsOf,
  SIGNATURE_PARAMETERS,
  SIGNATURE_SCHEMES,
  SIGNED_BY,
  TOKEN_SCHEME,
  tokenRefusal,
} from './openapi-shared.js';
import { ErrorAnswer } from './service-answer.js';
import { streamGuideText } from './stream-guide.js';

/** Of the contract, not of the program. */
const API_VERSION = '2.0.0';
const JSON_TYPE = 'application/json';

const GROUPS: readonly { readonly name: string; readonly description: string }[] = [
  { name: 'Trading', description: 'Orders, trades, positions and balances of the account that the key belongs to.' },
  { name: 'Market data', description: 'Reference data; needs a key.' },
  { name: 'Status', description: 'Needs no key.' },
  { name: 'Documents', description: 'Needs no key.' },
  { name: 'WebSocket', description: streamGuideText() },
];

/** The OpenAPI 3.1 document of everything in OPERATIONS. */
export function openApiDocument(samples: SigningSamples): JsonObject {
  const components = new Components();
  const paths = Object.fromEntries(
    OPERATIONS.map((operation) => [
      operation.path,
      isSigned(operation)
        ? { [operation.method.toLowerCase()]: signedEntry(operation, components) }
        : { get: openEntry(operation, components) },
    ]),
  );
  components.place(ErrorAnswer);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Sluice',
      version: API_VERSION,
      summary: 'Order execution for crypto markets',
      description: guideText(samples.vectors),
      license: { name: 'Unlicensed: all rights reserved', identifier: 'UNLICENSED' },
    },
    'x-signing-vectors': samples as unknown as JsonObject,
    servers: [{ url: '/', description: 'This service' }],
    tags: GROUPS,
    paths,
    components: {
      schemas: components.schemas,
      headers: COMMON_HEADERS,
      securitySchemes: { ...SIGNATURE_SCHEMES, ...TOKEN_SCHEME },
    },
  };
}

function signedEntry(operation: SignedOperation, components: Components): JsonObject {
  const { id, group, summary, description, query, body, needs, budget } = operation;
  return {
    operationId: id,
    tags: [group],
    summary,
    description: `${description}\n\nNeeds the permission to ${needs}; takes from the budget of ${budget}.`,
    security: [SIGNED_BY],
    parameters: [...(query === null ? [] : parametersOf(query, components)), ...SIGNATURE_PARAMETERS],
    ...(body === null ? {} : { requestBody: { required: true, content: contentOf(JSON_TYPE, body, components) } }),
    responses: { ...successOf(operation, JSON_TYPE, components), ...refusalsOf(operation, errorContent(components)) },
  };
}

function openEntry(operation: OpenOperation, components: Components): JsonObject {
  const { id, group, summary, description, contentType, isProbe, isGuarded, success } = operation;
  const notSo = {
    description: 'Not now.',
    headers: headersOf(['X-Request-Id']),
    content: contentOf(contentType, success.schema, components),
  };
  return {
    operationId: id,
    tags: [group],
    summary,
    description,
    security: isGuarded ? [{}, { MetricsToken: [] }] : [],
    responses: {
      ...successOf(operation, contentType, components),
      ...(isGuarded ? tokenRefusal(errorContent(components)) : {}),
      ...addressRefusal(errorContent(components)),
      ...(isProbe ? { '503': notSo } : {}),
    },
  };
}

function parametersOf(query: TObject, components: Components): Json[] {
  return Object.entries(query.properties).map(([name, schema]) => {
    const { description = '', ...form } = components.place(schema);
    const isArray = schema['type'] === 'array';
    return {
      name,
      in: 'query',
      required: query.required?.includes(name) ?? false,
      description,
      schema: form,
      ...(isArray ? { style: 'form', explode: false } : {}),
    };
  });
}

function successOf(
  operation: SignedOperation | OpenOperation,
  contentType: string,
  components: Components,
): JsonObject {
  const { status, description, schema } = operation.success;
  const headers = headersOf(isSigned(operation) ? Object.keys(COMMON_HEADERS) : ['X-Request-Id']);
  return { [status]: { description, headers, content: contentOf(contentType, schema, components) } };
}

function contentOf(contentType: string, schema: TSchema, components: Components): JsonObject {
  return { [contentType]: { schema: components.place(schema) } };
}

function errorContent(components: Components): JsonObject {
  return contentOf(JSON_TYPE, ErrorAnswer, components);
}

function headersOf(names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
