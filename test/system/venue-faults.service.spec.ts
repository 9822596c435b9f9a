import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { eventually } from './eventually.js';
import { twapOrder } from './sample-orders.js';
import { newSite } from './site.js';

const DURATION_S = 360;

/** The order sees only what a real exchange would report. */
const SCRIPT = `
# everything goes wrong once
{"fault": "unsent", "count": 1}
{"fault": "lost", "report": "acknowledgement", "after": 2, "count": 2}
{"fault": "lost", "report": "fill", "count": 3}
{"fault": "rate-limit", "retryAfterMs": 3000, "after": 5, "count": 1}
{"fault": "disconnect", "venue": "BINANCE", "fromMs": 120000, "untilMs": 150000}
{"fault": "restart", "fromMs": 240000, "untilMs": 250000}
{"fault": "crossed-book", "fromMs": 300000, "untilMs": 320000}
`;

it('a service works an order to its end although its exchanges are distant and fail', async () => {
  const site = newSite();
  const key = await site.issueKey();
  const script = join(site.folder, 'faults');
  writeFileSync(script, SCRIPT);
  const env = { SLUICE_SIM_SPEED: '30', SLUICE_SIM_LATENCY: 'profile', SLUICE_SIM_FAULTS: script };
  const run = site.start({ env });
  const client = site.client(await run.ready(), key);
  const { order_id: orderId } = await client.create(twapOrder(DURATION_S));
  const [order] = await eventually(
    () => client.byId({ orderIds: [orderId as number], includeTrades: true }),
    ([found]) => found?.status === 'FILLED' || found?.status === 'EXPIRED',
  );
  expect(order?.status).toBe('FILLED');
  const lots = order?.trades?.map(({ quantity }) => Math.round(quantity * 1e8)) ?? [];
  expect(lots.reduce((sum, quantity) => sum + quantity, 0)).toBe(0.01 * 1e8);
  expect(run.lines.filter(({ level }) => Number(level) >= 50)).toEqual([]);
});
