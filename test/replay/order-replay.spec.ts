import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { reportReplay } from '../../src/replay/replay-report.js';
import type { ReplayRequest } from '../../src/replay/replay-request.js';

const RECORDINGS = join(import.meta.dirname, 'recordings');
const NAME = 'binance_spot_BTCUSDT_made';
const ORDER = { exchange: 'BINANCE', symbol: 'BTC/USDT', asset_category: 'SPOT', side: 'BUY', quantity: '4' };
const TWAP = { ...ORDER, strategy: 'TWAP', params: { duration_seconds: '60' } };

const workbench = mkdtempSync(join(tmpdir(), 'sluice-replay-'));
afterAll(() => rmSync(workbench, { recursive: true }));
let fileCount = 0;

function fileOf(content: string): string {
  fileCount += 1;
  const file = join(workbench, `order-${fileCount}.json`);
  writeFileSync(file, content);
  return file;
}

function replay(order: object, request: Partial<ReplayRequest> = {}) {
  const orderFile = fileOf(JSON.stringify(order));
  return reportReplay({
    dataDir: RECORDINGS,
    symbol: null,
    orderFile,
    queueModel: 'risk-averse',
    latencyMs: 0,
    venueRates: 'off',
    ...request,
  });
}

function packed(): string {
  const folder = join(workbench, 'packed', 'binance');
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(RECORDINGS)) {
    writeFileSync(join(folder, `${name}.gz`), gzipSync(readFileSync(join(RECORDINGS, name))));
  }
  return join(workbench, 'packed');
}

describe('an order on a recorded market', () => {
  it('is worked by the service’s own shard and strategy to its end', async () => {
    const report = await replay(TWAP);
    expect(report).toMatchObject({ recording: NAME, status: 'FILLED', filled_quantity: 4, arrival_price: 100.005 });
    expect(report.children).toBeGreaterThan(5);
    expect(report.end_time - report.start_time).toBeLessThanOrEqual(60_000);
    expect(report.schedule_deviation?.largest).toBeLessThan(0.5);
    expect(report.participation).toBeGreaterThan(0);
    expect(report.maker_share).toBeGreaterThan(0);
    expect(report.markouts.map(({ horizon_ms: horizonMs }) => horizonMs)).toEqual([1_000, 5_000, 60_000]);
  });

  it('keeps to what the exchange takes of an account: with less room it is worked in fewer children', async () => {
    const [free, bound] = await Promise.all([replay(TWAP), replay(TWAP, { venueRates: '1/20s' })]);
    expect(bound.children).toBeLessThan(free.children);
    expect(bound.filled_quantity).toBeGreaterThan(0);
    await expect(replay(TWAP, { venueRates: 'soon' })).rejects.toThrow('rates: soon is not off, listed');
  });

  it('costs the same every time, packed or plain', async () => {
    const [one, again, unpacked] = await Promise.all([replay(TWAP), replay(TWAP), replay(TWAP, { dataDir: packed() })]);
    expect(again).toEqual(one);
    expect(unpacked).toEqual(one);
  });

  it('takes the levels that the book shows, as far as it must', async () => {
    const report = await replay({ ...ORDER, strategy: 'MARKET' });
    // 2.08 and 2.42 at the first two asks.
    expect(report).toMatchObject({ status: 'FILLED', children: 1, maker_share: 0, fees_bps: 10 });
    expect(report.average_price).toBeGreaterThan(report.arrival_price);
    expect(report.implementation_shortfall_bps).toBeCloseTo((report.arrival_slippage_bps ?? 0) + 10, 1);
  });

  it('comes later by its latency', async () => {
    const [near, far] = await Promise.all([
      replay({ ...ORDER, strategy: 'MARKET' }),
      replay({ ...ORDER, strategy: 'MARKET' }, { latencyMs: 30 }),
    ]);
    expect(near.end_time - near.start_time).toBe(0);
    // It asks for the balances there and back before it starts; what it then sends arrives later.
    expect(far.start_time - near.start_time).toBe(60);
    expect(far.end_time - far.start_time).toBe(30);
  });

  it('stands as it stood when the recording ends', async () => {
    const report = await replay({ ...ORDER, strategy: 'LIMIT', limit_price: '90' });
    expect(report).toMatchObject({ status: 'ACCEPTED', filled_quantity: 0, average_price: null, fees: 0 });
    expect(report.end_time - report.start_time).toBeGreaterThan(89_000);
    expect(report.twap_price).toBeGreaterThan(99);
  });

  it.each([
    ['that is no JSON', 'no json', 'INVALID_REQUEST: the body is not JSON'],
    ['that the service refuses', JSON.stringify({ ...TWAP, side: 'HOLD' }), 'INVALID_PARAM: side'],
    [
      'of an instrument nobody recorded',
      JSON.stringify({ ...TWAP, symbol: 'ETH/USDT' }),
      'INVALID_SYMBOL: no recording',
    ],
    [
      'that starts after the end',
      JSON.stringify({ ...TWAP, start_time: '2023-11-14T23:00:00Z' }),
      'INVALID_TRADE_TIME: the recording ended before the order could start',
    ],
  ])('is refused, one %s', async (_, content, message) => {
    await expect(replay(TWAP, { orderFile: fileOf(content) })).rejects.toThrow(message);
  });

  it('is told which of several recordings it may mean', async () => {
    const folder = join(workbench, 'several');
    cpSync(RECORDINGS, folder, { recursive: true });
    for (const name of readdirSync(RECORDINGS)) {
      cpSync(join(RECORDINGS, name), join(folder, name.replace('_made', '_again')));
    }
    await expect(replay(TWAP, { dataDir: folder })).rejects.toThrow(
      'several recordings of BTC/USDT on BINANCE: binance_spot_BTCUSDT_again, binance_spot_BTCUSDT_made; name one',
    );
    expect(await replay(TWAP, { dataDir: folder, symbol: 'again' })).toMatchObject({ status: 'FILLED' });
    await expect(replay(TWAP, { dataDir: folder, symbol: 'ETH/USDT' })).rejects.toThrow('there are: ');
  });

  it('says that a packed file is damaged', async () => {
    const folder = packed();
    const file = join(folder, 'binance', `${NAME}.trades.csv.gz`);
    writeFileSync(file, readFileSync(file).subarray(0, 100));
    await expect(replay(TWAP, { dataDir: folder })).rejects.toThrow('unexpected end of file');
  });

  it('needs a snapshot of the book', async () => {
    const folder = join(workbench, 'without');
    cpSync(RECORDINGS, folder, { recursive: true });
    const [header] = readFileSync(join(folder, `${NAME}.snapshot.csv`), 'utf8').split('\n');
    writeFileSync(join(folder, `${NAME}.snapshot.csv`), `${header}\n`);
    await expect(replay(TWAP, { dataDir: folder })).rejects.toThrow(
      `the recording ${NAME} has no snapshot of its book`,
    );
  });
});
