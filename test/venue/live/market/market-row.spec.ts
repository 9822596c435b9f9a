import { describe, expect, it } from 'vitest';
import type { EpochMs } from '../../../../src/domain/time.js';
import { TOTALS_CHECK_MS } from '../../../../src/domain/limits/live.js';
import { MarketRow, totalsFromMs } from '../../../../src/venue/live/market/market-row.js';
import type { CandleRecord } from '../../../../src/venue/live/normal/records.js';
import { UnitScale } from '../../../../src/venue/live/unit-scale.js';

const AT_MS = 1_700_000_000_000 as EpochMs;

/** Ticks of 0.5 and lots of 0.01. */
function marketRow(contractSize = '1'): MarketRow {
  return new MarketRow(
    new UnitScale({
      contractSize,
      quantityPrecision: 2,
      pricePrecision: 1,
      quantityStep: 1,
      priceStep: 5,
    }),
  );
}

function quote(bid: string, bidQuantity: string, ask: string, askQuantity: string) {
  return { bid: { price: bid, quantity: bidQuantity }, ask: { price: ask, quantity: askQuantity } };
}

function day(volume: string, quoteVolume: string, close = '100'): CandleRecord {
  const prices = { open: close, high: close, low: close, close };
  return {
    kind: 'Candle',
    symbol: 'BTCUSDT',
    interval: 'ONE_DAY',
    openMs: AT_MS,
    ...prices,
    volume,
    quoteVolume,
    isClosed: true,
  };
}

describe('a market row', () => {
  it('is not published before the quotes and the volume are known', () => {
    const row = marketRow();
    row.quote(quote('100', '1', '101', '1'), AT_MS);
    expect(row.market).toBeNull();
    row.setTotals([], AT_MS);
    expect(row.market).toMatchObject({ bid: 200, ask: 202, volume: 0, atMs: AT_MS });
  });

  it('rounds bids down to a tick, asks up and quantities down to a lot', () => {
    const row = marketRow();
    row.setTotals([], AT_MS);
    row.quote(quote('100.49', '0.019', '100.51', '0.029'), AT_MS);
    expect(row.market).toMatchObject({ bid: 200, ask: 202, bidQuantity: 1, askQuantity: 2 });
    row.quote(quote('100.5', '0.001', '100.5', '1'), AT_MS);
    // Less than a lot is still a level.
    expect(row.market).toMatchObject({ bid: 201, ask: 201, bidQuantity: 1 });
  });

  it('has neither price nor quantity on an empty side', () => {
    const row = marketRow();
    row.setTotals([], AT_MS);
    row.quote(quote('0', '0', '101', '1'), AT_MS);
    expect(row.market).toMatchObject({ bid: 0, bidQuantity: 0, ask: 202, askQuantity: 100 });
  });

  it('counts contracts in base units', () => {
    const row = marketRow('0.1');
    row.setTotals([], AT_MS);
    row.quote(quote('100', '3', '101', '25'), AT_MS);
    expect(row.market).toMatchObject({ bidQuantity: 30, askQuantity: 250 });
    expect(row.trade({ price: '100', quantity: '2' })).toEqual({ price: 200, quantity: 20 });
  });

  it('adds trades to the volume of the past days, and leaves the time of the quotes', () => {
    const row = marketRow();
    row.quote(quote('100', '1', '101', '1'), AT_MS);
    row.setTotals([day('2', '200'), day('3', '300.004', '99.5')], AT_MS);
    // One lot at one tick is 0.005 quote units; the rest is cut off.
    expect(row.market).toMatchObject({ volume: 500, turnover: 40_000n + 60_000n, last: 199 });
    row.trade({ price: '100.5', quantity: '0.5' });
    expect(row.market).toMatchObject({ volume: 550, turnover: 100_000n + 50n * 201n, last: 201, atMs: AT_MS });
  });

  it('never lets the volume fall, and takes what was missed after a cut', () => {
    const row = marketRow();
    row.quote(quote('100', '1', '101', '1'), AT_MS);
    row.setTotals([day('5', '500')], AT_MS);
    row.trade({ price: '100', quantity: '1' });
    row.stale((AT_MS + 1_000) as EpochMs);
    expect(row.market).toMatchObject({ bid: 0, ask: 0, volume: 600, atMs: AT_MS + 1_000 });
    row.setTotals([day('5.5', '550')], AT_MS);
    expect(row.market!.volume).toBe(600);
    row.setTotals([day('9', '900')], AT_MS);
    expect(row.market).toMatchObject({ volume: 900, turnover: 180_000n });
  });

  it('takes the last price of the exchange after a cut, until the stream gives a trade', () => {
    const row = marketRow();
    row.quote(quote('100', '1', '101', '1'), AT_MS);
    row.setTotals([day('5', '500')], AT_MS);
    row.trade({ price: '102', quantity: '1' });
    row.setTotals([day('6', '600', '101')], AT_MS);
    expect(row.market!.last).toBe(204);
    row.stale((AT_MS + 1_000) as EpochMs);
    expect(row.market!.last).toBe(204);
    row.setTotals([], AT_MS);
    expect(row.market!.last).toBe(204);
    row.setTotals([day('9', '900', '80')], AT_MS);
    expect(row.market!.last).toBe(160);
    row.setTotals([day('9', '900', '79')], AT_MS);
    expect(row.market!.last).toBe(158);
    row.trade({ price: '81', quantity: '1' });
    row.setTotals([day('9', '900', '80')], AT_MS);
    expect(row.market!.last).toBe(162);
  });

  it('is published after an end with new quotes and a new volume alone, and its volume does not fall', () => {
    const row = marketRow();
    row.quote(quote('100', '1', '101', '1'), AT_MS);
    row.setTotals([day('5', '500')], AT_MS);
    row.trade({ price: '102', quantity: '1' });
    row.end();
    expect(row.market).toBeNull();
    expect(row.needsTotals(AT_MS)).toBe(false);
    row.quote(quote('80', '1', '81', '1'), AT_MS);
    expect(row.market).toBeNull();
    row.setTotals([day('9', '900', '80')], AT_MS);
    expect(row.market).toMatchObject({ bid: 160, last: 160, volume: 900 });
    row.end();
    row.quote(quote('80', '1', '81', '1'), AT_MS);
    row.setTotals([day('8', '800', '80')], AT_MS);
    expect(row.market!.volume).toBe(900);
  });

  it('needs the volume of the exchange from the first quote of a connection, and once more after a while', () => {
    const row = marketRow();
    const after = (ms: number): EpochMs => (AT_MS + ms) as EpochMs;
    expect(row.needsTotals(AT_MS)).toBe(false);
    for (const startMs of [0, 200_000]) {
      row.quote(quote('100', '1', '101', '1'), after(startMs));
      expect(row.needsTotals(after(startMs))).toBe(true);
      row.setTotals([], after(startMs));
      expect(row.needsTotals(after(startMs + TOTALS_CHECK_MS - 1))).toBe(false);
      expect(row.needsTotals(after(startMs + TOTALS_CHECK_MS))).toBe(true);
      row.setTotals([], after(startMs + TOTALS_CHECK_MS));
      expect(row.needsTotals(after(startMs + 150_000))).toBe(false);
      row.stale(after(startMs + 160_000));
      // The trades between now and the next connection would be missing again.
      expect(row.needsTotals(after(startMs + 160_000))).toBe(false);
    }
  });

  it('counts the newest days when all of them are more than an exact number', () => {
    const row = marketRow();
    row.quote(quote('100', '1', '101', '1'), AT_MS);
    row.setTotals([day('40000000000000', '1'), day('20000000000000', '1'), day('20000000000000', '1')], AT_MS);
    expect(row.market!.volume).toBe(4_000_000_000_000_000);
  });

  it('refuses a trade that is no decimal', () => {
    expect(marketRow().trade({ price: 'x', quantity: '1' })).toBeNull();
  });
});

describe('the begin of the volume', () => {
  it('is the begin of the half-year before the present one', () => {
    expect(totalsFromMs(at('2026-03-01T00:00:00Z'))).toBe(at('2025-07-01T00:00:00Z'));
    expect(totalsFromMs(at('2026-07-01T00:00:00Z'))).toBe(at('2026-01-01T00:00:00Z'));
    expect(totalsFromMs(at('2026-12-31T23:59:59Z'))).toBe(at('2026-01-01T00:00:00Z'));
  });
});

function at(text: string): EpochMs {
  return Date.parse(text) as EpochMs;
}
