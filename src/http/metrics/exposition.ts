import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import { answerHistogram } from './answer-histogram.js';
import { metricTable, type MetricRow, type MetricSources } from './metric-table.js';

/** The type of the text. */
export const EXPOSITION_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;

/**
 * All metrics as Prometheus reads them. The numbers live where they are counted and are read here at each scrape; what
 * the process tells of itself (memory, processor, event loop, collections) is watched from the first scrape on.
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
