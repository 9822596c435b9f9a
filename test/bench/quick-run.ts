import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const run = promisify(execFile);

/** A line of the JSON output. */
export type Line = Readonly<Record<string, unknown>>;

/** Runs a compiled script of bench/ to its end. Rejects when it fails. */
export async function runScript(
  script: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const command = ['--expose-gc', join(ROOT, 'dist/bench', script), ...args];
  const { stdout } = await run(process.execPath, command, { cwd: ROOT, env: { ...process.env, ...env } });
  return stdout;
}

/** Runs a benchmark at its smallest size. Expects each line of its output to be a figure as documented. */
export async function quickRun(name: string): Promise<readonly Line[]> {
  const stdout = await runScript('main.js', [name, '--quick', '--json']);
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  for (const line of lines) expectFigure(name, line);
  return lines;
}

function expectFigure(name: string, line: Line): void {
  expect(line, JSON.stringify(line)).toMatchObject({
    bench: name,
    case: expect.stringMatching(/./) as string,
    metric: expect.stringMatching(/^[a-z][a-z0-9_.]*$/) as string,
    value: expect.any(Number) as number,
    unit: expect.stringMatching(/^(1\/s|1\/min|us|s|B|core|count|ratio|bps|base|share)$/) as string,
    rounds: expect.any(Number) as number,
    commit: expect.stringMatching(/./) as string,
  });
  // A figure that could not be measured would be null.
  expect(Number.isFinite(line['value'])).toBe(true);
  if (line['ratio'] !== undefined) expect(line).toHaveProperty('reference_value');
  if (line['reference_value'] !== undefined) expect(line['reference']).toBeTypeOf('string');
}

/** Returns the metrics of one case. */
export function metricsOf(lines: readonly Line[], name: string): unknown[] {
  return lines.filter((line) => line['case'] === name).map((line) => line['metric']);
}
