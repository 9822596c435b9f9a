import type { Metric } from 'prom-client';
import { BUCKET_ENDS_MS, type AnswerMeters, type RouteMeter } from './answer-meter.js';

const NAME = 'sluice_http_request_duration_seconds';
const MS_PER_S = 1000;

interface Sample {
  readonly metricName: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/**
 * The times of answers as a histogram of Prometheus, read from the meters at each scrape. The package's own histogram
 * counts inside itself, which costs microseconds a request; a registry takes whatever shows itself by `get`.
 */
export function answerHistogram(meters: AnswerMeters): Metric {
  const shown = {
    name: NAME,
    help: 'Time from the head of a request to its answer.',
    type: 'histogram',
    aggregator: 'sum',
    get: () => Promise.resolve({ ...shown, values: [...meters.all()].flatMap(samplesOf) }),
  };
  // Its types know the package's classes only.
  return shown as unknown as Metric;
}

/** Buckets as Prometheus has them: each with all that were faster. None of a route that nobody has asked for. */
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
