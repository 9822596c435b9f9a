import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import { hunt, type Catch } from './hunt.js';
import { MUTATIONS } from './list.js';
import { ScratchCopy } from './plant.js';

/*
 * npm run sim:mutations plants each fault and runs seeds until one seed fails.
 *
 *   npm run sim:mutations -- --only pause        only faults whose name contains the word
 *   npm run sim:mutations -- --seeds 2000 --jobs 2
 */
const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '2000' },
    jobs: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
  },
});
const root = fileURLToPath(new URL('../../../../', import.meta.url));
const scratch = new ScratchCopy(root);
const missed: string[] = [];
try {
  for (const mutation of MUTATIONS.filter(({ name }) => name.includes(values.only))) {
    const startMs = Date.now();
    const found = hunt(scratch, mutation, { seeds: Number(values.seeds), jobs: Number(values.jobs) });
    if (found.seedCount === null) missed.push(mutation.name);
    console.log(lineOf(mutation.name, found, Date.now() - startMs));
  }
} finally {
  scratch.remove();
}
if (missed.length > 0) {
  console.log(`${missed.length} faults were not found within ${values.seeds} seeds`);
  process.exitCode = 1;
}

function lineOf(name: string, { seedCount, reason }: Catch, ms: number): string {
  const found = seedCount === null ? 'NOT FOUND' : `${seedCount} seeds`;
  return `${found.padEnd(12)} ${String(Math.round(ms / 1_000)).padStart(5)} s  ${name}${reason === null ? '' : `\n${' '.repeat(22)}${reason}`}`;
}
