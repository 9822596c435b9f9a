import { parsed } from './answer-schemas.js';
import type { Answer } from './http-answer.js';

/*
 * Rules for the answers to requests that share a signature, in the order of the requests. An answer is null when none
 * arrived. Each rule returns a complaint, or null for correct answers.
 */

const [CREATED, UNAUTHORISED] = [201, 401];
/** Statuses with which a busy service may answer any request. */
const BUSY: ReadonlySet<number> = new Set([429, 503]);

/** All requests must be rejected for their signature. */
export function isRefused(answers: readonly (Answer | null)[]): string | null {
  return complaintOf(answers, (answer) => isRefusal(answer) || BUSY.has(answer.status), 'was not refused');
}

/** At most one create may use a signature. */
export function isCreatedOnce(answers: readonly (Answer | null)[]): string | null {
  const created = answers.filter((answer) => answer?.status === CREATED);
  if (created.length > 1) return `${created.length} creates with one signature were accepted`;
  return null;
}

/** Exactly one request may use a nonce. */
export function isAcceptedOnce(answers: readonly (Answer | null)[]): string | null {
  const accepted = answers.filter((answer) => answer !== null && isAccepted(answer));
  if (accepted.length > 1) return `${accepted.length} requests with one nonce were accepted`;
  const isNone = answers.every((answer) => answer !== null && isRefusal(answer));
  return isNone ? `none of ${answers.length} requests with one nonce was accepted` : null;
}

/** The second request must be rejected, unless the first one was rejected and left no trace. */
export function isRefusedAfter(answers: readonly (Answer | null)[]): string | null {
  const [, second] = answers;
  const refusals = answers.filter((answer) => answer !== null && isRefusal(answer));
  if (refusals.length > 0 || answers.includes(null) || second === undefined || second === null) return null;
  return BUSY.has(second.status) ? null : `a signature of another path was accepted with ${second.status}`;
}

/** One client_order_id must name one order. */
export function isSameOrder(answers: readonly (Answer | null)[]): string | null {
  const ids = answers.flatMap((answer) => (answer?.status === CREATED ? [orderIds(answer)] : []));
  const [first = []] = ids;
  const hasOther = ids.some((other) =>
    other.some((id, index) => id !== first[index] && id !== null && first[index] !== null),
  );
  return hasOther ? `one name was given to several orders: ${JSON.stringify(ids)}` : null;
}

function orderIds({ body }: Answer): (number | null)[] {
  const value = parsed(body.toString()) as { order_id?: number; orders?: { order_id?: number }[] };
  return (value.orders ?? [value]).map(({ order_id: id }) => id ?? null);
}

function isAccepted({ status }: Answer): boolean {
  return status !== UNAUTHORISED && !BUSY.has(status);
}

function isRefusal({ status, body }: Answer): boolean {
  const code = (parsed(body.toString()) as { error_code?: string } | undefined)?.error_code;
  return status === UNAUTHORISED && code === 'INVALID_SIGNATURE';
}

function complaintOf(
  answers: readonly (Answer | null)[],
  isRight: (answer: Answer) => boolean,
  what: string,
): string | null {
  const wrong = answers.find((answer) => answer !== null && !isRight(answer)) ?? null;
  return wrong === null ? null : `${what}: ${wrong.status} ${wrong.body.toString().slice(0, 300)}`;
}
