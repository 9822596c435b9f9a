import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { describe, expect, test } from 'vitest';
import { playSession, type SessionOptions, type Told } from './session.js';

/** Threads load what `npm run build` made. */
const PEER = new URL('../../../dist/test/venue/determinism/session-peer.js', import.meta.url);

async function playInThread(options: SessionOptions): Promise<Told> {
  const [told] = (await once(new Worker(PEER, { workerData: options }), 'message')) as [Told];
  return told;
}

describe.each([1, 2, 3])('The same seed (%i) and the same requests at the same service times', (seed) => {
  const told = playSession({ seed, speed: 1 });

  test('make a session in which much happens', () => {
    expect(told.reports.length).toBeGreaterThan(500);
    expect(told.prints.length).toBeGreaterThan(1_000);
    expect(told.candles).toHaveLength(2 * 3);
    expect(told.rows).toHaveLength(150 * 3);
    expect(new Set(told.rows).size).toBeGreaterThan(300);
  });

  test('give the same bytes again', () => {
    expect(playSession({ seed, speed: 1 })).toEqual(told);
  });

  test('give the same bytes in a thread of its own', async () => {
    expect(await playInThread({ seed, speed: 1 })).toEqual(told);
  });

  test.each([10, 100])('give the same bytes in the turns of service time %i times as fast', (speed) => {
    const other = playSession({ seed, speed });
    for (const kind of ['prints', 'reports', 'candles', 'rows', 'depths'] as const) {
      expect(other[kind].findIndex((bytes, index) => bytes !== told[kind][index])).toBe(-1);
      expect(other[kind]).toHaveLength(told[kind].length);
    }
  });
});
