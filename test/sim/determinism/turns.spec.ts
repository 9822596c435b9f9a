import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { describe, expect, test } from 'vitest';
import { playSession, type SessionOptions, type SessionRecord } from './session.js';

/** Threads load the output of `npm run build`. */
const PEER = new URL('../../../dist/test/sim/determinism/session-peer.js', import.meta.url);

async function playInThread(options: SessionOptions): Promise<SessionRecord> {
  const [session] = (await once(new Worker(PEER, { workerData: options }), 'message')) as [SessionRecord];
  return session;
}

describe.each([1, 2, 3])('the same seed (%i) and the same requests at the same times', (seed) => {
  const session = playSession({ seed, speed: 1 });

  test('produce a session with enough events', () => {
    expect(session.reports.length).toBeGreaterThan(500);
    expect(session.prints.length).toBeGreaterThan(1_000);
    expect(session.candles).toHaveLength(2 * 3);
    expect(session.rows).toHaveLength(150 * 3);
    expect(new Set(session.rows).size).toBeGreaterThan(300);
  });

  test('give the same bytes again', () => {
    expect(playSession({ seed, speed: 1 })).toEqual(session);
  });

  test('give the same bytes in another thread', async () => {
    expect(await playInThread({ seed, speed: 1 })).toEqual(session);
  });

  test.each([10, 100])('give the same bytes in turns of %i-fold service speed', (speed) => {
    const other = playSession({ seed, speed });
    for (const kind of ['prints', 'reports', 'candles', 'rows', 'depths'] as const) {
      expect(other[kind].findIndex((bytes, index) => bytes !== session[kind][index])).toBe(-1);
      expect(other[kind]).toHaveLength(session[kind].length);
    }
  });
});
