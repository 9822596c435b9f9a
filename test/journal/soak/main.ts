import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Soak } from './soak.js';

/*
 * npm run soak -- [--days 30] [--rate 0.5] [--dir FOLDER]
 *
 * Runs the journal, the projector and the keeper for simulated days at a constant rate of orders, with one LIMIT order
 * that never fills. Prints one line a day. `--rate`: orders a second of service time.
 */
const { values } = parseArgs({
  options: {
    days: { type: 'string', default: '30' },
    rate: { type: 'string', default: '0.5' },
    dir: { type: 'string', default: tmpdir() },
  },
});
const dataDir = mkdtempSync(join(values.dir, 'sluice-soak-'));
try {
  const soak = new Soak(dataDir, Number(values.rate));
  for (let day = 1; day <= Number(values.days); day += 1) console.log(JSON.stringify(await soak.day(day)));
  await soak.close();
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}
