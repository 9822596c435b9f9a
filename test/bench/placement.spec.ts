import { describe, expect, it } from 'vitest';
import {
  allocatedPerS,
  type Collection,
  collectionsOf,
  longestPauseUs,
  longPauses,
  promotedPerS,
} from '../../bench/placement/collections.js';
import type { Sample, Samples } from '../../bench/placement/contest.js';
import { costRatios, latencyRatios, meanThreads, ratioFigure } from '../../bench/placement/figures.js';
import {
  perCreate,
  sleepsIn,
  threadCosts,
  threadStatOf,
  threadTable,
  type ThreadTime,
  V8_WORKERS,
} from '../../bench/placement/thread-times.js';

const HEADING = { bench: 'placement', case: 'connections=1', rounds: 2 };

function statLine(name: string): string {
  return `4711 (${name}) S 1 4711 4711 0 -1 4194304 9000 0 12 0 345 67 0 0 20 0 11 0 555 1000 200 18446744073709551615`;
}

/** `ticks`: in user mode and in the kernel. */
function time(tid: number, name: string, totalUs: number, ticks: readonly [number, number]): ThreadTime {
  const [userTicks, systemTicks] = ticks;
  return { tid, name, totalUs, userTicks, systemTicks, sleeps: totalUs / 1_000 };
}

function event(tid: number, name: string, more: { ph: string; ts: number; dur?: number; args?: object }): object {
  return { pid: 7, tid, cat: 'devtools.timeline,v8', name, dur: 0, ...more };
}

function scavengeAt(startUs: number, before: number, after: number): Collection {
  return { tid: 7, kind: 'scavenge', startUs, endUs: startUs + 1_000, heap: { before, after } };
}

function sample(cpuUs: number, throughput: number): Sample {
  const threads = [{ thread: 'main', userUs: cpuUs, systemUs: 0, sleeps: cpuUs / 10 }];
  return { throughput, creates: throughput, latency: new Map([['p50', cpuUs]]), threads, cpuUs, startUs: 0, endUs: 1 };
}

describe('processor time by thread', () => {
  it('is read from a line of /proc, also where a name holds blanks and parentheses', () => {
    expect(threadStatOf(statLine('shard-0'))).toEqual({ name: 'shard-0', userTicks: 345, systemTicks: 67 });
    expect(threadStatOf(statLine('a) S 9 (b')).name).toBe('a) S 9 (b');
  });

  it('has the sleeps of /proc', () => {
    expect(sleepsIn('State:\tS\nvoluntary_ctxt_switches:\t4711\nnonvoluntary_ctxt_switches:\t12\n')).toBe(4711);
  });

  it('is the difference of two readings, by name, split as the ticks are', () => {
    const before = [time(1, 'main', 1_000, [10, 10]), time(2, 'node', 500, [5, 0]), time(9, 'ended', 70, [1, 0])];
    const after = [
      time(1, 'main', 9_000, [40, 20]),
      time(2, 'node', 800, [5, 0]),
      time(3, 'node', 200, [1, 0]),
      time(4, 'shard-0', 4_000, [0, 2]),
    ];
    expect(threadCosts(before, after)).toEqual([
      { thread: 'main', userUs: 6_000, systemUs: 2_000, sleeps: 8 },
      { thread: 'shard-0', userUs: 0, systemUs: 4_000, sleeps: 4 },
      { thread: V8_WORKERS, userUs: 500, systemUs: 0, sleeps: 0.5 },
    ]);
  });

  it('is printed per create, with the sum of all threads', () => {
    const costs = [
      { thread: 'main', userUs: 600, systemUs: 200, sleeps: 190 },
      { thread: 'venue', userUs: 1, systemUs: 0, sleeps: 2 },
    ];
    expect(threadTable(perCreate(costs, 100)).map((line) => line.trim().split(/\s{2,}/))).toEqual([
      ['CPU µs a create', 'user', 'system', 'total', 'sleeps'],
      ['main', '6.0', '2.0', '8.0', '1.90'],
      ['all threads', '6.0', '2.0', '8.0', '1.92'],
    ]);
  });
});

describe('collections', () => {
  const trace = JSON.stringify({
    traceEvents: [
      event(7, 'thread_name', { ph: 'M', ts: 0, args: { name: 'JavaScriptMainThread' } }),
      event(7, 'MinorGC', { ph: 'B', ts: 1_000, args: { usedHeapSizeBefore: 900, type: 'allocation failure' } }),
      event(8, 'MinorGC', { ph: 'B', ts: 1_100, args: { usedHeapSizeBefore: 50 } }),
      event(7, 'V8.GC_SCAVENGER', { ph: 'X', ts: 1_010, dur: 2_000 }),
      event(7, 'MinorGC', { ph: 'E', ts: 3_500, args: { usedHeapSizeAfter: 100 } }),
      event(8, 'MinorGC', { ph: 'E', ts: 1_200, args: { usedHeapSizeAfter: 40 } }),
      event(7, 'V8.GC_MC_INCREMENTAL', { ph: 'X', ts: 5_000, dur: 1_500 }),
      event(7, 'MajorGC', { ph: 'B', ts: 9_000, args: { usedHeapSizeBefore: 400 } }),
    ],
  });

  it('are read from a trace by thread, without one that has not ended', () => {
    expect(collectionsOf(trace)).toEqual([
      { tid: 7, kind: 'scavenge', startUs: 1_000, endUs: 3_500, heap: { before: 900, after: 100 } },
      { tid: 8, kind: 'scavenge', startUs: 1_100, endUs: 1_200, heap: { before: 50, after: 40 } },
      { tid: 7, kind: 'marking step', startUs: 5_000, endUs: 6_500, heap: null },
    ]);
  });

  it('count as long pauses above 1 ms within the periods', () => {
    const periods = [{ startUs: 0, endUs: 4_000 }];
    expect(longPauses(collectionsOf(trace), periods)).toEqual([
      { kind: 'scavenge', count: 1, sumUs: 2_500, longestUs: 2_500 },
    ]);
  });

  it('show what was allocated between them, for the part of the time in the periods', () => {
    // 400 bytes in a millisecond before the period and one within it, then 300 bytes in 3 ms within it.
    const collections = [scavengeAt(0, 999, 100), scavengeAt(3_000, 500, 200), scavengeAt(7_000, 500, 0)];
    expect(allocatedPerS(collections, [{ startUs: 2_000, endUs: 60_000 }])).toBeCloseTo((200 + 300) / 0.004);
    expect(allocatedPerS(collections.slice(0, 1), [{ startUs: 0, endUs: 60_000 }])).toBeNull();
  });

  it('show what scavenges promoted, and the longest pause', () => {
    const full: Collection = {
      tid: 7,
      kind: 'mark-compact',
      startUs: 20_000,
      endUs: 29_000,
      heap: { before: 9, after: 5 },
    };
    const collections = [
      scavengeAt(0, 500, 100),
      scavengeAt(3_000, 500, 160),
      scavengeAt(7_000, 560, 180),
      full,
      scavengeAt(30_000, 400, 50),
      scavengeAt(32_000, 400, 60),
    ];
    const periods = [{ startUs: 2_000, endUs: 60_000 }];
    expect(promotedPerS(collections, periods)).toBeCloseTo((20 + 10) / 0.006);
    expect(promotedPerS([full], periods)).toBeNull();
    expect(longestPauseUs(collections, periods)).toBe(9_000);
    expect(longestPauseUs(collections, [{ startUs: 50_000, endUs: 60_000 }])).toBe(0);
  });
});

describe('ratios', () => {
  const samples: Samples = new Map([
    ['ours', [sample(40, 1_000), sample(90, 500)]],
    ['bare', [sample(20, 2_000), sample(30, 2_000)]],
  ]);
  const bare = { key: 'bare', name: 'bare' };

  it('pair the rounds: a geometric mean with its interval, processor time first', () => {
    const [cpu, throughput, ...more] = costRatios(HEADING, { samples, name: 'ours', others: [bare] });
    expect(cpu).toMatchObject({ metric: 'cpu_over_bare', unit: 'ratio', reference: 'bare', reference_value: 25 });
    expect(cpu?.value).toBeCloseTo(Math.sqrt(2 * 3));
    expect(cpu?.low).toBeLessThan(2);
    expect(cpu?.high).toBeGreaterThan(3);
    expect(throughput).toMatchObject({ metric: 'throughput_over_bare', reference_value: 2_000 });
    expect(throughput?.value).toBeCloseTo(Math.sqrt(0.5 * 0.25));
    expect(more).toEqual([]);
    const [latency] = latencyRatios(HEADING, 'p50', { samples, name: 'ours', others: [bare] });
    expect(latency?.value).toBeCloseTo(Math.sqrt(6));
  });

  it('have no interval after one round', () => {
    const figure = ratioFigure(HEADING, 'cpu_over_bare', [50], { name: 'bare', values: [25] });
    expect(figure.value).toBeCloseTo(2);
    expect(figure).not.toHaveProperty('low');
  });

  it('weigh the threads of a round by its creates', () => {
    expect(meanThreads(samples.get('ours')!)).toEqual([
      {
        thread: 'main',
        userUs: expect.closeTo((40 * 1_000 + 90 * 500) / 1_500) as number,
        systemUs: 0,
        sleeps: expect.closeTo((4 * 1_000 + 9 * 500) / 1_500) as number,
      },
    ]);
  });
});
