import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ROOT } from './service-run.js';
import { newSite } from './site.js';

const DEMO = join(ROOT, 'dist/service/src/cli/demo.js');
/** 60 s of service time in 15 s. At a higher speed a short pause of a loaded machine is a whole slice of the order. */
const SPEED = '4';

// Both wait for the end of their orders most of the time.
describe.concurrent('the demo', () => {
  it('works its order in a directory of its own, prints the cost report of the service, and removes the directory', async (test) => {
    const { folder, dataDir } = newSite(test);
    const env = { ...process.env, SLUICE_DATA_DIR: dataDir, SLUICE_PORT: '0', SLUICE_SIM_SPEED: SPEED, TMPDIR: folder };
    const { stdout } = await promisify(execFile)(process.execPath, [DEMO, '--exit'], { env, cwd: folder });
    expect(stdout.split('\n')[0]).toBe(`SLUICE_DATA_DIR=${dataDir} has no effect: the demo has a directory of its own`);
    expect(stdout.split('\n')[1]).toMatch(/^starting the service in .*sluice-demo-/);
    expect(stdout).toContain('placing an order: TWAP, BUY 0.5 BTC/USDT on BINANCE in 60 s');
    expect(stdout).toMatch(/^Order \d+, FILLED, .*basis points, positive is cost$/m);
    expect(stdout).toMatch(/^arrival slippage +-?\d+\.\d\d  bps$/m);
    expect(stdout).toContain('stopping the service');
    // Neither `./data` nor the directory of the demo is left.
    expect(readdirSync(folder)).toEqual([]);
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
