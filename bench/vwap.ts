import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { VolumeProfile } from '../src/domain/intent.js';
import { CATCH_UP_SLICES_MAX, PROFILE_DAYS_MAX, PROFILE_RECENT_MS } from '../src/domain/limits/trading.js';
import { CANDLE_INTERVAL_MS } from '../src/domain/market-feed.js';
import { assert } from '../src/domain/rejection.js';
import type { EpochMs } from '../src/domain/time.js';
import { shapeShare, shareDue, type VolumeCourse } from '../src/strategy/volume/course.js';
import { BINS_PER_DAY, volumeProfileOf, withRecent } from '../src/strategy/volume/profile.js';
import type { Report } from './report.js';

const BIN_MS = CANDLE_INTERVAL_MS.FIVE_MINUTE;
const BINS_PER_HOUR = (60 * 60 * 1000) / BIN_MS;
const DAY_HOURS = 24;
const HORIZONS_HOURS = [1, 2, 4, 8, 12, DAY_HOURS] as const;
const RECENT_BINS = PROFILE_RECENT_MS / BIN_MS;
const BPS = 10_000;

/** An order: `count` bins from bin `from` on. */
interface Horizon {
  readonly from: number;
  readonly count: number;
}

/**
 * Returns the cumulative share to be filled by the end of bin `index`. Decided at its beginning, after `done` is
 * filled.
 */
type Rule = (horizon: Horizon, index: number, done: number) => number;

/**
 * Measures the slippage against the market's average price of orders that follow volume, and of equal slices, on a
 * recorded month. Orders start at each full hour of its last days. The profile is learnt from the twenty days before.
 * Each slice fills at the average price of its five minutes. Whole-day orders from midnight are few, so overlapping
 * ones from any hour are reported too.
 */
export async function vwap(report: Report, _isQuick: boolean, dataDir: string | undefined): Promise<void> {
  if (dataDir === undefined) {
    console.error('bench vwap needs recorded candles: give their folder with --data DIR');
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

/** Orders that start at a full hour, with enough days before them, and end within the month. */
function horizonsOf({ volumes }: RecordedBins, hours: number): Horizon[] {
  const horizons: Horizon[] = [];
  const count = hours * BINS_PER_HOUR;
  const first = PROFILE_DAYS_MAX * BINS_PER_DAY;
  for (let from = first; from + count <= volumes.length; from += BINS_PER_HOUR) horizons.push({ from, count });
  return horizons;
}

/** Orders that end on the day they start. Those of a whole day start at midnight. */
function withinDays(bins: RecordedBins, hours: number): Horizon[] {
  return horizonsOf(bins, hours).filter(({ from, count }) => (from % BINS_PER_DAY) + count <= BINS_PER_DAY);
}

/** The service's own rule. It uses the profile of the days before, the last hours and the volume since the start. */
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
  assert(learnt !== null, 'the days before had trades');
  profiles.set(today, learnt);
  const startMs = (fromMs + from * BIN_MS) as EpochMs;
  const profile = withRecent(learnt, volumes.subarray(from - RECENT_BINS, from), startMs);
  const levelBefore = profile.recentDailyVolume ?? profile.dailyVolume;
  return { startMs, endMs: startMs + count * BIN_MS, profile, levelBefore };
}

/** Slippage of each order in bps of the market's average price; cost of a buyer. */
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

const RECORDED_FILE = join('candles', 'ftx_BTC-PERP_1m_20211231-20220201.csv.gz');
const FROM_MS = Date.UTC(2022, 0, 1);
const DAYS = 31;
const RECORDED_BIN_MS = CANDLE_INTERVAL_MS.FIVE_MINUTE;
/** Volumes are whole lots of this fraction of a coin. */
const LOTS_PER_UNIT = 100_000;

/** A recorded month in bins of five minutes, from midnight. */
export interface RecordedBins {
  readonly fromMs: number;
  /** Lots traded in each bin. */
  readonly volumes: Float64Array;
  /** Volume-weighted average price of each bin. */
  readonly prices: Float64Array;
}

/** Reads the month of a perpetual in minutes. Its rows have high, low, close and turnover in quote currency. */
export function recordedBins(dataDir: string): RecordedBins {
  const volumes = new Float64Array(DAYS * BINS_PER_DAY);
  const turnovers = new Float64Array(volumes.length);
  const [, ...rows] = gunzipSync(readFileSync(join(dataDir, RECORDED_FILE)))
    .toString()
    .trim()
    .split('\n');
  for (const row of rows) {
    const [time = '', , high, low, close, turnover] = row.split(',');
    const bin = Math.floor((Date.parse(`${time.slice(0, 19).replace(' ', 'T')}Z`) - FROM_MS) / RECORDED_BIN_MS);
    if (bin < 0 || bin >= volumes.length) continue;
    const price = (Number(high) + Number(low) + Number(close)) / 3;
    volumes[bin]! += Math.round((Number(turnover) / price) * LOTS_PER_UNIT);
    turnovers[bin]! += Number(turnover) * LOTS_PER_UNIT;
  }
  return { fromMs: FROM_MS, volumes, prices: turnovers.map((turnover, bin) => turnover / volumes[bin]!) };
}
