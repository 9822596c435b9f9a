import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { type BacktestOptions, reportBacktest } from '../../src/backtest/backtest-report.js';
import { RecordingFeed, recordingsIn } from '../../src/backtest/recording.js';
import { isRejected } from '../../src/domain/rejection.js';
import { buildCatalogue } from '../../src/venue/listing/catalogue.js';

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

/** Where a descriptor leads; '' when it is closed already. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

async function backtest(order: object, request: Partial<BacktestOptions> = {}) {
  const orderFile = fileOf(JSON.stringify(order));
  const report = await reportBacktest({
    dataDir: RECORDINGS,
    symbol: null,
    orderFile,
    queueModel: 'risk-averse',
    latencyMs: 0,
    venueRates: 'off',
    ...request,
  });
  if (isRejected(report)) throw new Error(`${report.rejection.code}: ${report.rejection.message}`);
  return report;
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
  it('is worked by the live shard and strategy to its end', async () => {
    const report = await backtest(TWAP);
    expect(report).toMatchObject({ recording: NAME, status: 'FILLED', filled_quantity: 4, arrival_price: 100.005 });
    expect(report.children).toBeGreaterThan(5);
    expect(report.end_time - report.start_time).toBeLessThanOrEqual(60_000);
    expect(report.schedule_deviation?.largest).toBeLessThan(0.5);
    expect(report.participation).toBeGreaterThan(0);
    expect(report.maker_share).toBeGreaterThan(0);
    expect(report.markouts.map(({ horizon_ms: horizonMs }) => horizonMs)).toEqual([1_000, 5_000, 60_000]);
  });

  it('uses fewer children under a lower venue request rate', async () => {
    const [free, bound] = await Promise.all([backtest(TWAP), backtest(TWAP, { venueRates: '1/20s' })]);
    expect(bound.children).toBeLessThan(free.children);
    expect(bound.filled_quantity).toBeGreaterThan(0);
    await expect(backtest(TWAP, { venueRates: 'soon' })).rejects.toThrow('rates: soon is not off, listed');
  });

  it('has the same result for every run, packed or plain', async () => {
    const [one, again, unpacked] = await Promise.all([
      backtest(TWAP),
      backtest(TWAP),
      backtest(TWAP, { dataDir: packed() }),
    ]);
    expect(again).toEqual(one);
    expect(unpacked).toEqual(one);
  });

  it('takes shown levels until it is filled', async () => {
    const report = await backtest({ ...ORDER, strategy: 'MARKET' });
    // The first two asks have 2.08 and 2.42.
    expect(report).toMatchObject({ status: 'FILLED', children: 1, maker_share: 0, fees_bps: 10 });
    expect(report.average_price).toBeGreaterThan(report.arrival_price);
    expect(report.implementation_shortfall_bps).toBeCloseTo((report.arrival_slippage_bps ?? 0) + 10, 1);
  });

  it('starts and ends later by the latency', async () => {
    const [near, far] = await Promise.all([
      backtest({ ...ORDER, strategy: 'MARKET' }),
      backtest({ ...ORDER, strategy: 'MARKET' }, { latencyMs: 30 }),
    ]);
    expect(near.end_time - near.start_time).toBe(0);
    // The balance query takes one round trip before the start; the order then needs one more way to the venue.
    expect(far.start_time - near.start_time).toBe(60);
    expect(far.end_time - far.start_time).toBe(30);
  });

  it('keeps its open state when the recording ends', async () => {
    const report = await backtest({ ...ORDER, strategy: 'LIMIT', limit_price: '90' });
    expect(report).toMatchObject({ status: 'ACCEPTED', filled_quantity: 0, average_price: null, fees: 0 });
    expect(report.end_time - report.start_time).toBeGreaterThan(89_000);
    expect(report.twap_price).toBeGreaterThan(99);
  });

  it.each([
    [
      'without JSON',
      '{\n  "side": BUY }',
      /^INVALID_REQUEST: .*order-\d+\.json, line 2, column 11: the body is not JSON$/,
    ],
    ['with an invalid side', JSON.stringify({ ...TWAP, side: 'HOLD' }), 'INVALID_PARAM: side'],
    [
      'of an instrument without a recording',
      JSON.stringify({ ...TWAP, symbol: 'ETH/USDT' }),
      'INVALID_SYMBOL: no recording',
    ],
    [
      'that starts after the end of the recording',
      JSON.stringify({ ...TWAP, start_time: '2023-11-14T23:00:00Z' }),
      'INVALID_TRADE_TIME: the recording ended before the order could start',
    ],
  ])('refuses an order %s', async (_, content, message) => {
    await expect(backtest(TWAP, { orderFile: fileOf(content) })).rejects.toThrow(message);
  });

  it('is refused with the names when several recordings match', async () => {
    const folder = join(workbench, 'several');
    cpSync(RECORDINGS, folder, { recursive: true });
    for (const name of readdirSync(RECORDINGS)) {
      cpSync(join(RECORDINGS, name), join(folder, name.replace('_made', '_again')));
    }
    await expect(backtest(TWAP, { dataDir: folder })).rejects.toThrow(
      'several recordings of BTC/USDT on BINANCE: binance_spot_BTCUSDT_again, binance_spot_BTCUSDT_made; select one',
    );
    expect(await backtest(TWAP, { dataDir: folder, symbol: 'again' })).toMatchObject({ status: 'FILLED' });
    await expect(backtest(TWAP, { dataDir: folder, symbol: 'ETH/USDT' })).rejects.toThrow('available: ');
  });

  it('plays messages of one instant in the order of the streams, in any order of the folder', async () => {
    const [recording] = recordingsIn(RECORDINGS);
    const instrument = buildCatalogue().findCanonical('BINANCE', 'BTC/USDT');
    const feed = new RecordingFeed({ ...recording!, files: new Map([...recording!.files].toReversed()) }, instrument!);
    expect(feed.streams.map(({ name }) => name)).toEqual(['snapshot', 'depth', 'trades', 'bookticker']);
    await feed.close();
  });

  it('opens no file that it does not read, so that none stays open and none is missed later', async () => {
    const folder = join(workbench, 'unread');
    cpSync(RECORDINGS, folder, { recursive: true });
    const [recording] = recordingsIn(folder);
    const feed = new RecordingFeed(recording!, buildCatalogue().findCanonical('BINANCE', 'BTC/USDT')!);
    await feed.close();
    rmSync(folder, { recursive: true });
    await setImmediate();
    const open = readdirSync('/proc/self/fd').map((name) => linkOf(`/proc/self/fd/${name}`));
    expect(open.filter((path) => path.startsWith(folder))).toEqual([]);
  });

  it('is refused when a packed file is damaged', async () => {
    const folder = packed();
    const file = join(folder, 'binance', `${NAME}.trades.csv.gz`);
    writeFileSync(file, readFileSync(file).subarray(0, 100));
    await expect(backtest(TWAP, { dataDir: folder })).rejects.toThrow('unexpected end of file');
  });

  it('is refused when the recording has no snapshot of the book', async () => {
    const folder = join(workbench, 'without');
    cpSync(RECORDINGS, folder, { recursive: true });
    const [header] = readFileSync(join(folder, `${NAME}.snapshot.csv`), 'utf8').split('\n');
    writeFileSync(join(folder, `${NAME}.snapshot.csv`), `${header}\n`);
    await expect(backtest(TWAP, { dataDir: folder })).rejects.toThrow(
      `the recording ${NAME} has no snapshot of its book`,
    );
  });
});
