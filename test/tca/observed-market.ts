import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ObservedMarket } from '../../src/tca/quote-history.js';
import { averageOf } from '../../src/tca/traded-volume.js';
import type { MarketObservation } from '../../src/domain/market.js';
import type { Lots, Notional, Ticks } from '../../src/domain/quantity.js';
import type { EpochMs } from '../../src/domain/time.js';
import type { Recording } from '../../src/backtest/recording.js';

/** Published figures of recordings, to the given digits: average price of all trades, time-weighted mid, latest mid. */
const PUBLISHED: Readonly<Record<string, readonly [vwap: number, twap: number, last: number]>> = {
  'binance_spot_BTCUSDT_20240808-09': [61671.5516, 61700.1187, 61602.015],
  binance_usdm_BTCUSDT_20240808: [61680.9822, 61723.9357, 61659.75],
  'binance_usdm_BTCUSDT_20230404-05': [28146.0054, 28146.0531, 28140.15],
};
const [PRICE_PRECISION, QUANTITY_PRECISION] = [2, 5];
const TICKS = 10 ** PRICE_PRECISION;
const LOTS = 10 ** QUANTITY_PRECISION;

interface Row {
  readonly atMs: EpochMs;
  readonly first: number;
  readonly second: number;
}

/** Returns the receipt time and two decimals of each row, in steps of the grid. */
function rowsOf({ files }: Recording, stream: 'trades' | 'bookticker', columns: readonly [string, string]): Row[] {
  const path = files.get(stream)!;
  const bytes = readFileSync(path);
  const text = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString().trim();
  const [names = [], ...lines] = text.split('\n').map((line) => line.split(','));
  const [type, one, other] = [names.indexOf('type'), ...columns.map((name) => names.indexOf(name))];
  const steps = stream === 'trades' ? [TICKS, LOTS] : [TICKS, TICKS];
  // Excludes positions that an insurance fund took over: the market did not trade them.
  const isTraded = (cells: readonly string[]) => type < 0 || ['', 'MARKET'].includes(cells[type] ?? '');
  return lines.filter(isTraded).map((cells) => ({
    atMs: Number(cells[0]!.slice(0, -6)) as EpochMs,
    first: Math.round(Number(cells[one!]) * steps[0]!),
    second: Math.round(Number(cells[other!]) * steps[1]!),
  }));
}

/** Returns the observations of a venue at each change of its best prices, and at the end. */
function observationsOf(quotes: readonly Row[], trades: readonly Row[]): MarketObservation[] {
  let [traded, volume, turnover] = [0, 0, 0n];
  const beforeMs = Math.min(quotes[0]!.atMs, trades[0]!.atMs) - 1;
  const lastMs = Math.max(quotes.at(-1)!.atMs, trades.at(-1)!.atMs);
  const ends = [
    { ...quotes[0]!, atMs: beforeMs as EpochMs },
    ...quotes,
    { ...quotes.at(-1)!, atMs: lastMs as EpochMs },
  ];
  return ends.map(({ atMs, first, second }) => {
    for (let trade = trades[traded]; trade !== undefined && trade.atMs <= atMs; trade = trades[(traded += 1)]) {
      volume += trade.second;
      turnover += BigInt(trade.first) * BigInt(trade.second);
    }
    const quote = { bid: first as Ticks, ask: second as Ticks };
    return { ...quote, atMs, volume: volume as Lots, turnover: turnover as Notional };
  });
}

/** Checks the observed market of a recording against the figures of its rows. */
export function describeObservedMarket(recording: Recording): void {
  describe(`the observed market of ${recording.name}`, () => {
    const quotes = rowsOf(recording, 'bookticker', ['bid', 'ask']);
    const trades = rowsOf(recording, 'trades', ['price', 'qty']);
    const seen = observationsOf(quotes, trades);
    const market = new ObservedMarket();
    for (const one of seen) market.append(one);
    const [fromMs, toMs] = [seen[0]!.atMs, seen.at(-1)!.atMs];

    it('has the exact traded volume and its average price', () => {
      const span = market.tradedByOthers(fromMs, toMs, [])!;
      const volume = trades.reduce((sum, { second }) => sum + second, 0);
      const money = trades.reduce((sum, { first, second }) => sum + BigInt(first) * BigInt(second), 0n);
      expect(span).toMatchObject({ volume, notional: money, fromMs, toMs });
      const published = PUBLISHED[recording.name]?.[0];
      if (published !== undefined) expect(averageOf(span)! / TICKS).toBeCloseTo(published, 3);
    });

    it('has the time-weighted mid and the latest mid', () => {
      const [firstMs, lastMs] = [quotes[0]!.atMs, quotes.at(-1)!.atMs];
      let sum = 0;
      for (const [index, { atMs, first, second }] of quotes.entries()) {
        sum += ((first + second) / 2) * ((quotes[index + 1]?.atMs ?? atMs) - atMs);
      }
      const mean = market.mids.mean(firstMs, lastMs)!;
      expect(mean).toBeCloseTo(sum / (lastMs - firstMs), 4);
      const [, twap, last] = PUBLISHED[recording.name] ?? [];
      if (twap === undefined || last === undefined) return;
      expect(mean / TICKS).toBeCloseTo(twap, 2);
      expect(market.mids.at(lastMs)! / TICKS).toBe(last);
    });
  });
}
