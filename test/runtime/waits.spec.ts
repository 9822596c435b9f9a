import { expect, it } from 'vitest';
import { monotonicMs } from '../../src/runtime/clock.js';
import { waitUntil } from '../../src/runtime/threads.js';

it('asks again until the answer is true', async () => {
  let roomless = 3;
  expect(await waitUntil(Infinity, () => roomless-- === 0)).toBe(true);
});

it('gives up at its end, and has asked at least once', async () => {
  let asked = 0;
  const never = (): boolean => {
    asked += 1;
    return false;
  };
  expect(await waitUntil(monotonicMs() - 1, never)).toBe(false);
  expect(asked).toBe(1);
});
