import type { AnswerSchemas } from './answer-schemas.js';
import type { Answer } from './http-answer.js';
import type { RequestPlan } from './request-plan.js';
import type { Outcome } from './wire-connection.js';

const UNAVAILABLE = 503;
const TOO_MANY = 429;
const SWITCHING = 101;
/** Statuses of the HTTP library for request heads that it rejects, without a JSON body or a request id. */
const HEAD_REFUSALS: ReadonlySet<number> = new Set([400, 431, 505]);
const HEAD_BYTES_SURE = 16 * 1024;

/** Checks answers. Each method returns a complaint, or null for a correct answer. */
export class AnswerChecker {
  readonly #schemas: AnswerSchemas;

  constructor(schemas: AnswerSchemas) {
    this.#schemas = schemas;
  }

  ofRequest(plan: RequestPlan, outcome: Outcome): string | null {
    switch (outcome.kind) {
      case 'late':
        return 'no answer within the wait';
      case 'closed':
        return mayBeUnreadable(plan)
          ? null
          : `closed without an answer, after ${JSON.stringify(outcome.before.toString('latin1'))}`;
      case 'garbled':
        return `the answer is not HTTP: ${outcome.line}`;
      case 'answer':
        if (plan.method === 'HEAD') return headerComplaint(outcome.answer);
        return this.#complaint(plan, outcome.answer);
    }
  }

  /** Checks all answers to bytes that are not a request. */
  ofBroken(answers: readonly Answer[], garbled: string | null): string | null {
    if (garbled !== null) return `an answer is not HTTP: ${garbled}`;
    for (const answer of answers) {
      const complaint = this.#complaint(null, answer);
      if (complaint !== null) return complaint;
    }
    return null;
  }

  #complaint(plan: RequestPlan | null, answer: Answer): string | null {
    const { status, body } = answer;
    const isOfLibrary = HEAD_REFUSALS.has(status) && !answer.headers.has('x-request-id');
    if (isOfLibrary && (plan === null || mayBeUnreadable(plan))) return null;
    const inHeaders = headerComplaint(answer);
    if (inHeaders !== null) return inHeaders;
    if (answer.headers.get('content-type') !== 'application/json') return null;
    // A broken request may have become a HEAD.
    if (plan === null && body.length === 0) return null;
    const operation = plan?.operation ?? null;
    // For a broken request or an unknown path, any documented error is correct.
    if (operation === null && status < 400) return null;
    const complaint = this.#schemas.complaint(operation, status, body.toString());
    return complaint === '' ? null : `${status}: ${complaint}: ${body.toString().slice(0, 300)}`;
  }
}

/** True for a head that is not proper HTTP, or too long. */
function mayBeUnreadable({ flaw, bytes }: RequestPlan): boolean {
  return flaw === 'header' || flaw === 'target' || bytes.indexOf(HEAD_END) > HEAD_BYTES_SURE;
}

const HEAD_END = '\r\n\r\n';

function headerComplaint({ status, headers, body }: Answer): string | null {
  if (status >= 500 && status !== UNAVAILABLE) return `${status}: ${body.toString().slice(0, 300)}`;
  if (status === SWITCHING) return null;
  if (!headers.has('x-request-id')) return `${status} without X-Request-Id`;
  return status === TOO_MANY && !headers.has('retry-after') ? '429 without Retry-After' : null;
}
