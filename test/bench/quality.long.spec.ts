import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { POLICIES } from '../../bench/quality/policy.js';
import { runScript, type Line } from './quick-run.js';

const folder = mkdtempSync(join(tmpdir(), 'sluice-quality-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('quality reports every policy and every question, and writes a page with charts', async () => {
  const data = join(import.meta.dirname, '../backtest/recordings');
  const page = join(folder, 'quality.html');
  const stdout = await runScript('main.js', ['quality', '--quick', '--json', '--data', data, '--html', page]);
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  for (const line of lines) {
    expect(line['unit']).toMatch(/^(bps|share|count)$/);
    expect(Number.isFinite(line['value'])).toBe(true);
    expect(Number(line['low'])).toBeLessThanOrEqual(Number(line['high']));
  }
  const cases = new Set(lines.map((line) => line['case']));
  for (const { name } of POLICIES) expect(cases).toContain(`simulated BTC/USDT: ${name}`);
  expect(cases).toContain('all simulated: TWAP HYBRID - TWAP AGGRESSIVE');
  const html = readFileSync(page, 'utf8');
  expect(html.match(/<svg/g)?.length).toBeGreaterThanOrEqual(2 * 4);
  expect(html).not.toMatch(/<script|https?:\/\/(?!www\.w3\.org)/);
});
