import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CostGroup, OrderCost, WindowCost } from '../../src/client/index.js';
import { FakeService } from '../client/fake-service.js';
import { commandAgainst } from './command-against.js';
import type { Outcome } from './command-line.js';

type Cost = NonNullable<OrderCost['legs'][number]['cost']>;

const COST: Cost = {
  start_time: 1_700_000_000_000,
  end_time: 1_700_000_060_000,
  on_time: true,
  arrival_price: 60_000.5,
  average_price: 60_012.25,
  arrival_slippage_bps: 1.958,
  all_in_slippage_bps: 6.958,
  implementation_shortfall_bps: 6.95,
  implementation_shortfall: { currency: 'USDT', trading: 2.35, missed: 0, fees: 6, total: 8.35 },
  vwap_slippage_bps: -0.5,
  vwap_with_own_slippage_bps: -0.25,
  twap_slippage_bps: 0.125,
  schedule_deviation: { largest: 0.1, rms: 0.05 },
  participation: 0.02,
  participation_target: null,
  effective_spread_bps: 1.5,
  spread_capture: -0.98765,
  markouts: [
    { horizon_ms: 1000, bps: 0.75, coverage: 1 },
    { horizon_ms: 5000, bps: -0.5, coverage: 0.8125 },
    { horizon_ms: 60_000, bps: null, coverage: 0 },
  ],
  maker_share: 0.25,
  fees_bps: 5,
  market: {
    observed_from: 1_700_000_000_000,
    observed_to: 1_700_000_060_000,
    volume: 10,
    vwap: 60_015.25,
    vwap_with_own: 60_013.75,
    twap: 60_011.5,
  },
};
const REPORT: OrderCost = {
  order_id: 7,
  status: 'FILLED',
  as_of: 1_700_000_200_000,
  is_final: true,
  legs: [
    {
      exchange: 'BINANCE',
      symbol: 'BTC/USDT',
      side: 'BUY',
      strategy: 'TWAP',
      quantity: 0.2,
      filled_quantity: 0.2,
      completion: 1,
      children: {
        sent: 5,
        filled: 4,
        rejected: 0,
        cancelled: 1,
        fills: 4,
        fill_rate: 0.8,
        sent_per_fill: 1.25,
        cancelled_per_fill: 0.25,
        messages_per_fill: 1.5,
      },
      fees_infos: { USDT: 6 },
      cost: COST,
    },
  ],
};
const GROUP: CostGroup = {
  strategy: 'TWAP',
  currency: 'USDT',
  legs: 12,
  wanted_value: 1266.15,
  filled_value: 1234.5,
  completion: 0.975,
  on_time_share: 1,
  arrival_slippage_bps: 1.25,
  arrival_slippage_stderr_bps: 0.5,
  all_in_slippage_bps: 6.25,
  implementation_shortfall_bps: 6.5,
  vwap_slippage_bps: -0.25,
  vwap_with_own_slippage_bps: -0.2,
  twap_slippage_bps: 0.5,
  effective_spread_bps: 1.5,
  spread_capture: -0.5,
  participation: 0.02,
  maker_share: 0.25,
  fees_bps: 5,
  markouts: [{ horizon_ms: 1000, bps: 0.75 }],
  fees_infos: { USDT: 6 },
  children: { sent: 50, filled: 40, rejected: 0, cancelled: 10, fills: 40 },
};
const WINDOW: WindowCost = {
  from: 1_700_000_000_000,
  to: 1_700_086_400_000,
  as_of: 1_700_086_400_000,
  orders: 12,
  is_complete: true,
  groups: [GROUP],
};

let service: FakeService;

beforeEach(async () => {
  service = await FakeService.start();
});
afterEach(() => service.stop());

const run = (...args: string[]): Promise<Outcome> => commandAgainst(service, ...args);

/** The cells of a table line. At least two blanks divide them. */
const cells = (line = ''): string[] => line.trim().split(/ {2,}/);

describe('sluice tca of an order', () => {
  beforeEach(() => service.on('GET /api/v2/trading/order/tca', () => ({ content: REPORT })));

  it('prints every figure of a leg with its unit', async () => {
    const { status, out } = await run('tca', '7');
    const lines = out.split('\n');
    expect(status).toBe(0);
    expect(lines[0]).toBe('Order 7, FILLED, final; basis points, positive is cost');
    const figures = new Map(lines.slice(3).map((line) => [cells(line)[0], cells(line).slice(1)] as const));
    expect(Object.fromEntries(figures)).toMatchObject({
      order: ['BUY 0.2 BTC/USDT', 'TWAP on BINANCE'],
      'arrival price': ['60000.5'],
      'arrival slippage': ['1.96', 'bps'],
      'implementation shortfall': ['6.95', 'bps'],
      'VWAP slippage': ['-0.50', 'bps'],
      'off schedule, at most': ['10.00', '%'],
      'spread capture': ['-0.988', 'half spreads'],
      'markout 1 s': ['0.75', 'bps'],
      'markout 5 s': ['-0.50', 'bps of 81.3 % filled'],
      'maker share': ['25.00', '%'],
      'on time': ['yes'],
      children: ['5', '4 filled, 0 rejected, 1 cancelled'],
      fills: ['4', '80.0 % of the sent quantity'],
      fees: ['6', 'USDT'],
    });
  });

  it('prints four decimals for small figures and no sign for zero', async () => {
    const cost = { ...COST, arrival_slippage_bps: -0.00125, effective_spread_bps: 0.0009, fees_bps: -1e-9 };
    service.on('GET /api/v2/trading/order/tca', () => ({
      content: { ...REPORT, legs: [{ ...REPORT.legs[0], cost }] },
    }));
    const { out } = await run('tca', '7');
    expect(out).toMatch(/^arrival slippage +-0\.0013  bps$/m);
    expect(out).toMatch(/^effective spread +0\.0009  bps$/m);
    expect(out).toMatch(/^fees +0\.00  bps$/m);
  });

  it('leaves unknown figures empty', async () => {
    expect((await run('tca', '7')).out).toMatch(/^markout 60 s$/m);
  });

  it('prints its time while the order works, and no figures before the order could trade', async () => {
    const legs = REPORT.legs.map((leg) => ({ ...leg, filled_quantity: 0, completion: 0, cost: null }));
    const waiting = { ...REPORT, status: 'ACCEPTED', is_final: false, legs };
    service.on('GET /api/v2/trading/order/tca', () => ({ content: waiting }));
    const { out } = await run('tca', '7');
    expect(out.split('\n')[0]).toBe(
      'Order 7, ACCEPTED, as of 2023-11-14T22:16:40.000Z; basis points, positive is cost',
    );
    expect(out).not.toContain('arrival');
  });

  it('shows a table for each leg of a pair', async () => {
    const other = { ...REPORT.legs[0], exchange: 'OKX', side: 'SELL' };
    service.on('GET /api/v2/trading/order/tca', () => ({ content: { ...REPORT, legs: [REPORT.legs[0], other] } }));
    const { out } = await run('tca', '7');
    expect(out.match(/^FIGURE/gm)).toHaveLength(2);
    expect(out).toMatch(/SELL 0\.2 BTC\/USDT +TWAP on OKX/);
  });

  it('selects the order by either id and prints JSON', async () => {
    expect(JSON.parse((await run('tca', '7', '--json')).out)).toEqual(REPORT);
    await run('tca', '--client-order-id', 'mine');
    expect(service.asked.map(({ query }) => Object.fromEntries(query))).toEqual([
      { orderId: '7' },
      { clientOrderId: 'mine' },
    ]);
    expect((await run('tca', 'seven')).status).toBe(2);
  });

  it('prints why there is no report', async () => {
    const refusal = { error_code: 'INVALID_ORDER', message: 'there is no order 9' };
    service.on('GET /api/v2/trading/order/tca', () => ({ status: 404, content: refusal }));
    const { status, error } = await run('tca', '9');
    expect(status).toBe(1);
    expect(error).toContain('there is no order 9');
  });
});

describe('sluice tca of a window', () => {
  beforeEach(() => service.on('GET /api/v2/trading/tca', () => ({ content: WINDOW })));

  it('prints one line for each group', async () => {
    const { out } = await run('tca', '--by', 'Strategy, symbol');
    const [head, , titles, group] = out.split('\n');
    expect(head).toBe(
      'Orders created from 2023-11-14T22:13:20.000Z to 2023-11-15T22:13:20.000Z: 12; basis points, positive is cost',
    );
    expect(cells(titles).slice(0, 5)).toEqual(['GROUP', 'LEGS', 'FILLED', 'DONE', 'ARRIVAL']);
    expect(cells(group).slice(0, 6)).toEqual(['TWAP', '12', '1234.50 USDT', '97.5 %', '1.25 ± 0.50', '-0.25']);
    expect(service.asked[0]?.query.getAll('by').join(',')).toBe('strategy,symbol');
  });

  it('sends the window and the filters', async () => {
    const from = ['--from', '2026-11-20T00:00:00Z', '--to', '1795219200000'];
    const { out } = await run(
      'tca',
      ...from,
      '--exchange',
      'OKX',
      '--symbol',
      'BTC/USDT',
      '--strategy',
      'TWAP',
      '--json',
    );
    expect(JSON.parse(out)).toEqual(WINDOW);
    expect(Object.fromEntries(service.asked[0]?.query ?? [])).toEqual({
      from: String(Date.UTC(2026, 10, 20)),
      to: '1795219200000',
      exchange: 'OKX',
      symbol: 'BTC/USDT',
      strategy: 'TWAP',
    });
  });

  it('prints the next window when orders are left, and a notice when there are none', async () => {
    service.on('GET /api/v2/trading/tca', () => ({ content: { ...WINDOW, is_complete: false, next_to: 5 } }));
    expect((await run('tca')).out).toMatch(/^These are the latest 12 orders. Older ones: --to 5$/m);
    service.on('GET /api/v2/trading/tca', () => ({ content: { ...WINDOW, orders: 0, groups: [] } }));
    expect((await run('tca')).out).toBe('No orders traded in this window.\n');
  });

  it('accepts only known grouping keys', async () => {
    const { status, error } = await run('tca', '--by', 'mood');
    expect(status).toBe(2);
    expect(error).toContain('allowed are strategy, symbol, exchange, side');
    expect(service.asked).toEqual([]);
  });
});
