import { expect, it } from 'vitest';
import { CLOCK_ROUND_TRIP_MS_MAX, CLOCK_TRIES_MAX } from '../../../src/domain/limits/live.js';
import { reject } from '../../../src/domain/rejection.js';
import type { EpochMs } from '../../../src/domain/time.js';
import { ExchangeClock } from '../../../src/venue/live/exchange-clock.js';

const AHEAD_MS = 5_000;
const SLOW_MS = CLOCK_ROUND_TRIP_MS_MAX + 1;

/** An exchange whose clock is ahead, with these round trips in sequence: the way back takes all of the time. */
function exchange(...roundTripsMs: number[]) {
  let [nowMs, count] = [1_000_000, 0];
  const clock = new ExchangeClock(() => nowMs as EpochMs);
  const serverMs = () => {
    const timeMs = nowMs + AHEAD_MS;
    nowMs += roundTripsMs[count] ?? 0;
    count += 1;
    return Promise.resolve(timeMs);
  };
  return { clock, serverMs, count: () => count, nowMs: () => nowMs };
}

it('takes the first reading whose round trip is short enough', async () => {
  const { clock, serverMs, count, nowMs } = exchange(SLOW_MS, 100, 1);
  expect(await clock.measure(serverMs)).toEqual({ offsetMs: AHEAD_MS - 50, roundTripMs: 100 });
  expect(count()).toBe(2);
  expect([clock.offsetMs, clock.exchangeMs()]).toEqual([AHEAD_MS - 50, nowMs() + AHEAD_MS - 50]);
});

it('takes a reading with the longest round trip that is allowed', async () => {
  const { clock, serverMs } = exchange(CLOCK_ROUND_TRIP_MS_MAX);
  expect(await clock.measure(serverMs)).toMatchObject({ roundTripMs: CLOCK_ROUND_TRIP_MS_MAX });
});

it('rejects a clock that only slow readings show, because the offset may be wrong by half of the round trip', async () => {
  const { clock, serverMs, count } = exchange(...Array.from({ length: CLOCK_TRIES_MAX + 1 }, () => SLOW_MS));
  expect(await clock.measure(serverMs)).toMatchObject({ rejection: { code: 'EXCHANGE_ERROR' } });
  expect([count(), clock.offsetMs]).toEqual([CLOCK_TRIES_MAX, 0]);
});

it('passes a rejection on, and keeps the offset', async () => {
  const { clock, serverMs } = exchange(0);
  await clock.measure(serverMs);
  const rejected = reject('EXCHANGE_ERROR', 'no time');
  expect(await clock.measure(() => Promise.resolve(rejected))).toBe(rejected);
  expect(clock.offsetMs).toBe(AHEAD_MS);
});
