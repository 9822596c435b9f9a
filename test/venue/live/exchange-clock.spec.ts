import { expect, it } from 'vitest';
import { CLOCK_ERROR_MS_MAX, CLOCK_ROUND_TRIP_MS_MAX, CLOCK_TRIES_MAX } from '../../../src/domain/limits/live.js';
import { reject } from '../../../src/domain/rejection.js';
import type { EpochMs } from '../../../src/domain/time.js';
import { ExchangeClock } from '../../../src/venue/live/exchange-clock.js';

const AHEAD_MS = 5_000;
const SLOW_MS = CLOCK_ROUND_TRIP_MS_MAX + 1;

/** An exchange whose clock is ahead, with these round trips in sequence: the way back takes all of the time. */
function exchange(...roundTripsMs: number[]) {
  let [nowMs, count] = [1_000_000, 0];
  const clock = new ExchangeClock(
    () => nowMs as EpochMs,
    () => nowMs,
  );
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

it('is wrong by half of the round trip at most, and by what two clocks drift apart since', async () => {
  let nowMs = 1_000_000;
  const clock = new ExchangeClock(
    () => nowMs as EpochMs,
    () => nowMs,
  );
  expect(clock.errorMs).toBe(Infinity);
  await clock.measure(() => {
    nowMs += 200;
    return Promise.resolve(nowMs);
  });
  const [measuredMs, firstMs] = [nowMs, clock.errorMs];
  expect(firstMs).toBeGreaterThan(100);
  expect(firstMs).toBeLessThan(102);
  nowMs += 60_000;
  expect(clock.errorMs - firstMs).toBeCloseTo(30);
  // No child is placed any more when no measurement has succeeded for half an hour.
  nowMs = measuredMs + 1_860_000;
  expect(clock.errorMs).toBeGreaterThan(CLOCK_ERROR_MS_MAX);
});

it('goes on evenly while the service corrects its own clock', async () => {
  let [nowMs, monotonicMs] = [1_000_000, 0];
  const clock = new ExchangeClock(
    () => nowMs as EpochMs,
    () => monotonicMs,
  );
  await clock.measure(() => Promise.resolve(2_000_000));
  nowMs += 12_500;
  monotonicMs += 10_000;
  expect([clock.exchangeMs(), clock.offsetMs]).toEqual([2_010_000, 997_500]);
});
