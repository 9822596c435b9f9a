import { median, type Figure } from '../report.js';

/** A figure of a run, as benchmarks print it with --json. */
export type Measured = Pick<Figure, 'case' | 'metric' | 'value' | 'unit'>;

/** One case and metric of both sides. */
export interface Comparison {
  readonly case: string;
  readonly metric: string;
  readonly unit: string;
  /** Medians of the runs. */
  readonly a: number;
  readonly b: number;
  /** B/A, geometric mean of the pairs. */
  readonly ratio: number;
  /** 95 % interval of the ratio; null for one pair. */
  readonly low: number | null;
  readonly high: number | null;
  /** Pairs with a value above 0 on both sides. */
  readonly n: number;
}

/**
 * 97.5 % quantiles of Student's t for 1 to 30 degrees of freedom. The last one serves for more degrees, which is
 * conservative.
 */
const T_975 = [
  12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.306, 2.2622, 2.2281, 2.201, 2.1788, 2.1604, 2.1448, 2.1314,
  2.1199, 2.1098, 2.1009, 2.093, 2.086, 2.0796, 2.0739, 2.0687, 2.0639, 2.0595, 2.0555, 2.0518, 2.0484, 2.0452, 2.0423,
] as const;

/**
 * Compares the runs pair by pair. The interval is that of the mean of ln(B/A) over the pairs, by Student's t with n - 1
 * degrees of freedom. Pairing removes the noise that both runs of a pair share.
 */
export function compared(
  pairs: readonly { readonly a: readonly Measured[]; readonly b: readonly Measured[] }[],
): Comparison[] {
  const all = new Map<string, { readonly figure: Measured; readonly a: number[]; readonly b: number[] }>();
  for (const pair of pairs) {
    const others = new Map(pair.b.map((figure) => [keyOf(figure), figure.value]));
    for (const figure of pair.a) {
      const other = others.get(keyOf(figure));
      if (other === undefined || !(other > 0) || !(figure.value > 0)) continue;
      const values = all.get(keyOf(figure)) ?? { figure, a: [], b: [] };
      all.set(keyOf(figure), values);
      values.a.push(figure.value);
      values.b.push(other);
    }
  }
  return [...all.values()].map(({ figure, a, b }) => {
    const { case: name, metric, unit } = figure;
    return { case: name, metric, unit, a: median(a), b: median(b), ...ratioOf(a, b), n: a.length };
  });
}

function keyOf({ case: name, metric, unit }: Measured): string {
  return `${name}\n${metric}\n${unit}`;
}

/** Geometric mean of b/a with its 95 % interval. */
export function ratioOf(a: readonly number[], b: readonly number[]): Pick<Comparison, 'ratio' | 'low' | 'high'> {
  const logs = a.map((value, index) => Math.log(b[index]! / value));
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
  if (logs.length < 2) return { ratio: Math.exp(mean), low: null, high: null };
  const freedom = logs.length - 1;
  const variance = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / freedom;
  const reach = (T_975[freedom - 1] ?? T_975[29]) * Math.sqrt(variance / logs.length);
  return { ratio: Math.exp(mean), low: Math.exp(mean - reach), high: Math.exp(mean + reach) };
}
