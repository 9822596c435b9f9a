import type { ApiErrorCode, ApiErrorReason } from './wire.js';

/** Codes of refusals on the WebSocket of the streams, as text. */
export type StreamErrorCode = '7001' | '7002' | '8054';

/** Every code of a SluiceError. A `switch` over it is complete when the compiler says so. */
export type SluiceErrorCode = ApiErrorCode | StreamErrorCode;

interface Failure {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly reason?: string | undefined;
  readonly requestId: string | null;
  readonly retryAfterMs?: number | null;
  readonly cause?: unknown;
}

/** A refused or unanswered request. */
export class SluiceError extends Error {
  override readonly name = 'SluiceError';
  /** HTTP status. 0 without an answer over HTTP: a request on a stream, or a request with an unknown outcome. */
  readonly status: number;
  /**
   * ApiErrorCode of the answer, a code of the streams, or NETWORK_ERROR with status 0 without an answer. A code that
   * this release of the client does not know is OTHER, and begins the message.
   */
  readonly code: SluiceErrorCode;
  /**
   * Where the code has several causes, for example KILL_SWITCH; null: the code says it. A reason that this release of
   * the client does not know is null, and begins the message.
   */
  readonly reason: ApiErrorReason | null;
  /** Id of the request in the log of the service; null without an answer. */
  readonly requestId: string | null;
  /** Delay that Retry-After requests, in milliseconds; null without that header. */
  readonly retryAfterMs: number | null;

  constructor({ status, code, message, reason, requestId, retryAfterMs, cause }: Failure) {
    const unknown = [isErrorCode(code) ? '' : code, reason === undefined || isReason(reason) ? '' : reason];
    super([...unknown.filter((text) => text !== ''), message].join(': '), { cause });
    this.status = status;
    this.code = isErrorCode(code) ? code : 'OTHER';
    this.reason = reason !== undefined && isReason(reason) ? reason : null;
    this.requestId = requestId;
    this.retryAfterMs = retryAfterMs ?? null;
  }
}

/** The compiler reports a code that is missing here. */
const ERROR_CODES: Readonly<Record<SluiceErrorCode, true>> = {
  OTHER: true,
  QUANTITY_EXCEED: true,
  AUTHENTICATION_ERROR: true,
  INSUFFICIENT_FUNDS: true,
  RATE_LIMIT_EXCEEDED: true,
  DDOS_PROTECTION: true,
  EXCHANGE_NOT_AVAILABLE: true,
  NETWORK_ERROR: true,
  INVALID_ORDER: true,
  EXCHANGE_ERROR: true,
  EMS_INSTANCES_DOWN: true,
  SLIPPAGE_EXCEEDED: true,
  EXPIRY_REACHED: true,
  MAX_FEE_PER_GAS_IS_TOO_LOW: true,
  PARENT_ORDER_WAS_TERMINATED: true,
  MAX_PRIORITY_FEE_PER_GAS_IS_TOO_LOW: true,
  INVALID_QUANTITY: true,
  INVALID_END_TIME: true,
  INVALID_TRADE_TIME: true,
  INVALID_FEE: true,
  INVALID_SYMBOL: true,
  INVALID_TRADE_STRATEGY: true,
  INVALID_LIMIT_PRICE: true,
  INVALID_WOULD_PRICE: true,
  INVALID_TRIGGER_PRICE: true,
  INVALID_PARAM: true,
  INVALID_EXCHANGE: true,
  INVALID_SIGNATURE: true,
  INVALID_API_KEY: true,
  INVALID_TIMESTAMP: true,
  BATCH_OVERSIZE: true,
  SYSTEM_ERROR: true,
  INVALID_REQUEST: true,
  SYSTEM_BUSY: true,
  '7001': true,
  '7002': true,
  '8054': true,
};

const REASONS: Readonly<Record<ApiErrorReason, true>> = {
  KILL_SWITCH: true,
  RISK_LIMIT: true,
  TRADING_HALTED: true,
  SHUTTING_DOWN: true,
  KEY_SUSPENDED: true,
  KEY_EXPIRED: true,
  UNKNOWN_FIELD: true,
};

function isErrorCode(text: string): text is SluiceErrorCode {
  return Object.hasOwn(ERROR_CODES, text);
}

function isReason(text: string): text is ApiErrorReason {
  return Object.hasOwn(REASONS, text);
}
