import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ROOT } from './service-run.js';
import { newSite } from './site.js';

const DEMO = join(ROOT, 'dist/service/src/cli/demo.js');
/** 24 s of service time in 6 s. At a higher speed a short pause of a loaded machine is a whole slice of the order. */
const SPEED = '4';
const SECONDS = '24';

// Both wait for the end of their orders most of the time.
describe.concurrent('the demo', () => {
  it('starts without a data directory, fills its order and stops; a second demo goes on in the same directory', async (test) => {
    const { dataDir } = newSite(test);
    const env = { ...process.env, SLUICE_DATA_DIR: dataDir, SLUICE_PORT: '0', SLUICE_SIM_SPEED: SPEED };
    expect(existsSync(dataDir)).toBe(false);
    for (const _run of [1, 2]) {
      // The second run needs the data of the first.
      // oxlint-disable-next-line no-await-in-loop
      const { stdout } = await promisify(execFile)(process.execPath, [DEMO, '--exit', '--seconds', SECONDS], { env });
      expect(stdout).toContain('FILLED');
      expect(stdout).toContain('stopping the service');
    }
  });

  it('--live-loopback trades through the protocol of Binance, and its books equal the ledger of the exchange', async () => {
    const env = { ...process.env, SLUICE_PORT: '0' };
    const args = [DEMO, '--live-loopback', '--exit', '--seconds', '10'];
    const { stdout } = await promisify(execFile)(process.execPath, args, { env });
    expect(stdout).toContain('FILLED');
    expect(stdout).toContain('Fills, fees and balances equal the ledger of the exchange.');
    expect(stdout).toContain('stopping the service');
  }, 900_000);
});
