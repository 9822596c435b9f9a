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
  /** HTTP status. 0 without an answer; the outcome is then unknown. */
  readonly status: number;
  /** ApiErrorCode of the answer, or NETWORK_ERROR without an answer. */
  readonly code: string;
  /** ApiErrorReason where the code has several causes, for example KILL_SWITCH; null: the code says it. */
  readonly reason: string | null;
  /** Id of the request in the log of the service; null without an answer. */
  readonly requestId: string | null;
  /** Delay that Retry-After requests, in milliseconds; null without that header. */
  readonly retryAfterMs: number | null;

  constructor(failure: Failure) {
    super(failure.message, { cause: failure.cause });
    this.status = failure.status;
    this.code = failure.code;
    this.reason = failure.reason ?? null;
    this.requestId = failure.requestId;
    this.retryAfterMs = failure.retryAfterMs ?? null;
  }
}
