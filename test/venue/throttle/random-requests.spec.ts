import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { StatusRequestClass } from '../../../src/domain/venue-message.js';
import { rankOf, requestClassOf } from '../../../src/venue/throttle/waiting-requests.js';
import { ThrottleRig, evenRates } from './throttle-rig.js';
import { runs } from '../../runs.js';

const PLACEMENTS = ['HEDGE', 'DEADLINE', 'TAKING', 'RESTING'] as const;
const STATUS_CLASSES: readonly StatusRequestClass[] = ['CANCEL', 'STATUS', 'ROUTINE'];

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
  readonly rig: ThrottleRig;
  readonly submitted: number;
}

function run(count: number, perMs: number, steps: readonly Step[]): Run {
  const rig = new ThrottleRig(evenRates(count, perMs));
  let submitted = 0;
  for (const one of steps) {
    if (one.kind === 'wait') rig.runUntil(rig.nowMs + one.ms);
    else if (one.kind === 'submit') rig.submit((submitted += 1), one.requestClass);
    else if (submitted === 0) continue;
    else if (one.kind === 'cancel') rig.cancel(1 + (one.pick % submitted));
    else rig.ask(1 + (one.pick % submitted), STATUS_CLASSES[one.pick % STATUS_CLASSES.length]);
  }
  rig.runUntil(rig.nowMs + 600_000);
  return { rig, submitted };
}

const courses = fc.tuple(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 100, max: 3_000 }), fc.array(step));

it('sends each placement once, or answers it once and never sends it; no request stays queued', () => {
  fc.assert(
    fc.property(courses, (drawn) => {
      const { rig, submitted } = run(...drawn);
      expect(rig.venues.nextWakeMs()).toBe(Infinity);
      for (let orderId = 1; orderId <= submitted; orderId += 1) {
        const sent = rig.gateway.requests.filter((one) => one.kind === 'Submit' && one.orderId === orderId).length;
        const ends = ['Rejected', 'Cancelled', 'StatusAnswered'];
        const answered = rig.answers.filter((line) => ends.some((end) => line.startsWith(`${end} ${orderId}@`))).length;
        expect([sent, answered]).toSatisfy(([once, never]) => once + never === 1);
      }
    }),
    { numRuns: runs(80, 300) },
  );
});

it('keeps every time span within the rate, and never sends a placement after another request for its child', () => {
  fc.assert(
    fc.property(courses, ([count, perMs, steps]) => {
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
    { numRuns: runs(80, 300) },
  );
});

it('sends waiting requests of one instant by urgency', () => {
  const placements = fc.array(fc.constantFrom(...PLACEMENTS), { minLength: 2, maxLength: 12 });
  fc.assert(
    fc.property(placements, (classes) => {
      const rig = new ThrottleRig(evenRates(5, 400));
      rig.submit(1_000);
      for (const [index, requestClass] of classes.entries()) rig.submit(1 + index, requestClass);
      rig.runUntil(1_300);
      const ranks = rig.gateway.requests.slice(1).map((one) => ('child' in one ? rankOf(requestClassOf(one)) : -1));
      expect(ranks).toEqual(ranks.toSorted((left, right) => left - right));
    }),
  );
});

it('sends the same requests at the same times however late the worker advances', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...PLACEMENTS), { maxLength: 20 }), (classes) => {
      const [prompt, late] = [new ThrottleRig(evenRates(5, 400)), new ThrottleRig(evenRates(5, 400))];
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
