import { describe, expect, it } from 'vitest';
import { eventually } from './eventually.js';
import { twapOrder } from './sample-orders.js';
import { newSite } from './site.js';

const SPEED = 30;
const DURATION_MS = 300_000;

describe('SLUICE_SIM_SPEED=30', () => {
  it('works a TWAP of five minutes in ten seconds and shows service time', async () => {
    const site = newSite();
    const key = await site.issueKey();
    const client = site.client(await site.start({ env: { SLUICE_SIM_SPEED: String(SPEED) } }).ready(), key);
    const startMs = performance.now();
    const { order_id: orderId, created_at: createdAt } = await client.create(twapOrder(DURATION_MS / 1000));
    const [order] = await eventually(
      () => client.byId({ orderIds: [orderId as number], includeTrades: true }),
      ([found]) => found?.status === 'FILLED',
    );
    const realMs = performance.now() - startMs;
    const { timestamp, service_time: serviceTime } = await client.ping();

    // Its last slice is due a slot before the end.
    expect(realMs).toBeGreaterThan((0.9 * DURATION_MS) / SPEED);
    const [first, ...more] = order?.trades?.map(({ execTime }) => execTime) ?? [];
    const last = more.at(-1) ?? 0;
    expect(first).toBeGreaterThanOrEqual(Date.parse(createdAt));
    expect(last - Date.parse(createdAt)).toBeGreaterThan(0.9 * DURATION_MS);
    // A busy machine may delay the last report by 0.2 s, which is 6 s of service time.
    expect(last - Date.parse(createdAt)).toBeLessThanOrEqual(DURATION_MS + 6_000);
    // Service time has run ahead of real time, which alone counts for signatures.
    expect(serviceTime - timestamp).toBeGreaterThan(0.9 * DURATION_MS * (1 - 1 / SPEED));
    expect(Math.abs(timestamp - Date.now())).toBeLessThan(5000);
  });
});
