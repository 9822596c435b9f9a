import { describe, expect, it } from 'vitest';
import { binsOf, type RecordedBins } from '../../bench/vwap/candle-files.js';

const DAY_MS = 86_400_000;
const FROM_MS = Date.UTC(2024, 4, 1);
const MINUTE_MS = 60_000;

function candles(header: string, rowOf: (atMs: number) => string, days = 2): string {
  const rows = Array.from({ length: days * 1440 }, (_, minute) => rowOf(FROM_MS + minute * MINUTE_MS));
  return [header, ...rows].join('\n');
}

const binsIn = (text: string, isQuote = false) => binsOf('made.csv', new TextEncoder().encode(text), isQuote);
const isoOf = (atMs: number): string => new Date(atMs).toISOString();
/** Five candles of one coin each. */
const LOTS = 5 * 100_000;

describe('a file of candles', () => {
  it.each([
    ['milliseconds', 'ts_ms,open,high,low,close,volume', (atMs: number) => `${atMs},100,101,99,100,1`, false],
    ['seconds', 'time,open,high,low,close,volume', (atMs: number) => `${atMs / 1000},100,101,99,100,1`, false],
    ['a date', 'timestamp,open,high,low,close,volume', (atMs: number) => `${isoOf(atMs)},100,101,99,100,1`, false],
    [
      'volume in the quote currency',
      'date,high,low,close,volume',
      (atMs: number) => `${isoOf(atMs)},101,99,100,100`,
      true,
    ],
    ['its own column of it', 'date,high,low,close,turnover', (atMs: number) => `${isoOf(atMs)},101,99,100,100`, false],
  ] as const)('with %s is read as lots of five minutes', (_, header, rowOf, isQuote) => {
    expect(binsIn(candles(header, rowOf), isQuote)).toEqual({
      name: 'made',
      fromMs: FROM_MS,
      days: 2,
      volumes: new Float64Array(576).fill(LOTS),
      prices: new Float64Array(576).fill(100),
    });
  });

  it('begins at its first whole day, and keeps the last price where nothing was traded', () => {
    const rows = ['ts_ms,high,low,close,volume', `${FROM_MS - MINUTE_MS},70,70,70,1`];
    for (let atMs = FROM_MS; atMs < FROM_MS + 2 * DAY_MS; atMs += MINUTE_MS) {
      if (atMs < FROM_MS + 600_000 || atMs >= FROM_MS + 1_200_000) rows.push(`${atMs},100,100,100,2`);
    }
    const bins = binsIn(rows.join('\n'));
    expect(bins).toMatchObject({ fromMs: FROM_MS, days: 2 });
    const { prices, volumes } = bins as RecordedBins;
    expect(Array.from(prices.slice(0, 5))).toEqual([100, 100, 100, 100, 100]);
    expect(Array.from(volumes.slice(0, 5))).toEqual([1e6, 1e6, 0, 0, 1e6]);
  });

  it.each([
    ['open,high,low,close,volume', '1,2,1,1,5', 'no column of time (ts_ms, open_time, timestamp, time, date)'],
    ['time,high,low,close', '1,2,1,1', 'no column of volume'],
    ['time,close,volume', '1,2,1', 'no columns high, low and close'],
    [
      'time,high,low,close,volume',
      '1714521600,2,1,one,5',
      'made.csv, line 2, column 4 (close): "one" is not a number above 0',
    ],
    [
      'time,high,low,close,volume',
      '1714521600,2,1,1,5\n1714521540,2,1,1,5',
      'made.csv, line 3, column 1 (time): "1714521540" is not larger than in the row before',
    ],
    [
      'time,high,low,close,volume',
      '1714521600,2,1,3,5',
      'made.csv, line 2, column 4 (close): "3" is not between low and high',
    ],
    [
      'time,high,low,close,volume',
      '1714521600,2,1,1,',
      'made.csv, line 2, column 5 (volume): "" is not a number from 0',
    ],
    [
      'time,high,low,close,volume',
      '1714521600,2,1,1',
      'made.csv, line 2, column 4 (close): the row has 4 fields, the header 5',
    ],
    ['time,high,low,close,volume', '1714521600,2,1,1,5', '0 whole days: one to learn from and one to trade are needed'],
  ])('with the header %s and the row %s is refused', (header, row, reason) => {
    expect(binsIn(`${header}\n${row}`)).toBe(reason);
  });

  it('of hours is refused: a schedule needs five minutes', () => {
    const hours = Array.from({ length: 72 }, (_, hour) => `${FROM_MS + hour * 3_600_000},2,1,1,5`);
    const text = ['time,high,low,close,volume', ...hours].join('\n');
    expect(binsIn(text)).toBe('candles of 3600 s: at most 300 s are needed');
  });
});
