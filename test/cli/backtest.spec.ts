import { describe, expect, it } from 'vitest';
import type { BacktestReport, BacktestRequest } from '../../src/cli/port.js';
import { reject } from '../../src/domain/rejection.js';
import { sluice } from './command-line.js';

const REPORT: BacktestReport = {
  recording: 'binance_spot_BTCUSDT_made',
  exchange: 'BINANCE',
  symbol: 'BTC/USDT',
  side: 'BUY',
  strategy: 'TWAP',
  status: 'EXPIRED',
  message: 'the end time passed',
  quantity: 5,
  filled_quantity: 4,
  start_time: Date.UTC(2024, 7, 8, 23, 54, 14, 226),
  end_time: Date.UTC(2024, 7, 8, 23, 58, 54),
  children: 10,
  fills: 42,
  arrival_price: 61837.635,
  average_price: 61757.217,
  arrival_slippage_bps: -13.0047,
  fees: 247.03,
  fee_currency: 'USDT',
  fees_bps: 10,
  all_in_slippage_bps: -3.02,
  implementation_shortfall_bps: -3.02,
  market_vwap: 61707.38,
  vwap_slippage_bps: 8.08,
  market_vwap_with_own: 61708.74,
  vwap_with_own_slippage_bps: 7.86,
  twap_price: null,
  twap_slippage_bps: null,
  maker_share: 0.8,
  participation: 0.0273,
  schedule_deviation: { largest: 0.1, rms: 0.037 },
  markouts: [
    { horizon_ms: 1_000, bps: -0.92, coverage: 1 },
    { horizon_ms: 60_000, bps: 1.5, coverage: 0.5 },
  ],
};

function run(...args: string[]) {
  const requests: BacktestRequest[] = [];
  const backtests = {
    run: (request: BacktestRequest) => {
      requests.push(request);
      return Promise.resolve(REPORT);
    },
  };
  return sluice(['backtest', ...args], {}, { backtests }).then((outcome) => ({
    ...outcome,
    requests,
  }));
}

describe('sluice backtest', () => {
  it('passes its options to the backtest', async () => {
    const args = '--data d --order o.json --symbol BTC/USDT --queue probabilistic --latency-ms 7 --rates 10/1s';
    const { requests, status } = await run(...args.split(' '));
    expect(status).toBe(0);
    expect(requests).toEqual([
      {
        dataDir: 'd',
        orderFile: 'o.json',
        symbol: 'BTC/USDT',
        queueModel: 'probabilistic',
        latencyMs: 7,
        venueRates: '10/1s',
      },
    ]);
    expect((await run('--data', 'd', '--order', 'o.json')).requests).toEqual([
      { dataDir: 'd', orderFile: 'o.json', symbol: null, queueModel: 'risk-averse', latencyMs: 0, venueRates: 'off' },
    ]);
  });

  it('prints the cost report as text', async () => {
    const { out } = await run('--data', 'd', '--order', 'o.json');
    const lines = out.split('\n').map((line) => line.trim().replace(/ {2,}/g, ' | '));
    expect(lines).toEqual(
      expect.arrayContaining([
        'order | BUY 5 BTC/USDT TWAP on BINANCE: EXPIRED',
        'because | the end time passed',
        'recording | binance_spot_BTCUSDT_made, 23:54:14.226Z to 23:58:54.000Z by its clock',
        'slippage | -13.00 bps | (positive is cost)',
        'fees | 247.03 USDT | (10.00 bps)',
        'market VWAP | 61707.38 | (+8.08 bps)',
        'TWAP | none',
        'maker share | 80.0 %',
        'off schedule | 10.0 % of the order at most, 3.7 % root mean square',
        'after 1 s | -0.92 bps | (positive is gain)',
        'after 60 s | +1.50 bps | (positive is gain, 50.0 % of the fills)',
      ]),
    );
  });

  it('prints the cost report as JSON', async () => {
    const { out } = await run('--data', 'd', '--order', 'o.json', '--json');
    expect(JSON.parse(out)).toEqual(REPORT);
  });

  it.each([
    ['no order', ['--data', 'd']],
    ['an unknown queue model', ['--data', 'd', '--order', 'o', '--queue', 'lucky']],
    ['a latency that is none', ['--data', 'd', '--order', 'o', '--latency-ms', '-1']],
  ])('exits with status 2 for %s', async (_, args) => {
    expect((await run(...args)).status).toBe(2);
  });

  it.each([
    ['INVALID_REQUEST', 2],
    ['INVALID_PARAM', 1],
  ] as const)('prints only the reason of %s and exits with status %s', async (code, expected) => {
    const backtests = { run: () => Promise.resolve(reject(code, 'a.csv, line 3, column 5 (price): "" is wrong')) };
    const args = ['backtest', '--data', 'd', '--order', 'o', '--json'];
    const { status, out, error } = await sluice(args, {}, { backtests });
    expect([status, out]).toEqual([expected, '']);
    expect(error).toBe(`sluice: ${code}: a.csv, line 3, column 5 (price): "" is wrong\n`);
  });

  it('exits with status 1 and the reason of a failure, also under its old name', async () => {
    const { status, error } = await sluice(['replay', '--data', 'd', '--order', 'o'], {});
    expect([status, error]).toEqual([1, 'sluice: there are no recordings\n']);
  });
});
