import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answerHistogram } from '../../src/http/metrics/exposition.js';
import { AnswerMeters, BUCKET_ENDS_MS, RouteMeter } from '../../src/http/metrics/answer-meter.js';

interface Sample {
  readonly metricName?: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

async function samplesOf(meters: AnswerMeters): Promise<readonly Sample[]> {
  return (await answerHistogram(meters).get()).values as readonly Sample[];
}

describe('the answer meter of a route', () => {
  it('counts an answer once in its status class and once in the smallest bucket that covers it', () => {
    const times = fc.array(fc.double({ min: 0, max: 20_000, noNaN: true }), { maxLength: 50 });
    fc.assert(
      fc.property(times, (tookMs) => {
        const meter = new RouteMeter('/route');
        for (const took of tookMs) meter.note('503 Service Unavailable', took);
        expect(meter.answersByClass[5]).toBe(tookMs.length);
        for (const [bucket, endMs] of BUCKET_ENDS_MS.entries()) {
          const within = meter.answersByBucket.subarray(0, bucket + 1).reduce((sum, count) => sum + count, 0);
          expect(within).toBe(tookMs.filter((took) => took <= endMs).length);
        }
      }),
    );
  });

  it('is the same object for the same route', () => {
    const meters = new AnswerMeters();
    expect(meters.of('/a')).toBe(meters.of('/a'));
    meters.of('/b');
    expect([...meters.all()].map(({ route }) => route)).toEqual(['/a', '/b']);
  });
});

describe('the histogram of answers', () => {
  it('shows all buckets of a requested route, up to infinity, and no unrequested route', async () => {
    const meters = new AnswerMeters();
    meters.of('/silent');
    for (const tookMs of [0.1, 99, 60_000]) meters.of('/asked').note('200 OK', tookMs);
    const samples = await samplesOf(meters);
    expect(new Set(samples.map(({ labels }) => labels['route']))).toEqual(new Set(['/asked']));
    const buckets = samples.filter(({ metricName }) => metricName?.endsWith('_bucket'));
    expect(buckets).toHaveLength(BUCKET_ENDS_MS.length + 1);
    expect(buckets[0]).toMatchObject({ labels: { le: 0.0001 }, value: 1 });
    expect(buckets.at(-2)).toMatchObject({ labels: { le: 10 }, value: 2 });
    expect(buckets.at(-1)).toMatchObject({ labels: { le: '+Inf' }, value: 3 });
    expect(samples.slice(-2).map(({ value }) => value)).toEqual([60.0991, 3]);
  });
});
