import { beforeAll, afterAll, describe, expect, it } from 'vitest';
import { eventually } from '../../system/eventually.js';
import { useService } from './service-under-rules.js';
import { StreamClient } from './stream-client.js';

const MINUTE_MS = 60_000;
const OKX = 5;
const SPOT = 1;
const FUTURE = 2;

/** Service time runs 60 times as fast. */
const service = useService({ env: { SLUICE_SIM_SPEED: '60' } });

let stream: StreamClient;
beforeAll(async () => {
  stream = await StreamClient.of(service.trader);
});
afterAll(() => stream.close());

const anyNumber = expect.any(Number) as number;

describe('ticker: {symbol, exchange, asset_class, bid, ask, bid_qty, ask_qty, timestamp} (integer ids)', () => {
  it.each([
    ['BTC/USDT', SPOT],
    ['BTC/USDT:USDT', FUTURE],
  ])('sends tickers of %s', async (symbol, assetClass) => {
    await stream.follow('ticker', { exchange: 'okx', symbol });
    const frame = await stream.frame('ticker', (one) => one['symbol'] === symbol);
    expect(frame).toEqual({
      topic: 'ticker',
      symbol,
      exchange: OKX,
      asset_class: assetClass,
      bid: anyNumber,
      ask: anyNumber,
      bid_qty: anyNumber,
      ask_qty: anyNumber,
      timestamp: anyNumber,
    });
    expect(frame['bid'] as number).toBeLessThan(frame['ask'] as number);
  });

  it('sends further tickers', async () => {
    const count = stream.of('ticker').length;
    await eventually(
      () => stream.of('ticker').length,
      (now) => now > count + 2,
    );
  });
});

describe('ohlcv: the running candle at every change, at most 4 a second, and always the closed one once', () => {
  it('has the documented members, with interval ONE_MINUTE by default', async () => {
    await stream.follow('ohlcv', { exchange: 'OKX', symbol: 'BTC/USDT' });
    await eventually(
      () => stream.of('ohlcv').filter(({ closed }) => closed === true).length,
      (count) => count >= 4,
    );
    const [frame] = stream.of('ohlcv');
    expect(frame).toEqual({
      topic: 'ohlcv',
      symbol: 'BTC/USDT',
      exchange: OKX,
      asset_class: SPOT,
      open: anyNumber,
      high: anyNumber,
      low: anyNumber,
      close: anyNumber,
      volume: anyNumber,
      last: anyNumber,
      open_time: anyNumber,
      close_time: anyNumber,
      interval: 'ONE_MINUTE',
      closed: expect.any(Boolean) as boolean,
    });
    for (const candle of stream.of('ohlcv') as unknown as readonly Candle[]) {
      expect(candle.close_time - candle.open_time).toBe(MINUTE_MS);
      expect(candle.open_time % MINUTE_MS).toBe(0);
      expect(candle.low).toBeLessThanOrEqual(Math.min(candle.open, candle.close));
      expect(candle.high).toBeGreaterThanOrEqual(Math.max(candle.open, candle.close));
    }
  });

  it('sends each closed candle once, without a gap', () => {
    const closed = (stream.of('ohlcv') as unknown as readonly Candle[]).filter((candle) => candle.closed);
    const openTimes = closed.map((candle) => candle.open_time);
    expect(openTimes).toEqual(openTimes.map((_, place) => (openTimes[0] as number) + place * MINUTE_MS));
  });

  it.each([
    ['FIVE_MINUTE', 5],
    ['FIFTEEN_MINUTE', 15],
    ['THIRTY_MINUTE', 30],
    ['ONE_HOUR', 60],
    ['SIX_HOUR', 360],
    ['ONE_DAY', 1440],
  ])('sends candles of interval %s', async (interval, minutes) => {
    await stream.follow('ohlcv', { exchange: 'BYBIT', symbol: 'BTC/USDT', interval });
    const frame = await stream.frame('ohlcv', (one) => one['interval'] === interval);
    expect((frame['close_time'] as number) - (frame['open_time'] as number)).toBe(minutes * MINUTE_MS);
  });
});

interface Candle {
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly open_time: number;
  readonly close_time: number;
  readonly closed: boolean;
}

describe('open_interest: {symbol, exchange, asset_class, open_interest, open_interest_value, timestamp}, FUTURE only', () => {
  it('sends the open interest of BTC/USDT:USDT', async () => {
    await stream.follow('open_interest', { exchange: 'OKX', symbol: 'BTC/USDT:USDT' });
    const frame = await stream.frame('open_interest');
    expect(frame).toEqual({
      topic: 'open_interest',
      symbol: 'BTC/USDT:USDT',
      exchange: OKX,
      asset_class: FUTURE,
      open_interest: anyNumber,
      open_interest_value: anyNumber,
      timestamp: anyNumber,
    });
    expect(frame['open_interest_value'] as number).toBeGreaterThan(frame['open_interest'] as number);
  });
});
