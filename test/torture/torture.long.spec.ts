import { expect, it } from 'vitest';
import { runCampaign } from './campaign.js';

/** The number of rounds is small; `npm run torture` runs hundreds. */
const ROUNDS = 5;
const OPEN_ORDERS = 250;
const SEED = 20_261_121;

it(`keeps every promise over ${ROUNDS} kills, stops and power losses under load (seed ${SEED})`, async () => {
  const log: string[] = [];
  const tally = await runCampaign({
    rounds: ROUNDS,
    seed: SEED,
    openOrders: OPEN_ORDERS,
    settleEveryRounds: 3,
    log: (text) => log.push(text),
  });
  expect(tally.problems, log.join('\n')).toEqual([]);
  expect(tally.orders).toBeGreaterThan(50);
  // At the end of the last run, one order may just be replaced.
  expect([OPEN_ORDERS - 1, OPEN_ORDERS]).toContain(tally.openOrders);
});
