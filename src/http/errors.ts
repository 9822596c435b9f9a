import { RETRY_AFTER_S } from '../model/limits.js';
import type { Rejection, RejectionCode } from '../model/rejection.js';

export const OK = '200 OK';
export const CREATED = '201 Created';
export const NOT_FOUND = '404 Not Found';
export const METHOD_NOT_ALLOWED = '405 Method Not Allowed';
export const PAYLOAD_TOO_LARGE = '413 Payload Too Large';
export const SERVICE_UNAVAILABLE = '503 Service Unavailable';

/** A header line with its line break before it, as all of them are kept here. */
export const RETRY_AFTER_HEADER = `\r\nRetry-After: ${RETRY_AFTER_S}`;

/** Status of an error answer, where the endpoint does not choose another one. */
export function statusLineOf(code: RejectionCode): string {
  switch (code) {
    case 'INVALID_API_KEY':
    case 'INVALID_SIGNATURE':
    case 'INVALID_TIMESTAMP':
      return '401 Unauthorized';
    case 'AUTHENTICATION_ERROR':
      return '403 Forbidden';
    case 'RATE_LIMIT_EXCEEDED':
      return '429 Too Many Requests';
    case 'SYSTEM_ERROR':
      return '500 Internal Server Error';
    case 'SYSTEM_BUSY':
    case 'EMS_INSTANCES_DOWN':
    case 'EXCHANGE_NOT_AVAILABLE':
    case 'NETWORK_ERROR':
    case 'DDOS_PROTECTION':
      return SERVICE_UNAVAILABLE;
    default:
      return '400 Bad Request';
  }
}

/** True for codes that say nothing about the order, only about us: the same request may succeed later. */
export function isUnavailability(code: RejectionCode): boolean {
  return code === 'SYSTEM_BUSY' || code === 'EMS_INSTANCES_DOWN';
}

/** The body of every error answer. */
export function errorText({ code, message }: Rejection, requestId: string): string {
  return `{"error_code":"${code}","message":${JSON.stringify(message)},"request_id":"${requestId}"}`;
}
