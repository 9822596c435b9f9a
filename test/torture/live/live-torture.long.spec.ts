import { expect, it } from 'vitest';
import { runLiveCampaign } from './live-campaign.js';

/** The number of rounds is small; `npm run torture -- --live` runs hundreds. */
const ROUNDS = 3;
const SEED = 20_261_124;

it(`agrees with the ledger of a failing exchange over ${ROUNDS} kills, stops and power losses (seed ${SEED})`, async () => {
  const log: string[] = [];
  const tally = await runLiveCampaign({
    exchange: 'BINANCE',
    rounds: ROUNDS,
    seed: SEED,
    settleEveryRounds: ROUNDS,
    log: (text) => log.push(text),
  });
  expect(tally.problems, log.join('\n')).toEqual([]);
  expect(tally.fills, log.join('\n')).toBeGreaterThan(5);
  expect(Object.keys(tally.faults).length).toBeGreaterThan(2);
});
