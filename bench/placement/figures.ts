import { ratioOf } from '../compare/paired-ratio.js';
import { type Figure, median } from '../report.js';
import type { Sample, Samples } from './contest.js';
import { summed, type ThreadCost } from './thread-times.js';

/** The parts that all figures of a case share. */
export type Heading = Pick<Figure, 'bench' | 'case' | 'rounds'>;

/** Values of one side, one a round. */
interface Values {
  readonly name: string;
  readonly values: readonly number[];
}

/**
 * Ratio of two sides: the geometric mean over the rounds with its 95 % interval. A round is a pair, because both sides
 * of a round met the same phase of the machine. The reference value is the median.
 */
export function ratioFigure(heading: Heading, metric: string, ours: readonly number[], other: Values): Figure {
  const { ratio, low, high } = ratioOf(other.values, ours);
  return {
    ...heading,
    metric,
    value: ratio,
    unit: 'ratio',
    reference: other.name,
    reference_value: median(other.values),
    ...(low !== null && { low }),
    ...(high !== null && { high }),
  };
}

/** Another side with its part of metric names: `cpu_over_bare`. */
export interface Opponent {
  readonly key: string;
  readonly name: string;
}

/** The samples of all sides, and which side is measured against which. */
interface Comparison {
  readonly samples: Samples;
  readonly name: string;
  readonly others: readonly Opponent[];
}

/** Processor time per create and rate of one side against others, processor time first. */
export function costRatios(heading: Heading, { samples, name, others }: Comparison): Figure[] {
  const against = (metric: string, valueOf: (sample: Sample) => number): Figure[] =>
    others.map((other) => {
      const values = samples.get(other.name)!.map(valueOf);
      return ratioFigure(heading, `${metric}_over_${other.key}`, samples.get(name)!.map(valueOf), {
        name: other.name,
        values,
      });
    });
  return [...against('cpu', ({ cpuUs }) => cpuUs), ...against('throughput', ({ throughput }) => throughput)];
}

/** A latency of one side against others. */
export function latencyRatios(heading: Heading, metric: string, { samples, name, others }: Comparison): Figure[] {
  const valuesOf = (side: string): number[] => samples.get(side)!.map(({ latency }) => latency.get(metric)!);
  return others.map((other) =>
    ratioFigure(heading, `${metric}_over_${other.key}`, valuesOf(name), {
      name: other.name,
      values: valuesOf(other.name),
    }),
  );
}

/** Medians of rates, processor times and latencies of one side. */
export function mediansOf(heading: Heading, samples: readonly Sample[]): Figure[] {
  const metrics = [...(samples[0]?.latency.keys() ?? [])];
  return [
    { ...heading, metric: 'cpu_per_create', value: median(samples.map(({ cpuUs }) => cpuUs)), unit: 'us' },
    { ...heading, metric: 'throughput', value: median(samples.map(({ throughput }) => throughput)), unit: '1/s' },
    ...metrics.map((metric) => {
      const value = median(samples.map(({ latency }) => latency.get(metric)!));
      return { ...heading, metric, value, unit: 'us' };
    }),
  ];
}

/** Costs of one create by thread, as the mean over all creates of the rounds. */
export function meanThreads(samples: readonly Sample[]): ThreadCost[] {
  const creates = samples.reduce((sum, sample) => sum + sample.creates, 0);
  return summed(
    samples.flatMap((sample) =>
      sample.threads.map(({ thread, userUs, systemUs, sleeps }) => ({
        thread,
        userUs: (userUs * sample.creates) / creates,
        systemUs: (systemUs * sample.creates) / creates,
        sleeps: (sleeps * sample.creates) / creates,
      })),
    ),
  );
}

/** Adds the median of another side to each figure, as its reference. */
export function referred(figures: readonly Figure[], name: string, others: readonly Figure[]): Figure[] {
  return figures.map((figure) => {
    const value = others.find(({ metric }) => metric === figure.metric)?.value;
    if (value === undefined) return figure;
    return { ...figure, reference: name, reference_value: value, ratio: figure.value / value };
  });
}
