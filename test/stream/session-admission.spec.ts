import { expect, it } from 'vitest';
import { SESSION_REQUESTS_PER_TURN_MAX } from '../../src/domain/limits/clients.js';
import { SessionAdmission } from '../../src/stream/session-admission.js';

/** An admission whose turns of the event loop the test runs. */
function rig(): { admission: SessionAdmission; turn: () => void; dueCount: () => number } {
  let due: (() => void)[] = [];
  const turn = (): void => {
    const runs = due;
    due = [];
    for (const run of runs) run();
  };
  return { admission: new SessionAdmission((run) => due.push(run)), turn, dueCount: () => due.length };
}

it('starts a request at once when every earlier one is admitted', () => {
  const { admission, dueCount } = rig();
  const started: number[] = [];
  for (const id of [1, 2, 3]) {
    admission.add((onAdmitted) => {
      started.push(id);
      onAdmitted();
      onAdmitted();
    });
  }
  expect(started).toEqual([1, 2, 3]);
  expect(dueCount()).toBe(0);
});

it('starts the requests after a request that is admitted later in the order sent', () => {
  const { admission } = rig();
  const started: number[] = [];
  const admissions: (() => void)[] = [];
  for (const id of [1, 2, 3, 4]) {
    admission.add((onAdmitted) => {
      started.push(id);
      if (id % 2 === 1) admissions.push(onAdmitted);
      else onAdmitted();
    });
  }
  expect(started).toEqual([1]);
  admissions[0]?.();
  expect(started).toEqual([1, 2, 3]);
  // A second call of the first admission must not admit the third request.
  admissions[0]?.();
  expect(started).toEqual([1, 2, 3]);
  admissions[1]?.();
  expect(started).toEqual([1, 2, 3, 4]);
});

it('keeps the order when a request is added within the start of another', () => {
  const { admission } = rig();
  const started: string[] = [];
  admission.add((onAdmitted) => {
    started.push('outer');
    admission.add((onInner) => {
      started.push('inner');
      onInner();
    });
    onAdmitted();
  });
  expect(started).toEqual(['outer', 'inner']);
});

it('starts a bounded number of waiting requests in one turn', () => {
  const { admission, turn } = rig();
  const first: (() => void)[] = [];
  admission.add((onAdmitted) => void first.push(onAdmitted));
  let startedCount = 0;
  const count = 2 * SESSION_REQUESTS_PER_TURN_MAX + 1;
  for (let added = 0; added < count; added += 1) {
    admission.add((onAdmitted) => {
      startedCount += 1;
      onAdmitted();
    });
  }
  for (const admit of first) admit();
  expect(startedCount).toBe(SESSION_REQUESTS_PER_TURN_MAX);
  turn();
  expect(startedCount).toBe(2 * SESSION_REQUESTS_PER_TURN_MAX);
  turn();
  expect(startedCount).toBe(count);
});
