import type { VolumeProfile } from '../../src/domain/intent.js';
import { CATCH_UP_SLICES_MAX, PROFILE_DAYS_MAX, PROFILE_RECENT_MS } from '../../src/domain/limits/trading.js';
import { CANDLE_INTERVAL_MS } from '../../src/domain/market-feed.js';
import type { EpochMs } from '../../src/domain/time.js';
import { Random } from '../../src/sim/prng.js';
import { shapeShare, shareDue, type VolumeCourse } from '../../src/strategy/volume/course.js';
import { BINS_PER_DAY, volumeProfileOf, withRecent } from '../../src/strategy/volume/profile.js';
import { meanOf, quantileOf, RESAMPLES_COUNT } from '../paired-difference.js';
import { type Flags, type Report, unitsOf } from '../report.js';
import { readCandleFiles, type RecordedBins } from './candle-files.js';

const BIN_MS = CANDLE_INTERVAL_MS.FIVE_MINUTE;
const BINS_PER_HOUR = (60 * 60 * 1000) / BIN_MS;
const LENGTHS_HOURS = [1, 4, 12, 24] as const;
/** Days that the profile knows. */
const KNOWN_DAYS = [PROFILE_DAYS_MAX, 5, 2, 1] as const;
const RECENT_BINS = PROFILE_RECENT_MS / BIN_MS;
const BPS = 10_000;
/** The first third of a file chose the numbers of the strategy. The rest judges them. */
const TUNE_PART = 1 / 3;

/** An order: `count` bins from bin `from` on, inside one day. */
interface Horizon {
  readonly from: number;
  readonly count: number;
}

/** Slippage of one order against the market's average price, without its sign, in bps. */
interface Outcome {
  readonly day: number;
  readonly own: number;
  readonly even: number;
}

/**
 * Returns the cumulative share to be filled by the end of bin `index`. Decided at its beginning, after `done` is
 * filled and `realised` lots are traded.
 */
type Rule = (index: number, done: number, realised: number) => number;

/**
 * Measures the mean absolute slippage against the market's average price of orders that follow volume, and of equal
 * slices, on every file of recorded candles. Orders start at each full hour and end within their day. The profile is
 * learnt from the known days before. Each slice fills at the average price of its five minutes. The interval draws
 * whole days anew, because orders of one day are not independent.
 */
export async function vwap(
  report: Report,
  _isQuick: boolean,
  dataDir: string | undefined,
  flags: Flags,
): Promise<void> {
  if (dataDir === undefined) {
    console.error('bench vwap needs recorded candles: give their folder with --data DIR');
    process.exitCode = 2;
    return;
  }
  const { read, unread } = readCandleFiles(dataDir, flags.quoteVolume);
  for (const { name, reason } of unread) console.error(`${name} is not used: ${reason}`);
  if (read.length === 0) {
    console.error(`${dataDir} has no usable candle file`);
    process.exitCode = 2;
  }
  for (const bins of read) measure(report, bins, flags);
}

function measure(report: Report, bins: RecordedBins, { half, seed }: Flags): void {
  const random = new Random(`vwap ${bins.name} ${seed}`);
  const { from, to: toDay } = unitsOf(half, bins.days, TUNE_PART);
  // The first day has no known day before it. A file of two days has no part that chose anything.
  const fromDay = Math.max(1, from);
  for (const known of KNOWN_DAYS) {
    if (known !== PROFILE_DAYS_MAX && known > fromDay) continue;
    const profiles = new Map<number, VolumeProfile | null>();
    for (const hours of LENGTHS_HOURS) {
      const outcomes = outcomesOf(bins, { hours, known, fromDay, toDay }, profiles);
      if (outcomes.length === 0) continue;
      const [own, even] = [meanOf(outcomes.map((one) => one.own)), meanOf(outcomes.map((one) => one.even))];
      const ofDays = known === PROFILE_DAYS_MAX ? `up to ${known} days` : `${known} ${known === 1 ? 'day' : 'days'}`;
      const clusters = new Set(outcomes.map(({ day }) => day)).size;
      report.add({
        bench: 'vwap',
        case: `${bins.name}: ${hours} h, ${ofDays} known, ${half} half, ${clusters} days`,
        metric: 'mean_abs',
        value: own,
        unit: 'bps',
        reference: 'equal slices',
        reference_value: even,
        ratio: own / even,
        ...ratioInterval(outcomes, () => random.uniform()),
        rounds: outcomes.length,
      });
    }
  }
}

interface Study {
  readonly hours: number;
  readonly known: number;
  readonly fromDay: number;
  readonly toDay: number;
}

function outcomesOf(
  bins: RecordedBins,
  { hours, known, fromDay, toDay }: Study,
  profiles: Map<number, VolumeProfile | null>,
): Outcome[] {
  const outcomes: Outcome[] = [];
  const count = hours * BINS_PER_HOUR;
  for (let day = fromDay; day < toDay; day += 1) {
    const learnt = profiles.get(day) ?? learn(bins, day, known);
    profiles.set(day, learnt);
    if (learnt === null) continue;
    for (let bin = 0; bin + count <= BINS_PER_DAY; bin += BINS_PER_HOUR) {
      const horizon = { from: day * BINS_PER_DAY + bin, count };
      const own = slippage(bins, horizon, byVolume(bins, horizon, learnt));
      const even = slippage(bins, horizon, (index) => (index + 1) / count);
      if (own !== null && even !== null) outcomes.push({ day, own, even });
    }
  }
  return outcomes;
}

function learn({ volumes }: RecordedBins, day: number, known: number): VolumeProfile | null {
  return volumeProfileOf(volumes.subarray(Math.max(0, day - known) * BINS_PER_DAY, day * BINS_PER_DAY));
}

/** The service's own rule. It uses the profile of the days before, the last hours and the volume since the start. */
function byVolume({ fromMs, volumes }: RecordedBins, { from, count }: Horizon, learnt: VolumeProfile): Rule {
  const startMs = (fromMs + from * BIN_MS) as EpochMs;
  const profile = withRecent(learnt, volumes.subarray(from - RECENT_BINS, from), startMs);
  const levelBefore = profile.recentDailyVolume ?? profile.dailyVolume;
  const course: VolumeCourse = { startMs, endMs: startMs + count * BIN_MS, profile, levelBefore };
  return (index, done, realised) => {
    const nowMs = startMs + index * BIN_MS;
    const planned = shapeShare(course, nowMs + BIN_MS) - shapeShare(course, nowMs);
    const due = shareDue(course, { nowMs, realised }, nowMs + BIN_MS);
    return Math.min(due, done + CATCH_UP_SLICES_MAX * Math.max(planned, 1 / count));
  };
}

/** In bps of the market's average price, without its sign; null when nothing was traded. */
function slippage({ volumes, prices }: RecordedBins, { from, count }: Horizon, rule: Rule): number | null {
  let [done, paid, traded, turnover] = [0, 0, 0, 0];
  for (let index = 0; index < count; index += 1) {
    const [price, volume] = [prices[from + index]!, volumes[from + index]!];
    const due = index === count - 1 ? 1 : Math.max(done, rule(index, done, traded));
    paid += (due - done) * price;
    done = due;
    traded += volume;
    turnover += volume * price;
  }
  return traded === 0 ? null : BPS * Math.abs((paid * traded) / turnover - 1);
}

/** 95 % interval of the ratio of both means, by a bootstrap of whole days. */
function ratioInterval(outcomes: readonly Outcome[], uniform: () => number): { low: number; high: number } {
  const sums = new Map<number, { own: number; even: number }>();
  for (const { day, own, even } of outcomes) {
    const sum = sums.get(day) ?? { own: 0, even: 0 };
    sums.set(day, { own: sum.own + own, even: sum.even + even });
  }
  const byDay = [...sums.values()];
  const ratios = Float64Array.from({ length: RESAMPLES_COUNT }, () => {
    let [own, even] = [0, 0];
    for (let draw = 0; draw < byDay.length; draw += 1) {
      const day = byDay[Math.floor(uniform() * byDay.length)]!;
      own += day.own;
      even += day.even;
    }
    return own / even;
  }).sort();
  return { low: quantileOf(ratios, 0.025), high: quantileOf(ratios, 0.975) };
}
