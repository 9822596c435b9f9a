import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { sumOf, type Tally } from './tally.js';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    /** Number of concurrent campaigns, each in its own process and data directory. */
    jobs: { type: 'string', default: '1' },
    /** Rounds per data directory. */
    campaign: { type: 'string', default: '50' },
    standing: { type: 'string', default: '5000' },
    'settle-every': { type: 'string', default: '10' },
    /** File for the summary as JSON. */
    json: { type: 'string' },
  },
});

const rounds = Number(values.rounds);
const perCampaign = Math.min(rounds, Number(values.campaign));
const seeds = Array.from({ length: Math.ceil(rounds / perCampaign) }, (_, index) => Number(values.seed) + index);
const startMs = performance.now();
const tallies: Tally[] = [];
let roundsLeft = rounds;

/** Runs campaigns one after the other until all are done. */
async function work(): Promise<void> {
  for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
    const count = Math.min(perCampaign, roundsLeft);
    roundsLeft -= count;
    const tally = await campaign(seed, count);
    tallies.push(tally);
    const { rounds: done, problems } = sumOf(tallies);
    const elapsedS = Math.round((performance.now() - startMs) / 1000);
    console.log(`torture: ${done} of ${rounds} rounds in ${elapsedS} s, ${problems.length} problems`);
    if (tally.problems.length > 0) console.log(`replay with: ${replayOf(seed, count)}`);
  }
}

async function campaign(seed: number, count: number): Promise<Tally> {
  const options = {
    seed,
    rounds: count,
    standing: Number(values.standing),
    settleEveryRounds: Number(values['settle-every']),
  };
  const peer = fork(join(import.meta.dirname, 'campaign-peer.js'), [JSON.stringify(options)]);
  const ended = once(peer, 'exit');
  const answer = await Promise.race([once(peer, 'message'), ended.then(() => null)]);
  if (answer === null) throw new Error(`the campaign of seed ${seed} ended without a tally`);
  await ended;
  return (answer as [Tally])[0];
}

function replayOf(seed: number, count: number): string {
  const settleEvery = values['settle-every'];
  return `npm run torture -- --rounds ${count} --seed ${seed} --standing ${values.standing} --settle-every ${settleEvery}`;
}

console.log(`torture: ${rounds} rounds, ${perCampaign} per data directory, seed ${values.seed}, ${values.jobs} jobs`);
await Promise.all(Array.from({ length: Number(values.jobs) }, work));
const total = sumOf(tallies);
const elapsedS = (performance.now() - startMs) / 1000;
const summary = JSON.stringify(
  { ...total, elapsedS: Math.round(elapsedS), secondsPerRound: Number((elapsedS / total.rounds).toFixed(2)) },
  null,
  2,
);
console.log(summary);
if (values.json !== undefined) writeFileSync(values.json, `${summary}\n`);
if (total.problems.length > 0) process.exitCode = 1;
