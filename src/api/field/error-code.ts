import { BATCH_ORDERS_MAX, RETRY_AFTER_S } from '../../domain/limits/clients.js';
import { START_AHEAD_MS_MAX, START_BEHIND_MS_MAX } from '../../domain/limits/trading.js';
import {
  type Rejection,
  REJECTION_CODES,
  REJECTION_REASONS,
  type RejectionCode,
  type RejectionReason,
} from '../../domain/rejection.js';
import { quote, reasonMember } from './json-text.js';
import { choice } from './schema.js';

const PASSED_THROUGH = 'Reported by the exchange, with its message.';
const GAS = 'Reported by an on-chain exchange.';

/** Meaning of each code, in Markdown. */
export const MEANINGS: { readonly [Code in RejectionCode]: string } = {
  OTHER: 'No other code applies.',
  QUANTITY_EXCEED:
    "`quantity` is above the instrument's or the account's maximum, or the account has as many open orders as it may.",
  AUTHENTICATION_ERROR:
    'The key lacks the permission or its address is not allowed (403), the listen key is not valid, or the exchange refused the key of the service.',
  INSUFFICIENT_FUNDS: 'The account cannot cover the order.',
  RATE_LIMIT_EXCEEDED: 'A budget of the key or of the address is used up (429), or the exchange reported it.',
  DDOS_PROTECTION: PASSED_THROUGH,
  EXCHANGE_NOT_AVAILABLE:
    'The exchange cannot be reached, did not answer in time, or has not sent its market list yet.',
  NETWORK_ERROR: 'The connection to the exchange failed.',
  INVALID_ORDER:
    'The order does not exist or has ended; or the exchange refuses it: a price beyond its band, post-only at a price that trades at once, reduce-only without a position.',
  EXCHANGE_ERROR: PASSED_THROUGH,
  EMS_INSTANCES_DOWN: 'The part of the service that owns the order is down and has not recovered.',
  SLIPPAGE_EXCEEDED: 'A price guard stopped the order.',
  EXPIRY_REACHED: 'The end time has passed; the fills stay.',
  MAX_FEE_PER_GAS_IS_TOO_LOW: GAS,
  PARENT_ORDER_WAS_TERMINATED: 'A report of a child order arrived after the end of its parent.',
  MAX_PRIORITY_FEE_PER_GAS_IS_TOO_LOW: GAS,
  INVALID_QUANTITY:
    '`quantity` is missing, not a decimal above 0, off the lot grid, or under the minimum quantity or value of the exchange; or the rest of an order has fallen under it.',
  INVALID_END_TIME: '`end_time` cannot be read, is not after the start, is over 30 days after it, or is in the past.',
  INVALID_TRADE_TIME: `\`start_time\` cannot be read, is over ${START_BEHIND_MS_MAX / 1000} s in the past, or over ${START_AHEAD_MS_MAX / 86_400_000} days ahead.`,
  INVALID_FEE: GAS,
  INVALID_SYMBOL: '`symbol` is missing or is not an instrument of the exchange.',
  INVALID_TRADE_STRATEGY: '`strategy` is missing, unknown or not supported.',
  INVALID_LIMIT_PRICE:
    '`limit_price` is not a decimal above 0, is off the tick grid or out of bounds, or is missing with strategy LIMIT.',
  INVALID_WOULD_PRICE: 'The would price is not a decimal above 0, off the tick grid, or worse than the limit.',
  INVALID_TRIGGER_PRICE: 'The trigger price is not a decimal above 0, or off the tick grid.',
  INVALID_PARAM:
    'Any other field or query parameter has a wrong value, or a member of a request is not known; the message names it and its rule.',
  INVALID_EXCHANGE: '`exchange` is missing, unknown, or takes no orders.',
  INVALID_SIGNATURE: '`X-SIGN` is missing or does not match (401).',
  INVALID_API_KEY: '`X-API-KEY` is missing, unknown, revoked, suspended or expired (401).',
  INVALID_TIMESTAMP: '`X-TIMESTAMP` or `X-RECV-WINDOW` is missing, unreadable, or too far from server time (401).',
  BATCH_OVERSIZE: `A batch has more than ${BATCH_ORDERS_MAX} orders; no order was placed (400).`,
  SYSTEM_ERROR: 'A bug of the service; its log names the `request_id` (500).',
  INVALID_REQUEST:
    'The request is not JSON, is nested too deeply, gives a member twice, lacks a required field without a code of its own, or has ids of different orders.',
  SYSTEM_BUSY:
    'Overload, a trading halt or shutdown; no order was placed. Repeat the request after `Retry-After` (503).',
};

export const ApiErrorCode = choice(
  'ApiErrorCode',
  REJECTION_CODES,
  REJECTION_CODES.map((code) => `- \`${code}\`: ${MEANINGS[code]}`).join('\n'),
);

/** Meaning of each reason, in Markdown. */
export const REASON_MEANINGS: { readonly [Reason in RejectionReason]: string } = {
  KILL_SWITCH:
    'A kill switch stops the account or the whole service. A retry does not help before the operator releases it.',
  RISK_LIMIT: 'The order violates a risk limit of the account or of the API key. The message names the limit.',
  TRADING_HALTED: 'Trading is halted (`/status/health` says why). A retry does not help before the halt ends.',
  SHUTTING_DOWN: 'The service shuts down. Nothing was placed. Send the request again after the next start.',
  KEY_SUSPENDED: 'The API key is suspended after a restore until the operator confirms it. Its signature was right.',
  KEY_EXPIRED: 'The API key has expired. Its signature was right.',
  UNKNOWN_FIELD: 'A member of the request is not a field of it. The message names the member and the nearest field.',
};

export const ApiErrorReason = choice(
  'ApiErrorReason',
  REJECTION_REASONS,
  `Why, where \`error_code\` has several causes. Else absent.\n${REJECTION_REASONS.map((reason) => `- \`${reason}\`: ${REASON_MEANINGS[reason]}`).join('\n')}`,
);

export const OK = '200 OK';
export const CREATED = '201 Created';
export const UNAUTHORIZED = '401 Unauthorized';
export const NOT_FOUND = '404 Not Found';
export const METHOD_NOT_ALLOWED = '405 Method Not Allowed';
export const PAYLOAD_TOO_LARGE = '413 Payload Too Large';
export const SERVICE_UNAVAILABLE = '503 Service Unavailable';

/** Headers of each JSON answer. It belongs to one account and one moment: no browser or proxy may keep it. */
export const JSON_ANSWER_HEADERS = [
  ['Content-Type', 'application/json'],
  ['Cache-Control', 'no-store'],
  ['X-Content-Type-Options', 'nosniff'],
] as const;

/** A header line that begins with its line break. */
export const RETRY_AFTER_HEADER = `\r\nRetry-After: ${RETRY_AFTER_S}`;

const STATUS_LINES: { readonly [Code in RejectionCode]?: string } = {
  INVALID_API_KEY: UNAUTHORIZED,
  INVALID_SIGNATURE: UNAUTHORIZED,
  INVALID_TIMESTAMP: UNAUTHORIZED,
  AUTHENTICATION_ERROR: '403 Forbidden',
  RATE_LIMIT_EXCEEDED: '429 Too Many Requests',
  SYSTEM_ERROR: '500 Internal Server Error',
  SYSTEM_BUSY: SERVICE_UNAVAILABLE,
  EMS_INSTANCES_DOWN: SERVICE_UNAVAILABLE,
  EXCHANGE_NOT_AVAILABLE: SERVICE_UNAVAILABLE,
  NETWORK_ERROR: SERVICE_UNAVAILABLE,
  DDOS_PROTECTION: SERVICE_UNAVAILABLE,
};

/** Status of an error answer, where the endpoint does not choose another one. */
export function statusLineOf(code: RejectionCode): string {
  return STATUS_LINES[code] ?? '400 Bad Request';
}

/** True for codes of an unavailable service. They do not depend on the order: the same request may succeed later. */
export function isUnavailability(code: RejectionCode): boolean {
  return code === 'SYSTEM_BUSY' || code === 'EMS_INSTANCES_DOWN';
}

/** The body of every error answer. */
export function errorText(rejection: Rejection, requestId: string): string {
  const { code, message } = rejection;
  return `{"error_code":"${code}","message":${quote(message)}${reasonMember(rejection)},"request_id":"${requestId}"}`;
}
