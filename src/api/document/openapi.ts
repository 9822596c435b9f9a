import type { TObject, TSchema } from '@sinclair/typebox';
import { ErrorAnswer } from './service.js';
import { guideText, type SigningSamples, streamGuideText } from './guide.js';
import {
  NONCE_CHARACTERS_MAX,
  NONCE_CHARACTERS_MIN,
  RECV_WINDOW_MS_DEFAULT,
  RECV_WINDOW_MS_MAX,
} from '../../domain/limits/clients.js';
import { asciiLower } from '../../domain/letter-case.js';
import { Components, type Json, type DocumentPart } from './components.js';
import { isSigned, type OpenOperation, type SignedOperation } from './operation.js';
import { OPERATIONS } from './operations.js';

/** Version of the contract, not of the program. */
const API_VERSION = '2.0.0';
const JSON_TYPE = 'application/json';

const GROUPS: readonly { readonly name: string; readonly description: string }[] = [
  { name: 'Trading', description: 'Orders, trades, positions and balances of the account that the key belongs to.' },
  { name: 'Market data', description: 'Reference data; needs a key.' },
  { name: 'Status', description: 'Needs no key.' },
  { name: 'Documents', description: 'Needs no key.' },
  { name: 'WebSocket', description: streamGuideText() },
];

/** The OpenAPI 3.1 document of all operations in OPERATIONS. */
export function openApiDocument(samples: SigningSamples): DocumentPart {
  const components = new Components();
  const paths: Record<string, DocumentPart> = {};
  for (const operation of OPERATIONS) {
    const entry = isSigned(operation)
      ? { [asciiLower(operation.method)]: signedEntry(operation, components) }
      : { get: openEntry(operation, components) };
    paths[operation.path] = { ...paths[operation.path], ...entry };
  }
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
    'x-signing-vectors': samples as unknown as DocumentPart,
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

function signedEntry(operation: SignedOperation, components: Components): DocumentPart {
  const { id, group, summary, description, query, body, needs, budget, isBodyOptional = false } = operation;
  return {
    operationId: id,
    tags: [group],
    summary,
    description: `${description}\n\nNeeds the permission to ${needs}; takes from the budget of ${budget}.`,
    security: [SIGNED_BY],
    parameters: [...(query === null ? [] : parametersOf(query, components)), ...SIGNATURE_PARAMETERS],
    ...(body === null
      ? {}
      : { requestBody: { required: !isBodyOptional, content: contentOf(JSON_TYPE, body, components) } }),
    responses: { ...successOf(operation, JSON_TYPE, components), ...refusalsOf(operation, errorContent(components)) },
  };
}

function openEntry(operation: OpenOperation, components: Components): DocumentPart {
  const { id, group, summary, description, contentType, isProbe, isGuarded, success } = operation;
  const notReady = {
    description: 'The condition is false now.',
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
      ...(isProbe ? { '503': notReady } : {}),
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
): DocumentPart {
  const { status, description, schema } = operation.success;
  const headers = headersOf(isSigned(operation) ? Object.keys(COMMON_HEADERS) : ['X-Request-Id']);
  return { [status]: { description, headers, content: contentOf(contentType, schema, components) } };
}

function contentOf(contentType: string, schema: TSchema, components: Components): DocumentPart {
  return { [contentType]: { schema: components.place(schema) } };
}

function errorContent(components: Components): DocumentPart {
  return contentOf(JSON_TYPE, ErrorAnswer, components);
}

function headersOf(names: readonly string[]): DocumentPart {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** The three headers that together are one signature. */
const SIGNATURE_SCHEMES: DocumentPart = {
  Key: { type: 'apiKey', in: 'header', name: 'X-API-KEY', description: 'The API key.' },
  Timestamp: { type: 'apiKey', in: 'header', name: 'X-TIMESTAMP', description: 'Milliseconds since the epoch.' },
  Signature: { type: 'apiKey', in: 'header', name: 'X-SIGN', description: 'See Signing; standard Base64.' },
};

/** Access to the metrics from other machines. */
const TOKEN_SCHEME: DocumentPart = {
  MetricsToken: { type: 'http', scheme: 'bearer', description: 'SLUICE_METRICS_TOKEN.' },
};

const SIGNED_BY: DocumentPart = { Key: [], Timestamp: [], Signature: [] };

const SIGNATURE_PARAMETERS: readonly Json[] = [
  {
    name: 'X-RECV-WINDOW',
    in: 'header',
    required: false,
    description: 'Milliseconds after X-TIMESTAMP during which the request is valid.',
    schema: { type: 'integer', minimum: 1, maximum: RECV_WINDOW_MS_MAX, default: RECV_WINDOW_MS_DEFAULT },
  },
  {
    name: 'X-SIGN-VERSION',
    in: 'header',
    required: false,
    description: 'See Signing: 2 also covers method, path and X-NONCE.',
    schema: { type: 'string', enum: ['1', '2'], default: '1' },
  },
  {
    name: 'X-NONCE',
    in: 'header',
    required: false,
    description: 'Required with version 2; different for each request.',
    schema: { type: 'string', pattern: `^[A-Za-z0-9_-]{${NONCE_CHARACTERS_MIN},${NONCE_CHARACTERS_MAX}}$` },
  },
];

/** Headers of answers. The budget headers are absent while limits are off. */
const COMMON_HEADERS: DocumentPart = {
  'X-Request-Id': {
    description: 'Identifies this answer in the log of the service.',
    required: true,
    schema: { type: 'string' },
  },
  'RateLimit-Limit': {
    description: 'Requests a second by which the budget refills: the first figure of `RateLimit-Policy`.',
    schema: { type: 'integer' },
  },
  'RateLimit-Policy': {
    description:
      'Rate and size of the budget. `200;w=1;burst=400`: it refills by 200 requests in each second, and holds 400.',
    schema: { type: 'string' },
  },
  'RateLimit-Remaining': {
    description: 'Requests that would pass right now. At most the burst, so it may be above `RateLimit-Limit`.',
    schema: { type: 'integer' },
  },
  'RateLimit-Reset': { description: 'Seconds until the budget is full again.', schema: { type: 'integer' } },
};

const RETRY_AFTER = { 'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } } };
const REQUEST_ID = { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' } };

/** Refusal of a request for the metrics from another machine without the token. */
function tokenRefusal(content: DocumentPart): DocumentPart {
  const challenge = { 'WWW-Authenticate': { description: 'Bearer.', schema: { type: 'string' } } };
  const description = 'From another machine and without the token: AUTHENTICATION_ERROR.';
  return { '401': { description, headers: { ...REQUEST_ID, ...challenge }, content } };
}

/** Refusal by the address limit; any operation may return it. */
function addressRefusal(content: DocumentPart): DocumentPart {
  const description = 'Too many requests from this address: RATE_LIMIT_EXCEEDED.';
  return { '429': { description, headers: { ...REQUEST_ID, ...RETRY_AFTER }, content } };
}

/** Refusals of an operation that needs a key. */
function refusalsOf({ method, needs, budget }: SignedOperation, content: DocumentPart): DocumentPart {
  const refusal = (description: string, headers: DocumentPart = {}): DocumentPart => ({
    description,
    headers: { ...REQUEST_ID, ...headers },
    content,
  });
  const wrong = method === 'POST' ? 'The body is invalid' : 'A query value is invalid';
  const bodyRefusals = method === 'POST' ? { '413': refusal('The body is too large.') } : {};
  return {
    '400': refusal(`${wrong}, or the request is not valid HTTP.`),
    '401': refusal(
      'The signature is missing or invalid: INVALID_API_KEY, INVALID_SIGNATURE or INVALID_TIMESTAMP. With a right signature: the key is suspended or expired (INVALID_API_KEY with a `reason`).',
    ),
    '403': refusal(`The key has no permission to ${needs}, or is not allowed from this address: AUTHENTICATION_ERROR.`),
    ...bodyRefusals,
    '429': refusal(`The budget of ${budget}, or of the address, is used up: RATE_LIMIT_EXCEEDED.`, RETRY_AFTER),
    '500': refusal('An internal error of the service: SYSTEM_ERROR.'),
    '503': refusal('Overload, shutdown, or a part that is down; try again.', RETRY_AFTER),
  };
}
