import { describe, expect, test } from 'vitest';
import { FuturesRig, UNIT } from './futures-rig.js';

describe('positions', () => {
  test("reports every change, and the end, to the account's home shard", () => {
    const rig = new FuturesRig();
    const { venue } = rig;
    venue.submit({ side: 'BUY', type: 'MARKET', quantity: 300 });
    venue.submit({ side: 'SELL', type: 'MARKET', quantity: 300 });
    const reported = venue.sent.flatMap(({ report }) => (report.kind === 'Positions' ? report.positions : []));
    expect(reported).toMatchObject([
      { positionSide: 'BOTH', net: 300 },
      { positionSide: 'BOTH', net: 0, cost: 0n, liquidationPrice: null },
    ]);
  });

  test('values profit as of a close at the mark price', () => {
    const rig = new FuturesRig();
    rig.venue.submit({ side: 'SELL', type: 'MARKET', quantity: 300 });
    rig.marks.price -= 1_000;
    const [{ cost, unrealisedPnl }] = rig.positions() as [ReturnType<typeof rig.positions>[number]];
    expect(unrealisedPnl).toBe((-300n * BigInt(rig.marks.price) - cost) * UNIT);
  });

  test('needs no margin for an order that closes the position', () => {
    const rig = new FuturesRig();
    const { venue } = rig;
    venue.submit({ type: 'MARKET', quantity: 10_000 });
    const { free } = venue.balance('USDT');
    venue.submit({ side: 'SELL', limitPrice: venue.market.ask + 1_000, quantity: 10_000 });
    expect(venue.balance('USDT').free).toBe(free);
    const { order } = venue.submit({ side: 'SELL', limitPrice: venue.market.ask + 1_000, quantity: 1_000 });
    expect(venue.balance('USDT').free).toBeLessThan(free);
    venue.cancel(order);
    expect(venue.balance('USDT').free).toBe(free);
  });
});
