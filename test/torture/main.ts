import { parseArgs } from 'node:util';
import { runTorture } from './run.js';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    shards: { type: 'string', default: '2' },
  },
});

const seed = Number(values.seed);
const rounds = Number(values.rounds);
console.log(`torture: ${rounds} rounds, seed ${seed}, ${values.shards} shards`);
const report = await runTorture({
  rounds,
  seed,
  shards: Number(values.shards),
  settleEveryRounds: 10,
  log: (text) => console.log(text),
});
console.log(JSON.stringify(report, null, 2));
if (report.problems.length > 0) {
  console.log(`replay with: npm run torture -- --rounds ${rounds} --seed ${seed} --shards ${values.shards}`);
  process.exitCode = 1;
}
