import { collectDefaultMetrics, type Metric, Registry } from 'prom-client';
import { type AnswerMeters, BUCKET_ENDS_MS } from './answer-meter.js';
import { histogram, register } from './metric-row.js';
import { type MetricSources, metricTable } from './metric-table.js';
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

const MS_PER_S = 1000;

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
