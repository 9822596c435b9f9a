import { Counter, Gauge, type Metric, type Registry } from 'prom-client';
import type { BucketCounts } from '../../domain/trading-figures.js';

/** One metric. Its name ends with its unit, and its rows are read at each scrape. */
export interface MetricRow {
  readonly kind: 'counter' | 'gauge';
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  /** The values of the labels, in the order of the labels, and the number. */
  readonly read: () => readonly (readonly [labels: readonly string[], value: number])[];
}

/** A gauge without labels. */
export function single(name: string, help: string, read: () => number): MetricRow {
  return { kind: 'gauge', name, help, labels: [], read: () => [[[], read()]] };
}

/** A counter without labels. */
export function counter(name: string, help: string, read: () => number): MetricRow {
  return { kind: 'counter', name, help, labels: [], read: () => [[[], read()]] };
}

/** A Prometheus histogram with one label. Its rows are read at each scrape. */
export interface HistogramRow {
  readonly name: string;
  readonly help: string;
  readonly label: string;
  /** Upper bounds of the buckets, in the unit of the name. The last bucket has none. */
  readonly ends: readonly number[];
  readonly read: () => readonly BucketCounts<string>[];
}

/** Adds a metric to the registry. */
export function register(registry: Registry, { kind, name, help, labels, read }: MetricRow): void {
  const named = { name, help, labelNames: labels, registers: [registry] };
  if (kind === 'gauge') {
    const gauge: Gauge = new Gauge({
      ...named,
      collect: () => {
        gauge.reset();
        for (const [values, value] of read()) gauge.labels(...values).set(value);
      },
    });
    return;
  }
  const metric: Counter = new Counter({
    ...named,
    collect: () => {
      metric.reset();
      for (const [values, value] of read()) metric.labels(...values).inc(value);
    },
  });
}

/**
 * A histogram whose counts are read at each scrape. The histogram of the package has its own counters, which cost
 * microseconds per value. A registry accepts any object with `get`.
 */
export function histogram(row: HistogramRow): Metric {
  const shown = {
    name: row.name,
    help: row.help,
    type: 'histogram',
    aggregator: 'sum',
    get: () => Promise.resolve({ ...shown, values: row.read().flatMap((counts) => samplesOf(row, counts)) }),
  };
  // The types of the package allow its own classes only.
  return shown as unknown as Metric;
}

interface Sample {
  readonly metricName: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/** Cumulative buckets, as Prometheus defines them. A row without values has none. */
function samplesOf(
  { name, label, ends }: HistogramRow,
  { label: value, counts, total }: BucketCounts<string>,
): Sample[] {
  let count = 0;
  const buckets = counts.map((own, bucket) => {
    count += own;
    return { metricName: `${name}_bucket`, labels: { [label]: value, le: ends[bucket] ?? '+Inf' }, value: count };
  });
  if (count === 0) return [];
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels: { [label]: value }, value: total },
    { metricName: `${name}_count`, labels: { [label]: value }, value: count },
  ];
}
