import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeService } from '../client/fake-service.js';
import { commandAgainst } from './command-against.js';
import type { Outcome } from './command-line.js';

const PATH = 'POST /api/v2/trading/order/preview';
const FLAGS = '--exchange BINANCE --symbol BTC/USDT --side BUY --quantity 0.50 --strategy TWAP --duration 600'.split(
  ' ',
);
const ORDER = {
  exchange: 'BINANCE',
  symbol: 'BTC/USDT',
  asset_category: 'SPOT',
  side: 'BUY',
  quantity: '0.50',
  strategy: 'TWAP',
  params: { duration_seconds: '600' },
};
const COST = { spread_bps: 0.27, impact_bps: 0.11, fee_bps: 10, total_bps: 10.38, stdev_bps: 4.31 };
const slices = (count: number): object[] =>
  Array.from({ length: count }, (_, index) => ({ time: 1_795_262_400_000 + 30_000 * index, quantity: 0.025 }));
const GOOD = {
  accepted: true,
  rejections: [],
  schedule: slices(20),
  children: { count: 20, quantity: 0.025 },
  expected_cost: COST,
  participation: 0.0113,
};
const FUNDS = { error_code: 'INSUFFICIENT_FUNDS', message: 'the order needs 305, of which 100 is free' };

let service: FakeService;

beforeEach(async () => {
  service = await FakeService.start();
});
afterEach(() => service.stop());

function preview(content: unknown, ...args: string[]): Promise<Outcome> {
  service.on(PATH, () => ({ content }));
  return commandAgainst(service, 'preview', ...FLAGS, ...args);
}

describe('sluice preview', () => {
  it('sends the body of a create without inventing a client order id', async () => {
    expect((await preview(GOOD)).status).toBe(0);
    expect(service.asked.at(-1)?.body).toEqual(ORDER);
    await preview(GOOD, '--client-order-id', 'mine');
    expect(service.asked.at(-1)?.body).toEqual({ ...ORDER, client_order_id: 'mine' });
  });

  it('prints the verdict, the figures and the first slices', async () => {
    const { out } = await preview(GOOD);
    const lines = out.split('\n');
    expect(lines[0]).toBe('Would be accepted.');
    for (const line of [
      /^participation +1\.13 +% of the volume/,
      /^expected cost +10\.38 +bps/,
      /^standard deviation +4\.31 +bps/,
    ]) {
      expect(out).toMatch(new RegExp(line.source, 'm'));
    }
    expect(lines.filter((line) => /^2026-11-21T.*0\.025$/.test(line))).toHaveLength(12);
    expect(out).toContain('… and 8 more');
  });

  it('prints a participation far above 100 % without an exponent', async () => {
    expect((await preview({ ...GOOD, participation: 191.009 })).out).toMatch(/^participation +19101 +% of the volume/m);
  });

  it('prints the unchanged answer with --json', async () => {
    const { out, status } = await preview(GOOD, '--json');
    expect([JSON.parse(out), status]).toEqual([GOOD, 0]);
  });

  it('exits with status 1 and lists the reasons when the order would be rejected', async () => {
    const one = await preview({ accepted: false, rejections: [FUNDS] });
    expect(one).toMatchObject({
      status: 1,
      out: 'Would be rejected.\n',
      error: expect.stringContaining('INSUFFICIENT_FUNDS: the order') as string,
    });
    const second = { error_code: 'QUANTITY_EXCEED', message: 'too much of it' };
    const { out, status } = await preview({ accepted: false, rejections: [FUNDS, second] });
    expect([status, out]).toEqual([1, expect.stringMatching(/INSUFFICIENT_FUNDS[^]*QUANTITY_EXCEED +too much of it/)]);
    const result = await preview({ accepted: false, rejections: [FUNDS, second] }, '--json');
    expect([result.status, JSON.parse(result.out)]).toMatchObject([1, { accepted: false }]);
  });

  it('prints the id of an order that exists already', async () => {
    expect((await preview({ ...GOOD, existing_order_id: 7 })).out).toMatch(/^Already placed as order 7\./);
  });
});
