import { SluiceError } from './sluice-error.js';

export interface HttpCall {
  readonly method: 'GET' | 'POST';
  /** Path and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface HttpAnswer {
  readonly status: number;
  readonly requestId: string | null;
  /** Delay that Retry-After requests, in milliseconds; null without that header. */
  readonly retryAfterMs: number | null;
  readonly body: string;
}

/** Sends requests and reads answers. */
export interface Transport {
  /**
   * Resolves with the answer for any HTTP status. Rejects with SluiceError (status 0) on a timeout or a lost
   * connection.
   */
  ask(call: HttpCall): Promise<HttpAnswer>;
  /** Closes the connections of this client. */
  close(): void;
}

/** Parses the content of a successful answer. Throws SluiceError for any other answer. */
export function contentOf<Answer>(answer: HttpAnswer): Answer {
  const { status, requestId, retryAfterMs } = answer;
  const content = parsed(answer.body);
  if (status >= 200 && status < 300 && content !== undefined) return content as Answer;
  const message = `the answer (HTTP ${status}) does not come from the service`;
  throw refusalIn(answer) ?? new SluiceError({ status, code: 'OTHER', message, requestId, retryAfterMs });
}

/** The error that the service describes in its answer; null: the answer does not come from the service. */
export function refusalIn({ status, body, requestId, retryAfterMs }: HttpAnswer): SluiceError | null {
  const refusal = (parsed(body) ?? {}) as { error_code?: string; message?: string; reason?: string };
  const { error_code: code, message = '', reason } = refusal;
  return code === undefined ? null : new SluiceError({ status, code, message, reason, requestId, retryAfterMs });
}

/** The value of a JSON text; undefined: it is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Reads a number of seconds. The service does not send the date form of the header. */
export function retryDelayMs(header: string | null | undefined): number | null {
  return /^\d{1,9}$/.test(header ?? '') ? Number(header) * 1000 : null;
}

/** The error of a request without an answer. */
export function unanswered(call: HttpCall, cause: unknown): SluiceError {
  const reason = cause instanceof Error ? cause.message || cause.name : String(cause);
  const path = call.target.replace(/\?.*/, '');
  const message = `${call.method} ${path} was not answered: ${reason}`;
  return new SluiceError({ status: 0, code: 'NETWORK_ERROR', message, requestId: null, cause });
}
