import { collectDefaultMetrics, Counter, Gauge, type Metric, Registry } from 'prom-client';
import type { BucketCounts } from '../../domain/trading-figures.js';
import { type AnswerMeters, BUCKET_ENDS_MS } from './answer-meter.js';
import { type MetricRow, type MetricSources, metricTable } from './metric-table.js';
import { tradingHistograms } from './trading-rows.js';

/** Content type of the text. */
export const EXPOSITION_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;

/**
 * Writes all metrics in the Prometheus format. It reads the counters of the components at each scrape. The metrics of
 * the process (memory, processor, event loop, collections) are collected from the first scrape on.
 */
export class Exposition {
  readonly #sources: MetricSources;
  #registry: Registry | null = null;

  constructor(sources: MetricSources) {
    this.#sources = sources;
  }

  text(): Promise<string> {
    this.#registry ??= registryOf(this.#sources);
    return this.#registry.metrics();
  }
}

function registryOf(sources: MetricSources): Registry {
  const registry = new Registry();
  for (const row of metricTable(sources)) register(registry, row);
  registry.registerMetric(answerHistogram(sources.meters));
  for (const row of tradingHistograms(sources.figures)) registry.registerMetric(histogram(row));
  collectDefaultMetrics({ register: registry });
  return registry;
}

function register(registry: Registry, { kind, name, help, labels, read }: MetricRow): void {
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
  const counter: Counter = new Counter({
    ...named,
    collect: () => {
      counter.reset();
      for (const [values, value] of read()) counter.labels(...values).inc(value);
    },
  });
}

const MS_PER_S = 1000;

/** A Prometheus histogram with one label. Its rows are read at each scrape. */
export interface HistogramRow {
  readonly name: string;
  readonly help: string;
  readonly label: string;
  /** Upper bounds of the buckets, in the unit of the name. The last bucket has none. */
  readonly ends: readonly number[];
  readonly read: () => readonly BucketCounts<string>[];
}

/** The answer times of the routes. A route without answers has no samples. */
export function answerHistogram(meters: AnswerMeters): Metric {
  return histogram({
    name: 'sluice_http_request_duration_seconds',
    help: 'Time from the head of a request to its answer.',
    label: 'route',
    ends: BUCKET_ENDS_MS.map((endMs) => endMs / MS_PER_S),
    read: () =>
      [...meters.all()].map(({ route, answersByBucket, totalMs }) => ({
        label: route,
        counts: [...answersByBucket],
        total: totalMs / MS_PER_S,
      })),
  });
}

/**
 * A histogram whose counts are read at each scrape. The histogram of the package has its own counters, which cost
 * microseconds per value. A registry accepts any object with `get`.
 */
function histogram(row: HistogramRow): Metric {
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
