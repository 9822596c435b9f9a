import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { recordedOrders, type RecordedOrders } from '../../bench/preview/recorded-preview.js';
import { groupsOf } from '../../bench/preview/preview-group.js';
import type { PreviewedAndWorked } from '../../bench/preview/previewed-order.js';

const DATA = join(import.meta.dirname, '../backtest/recordings');

function orderOf(realisedBps: number, cluster: string): PreviewedAndWorked {
  return {
    realisedBps,
    cluster,
    distance: null,
    makerShare: 0.5,
    previewed: { order: { legs: [{ strategy: 'TWAP', style: 'HYBRID' }] } },
    preview: { makerShare: 0.4, cost: { totalBps: 1, stdevBps: 1 } },
  } as unknown as PreviewedAndWorked;
}

describe('a recorded order', () => {
  it('is previewed from what was known before it only', async () => {
    const choice = { dataDir: DATA, instrumentsFile: undefined, isQuick: true, progress: () => undefined };
    const [{ orders }] = (await recordedOrders({ ...choice, half: 'judge' })) as [RecordedOrders];
    expect(orders.length).toBe(2 * 16);
    for (const { previewed, cluster } of orders) {
      const { market, nowMs, order, seen, profile } = previewed;
      expect(order.createdAtMs).toBe(nowMs);
      expect(market.atMs).toBeLessThan(nowMs);
      expect(market.ask).toBeGreaterThan(market.bid);
      expect(market.volatility).toBeGreaterThan(0);
      expect(seen!.volume).toBeGreaterThan(0);
      expect(profile).toBeNull();
      expect(nowMs - Date.parse(`${cluster.split(' ')[1]}:00Z`)).toBeLessThan(60_000);
    }
  });
});

describe('a group of compared orders', () => {
  it('has the error of its clusters, and a bias only beyond two of them', () => {
    // Both orders of a cluster are the same one: means 1, 2 and 3 of three clusters.
    const orders = [2, 3, 4].flatMap((bps, index) => [orderOf(bps, `m${index}`), orderOf(bps, `m${index}`)]);
    const [group] = groupsOf(orders);
    expect(group).toMatchObject({ name: 'TWAP HYBRID', count: 6, clusters: 3, isUnbiased: false, isCovered: false });
    expect(group!.bias.mean).toBe(2);
    expect(group!.bias.error).toBeCloseTo(1 / Math.sqrt(3), 12);
    expect(group!.within.mean).toBeCloseTo(1 / 3, 12);
    expect(group!.expectedMakerShare).toBeCloseTo(0.4, 12);
  });
});
