import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { DIST } from '../service-process.js';
import type { LiveTally } from './live-tally.js';

/** Four campaigns at once wait together. The long tier runs hundreds of rounds. */
const ROUNDS = 20;
const CAMPAIGN_ROUNDS = 5;
const SEED = 20_261_124;

it(`agrees with the ledger of a failing exchange over ${ROUNDS} kills, stops and power losses (seed ${SEED})`, async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'sluice-live-torture-')), 'summary.json');
  const lengths = ['--rounds', String(ROUNDS), '--campaign', String(CAMPAIGN_ROUNDS)];
  const args = ['--live', ...lengths, '--jobs', String(ROUNDS / CAMPAIGN_ROUNDS), '--seed', String(SEED)];
  const child = spawn(process.execPath, [join(DIST, 'test/torture/main.js'), ...args, '--json', file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let log = '';
  child.stdout.on('data', (chunk: Buffer) => {
    log += chunk.toString();
  });
  await new Promise((resolve) => {
    child.once('close', resolve);
  });
  const tally = JSON.parse(readFileSync(file, 'utf8')) as LiveTally;
  expect(tally.problems, log).toEqual([]);
  expect(tally.rounds).toBe(ROUNDS);
  expect(tally.fills, log).toBeGreaterThan(20);
  expect(Object.keys(tally.faults).length).toBeGreaterThan(5);
});
