import { describe, expect, test } from 'vitest';
import { answerOf, startPeer } from '../../wire/peer-thread.js';
import { playSession } from './session.js';
import { spread } from '../../runs.js';

describe.each(spread([1, 2, 3], 1))('the same seed (%i) and the same requests at the same times', (seed) => {
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
    const peer = await startPeer('sim/determinism/session-peer', { seed, speed: 1 });
    expect(await answerOf(peer)).toEqual(session);
  });

  test.each([10, 100])('give the same bytes in turns of %i-fold service speed', (speed) => {
    const other = playSession({ seed, speed });
    for (const kind of ['prints', 'reports', 'candles', 'rows', 'depths'] as const) {
      expect(other[kind].findIndex((bytes, index) => bytes !== session[kind][index])).toBe(-1);
      expect(other[kind]).toHaveLength(session[kind].length);
    }
  });
});
