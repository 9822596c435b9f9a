import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Campaign, campaignsOf } from './campaign-list.js';
import type { LiveTally } from './live/live-tally.js';
import { type Hunt, huntPlants } from './live/plants.js';
import { sumOf, type Tally } from './tally.js';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    /**
     * Number of concurrent campaigns, each in its own process and data directory, and with --live on an exchange of its
     * own. By default one; with --live two for each core, because a campaign there waits for half of its time.
     */
    jobs: { type: 'string' },
    /** Rounds per data directory at most. By default 50; with --live 20. */
    campaign: { type: 'string' },
    'open-orders': { type: 'string', default: '5000' },
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
const jobs = Number(values.jobs ?? (values.live ? 2 * availableParallelism() : 1));
const campaigns = campaignsOf({
  rounds,
  roundsMax: Number(values.campaign ?? (values.live ? 20 : 50)),
  seed: Number(values.seed),
});
const startMs = performance.now();
const tallies: AnyTally[] = [];

/**
 * Runs campaigns one after the other until all are done. Prints the result of each, with the command that repeats it.
 */
async function work(): Promise<void> {
  for (let campaign = campaigns.shift(); campaign !== undefined; campaign = campaigns.shift()) {
    const tally = await tallyOf(campaign);
    tallies.push(tally);
    const { seed } = campaign;
    console.log(`torture: seed ${seed}: ${tally.rounds} rounds in ${tally.seconds} s, ${countOf(tally)} problems`);
    if (countOf(tally) > 0) console.log(`torture: seed ${seed}: repeat with: ${repetitionOf(campaign)}`);
    const all = sumOf(tallies);
    const elapsedS = Math.round((performance.now() - startMs) / 1000);
    console.log(`torture: ${all.rounds} of ${rounds} rounds in ${elapsedS} s, ${countOf(all)} problems`);
  }
}

function countOf({ problems }: AnyTally): number {
  return problems.length;
}

function tallyOf(campaign: Campaign): Promise<AnyTally> {
  const common = { ...campaign, settleEveryRounds: Number(values['settle-every']) };
  return values.live
    ? answerOf('live/live-campaign-peer.js', { ...common, exchange: values.exchange })
    : answerOf('campaign-peer.js', { ...common, openOrders: Number(values['open-orders']) });
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

function repetitionOf({ seed, rounds: count }: Campaign): string {
  const mode = values.live ? `--live --exchange ${values.exchange}` : `--open-orders ${values['open-orders']}`;
  const lengths = `--rounds ${count} --campaign ${count} --settle-every ${values['settle-every']}`;
  return `npm run torture -- ${mode} --seed ${seed} ${lengths}`;
}

function onHunted({ plant, problems, rounds: done }: Hunt): void {
  const [found] = problems;
  console.log(found === undefined ? `NOT FOUND: ${plant}` : `found in round ${done}: ${plant}: ${found}`);
  if (found === undefined) process.exitCode = 1;
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
  await huntPlants({ root, seed: Number(values.seed), rounds, named: values.named, jobs, onHunted });
} else if (values.live && values.cuts !== undefined) {
  const options = { exchange: values.exchange, seed: Number(values.seed), cuts: Number(values.cuts) };
  conclude(await answerOf('live/cuts-peer.js', { ...options, minutes: Number(values.minutes) }));
} else {
  const mode = values.live ? `live at ${values.exchange}, ` : '';
  const seeds = campaigns.map(({ seed, rounds: count }) => `${seed} (${count} rounds)`);
  console.log(`torture: ${mode}${rounds} rounds, ${jobs} campaigns at a time; seeds ${seeds.join(', ')}`);
  await Promise.all(Array.from({ length: jobs }, work));
  const total = sumOf(tallies);
  const elapsedS = (performance.now() - startMs) / 1000;
  conclude({
    ...total,
    elapsedS: Math.round(elapsedS),
    secondsPerRound: Number((elapsedS / total.rounds).toFixed(2)),
  });
}
