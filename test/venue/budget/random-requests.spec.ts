import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { QuestionClass } from '../../../src/model/request-class.js';
import { rankOf, requestClassOf } from '../../../src/venue/budget/child-request.js';
import { BudgetRig, evenRates } from './budget-rig.js';

const PLACEMENTS = ['HEDGE', 'DEADLINE', 'TAKING', 'RESTING'] as const;
const QUESTIONS: readonly QuestionClass[] = ['CANCEL', 'QUESTION', 'ROUTINE'];

type Step =
  | { readonly kind: 'submit'; readonly requestClass: (typeof PLACEMENTS)[number] }
  | { readonly kind: 'cancel' | 'ask'; readonly pick: number }
  | { readonly kind: 'wait'; readonly ms: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('submit'), requestClass: fc.constantFrom(...PLACEMENTS) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('cancel', 'ask'), pick: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('wait'), ms: fc.nat(700) }) },
);

interface Run {
  readonly rig: BudgetRig;
  readonly submitted: number;
}

function run(count: number, perMs: number, steps: readonly Step[]): Run {
  const rig = new BudgetRig(evenRates(count, perMs));
  let submitted = 0;
  for (const one of steps) {
    if (one.kind === 'wait') rig.runUntil(rig.nowMs + one.ms);
    else if (one.kind === 'submit') rig.submit((submitted += 1), one.requestClass);
    else if (submitted === 0) continue;
    else if (one.kind === 'cancel') rig.cancel(1 + (one.pick % submitted));
    else rig.ask(1 + (one.pick % submitted), QUESTIONS[one.pick % QUESTIONS.length]);
  }
  rig.runUntil(rig.nowMs + 600_000);
  return { rig, submitted };
}

const runs = fc.tuple(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 100, max: 3_000 }), fc.array(step));

it('each placement is sent once, or answered once and never sent; nothing is left behind', () => {
  fc.assert(
    fc.property(runs, (drawn) => {
      const { rig, submitted } = run(...drawn);
      expect(rig.venues.nextWakeMs()).toBe(Infinity);
      for (let orderId = 1; orderId <= submitted; orderId += 1) {
        const sent = rig.gateway.requests.filter((one) => one.kind === 'Submit' && one.orderId === orderId).length;
        const ends = ['Rejected', 'Cancelled', 'QueryAnswered'];
        const answered = rig.told.filter((line) => ends.some((end) => line.startsWith(`${end} ${orderId}@`))).length;
        expect([sent, answered]).toSatisfy(([once, never]) => once + never === 1);
      }
    }),
    { numRuns: 300 },
  );
});

it('what is sent keeps to the rate, and nothing goes before what was asked first of the same child', () => {
  fc.assert(
    fc.property(runs, ([count, perMs, steps]) => {
      const { rig } = run(count, perMs, steps);
      const times = rig.seen.map((line) => Number(line.split('@')[1]));
      for (const [index, fromMs] of times.entries()) {
        expect(times[index + count] ?? Infinity).toBeGreaterThanOrEqual(fromMs + perMs);
      }
      const seen = new Set<number>();
      for (const request of rig.gateway.requests) {
        if (!('orderId' in request)) continue;
        if (request.kind === 'Submit') expect(seen.has(request.orderId)).toBe(false);
        seen.add(request.orderId);
      }
    }),
    { numRuns: 300 },
  );
});

it('of what waits at one instant the more urgent goes first', () => {
  const placements = fc.array(fc.constantFrom(...PLACEMENTS), { minLength: 2, maxLength: 12 });
  fc.assert(
    fc.property(placements, (classes) => {
      const rig = new BudgetRig(evenRates(5, 400));
      rig.submit(1_000);
      for (const [index, requestClass] of classes.entries()) rig.submit(1 + index, requestClass);
      rig.runUntil(1_300);
      const ranks = rig.gateway.requests.slice(1).map((one) => ('child' in one ? rankOf(requestClassOf(one)) : -1));
      expect(ranks).toEqual(ranks.toSorted((left, right) => left - right));
    }),
  );
});

it('the same requests at the same times are the same run, however late the worker comes', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...PLACEMENTS), { maxLength: 20 }), (classes) => {
      const [prompt, late] = [new BudgetRig(evenRates(5, 400)), new BudgetRig(evenRates(5, 400))];
      for (const rig of [prompt, late]) {
        for (const [index, requestClass] of classes.entries()) rig.submit(1 + index, requestClass);
      }
      prompt.runUntil(10_000);
      late.advance(10_000);
      expect(late.seen).toEqual(prompt.seen);
      expect(late.reports.map(({ report }) => report)).toEqual(
        expect.arrayContaining(prompt.reports.map(({ report }) => report)),
      );
    }),
  );
});
