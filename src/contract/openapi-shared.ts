import {
  NONCE_CHARACTERS_MAX,
  NONCE_CHARACTERS_MIN,
  RECV_WINDOW_MS_DEFAULT,
  RECV_WINDOW_MS_MAX,
} from '../model/limits.js';
import type { Json, JsonObject } from './components.js';
import type { SignedOperation } from './operation.js';

/** The three headers that together are one signature. */
export const SIGNATURE_SCHEMES: JsonObject = {
  Key: { type: 'apiKey', in: 'header', name: 'X-API-KEY', description: 'The API key.' },
  Timestamp: { type: 'apiKey', in: 'header', name: 'X-TIMESTAMP', description: 'Milliseconds since the epoch.' },
  Signature: { type: 'apiKey', in: 'header', name: 'X-SIGN', description: 'See Signing; standard Base64.' },
};

/** Opens the metrics to who is not on the machine of the service. */
export const TOKEN_SCHEME: JsonObject = {
  MetricsToken: { type: 'http', scheme: 'bearer', description: 'SLUICE_METRICS_TOKEN.' },
};

export const SIGNED_BY: JsonObject = { Key: [], Timestamp: [], Signature: [] };

export const SIGNATURE_PARAMETERS: readonly Json[] = [
  {
    name: 'X-RECV-WINDOW',
    in: 'header',
    required: false,
    description: 'For how many milliseconds after X-TIMESTAMP the request is good.',
    schema: { type: 'integer', minimum: 1, maximum: RECV_WINDOW_MS_MAX, default: RECV_WINDOW_MS_DEFAULT },
  },
  {
    name: 'X-SIGN-VERSION',
    in: 'header',
    required: false,
    description: 'See Signing: 2 covers method, path and X-NONCE too.',
    schema: { type: 'string', enum: ['1', '2'], default: '1' },
  },
  {
    name: 'X-NONCE',
    in: 'header',
    required: false,
    description: 'Goes with version 2; of each request another one.',
    schema: { type: 'string', pattern: `^[A-Za-z0-9_-]{${NONCE_CHARACTERS_MIN},${NONCE_CHARACTERS_MAX}}$` },
  },
];

/** Headers of answers. The budget's are left out while limits are off. */
export const COMMON_HEADERS: JsonObject = {
  'X-Request-Id': {
    description: 'Names this answer in the log of the service.',
    required: true,
    schema: { type: 'string' },
  },
  'RateLimit-Limit': { description: 'Requests that a full budget holds.', schema: { type: 'integer' } },
  'RateLimit-Remaining': { description: 'Requests that would pass right now.', schema: { type: 'integer' } },
  'RateLimit-Reset': { description: 'Seconds until the budget is full again.', schema: { type: 'integer' } },
};

const RETRY_AFTER = { 'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } } };
const REQUEST_ID = { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' } };

/** What who is elsewhere is answered without the token. */
export function tokenRefusal(content: JsonObject): JsonObject {
  const challenge = { 'WWW-Authenticate': { description: 'Bearer.', schema: { type: 'string' } } };
  const description = 'Neither from the machine itself nor with the token: AUTHENTICATION_ERROR.';
  return { '401': { description, headers: { ...REQUEST_ID, ...challenge }, content } };
}

/** What anybody may be answered who asks too often. */
export function addressRefusal(content: JsonObject): JsonObject {
  const description = 'The address asks too often: RATE_LIMIT_EXCEEDED.';
  return { '429': { description, headers: { ...REQUEST_ID, ...RETRY_AFTER }, content } };
}

/** What an operation that needs a key may be answered instead of its success. */
export function refusalsOf({ method, needs, budget }: SignedOperation, content: JsonObject): JsonObject {
  const refusal = (description: string, headers: JsonObject = {}): JsonObject => ({
    description,
    headers: { ...REQUEST_ID, ...headers },
    content,
  });
  const wrong = method === 'POST' ? 'The body cannot be used' : 'A query value cannot be used';
  const bodyRefusals = method === 'POST' ? { '413': refusal('The body is too large.') } : {};
  return {
    '400': refusal(`${wrong}, or the request is no proper HTTP.`),
    '401': refusal('Not signed as it must be: INVALID_API_KEY, INVALID_SIGNATURE or INVALID_TIMESTAMP.'),
    '403': refusal(`The key has no permission to ${needs}, or may not be used from here: AUTHENTICATION_ERROR.`),
    ...bodyRefusals,
    '429': refusal(`The budget of ${budget}, or of the address, is used up: RATE_LIMIT_EXCEEDED.`, RETRY_AFTER),
    '500': refusal('A bug of the service: SYSTEM_ERROR.'),
    '503': refusal('Overload, shutdown, or a part that is down; try again.', RETRY_AFTER),
  };
}
