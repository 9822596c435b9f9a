import { collectDefaultMetrics, Counter, Gauge, type Metric, Registry } from 'prom-client';
import { type AnswerMeters, BUCKET_ENDS_MS, type RouteMeter } from './answer-meter.js';
import { type MetricRow, type MetricSources, metricTable } from './metric-table.js';

/** Content type of the text. */
export const EXPOSITION_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;

/**
 * Writes all metrics in the Prometheus format. It reads the counters of the components at each scrape. The metrics of the
 * process (memory, processor, event loop, collections) are collected from the first scrape on.
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

const NAME = 'sluice_http_request_duration_seconds';
const MS_PER_S = 1000;

interface Sample {
  readonly metricName: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/**
 * The answer times as a Prometheus histogram, read from the meters at each scrape. The histogram of the package has its
 * own counters, which cost microseconds per request. A registry accepts any object with `get`.
 */
export function answerHistogram(meters: AnswerMeters): Metric {
  const shown = {
    name: NAME,
    help: 'Time from the head of a request to its answer.',
    type: 'histogram',
    aggregator: 'sum',
    get: () => Promise.resolve({ ...shown, values: [...meters.all()].flatMap(samplesOf) }),
  };
  // The types of the package allow its own classes only.
  return shown as unknown as Metric;
}

/** Cumulative buckets, as Prometheus defines them. A route without answers has none. */
function samplesOf({ route, answersByBucket, totalMs }: RouteMeter): Sample[] {
  let count = 0;
  const buckets = [...answersByBucket].map((answers, bucket) => {
    count += answers;
    const endMs = BUCKET_ENDS_MS[bucket];
    const le = endMs === undefined ? '+Inf' : endMs / MS_PER_S;
    return { metricName: `${NAME}_bucket`, labels: { route, le }, value: count };
  });
  if (count === 0) return [];
  return [
    ...buckets,
    { metricName: `${NAME}_sum`, labels: { route }, value: totalMs / MS_PER_S },
    { metricName: `${NAME}_count`, labels: { route }, value: count },
  ];
}
