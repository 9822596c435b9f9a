interface Failure {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly requestId: string | null;
  readonly retryAfterMs?: number | null;
  readonly cause?: unknown;
}

/** The service refused a request, or did not answer it. */
export class SluiceError extends Error {
  override readonly name = 'SluiceError';
  /** HTTP status; 0 when no answer came, and then the outcome is unknown. */
  readonly status: number;
  /** ApiErrorCode of the answer, or NETWORK_ERROR when none came. */
  readonly code: string;
  /** To quote to the operator: the service's log has it. */
  readonly requestId: string | null;
  /** How long the service asks to wait; null when it does not say. */
  readonly retryAfterMs: number | null;

  constructor(failure: Failure) {
    super(failure.message, { cause: failure.cause });
    this.status = failure.status;
    this.code = failure.code;
    this.requestId = failure.requestId;
    this.retryAfterMs = failure.retryAfterMs ?? null;
  }
}
