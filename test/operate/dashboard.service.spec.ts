import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import WebSocket from 'ws';
import { eventually } from '../system/eventually.js';
import { marketOrder, restingOrder, twapOrder } from '../system/sample-orders.js';
import { ROOT } from '../system/service-run.js';
import { newSite } from '../system/site.js';
import { mustRun, PROMETHEUS } from './packages.js';
import { PrometheusRun, type Sample } from './prometheus-run.js';

interface Dashboard {
  readonly panels: readonly Panel[];
  readonly annotations: { readonly list: readonly { readonly expr: string }[] };
}

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}

const { panels, annotations } = JSON.parse(
  readFileSync(join(ROOT, 'src/operate/grafana/sluice.json'), 'utf8'),
) as Dashboard;
const PANELS_COUNT_MIN = 25;

/** A query as Grafana sends it, with the variables of the dashboard replaced. */
function sent(expression: string): string {
  return expression.replaceAll('$instance', '.*').replaceAll('$__rate_interval', '5s');
}

/** NaN is the quantile of no requests. */
function isNumber({ value: [, text] }: Sample): boolean {
  return text !== 'NaN';
}

it.runIf(mustRun('the test of the Grafana dashboard', PROMETHEUS))(
  'each query of the dashboard has data in a Prometheus that scrapes a service at work',
  async () => {
    const queries = panels.flatMap(({ title, targets = [] }) =>
      targets.map(({ expr }) => [title, sent(expr)] as const),
    );
    expect(new Set(queries.map(([title]) => title)).size).toBeGreaterThanOrEqual(PANELS_COUNT_MIN);
    const site = newSite();
    const key = await site.issueKey();
    await site.issueKey('trader', 'read', { expiresAtMs: Date.now() + 86_400_000 });
    const port = await site.start({ env: { SLUICE_SHARDS: '1' } }).ready();
    const prometheus = new PrometheusRun(join(site.folder, 'prometheus'), [{ port, instance: 'one' }]);
    try {
      await prometheus.ready();
      const client = site.client(port, key);
      const stream = new WebSocket(`ws://127.0.0.1:${port}/api/v2/ws?listenKey=${await client.listenKey()}`);
      await once(stream, 'open');
      stream.send('{"method":"subscribe","topic":"order","exchange":"BINANCE"}');
      await client.create(restingOrder());
      // The lag behind the schedule needs several decisions.
      await client.create(twapOrder(60));
      const empty = await eventually(
        async () => {
          await client.create(marketOrder());
          const answers = queries.map(async ([title, query]) => [title, await prometheus.query(query)] as const);
          return (await Promise.all(answers)).filter(([, samples]) => !samples.some(isNumber)).map(([title]) => title);
        },
        (titles) => titles.length === 0,
      );
      expect(empty).toEqual([]);
      // An annotation marks events. It needs a query that Prometheus accepts, and no sample.
      for (const { expr } of annotations.list) await prometheus.query(sent(expr));
      stream.terminate();
    } finally {
      await prometheus.stop();
    }
  },
);
