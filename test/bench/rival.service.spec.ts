import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { signedCreates } from '../../bench/orders.js';

const SCRIPT = join(import.meta.dirname, '../../dist/bench/placement/rival.js');
const KEY = { apiKey: 'key', apiSecret: 'c2VjcmV0' };
let rival: ChildProcess | null = null;

afterEach(() => rival?.kill());

/** Starts the rival and returns its port. */
async function start(): Promise<number> {
  rival = spawn(process.execPath, [SCRIPT, KEY.apiSecret], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(rival.stdout!, 'data')) as [Buffer];
  return (JSON.parse(line.toString()) as { port: number }).port;
}

/** Sends requests at once, each over its own connection, and returns the first line of each answer. */
function statuses(port: number, requests: readonly Buffer[]): Promise<string[]> {
  const ask = (request: Buffer): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(request));
      socket.once('error', reject);
      socket.once('data', (answer) => {
        socket.destroy();
        resolve(answer.toString().split('\r\n')[0] ?? '');
      });
    });
  return Promise.all(requests.map(ask));
}

it('the rival stores each client id once and refuses a wrong signature', async () => {
  const port = await start();
  const creates = signedCreates(KEY, 20, 'once');
  expect(new Set(await statuses(port, creates))).toEqual(new Set(['HTTP/1.1 201 Created']));
  expect(await statuses(port, creates.slice(0, 1))).toEqual(['HTTP/1.1 409 Conflict']);
  const forged = signedCreates({ ...KEY, apiSecret: 'b3RoZXI' }, 1, 'forged');
  expect(await statuses(port, forged)).toEqual(['HTTP/1.1 401 Unauthorized']);
});
