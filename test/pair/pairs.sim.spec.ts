import { expect, it } from 'vitest';
import { tryPair } from './pair-trial.js';
import type { PairVerdict } from './pair-verdict.js';

/*
 * PAIRS=20000 npx vitest run test/pair       more pairs; PAIRS_FROM is the seed of the first one
 */
const PAIRS_COUNT = 60;
const { PAIRS, PAIRS_FROM } = process.env;
const count = Number(PAIRS ?? PAIRS_COUNT);
const from = Number(PAIRS_FROM ?? 1);

it(`${count} random pairs end hedged or name their unhedged rest`, () => {
  const trials: PairVerdict[] = [];
  for (let seed = from; seed < from + count; seed += 1) {
    try {
      trials.push(tryPair(seed));
    } catch (error) {
      throw new Error(`PAIRS_FROM=${seed} PAIRS=1: ${(error as Error).message}`, { cause: error });
    }
  }
  const figures = summary(trials);
  if (PAIRS !== undefined) process.stdout.write(`${JSON.stringify(figures)}\n`);
  expect(figures.hedgedOrders).toBeGreaterThan(count / 3);
}, 3_600_000);

function summary(trials: readonly PairVerdict[]) {
  const counts: Record<string, number> = {};
  for (const { status, code } of trials) {
    const name = `${status}${code === null ? '' : ` ${code}`}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  const hedged = trials.filter((trial) => trial.hedged > 0);
  const costs = hedged.map(({ leggingBps }) => leggingBps);
  const mean = costs.reduce((sum, bps) => sum + bps, 0) / Math.max(1, costs.length);
  const deviation = Math.sqrt(costs.reduce((sum, bps) => sum + (bps - mean) ** 2, 0) / Math.max(1, costs.length));
  return {
    pairs: trials.length,
    ...counts,
    withoutLeader: trials.filter(({ isLed }) => !isLed).length,
    amendments: trials.reduce((sum, { amendments }) => sum + amendments, 0),
    withResidual: trials.filter(({ topUps }) => topUps > 0).length,
    worstShareOfCap: Math.round(Math.max(...trials.map(({ worstShare }) => worstShare)) * 10_000) / 10_000,
    hedgedOrders: hedged.length,
    belowLeast: trials.filter(({ isBelowLeast }) => isBelowLeast).length,
    belowLeastWithoutLeader: trials.filter(({ isBelowLeast, isLed }) => isBelowLeast && !isLed).length,
    leggingBpsMean: Math.round(mean * 1000) / 1000,
    leggingBpsStandardError: Math.round((deviation / Math.sqrt(Math.max(1, costs.length))) * 1000) / 1000,
  };
}
