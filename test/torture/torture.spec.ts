import { expect, it } from 'vitest';
import { runTorture } from './run.js';

const ROUNDS = 10;
const SEED = 20_261_121;

it(`keeps every promise over ${ROUNDS} SIGKILLs under load (seed ${SEED})`, { timeout: 300_000 }, async () => {
  const log: string[] = [];
  const report = await runTorture({
    rounds: ROUNDS,
    seed: SEED,
    shards: 2,
    settleEveryRounds: 5,
    log: (text) => log.push(text),
  });
  expect(report.problems, log.join('\n')).toEqual([]);
  expect(report.orders).toBeGreaterThan(100);
});
