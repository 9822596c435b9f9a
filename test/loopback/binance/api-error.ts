import type { ProtocolFault } from '../request-service.js';

/** An error answer. Handlers throw it; the REST and the socket API write it in their own form. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: number;
  readonly retryAfterSeconds: number | null;

  constructor(code: number, text: string, { status = 400, retryAfterSeconds = null as number | null } = {}) {
    super(text);
    this.status = status;
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  get body(): { readonly code: number; readonly msg: string } {
    return { code: this.code, msg: this.message };
  }
}

const UNAUTHORIZED = 401;

export const UNKNOWN_ORDER = (): ApiError => new ApiError(-2011, 'Unknown order sent.');
export const NO_SUCH_ORDER = (): ApiError => new ApiError(-2013, 'Order does not exist.');
export const BAD_SYMBOL = (): ApiError => new ApiError(-1121, 'Invalid symbol.');
export const BAD_INTERVAL = (): ApiError => new ApiError(-1120, 'Invalid interval.');
export const BAD_KEY_FORM = (): ApiError => new ApiError(-2014, 'API-key format invalid.', { status: UNAUTHORIZED });
export const REJECTED_KEY = (): ApiError => {
  return new ApiError(-2015, 'Invalid API-key, IP, or permissions for action.', { status: UNAUTHORIZED });
};
export const BAD_SIGNATURE = (): ApiError => new ApiError(-1022, 'Signature for this request is not valid.');
export const BAD_LISTEN_KEY = (): ApiError => new ApiError(-1125, 'This listenKey does not exist.');

export function missing(name: string): ApiError {
  return new ApiError(-1102, `Mandatory parameter '${name}' was not sent, was empty/null, or malformed.`);
}

export function eitherMissing(one: string, other: string): ApiError {
  return new ApiError(-1102, `Param '${one}' or '${other}' must be sent, but both were empty/null!`);
}

export function filterFailure(filter: string): ApiError {
  return new ApiError(-1013, `Filter failure: ${filter}`);
}

/** The answer of the exchange for a fault of the script. A maintenance page is no JSON and is written by the host. */
export function faultError(fault: Exclude<ProtocolFault, { kind: 'maintenance' }>): ApiError {
  if (fault.kind === 'limit') return tooManyRequests(fault);
  switch (fault.failure) {
    case 'unknown':
      return new ApiError(-1000, 'Unknown error, please check your request or try again later.', { status: 503 });
    case 'unexpected':
      return new ApiError(
        -1006,
        'An unexpected response was received from the message bus. Execution status unknown.',
        { status: 500 },
      );
    case 'timeout':
      return new ApiError(
        -1007,
        'Timeout waiting for response from backend server. Send status unknown; execution status unknown.',
        { status: 408 },
      );
    case 'overloaded':
      return new ApiError(
        -1008,
        'Server is currently overloaded with other requests. Please try again in a few minutes.',
        { status: 503 },
      );
    default:
      fault.failure satisfies never;
      throw new RangeError('no such failure');
  }
}

/** 429: slow down. 418: the address is banned. */
export function tooManyRequests(limit: { status: 429 | 418; retryAfterSeconds: number; text?: string }): ApiError {
  const { status, retryAfterSeconds } = limit;
  const untilMs = Date.now() + retryAfterSeconds * 1000;
  const banned = `Way too much request weight used; IP banned until ${untilMs}. Please use WebSocket Streams for live updates to avoid bans.`;
  const slow =
    'Too much request weight used; current limit is 6000 request weight per 1 MINUTE. Please use WebSocket Streams for live updates to avoid polling the API.';
  return new ApiError(-1003, limit.text ?? (status === 418 ? banned : slow), { status, retryAfterSeconds });
}
