import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { partsOf, type Part } from './parts.js';

/*
 * npm run test:long                  runs all parts of the long tier, one after the other
 * npm run test:long -- torture       runs the parts whose names begin with `torture`
 * npm run test:long -- --seed S      draws the random numbers of an earlier run again
 * npm run test:long -- --list        lists the parts
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    list: { type: 'boolean', default: false },
  },
});

/** Compiled, this file is one folder deeper than its source. */
const ROOT = join(import.meta.dirname, '../..').replace(/\/dist$/, '');
const [wanted = ''] = positionals;
const parts = partsOf(ROOT, Number(values.seed)).filter(({ name }) => name.startsWith(wanted));

/** Runs a part with its output on this terminal. Returns its line of result. */
async function resultOf({ name, what, args, env = {} }: Part): Promise<string> {
  console.log(`== ${name}: ${what}`);
  const startMs = performance.now();
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: 'inherit', env: { ...process.env, ...env } });
  const [status] = (await once(child, 'exit')) as [number | null];
  const seconds = Math.round((performance.now() - startMs) / 1_000);
  const line = `${status === 0 ? 'passed' : 'FAILED'} ${name} ${seconds} s, seed ${values.seed}`;
  console.log(line);
  return line;
}

if (parts.length === 0) {
  console.error(`no part of the long tier begins with '${wanted}'; --list shows them`);
  process.exitCode = 2;
} else if (values.list) {
  for (const { name, what } of parts) console.log(`${name.padEnd(16)} ${what}`);
} else {
  const results: string[] = [];
  for (const part of parts) results.push(await resultOf(part));
  console.log(['== results', ...results].join('\n'));
  if (results.some((line) => line.startsWith('FAILED'))) process.exitCode = 1;
}
