import type { AnswerSchemas } from './answer-schemas.js';
import type { Answer } from './http-answer.js';
import type { RequestPlan } from './request-plan.js';
import type { Outcome } from './wire-connection.js';

const UNAVAILABLE = 503;
const TOO_MANY = 429;
const SWITCHING = 101;
/** What the library below the service answers to heads that it does not take: without a JSON body or a request id. */
const HEAD_REFUSALS: ReadonlySet<number> = new Set([400, 431, 505]);
const HEAD_BYTES_SURE = 16 * 1024;

/** Says what is wrong with what came back; null when nothing is. */
export class AnswerJudge {
  readonly #schemas: AnswerSchemas;

  constructor(schemas: AnswerSchemas) {
    this.#schemas = schemas;
  }

  ofRequest(plan: RequestPlan, outcome: Outcome): string | null {
    switch (outcome.kind) {
      case 'late':
        return 'no answer came in time';
      case 'closed':
        return mayBeUnreadable(plan)
          ? null
          : `closed without an answer, after ${JSON.stringify(outcome.before.toString('latin1'))}`;
      case 'garbled':
        return `the answer is no HTTP: ${outcome.line}`;
      case 'answer':
        if (plan.method === 'HEAD') return headerComplaint(outcome.answer);
        return this.#complaint(plan, outcome.answer);
    }
  }

  /** Of everything that came back to bytes that are no request. */
  ofBroken(answers: readonly Answer[], garbled: string | null): string | null {
    if (garbled !== null) return `an answer is no HTTP: ${garbled}`;
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
    // What is broken may have become a HEAD.
    if (plan === null && body.length === 0) return null;
    const operation = plan?.operation ?? null;
    // To bytes that are no request, or of a path unknown to us, anything that is offered may be answered.
    if (operation === null && status < 400) return null;
    const complaint = this.#schemas.complaint(operation, status, body.toString());
    return complaint === '' ? null : `${status}: ${complaint}: ${body.toString().slice(0, 300)}`;
  }
}

/** Their heads are no proper HTTP, or too long for any server. */
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
