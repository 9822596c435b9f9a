import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runScript, type Line } from './quick-run.js';

const DATA = join(import.meta.dirname, '../backtest/recordings');

describe('preview', () => {
  it('holds previews against simulated and recorded orders, by strategy and style', async () => {
    const stdout = await runScript('main.js', ['preview', '--quick', '--json', '--windows', '2', '--data', DATA]);
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Line);
    const figuresOf = (name: string): unknown[] => {
      return lines.filter((line) => line['case'] === name).map((line) => line['metric']);
    };
    const always = ['realised_minus_expected', 'within_one_stdev', 'clusters'];
    for (const strategy of ['TWAP', 'VWAP', 'POV', 'IS', 'ICEBERG']) {
      for (const style of ['PASSIVE', 'HYBRID', 'AGGRESSIVE']) {
        const metrics = figuresOf(`binance_spot_BTCUSDT_made: ${strategy} ${style}`);
        expect(metrics).toEqual([...always, 'maker_share', 'expected_maker_share']);
      }
    }
    expect(figuresOf('simulated: MARKET').slice(0, 3)).toEqual(always);
    for (const { value } of lines as { value: unknown }[]) expect(Number.isFinite(value)).toBe(true);
  });
});
