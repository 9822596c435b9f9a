/**
 * Share of a day's volume in each hour of UTC, in per cent: mean of 31 days of one-minute candles of the most traded
 * Bitcoin perpetual of January 2022. Crypto markets never close, but their people sleep.
 */
const HOUR_SHARES = [
  3.82, 2.52, 2.35, 3.0, 3.15, 2.53, 2.08, 2.46, 3.4, 3.31, 3.44, 3.64, 3.78, 5.6, 7.76, 7.25, 6.69, 6.03, 5.47, 4.79,
  4.82, 4.63, 3.88, 3.59,
];
const HOURS = HOUR_SHARES.length;
const TOTAL = HOUR_SHARES.reduce((sum, share) => sum + share, 0);
/** Parts of a day below about ten minutes are level. */
const LEVELS = 8;

/** Activity at a part of the day in [0, 1), its mean over the day being 1: straight lines between the hours' middles. */
export function activityAt(dayPart: number): number {
  const hour = dayPart * HOURS - 0.5;
  const before = Math.floor(hour);
  const weight = hour - before;
  const [left, right] = [HOUR_SHARES[(before + HOURS) % HOURS]!, HOUR_SHARES[(before + 1) % HOURS]!];
  return ((left * (1 - weight) + right * weight) * HOURS) / TOTAL;
}

/** For each dyadic part of a day, which share of its activity falls into its first half. */
const FIRST_HALVES = Array.from({ length: LEVELS }, (_, level) =>
  Float64Array.from({ length: 2 ** level }, (__, index) => {
    const length = 1 / 2 ** level;
    const first = meanActivity(index * length, length / 2);
    return first / (first + meanActivity((index + 0.5) * length, length / 2));
  }),
);

/** The share of the first half in the activity of part `index` of the 2^level parts of a day. */
export function firstHalfShare(level: number, index: number): number {
  return level < LEVELS ? FIRST_HALVES[level]![index]! : 0.5;
}

function meanActivity(from: number, length: number): number {
  const samples = 64;
  let sum = 0;
  for (let sample = 0; sample < samples; sample += 1) sum += activityAt(from + ((sample + 0.5) * length) / samples);
  return sum / samples;
}
