import { assert } from '../src/model/assert.js';
import { CANDLE_INTERVAL_MS } from '../src/model/candle.js';
import { CATCH_UP_SLICES_MAX, PROFILE_DAYS_MAX, PROFILE_RECENT_MS } from '../src/model/limits.js';
import type { VolumeProfile } from '../src/model/intent.js';
import type { EpochMs } from '../src/model/time.js';
import { shapeShare, shareDue, type VolumeCourse } from '../src/strategy/volume-course.js';
import { volumeProfileOf, withRecent } from '../src/strategy/volume-profile.js';
import { BINS_PER_DAY } from '../src/strategy/volume-shape.js';
import { recordedBins, type RecordedBins } from './recorded-bins.js';
import type { Report } from './report.js';

const BIN_MS = CANDLE_INTERVAL_MS.FIVE_MINUTE;
const BINS_PER_HOUR = (60 * 60 * 1000) / BIN_MS;
const DAY_HOURS = 24;
const HORIZONS_HOURS = [1, 2, 4, 8, 12, DAY_HOURS] as const;
const RECENT_BINS = PROFILE_RECENT_MS / BIN_MS;
const BPS = 10_000;

/** One order: `count` bins from bin `from` on. */
interface Horizon {
  readonly from: number;
  readonly count: number;
}

/** Cumulative share to be done by the end of the horizon's bin `index`, as decided at its begin when so much was done. */
type Rule = (horizon: Horizon, index: number, done: number) => number;

/**
 * How far from the market's average price an order ends that is worked by volume, against equal slices, on a recorded
 * month: every full hour of its last days is a start, the profile is learnt from the twenty days before each, and each
 * slice is filled at the average price of its five minutes. From midnight there are few orders of a whole day: those from
 * any hour, which overlap, stand beside them.
 */
export async function vwap(report: Report, _isQuick: boolean, dataDir: string | undefined): Promise<void> {
  if (dataDir === undefined) {
    console.error('bench vwap works on recorded candles: give their folder with --data DIR');
    process.exitCode = 2;
    return;
  }
  const bins = recordedBins(dataDir);
  const profiles = new Map<number, VolumeProfile>();
  const cases = HORIZONS_HOURS.map((hours): [string, Horizon[]] => [`${hours} h`, withinDays(bins, hours)]);
  cases.push([`${DAY_HOURS} h, any hour`, horizonsOf(bins, DAY_HOURS)]);
  for (const [name, horizons] of cases) {
    const even = slippages(bins, horizons, (horizon, index) => (index + 1) / horizon.count);
    const own = slippages(bins, horizons, byVolume(bins, profiles));
    for (const [metric, of] of [
      ['mean_abs', meanAbs],
      ['rms', rms],
    ] as const) {
      const [value, reference_value] = [of(own), of(even)];
      const ratio = value / reference_value;
      const figure = { bench: 'vwap', case: name, metric, value, unit: 'bps' };
      report.add({ ...figure, reference: 'equal slices', reference_value, ratio, rounds: horizons.length });
    }
  }
}

/** Orders that begin at a full hour, on days with enough before them, and are over when the month is. */
function horizonsOf({ volumes }: RecordedBins, hours: number): Horizon[] {
  const horizons: Horizon[] = [];
  const count = hours * BINS_PER_HOUR;
  const first = PROFILE_DAYS_MAX * BINS_PER_DAY;
  for (let from = first; from + count <= volumes.length; from += BINS_PER_HOUR) horizons.push({ from, count });
  return horizons;
}

/** Those of them that are over the same day: all of a day's length begin at midnight. */
function withinDays(bins: RecordedBins, hours: number): Horizon[] {
  return horizonsOf(bins, hours).filter(({ from, count }) => (from % BINS_PER_DAY) + count <= BINS_PER_DAY);
}

/** The service's own rule, which knows the profile of the days before, the last hours and what has come since the start. */
function byVolume(bins: RecordedBins, profiles: Map<number, VolumeProfile>): Rule {
  const courses = new Map<Horizon, VolumeCourse>();
  return (horizon, index, done) => {
    const course = courses.get(horizon) ?? courseOf(bins, horizon, profiles);
    courses.set(horizon, course);
    const { from, count } = horizon;
    let realised = 0;
    for (let bin = from; bin < from + index; bin += 1) realised += bins.volumes[bin]!;
    const nowMs = course.startMs + index * BIN_MS;
    const planned = shapeShare(course, nowMs + BIN_MS) - shapeShare(course, nowMs);
    const due = shareDue(course, { nowMs, realised }, nowMs + BIN_MS);
    return Math.min(due, done + CATCH_UP_SLICES_MAX * Math.max(planned, 1 / count));
  };
}

function courseOf(
  { fromMs, volumes }: RecordedBins,
  { from, count }: Horizon,
  profiles: Map<number, VolumeProfile>,
): VolumeCourse {
  const today = from - (from % BINS_PER_DAY);
  const before = volumes.subarray(today - PROFILE_DAYS_MAX * BINS_PER_DAY, today);
  const learnt = profiles.get(today) ?? volumeProfileOf(before);
  assert(learnt !== null, 'something was traded on the days before');
  profiles.set(today, learnt);
  const startMs = (fromMs + from * BIN_MS) as EpochMs;
  const profile = withRecent(learnt, volumes.subarray(from - RECENT_BINS, from), startMs);
  const levelBefore = profile.recentDailyVolume ?? profile.dailyVolume;
  return { startMs, endMs: startMs + count * BIN_MS, profile, levelBefore };
}

/** Of each order, in basis points of the market's average price; a buyer's cost. */
function slippages({ volumes, prices }: RecordedBins, horizons: readonly Horizon[], rule: Rule): number[] {
  return horizons.map((horizon) => {
    const { from, count } = horizon;
    let [done, paid, traded, turnover] = [0, 0, 0, 0];
    for (let index = 0; index < count; index += 1) {
      const [price, volume] = [prices[from + index]!, volumes[from + index]!];
      const due = index === count - 1 ? 1 : Math.max(done, rule(horizon, index, done));
      paid += (due - done) * price;
      done = due;
      traded += volume;
      turnover += volume * price;
    }
    return BPS * ((paid * traded) / turnover - 1);
  });
}

function meanAbs(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + Math.abs(value), 0) / values.length;
}

function rms(values: readonly number[]): number {
  return Math.sqrt(values.reduce((sum, value) => sum + value ** 2, 0) / values.length);
}
