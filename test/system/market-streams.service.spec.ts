import { describe, expect, it, onTestFinished } from 'vitest';
import { type OhlcvFrame, type OpenInterestFrame, StreamClient, type TickerFrame } from '../../src/client/index.js';
import { eventually } from './eventually.js';
import { newSite } from './site.js';

const SPEED = 60;
const MINUTE_MS = 60_000;
const MINUTES = 4;

describe('market data of the running service', () => {
  it('sends every closed candle once, updates of the open candle between them, and open interest', async () => {
    const site = newSite();
    const key = await site.issueKey('trader', 'read');
    const port = await site.start({ env: { SLUICE_SIM_SPEED: String(SPEED) } }).ready();
    const client = site.client(port, key);
    const stream = new StreamClient({ url: `http://127.0.0.1:${port}`, listenKey: () => client.listenKey() });
    onTestFinished(() => stream.close());
    await stream.connect();
    const candles: OhlcvFrame[] = [];
    const openInterests: OpenInterestFrame[] = [];
    const tickers: TickerFrame[] = [];
    const symbol = 'BTC/USDT:USDT';
    await stream.subscribe({ topic: 'ticker', exchange: 'BINANCE', symbol }, (frame) => tickers.push(frame));
    await stream.subscribe({ topic: 'ohlcv', exchange: 'BINANCE', symbol }, (frame) => candles.push(frame));
    await stream.subscribe({ topic: 'open_interest', exchange: 'BINANCE', symbol }, (one) => openInterests.push(one));
    const closed = await eventually(
      () => candles.filter((candle) => candle.closed),
      (found) => found.length >= MINUTES && openInterests.length > 0 && tickers.length > 0,
    );

    const [first] = closed;
    expect(closed.map((candle) => candle.open_time)).toEqual(
      closed.map((_, k) => (first?.open_time ?? 0) + k * MINUTE_MS),
    );
    expect(candles.some((candle) => !candle.closed)).toBe(true);
    for (const candle of candles) {
      expect(candle).toMatchObject({ symbol, exchange: 1, asset_class: 2, interval: 'ONE_MINUTE' });
      expect(candle.close_time).toBe(candle.open_time + MINUTE_MS);
      expect(candle.low).toBeLessThanOrEqual(Math.min(candle.open, candle.close));
      expect(candle.high).toBeGreaterThanOrEqual(Math.max(candle.open, candle.close));
      expect(candle.last).toBe(candle.close);
    }
    // No update of an open candle comes after its end.
    const order = candles.map((candle) => candle.open_time + (candle.closed ? 1 : 0));
    expect(order).toEqual(order.toSorted((one, other) => one - other));
    const [{ open_interest: base, open_interest_value: value } = { open_interest: 0, open_interest_value: 0 }] =
      openInterests;
    expect(value / base / (first?.close ?? 0)).toBeCloseTo(1, 1);
  });
});
