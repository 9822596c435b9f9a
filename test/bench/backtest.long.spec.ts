import { join } from 'node:path';
import { expect, it } from 'vitest';
import { metricsOf, runScript, type Line } from './quick-run.js';

it('replay reports the speed and the figures of each recording in a folder', async () => {
  const data = join(import.meta.dirname, '../backtest/recordings');
  const stdout = await runScript('main.js', ['replay', '--quick', '--json', '--data', data]);
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  const metrics = ['throughput', 'vwap', 'arrival_mid', 'last_mid', 'updates', 'gaps', 'crossings'];
  expect(metricsOf(lines, 'binance_spot_BTCUSDT_made')).toEqual(metrics);
  expect(lines.find(({ metric }) => metric === 'gaps')?.['value']).toBe(0);
});
