import { describe, expect, it } from 'vitest';
import { type ClockRecord, type ClockSighting, judgeClock } from '../../src/domain/time.js';
import { CLOCK_CONFIRM_MS_MAX, CLOCK_GAP_MS_MAX, CLOCK_STOP_MS_MAX } from '../../src/domain/limits/process.js';
import { IDEMPOTENCY_MS } from '../../src/domain/limits/trading.js';

const NOW_MS = Date.UTC(2026, 0, 10);
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A service that was stopped an hour ago, and a start in the same boot. */
const RECORD: ClockRecord = {
  wallMs: NOW_MS - HOUR_MS,
  leadMs: 0,
  errorMs: 0,
  speed: 1,
  bootId: 'boot',
  uptimeMs: 5 * DAY_MS,
};
const START: ClockSighting = {
  wallMs: NOW_MS,
  bootId: 'boot',
  uptimeMs: 5 * DAY_MS + HOUR_MS,
  lastServiceMs: RECORD.wallMs - 1,
  speed: 1,
  confirmedMs: null,
};
const rebooted = { bootId: 'another boot', uptimeMs: MINUTE_MS };

function judge(start: Partial<ClockSighting>, record: Partial<ClockRecord> | null = {}): ReturnType<typeof judgeClock> {
  return judgeClock(record === null ? null : { ...RECORD, ...record }, { ...START, ...start });
}

describe('a start with the expected wall clock', () => {
  it('begins service time at the wall clock in an empty data directory', () => {
    expect(judge({ lastServiceMs: 0 }, null)).toEqual({ kind: 'accepted', serviceMs: NOW_MS, leadMs: 0, errorMs: 0 });
  });

  it('follows the wall clock after a stop', () => {
    expect(judge({})).toEqual({ kind: 'accepted', serviceMs: NOW_MS, leadMs: 0, errorMs: 0 });
  });

  it('accepts a stop of a week within one boot when the uptime proves it', () => {
    const wallMs = NOW_MS + 7 * DAY_MS;
    const uptimeMs = 5 * DAY_MS + HOUR_MS + 7 * DAY_MS;
    expect(judge({ wallMs, uptimeMs })).toMatchObject({ kind: 'accepted', serviceMs: wallMs, errorMs: 0 });
  });

  it('accepts a stop over a reboot up to the bound within which client order ids are remembered', () => {
    const wallMs = RECORD.wallMs + CLOCK_STOP_MS_MAX;
    expect(judge({ wallMs, ...rebooted })).toMatchObject({ kind: 'accepted', serviceMs: wallMs });
    expect(judge({ wallMs: wallMs + 1, ...rebooted })).toMatchObject({ kind: 'refused' });
    expect(CLOCK_STOP_MS_MAX).toBeLessThan(IDEMPOTENCY_MS / 2);
  });

  it('slews a small step instead of jumping', () => {
    const stepMs = 4 * MINUTE_MS;
    expect(judge({ wallMs: NOW_MS + stepMs })).toMatchObject({ serviceMs: NOW_MS, errorMs: -stepMs });
    expect(judge({ wallMs: NOW_MS - stepMs })).toMatchObject({ serviceMs: NOW_MS, errorMs: stepMs });
  });
});

describe('a start with a wrong wall clock', () => {
  it.each([
    ['four days ahead within one boot', { wallMs: NOW_MS + 4 * DAY_MS }],
    ['four days ahead after a reboot', { wallMs: NOW_MS + 4 * DAY_MS, ...rebooted }],
    ['four days behind within one boot', { wallMs: NOW_MS - 4 * DAY_MS }],
    ['four days behind after a reboot', { wallMs: NOW_MS - 4 * DAY_MS, ...rebooted }],
    ['just over the bound ahead', { wallMs: NOW_MS + CLOCK_GAP_MS_MAX + 1 }],
    ['just over the bound behind', { wallMs: NOW_MS - CLOCK_GAP_MS_MAX - 1 }],
  ])('is refused when the clock is %s', (_name, start) => {
    expect(judge(start)).toMatchObject({ kind: 'refused' });
  });

  it('names both times, the bound and the confirmation', () => {
    const verdict = judge({ wallMs: NOW_MS + 4 * DAY_MS });
    expect(verdict).toMatchObject({
      reason: expect.stringContaining('2026-01-14T00:00:00.000Z, 4 days later') as string,
    });
    expect(verdict).toMatchObject({ reason: expect.stringContaining('than 2026-01-10T00:00:00.000Z') as string });
    expect(verdict).toMatchObject({ reason: expect.stringContaining('the bound is 5 minutes') as string });
    expect(verdict).toMatchObject({ reason: expect.stringContaining('SLUICE_CLOCK_CONFIRM=') as string });
  });

  it('is refused by the time of the journal when no clock record exists', () => {
    expect(judge({ lastServiceMs: NOW_MS + 4 * DAY_MS }, null)).toMatchObject({ kind: 'refused' });
    expect(judge({ lastServiceMs: NOW_MS - 4 * DAY_MS }, null)).toMatchObject({ kind: 'refused' });
  });

  it('is refused when the journal is ahead of a clock record that agrees with the wall clock', () => {
    expect(judge({ lastServiceMs: NOW_MS + 4 * DAY_MS })).toMatchObject({ kind: 'refused' });
  });
});

describe('a confirmed start', () => {
  it('moves service time by the uptime alone within one boot, for a clock ahead and behind', () => {
    for (const stepMs of [4 * DAY_MS, -4 * DAY_MS]) {
      const wallMs = NOW_MS + stepMs;
      const accepted = { kind: 'accepted', serviceMs: NOW_MS, errorMs: -stepMs };
      expect(judge({ wallMs, confirmedMs: wallMs + MINUTE_MS })).toMatchObject(accepted);
    }
  });

  it('accepts a long stop over a reboot', () => {
    const wallMs = NOW_MS + 30 * DAY_MS;
    expect(judge({ wallMs, ...rebooted, confirmedMs: wallMs })).toMatchObject({ serviceMs: wallMs, errorMs: 0 });
  });

  it('never starts before the last time in the journal', () => {
    const wallMs = NOW_MS - 4 * DAY_MS;
    const verdict = judge({ wallMs, ...rebooted, confirmedMs: wallMs });
    expect(verdict).toMatchObject({ serviceMs: RECORD.wallMs, errorMs: RECORD.wallMs - wallMs });
    const lastServiceMs = NOW_MS + DAY_MS;
    expect(judge({ wallMs, lastServiceMs, confirmedMs: wallMs }, null)).toMatchObject({
      serviceMs: lastServiceMs,
      errorMs: lastServiceMs - wallMs,
    });
  });

  it('is refused when the confirmation states another time than the wall clock shows', () => {
    const wallMs = NOW_MS + 4 * DAY_MS;
    const verdict = judge({ wallMs, confirmedMs: NOW_MS });
    expect(verdict).toMatchObject({ kind: 'refused' });
    expect(verdict).toMatchObject({
      reason: expect.stringContaining(
        'SLUICE_CLOCK_CONFIRM=2026-01-10T00:00:00.000Z is not the time it shows',
      ) as string,
    });
    expect(judge({ wallMs, confirmedMs: wallMs - CLOCK_CONFIRM_MS_MAX })).toMatchObject({ kind: 'accepted' });
  });

  it('keeps slewing an error after the next start without another confirmation', () => {
    const errorMs = 3 * DAY_MS;
    const lastServiceMs = RECORD.wallMs + errorMs;
    expect(judge({ lastServiceMs }, { errorMs })).toMatchObject({ serviceMs: NOW_MS + errorMs, errorMs, leadMs: 0 });
    expect(judge({ lastServiceMs: lastServiceMs - 2 * errorMs }, { errorMs: -errorMs })).toMatchObject({
      serviceMs: NOW_MS - errorMs,
      errorMs: -errorMs,
    });
  });
});

describe('a start after a simulated speed', () => {
  const leadMs = 10 * HOUR_MS;
  const lastServiceMs = RECORD.wallMs + leadMs;

  it.each([1, 60])('continues at the last service time, at speed %i', (speed) => {
    const verdict = judge({ lastServiceMs, speed }, { leadMs, speed: 60 });
    // The stop of one hour reduces the lead by one hour.
    expect(verdict).toEqual({ kind: 'accepted', serviceMs: lastServiceMs, leadMs: leadMs - HOUR_MS, errorMs: 0 });
  });

  it('treats the unrecorded time of a killed run as simulated', () => {
    const unrecordedMs = 20 * MINUTE_MS;
    expect(judge({ lastServiceMs: lastServiceMs + unrecordedMs }, { leadMs, speed: 60 })).toMatchObject({
      serviceMs: lastServiceMs + unrecordedMs,
      leadMs: leadMs - HOUR_MS + unrecordedMs,
      errorMs: 0,
    });
  });

  it('does not treat the last seconds of a killed run as an error, also at speed 1', () => {
    // The record is an hour old, and the run was killed a second ago.
    const last = NOW_MS + leadMs - 1_000;
    expect(judge({ lastServiceMs: last }, { leadMs })).toEqual({
      kind: 'accepted',
      serviceMs: last,
      leadMs: leadMs - 1_000,
      errorMs: 0,
    });
  });

  it('starts at the real time after a stop that was longer than the lead', () => {
    expect(judge({}, { leadMs: HOUR_MS / 2, speed: 60 })).toMatchObject({ serviceMs: NOW_MS, leadMs: 0, errorMs: 0 });
  });

  it('accepts an old journal without a record at a simulated speed', () => {
    for (const agoMs of [-4 * DAY_MS, 4 * DAY_MS]) {
      const last = NOW_MS - agoMs;
      expect(judge({ lastServiceMs: last, speed: 60 }, null)).toMatchObject({
        serviceMs: Math.max(NOW_MS, last),
        errorMs: 0,
      });
    }
  });
});
