import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { LiveTally } from './live/live-tally.js';
import { huntPlants } from './live/plants.js';
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
    /** Trades on a loopback exchange in place of the simulated ones. */
    live: { type: 'boolean', default: false },
    exchange: { type: 'string', default: 'BINANCE' },
    /** With --live: number of socket cuts in place of rounds, within the minutes. */
    cuts: { type: 'string' },
    minutes: { type: 'string', default: '60' },
    /** With --live: plants faults in the gateway and shows what finds each one. */
    plants: { type: 'boolean', default: false },
    /** With --plants: part of the names of the faults that are planted. */
    named: { type: 'string', default: '' },
    /** File for the summary as JSON. */
    json: { type: 'string' },
  },
});

type AnyTally = Tally | LiveTally;

const rounds = Number(values.rounds);
const perCampaign = Math.min(rounds, Number(values.campaign));
const seeds = Array.from({ length: Math.ceil(rounds / perCampaign) }, (_, index) => Number(values.seed) + index);
const startMs = performance.now();
const tallies: AnyTally[] = [];
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

function campaign(seed: number, count: number): Promise<AnyTally> {
  const common = { seed, rounds: count, settleEveryRounds: Number(values['settle-every']) };
  return values.live
    ? answerOf('live/live-campaign-peer.js', { ...common, exchange: values.exchange })
    : answerOf('campaign-peer.js', { ...common, standing: Number(values.standing) });
}

/** Runs a program of this folder in a process of its own. Returns its only message. */
async function answerOf<Answer>(program: string, options: object): Promise<Answer> {
  const peer = fork(join(import.meta.dirname, program), [JSON.stringify(options)]);
  const ended = once(peer, 'exit');
  const answer = await Promise.race([once(peer, 'message'), ended.then(() => null)]);
  if (answer === null) throw new Error(`${program} ended without a tally; its options: ${JSON.stringify(options)}`);
  await ended;
  return (answer as [Answer])[0];
}

function replayOf(seed: number, count: number): string {
  const settleEvery = values['settle-every'];
  const mode = values.live ? `--live --exchange ${values.exchange}` : `--standing ${values.standing}`;
  return `npm run torture -- ${mode} --rounds ${count} --seed ${seed} --settle-every ${settleEvery}`;
}

/** Prints the summary and writes it where it is wanted. */
function conclude(summary: { readonly problems: readonly string[]; readonly [count: string]: unknown }): void {
  const text = JSON.stringify(summary, null, 2);
  console.log(text);
  if (values.json !== undefined) writeFileSync(values.json, `${text}\n`);
  if (summary.problems.length > 0) process.exitCode = 1;
}

if (values.live && values.plants) {
  const root = join(import.meta.dirname, '../../..');
  const hunts = await huntPlants({ root, seed: Number(values.seed), rounds, named: values.named });
  for (const { plant, problems, rounds: done } of hunts) {
    const [found] = problems;
    console.log(found === undefined ? `NOT FOUND: ${plant}` : `found in round ${done}: ${plant}: ${found}`);
  }
  if (hunts.some(({ problems }) => problems.length === 0)) process.exitCode = 1;
} else if (values.live && values.cuts !== undefined) {
  const options = { exchange: values.exchange, seed: Number(values.seed), cuts: Number(values.cuts) };
  conclude(await answerOf('live/cuts-peer.js', { ...options, minutes: Number(values.minutes) }));
} else {
  const mode = values.live ? `live at ${values.exchange}, ` : '';
  console.log(
    `torture: ${mode}${rounds} rounds, ${perCampaign} per data directory, seed ${values.seed}, ${values.jobs} jobs`,
  );
  await Promise.all(Array.from({ length: Number(values.jobs) }, work));
  const total = sumOf(tallies);
  const elapsedS = (performance.now() - startMs) / 1000;
  conclude({
    ...total,
    elapsedS: Math.round(elapsedS),
    secondsPerRound: Number((elapsedS / total.rounds).toFixed(2)),
  });
}
