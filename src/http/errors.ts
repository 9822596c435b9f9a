import { RETRY_AFTER_S } from '../model/limits.js';
import type { Rejection, RejectionCode } from '../model/rejection.js';

export const OK = '200 OK';
export const CREATED = '201 Created';
export const UNAUTHORIZED = '401 Unauthorized';
export const NOT_FOUND = '404 Not Found';
export const METHOD_NOT_ALLOWED = '405 Method Not Allowed';
export const PAYLOAD_TOO_LARGE = '413 Payload Too Large';
export const SERVICE_UNAVAILABLE = '503 Service Unavailable';

/** A header line with its line break before it, as all of them are kept here. */
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

/** True for codes that say nothing about the order, only about us: the same request may succeed later. */
export function isUnavailability(code: RejectionCode): boolean {
  return code === 'SYSTEM_BUSY' || code === 'EMS_INSTANCES_DOWN';
}

/** The body of every error answer. */
export function errorText({ code, message }: Rejection, requestId: string): string {
  return `{"error_code":"${code}","message":${JSON.stringify(message)},"request_id":"${requestId}"}`;
}
