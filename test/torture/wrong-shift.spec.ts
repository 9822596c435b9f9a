import { expect, it } from 'vitest';
import { judgeClock } from '../../src/domain/time.js';
import { wrongShiftMs } from './wrong-shift.js';

const HOUR_MS = 3_600_000;
const NOW_MS = 1_800_000_000_000;
const UPTIME_MS = 9 * HOUR_MS;
const OFF_MS = 2_000;

/** A start on a wrong clock after a run whose clock was shifted, as the service judges it. */
function verdictOn(shiftMs: number, storedShiftMs: number, hasRebooted: boolean): string {
  const known = { wallMs: NOW_MS + storedShiftMs, leadMs: 0, errorMs: 0, speed: 1, bootId: 'a', uptimeMs: UPTIME_MS };
  const boot = hasRebooted ? { bootId: 'b', uptimeMs: OFF_MS } : { bootId: 'a', uptimeMs: UPTIME_MS + OFF_MS };
  const sighting = { wallMs: NOW_MS + OFF_MS + shiftMs, lastServiceMs: NOW_MS, speed: 1, confirmedMs: null, ...boot };
  return judgeClock(known, sighting).kind;
}

it('gives a start a clock that it must refuse, whatever the last run has stored', () => {
  for (const byMs of [-96 * HOUR_MS, -HOUR_MS, HOUR_MS, 96 * HOUR_MS]) {
    for (const lastShiftMs of [0, -2_000, 45_000, -96 * HOUR_MS, 96 * HOUR_MS]) {
      for (const hasRebooted of [false, true]) {
        const shiftMs = wrongShiftMs(byMs, { lastShiftMs, hasRebooted });
        for (const storedMs of [0, lastShiftMs]) {
          expect([byMs, storedMs, hasRebooted, verdictOn(shiftMs, storedMs, hasRebooted)]).toEqual([
            byMs,
            storedMs,
            hasRebooted,
            'refused',
          ]);
        }
      }
    }
  }
});
