import {
  ACCOUNT_OPEN_ORDERS_MAX,
  ADDRESS_REQUESTS_PER_SECOND,
  BATCH_ORDERS_MAX,
  BODY_BYTES_MAX,
  BURST_SECONDS,
  NONCE_CHARACTERS_MAX,
  NONCE_CHARACTERS_MIN,
  READ_DRAIN_MS_MAX,
  READ_ROWS_AT_ONCE_MAX,
  READ_ROWS_PER_REQUEST,
  READS_PER_ACCOUNT_MAX,
  RECV_WINDOW_MS_DEFAULT,
  RECV_WINDOW_MS_MAX,
  TIMESTAMP_AHEAD_MS_MAX,
} from '../../domain/limits/clients.js';
import { JSON_LEVELS_MAX } from '../field/json-fault.js';
import { SESSION_PATH } from '../stream/session-request.js';
import { STREAM_PATH } from './asyncapi.js';

/** One request with its valid signature. */
export interface SigningVector {
  readonly name: string;
  readonly explanation: string;
  readonly method: string;
  readonly path: string;
  readonly query?: string;
  readonly body?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly secret: { readonly kind: string; readonly api_secret?: string };
  readonly signed_message: string;
}

/** Published test vectors, with which clients check their own signing. */
export interface SigningSamples {
  readonly about: string;
  /** Key of the RSA vectors, in PEM. */
  readonly rsa_key: { readonly public_key: string; readonly private_key: string };
  readonly vectors: readonly SigningVector[];
}

const MEBIBYTE = 1024 * 1024;

/** The part of the guide about all operations, in Markdown. */
export function guideText(vectors: readonly SigningVector[]): string {
  return [INTRODUCTION, SIGNING, vectorsText(vectors), NUMBERS, ERRORS, LIMITS, EVOLUTION].join('\n\n');
}

const INTRODUCTION = `Hand over a large *parent order*; the service works it by a strategy, placing small *child orders* on an
exchange, and streams what happens over the WebSocket described in \`/asyncapi.json\`.`;

const SIGNING = `## Signing

Every request under \`/api\` carries these headers:

| Header | Value |
|---|---|
| \`X-API-KEY\` | the key |
| \`X-TIMESTAMP\` | milliseconds since the epoch, now; \`GET /status/ping\` returns the server's time |
| \`X-RECV-WINDOW\` | optional: for how many milliseconds the request is good, 1 to ${RECV_WINDOW_MS_MAX}; ${RECV_WINDOW_MS_DEFAULT} when absent |
| \`X-SIGN\` | the signature in standard Base64 |

1. The message is timestamp + key + receive window + payload, without separators. Without \`X-RECV-WINDOW\` it contains \`${RECV_WINDOW_MS_DEFAULT}\`.
2. The payload of a GET is the query string as sent, without \`?\`, its keys in alphabetical order; of a POST the exact bytes of the body, or its compact form without white space outside of strings.
3. Decode the secret: standard Base64 when it contains \`+\`, \`/\` or ends with \`=\`, otherwise URL-safe Base64.
4. Sign with HMAC-SHA256 by the decoded secret; keys that were made from your own RSA key sign with RSA-SHA256 (PKCS#1 v1.5).
5. The time stamp must lie within [now − receive window, now + ${TIMESTAMP_AHEAD_MS_MAX} ms] of the server's clock.

### Repeated signatures

A create without \`client_order_id\` (alone or in a batch) accepts a signature once. Creates, amendments and resumptions refuse a signature
that came before with another path. The refusal is 401 INVALID_SIGNATURE and names that path. Named creates may be resent unchanged.
The start of a session of order entry accepts a signature once, with no other path.

### Version 2

The signature above covers neither method nor path. With \`X-SIGN-VERSION: 2\` it does. Sign these lines, joined by line feeds:

\`\`\`text
2
method: GET or POST
path, as sent
query as sent, without ?; an empty line when there is none
X-TIMESTAMP
X-API-KEY
receive window
X-NONCE
SHA-256 of the body in hexadecimal; of no bytes for a GET
\`\`\`

\`X-NONCE\` holds ${NONCE_CHARACTERS_MIN} to ${NONCE_CHARACTERS_MAX} letters, digits, dashes and underscores. Each call that changes something accepts a nonce of a
key once within the window. A key may require this version (\`sluice keys create --require-sign-v2\`).

A 401 names the first step that failed and the server's time. A key may be bound to networks (403 from elsewhere) and to a term;
revoking it takes effect at once. A request of an expired or suspended key is answered 401 INVALID_API_KEY with the reason KEY_EXPIRED or KEY_SUSPENDED when its signature is right.`;

const NUMBERS = `## Values

- Decimals in requests are texts of digits with at most one point: no sign, exponent or blank. A JSON number is taken too, by its shortest decimal form. Nothing is rounded.
- Decimals in answers are JSON numbers with all their digits: read them by a parser that keeps decimals when the last digit matters. Sums are exact. An average price is rounded half up, at 8 digits more than the price has.
- Enumerations are matched in any letter case and answered in upper case. \`null\` in an optional field counts as absent; seconds of an instant may be left out. Letters outside of ASCII have no case.
- A field of a request may also be written in camelCase: \`limitPrice\` is \`limit_price\`, inside \`params\` too. The lists \`orderIds\` and \`clientOrderIds\` may be written in snake_case. Both spellings of one field in one object are refused with INVALID_PARAM.
- Requests that place, change or cancel orders, and previews, refuse any other member: INVALID_PARAM with the reason UNKNOWN_FIELD, and the message names the nearest field. Only \`source\`, and \`allOrNone\` of a batch, are ignored. Parameters of a query that are not known are ignored. Ignore the members of answers that you do not know.
- A body that gives a member of an object twice, or is nested deeper than ${JSON_LEVELS_MAX} levels, is answered 400 INVALID_REQUEST.
- Answers leave out what an order does not have.`;

const ERRORS = `## Errors

Statuses of 400 and above carry the body \`Error\`. An order that cannot be placed for its own fields is no error of HTTP: it is answered
201 with status REJECTED, \`message\` and \`error_code\`. Where a code has several causes, errors and summaries add \`reason\` for programs (\`ApiErrorReason\`): an order that a kill switch refuses is OTHER with KILL_SWITCH. Every answer carries \`X-Request-Id\`. A wrong path is answered 404, a wrong method 405 with \`Allow\`. The page \`/docs/errors\` explains every code.`;

const LIMITS = `## Limits

- A key has three budgets: placing orders, cancelling them (of the same size, so that a client at its limit can still cancel), and reading. By default 200 requests a second and bursts of ${BURST_SECONDS} times that (\`SLUICE_RATE_LIMIT_ORDERS\`, \`SLUICE_RATE_LIMIT_READS\`; 0 is off). A batch takes its number of orders. A list takes one request for each ${READ_ROWS_PER_REQUEST} rows (orders, trades, events): the requests after the first are charged when the rows are known and may be owed, so later requests wait for them. \`RateLimit-Policy: 200;w=1;burst=400\` names rate and burst, \`RateLimit-Limit\` the rate alone. \`RateLimit-Remaining\` (at most the burst) and \`RateLimit-Reset\` (seconds until it is full) show the state of the budget; 429 comes with \`Retry-After\`.
- A connection serves one request at a time. A request that arrives before the answer to the one before waits for it. When both arrive together and the first one needs time, the connection closes without an answer, and neither has done anything. So wait for each answer. Order entry over WebSocket takes requests without waiting.
- An account may have ${READS_PER_ACCOUNT_MAX} lists of more than ${READ_ROWS_AT_ONCE_MAX} rows under way; one more is answered 429. Such a list is sent in chunks, without \`Content-Length\`. When it cannot be read to its end, the connection is closed before the last chunk. A client that takes nothing for ${READ_DRAIN_MS_MAX / 1000} s is cut off.
- Before the key is checked, an address may send ${ADDRESS_REQUESTS_PER_SECOND} requests a second (\`SLUICE_RATE_LIMIT_IP\`; 0 is off; requests from the machine itself are not counted).
- A body holds at most ${BODY_BYTES_MAX / MEBIBYTE} MiB (413, \`SLUICE_BODY_BYTES_MAX\`), a batch at most ${BATCH_ORDERS_MAX} orders.
- An account without a risk limit \`max_open_orders\` may have ${ACCOUNT_OPEN_ORDERS_MAX} open orders (\`SLUICE_ACCOUNT_OPEN_ORDERS\`; 0 is off). A further order is answered 201 with status REJECTED and QUANTITY_EXCEED. A pair counts once.
- \`/metrics\` counts the refusals of each limit.`;

const EVOLUTION = `## Versions

Within \`/api/v2\` answers may gain fields and enumerations values; nothing is renamed or removed.`;

const VECTORS = `Sample keys without any access. For programs, with RSA vectors: \`x-signing-vectors\` of \`/openapi.json\`.`;

function vectorsText(vectors: readonly SigningVector[]): string {
  const rows = vectors.filter(({ secret }) => secret.kind === 'HMAC').map(vectorText);
  return `### Vectors\n\n${VECTORS}\n\n${rows.join('\n\n')}`;
}

function vectorText(vector: SigningVector): string {
  return `**${vector.name}.** ${vector.explanation}\n\n\`\`\`text\n${[
    `key       ${vector.headers['X-API-KEY'] ?? ''}`,
    `secret    ${vector.secret.api_secret ?? ''}`,
    `message   ${vector.signed_message}`,
    `X-SIGN    ${vector.headers['X-SIGN'] ?? ''}`,
  ].join('\n')}\n\`\`\``;
}

/** The streams in Markdown, for readers of the page, which shows operations only. */
export function streamGuideText(): string {
  return `\`GET ${STREAM_PATH}\` and \`GET ${SESSION_PATH}\`, upgraded to a WebSocket. The page \`/docs/websocket\` describes topics, messages, limits and close codes; \`/asyncapi.json\` describes them to programs.`;
}
