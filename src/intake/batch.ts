import { BATCH_MEMBERS_PER_TURN_MAX } from '../domain/limits/clients.js';

/**
 * Starts every member, BATCH_MEMBERS_PER_TURN_MAX in each turn of the event loop. Each member answers once, at any
 * time, and may be admitted before. Passes on the answers in the order of the members. `onAdmitted`: every member is
 * admitted or has answered.
 */
export function runBatch<Member, Answer>(
  members: readonly Member[],
  start: (member: Member, answer: (answer: Answer) => void, onAdmitted: (() => void) | null) => void,
  done: (answers: readonly Answer[]) => void,
  onAdmitted: (() => void) | null = null,
): void {
  const answers: Answer[] = [];
  let missingCount = members.length;
  const admissionOf = onAdmitted === null ? () => null : countdown(members.length, onAdmitted);
  const startFrom = (first: number): void => {
    const end = Math.min(members.length, first + BATCH_MEMBERS_PER_TURN_MAX);
    for (let index = first; index < end; index += 1) {
      const onMemberAdmitted = admissionOf();
      const answer = (given: Answer): void => {
        onMemberAdmitted?.();
        answers[index] = given;
        missingCount -= 1;
        if (missingCount === 0) done(answers);
      };
      start(members[index] as Member, answer, onMemberAdmitted);
    }
    if (end < members.length) setImmediate(() => startFrom(end));
  };
  startFrom(0);
}

/** Returns functions that count once each. Calls `onZero` when `count` of them were called. */
function countdown(count: number, onZero: () => void): () => () => void {
  let left = count;
  return () => {
    let isCounted = false;
    return () => {
      if (isCounted) return;
      isCounted = true;
      left -= 1;
      if (left === 0) onZero();
    };
  };
}
