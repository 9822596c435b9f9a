import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './service-run.js';
import { newSite } from './site.js';

const DEMO = join(ROOT, 'dist/service/src/cli/demo.js');
/** 60 s of service time in 15 s. At a higher speed a short pause of a loaded machine is a whole slice of the order. */
const SPEED = '4';

interface Run {
  readonly status: number | null;
  readonly output: string;
}

/** Runs the demo to its end. Its output is read to the end, or closed after the first part that has `last`. */
async function run(args: readonly string[], env: NodeJS.ProcessEnv, cwd = ROOT, last?: string): Promise<Run> {
  const child = spawn(process.execPath, [DEMO, ...args], {
    env: { ...process.env, SLUICE_PORT: '0', ...env },
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (last !== undefined && output.includes(last)) child.stdout.destroy();
    });
  }
  const [status] = (await once(child, 'close')) as [number | null];
  return { status, output };
}

// Each waits for the service or for the end of its order most of the time.
describe.concurrent('the demo', () => {
  it('works its order in a directory of its own, prints the cost report of the service, and removes the directory', async (test) => {
    const { folder, dataDir } = newSite(test);
    const env = { SLUICE_DATA_DIR: dataDir, SLUICE_SIM_SPEED: SPEED, TMPDIR: folder };
    const { status, output } = await run(['--exit'], env, folder);
    expect(status, output).toBe(0);
    expect(output.split('\n')[0]).toBe(`SLUICE_DATA_DIR=${dataDir} has no effect: the demo has a directory of its own`);
    expect(output.split('\n')[1]).toMatch(/^starting the service in .*sluice-demo-/);
    expect(output).toContain('placing an order: TWAP, BUY 0.5 BTC/USDT on BINANCE in 60 s');
    expect(output).toMatch(/^Order \d+, FILLED, .*basis points, positive is cost$/m);
    expect(output).toMatch(/^arrival slippage +-?\d+\.\d{2,4}  bps$/m);
    expect(output).toContain('stopping the service');
    // Neither `./data` nor the directory of the demo is left.
    expect(readdirSync(folder)).toEqual([]);
  });

  it('stops its service and removes the directory when its reader closes the output', async (test) => {
    const { folder } = newSite(test);
    const { status, output } = await run([], { TMPDIR: folder }, folder, 'starting the service');
    // As after an interrupt, and nothing on standard error.
    expect(status, output).toBe(130);
    expect(output.split('\n')).toEqual([expect.stringMatching(/^starting the service in /), '']);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('--live-loopback trades through the protocol of Binance, and its books equal the ledger of the exchange', async () => {
    const { status, output } = await run(['--live-loopback', '--exit', '--seconds', '10'], {});
    // Where the machine stops for the last two seconds, the rest of the order expires. The demo then ends with status
    // 1.
    const end = /^Order \d+, (FILLED|EXPIRED), /m.exec(output)?.[1];
    expect(status, output).toBe(end === 'FILLED' ? 0 : 1);
    expect(end, output).toBeDefined();
    expect(output).toContain('Fills, fees and balances equal the ledger of the exchange.');
    expect(output).toContain('stopping the service');
  });
});
