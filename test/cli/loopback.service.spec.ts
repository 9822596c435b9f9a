import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, type TestContext } from 'vitest';
import { LOOPBACK_EXCHANGES, LoopbackProgram } from '../../src/cli/loopback.js';
import { PROTOCOLS } from '../loopback/protocols.js';
import { type Outcome, sluice } from './command-line.js';

const COMMAND_LINE = join(import.meta.dirname, '../../dist/service/src/cli/main.js');
const SETTINGS = /SLUICE_LIVE_PROXY=(?<proxy>\S+)[^]*NODE_EXTRA_CA_CERTS=(?<certificate>\S+)/;

/** Runs the command with a program that records its parameters and ends with a status. */
async function run(
  args: readonly string[],
  status = 0,
): Promise<Outcome & { readonly parameters: readonly string[][] }> {
  const parameters: string[][] = [];
  const loopbacks = {
    run: (given: readonly string[]) => {
      parameters.push([...given]);
      return Promise.resolve(status);
    },
  };
  const outcome = await sluice(['loopback', ...args], {}, { loopbacks });
  return { ...outcome, parameters };
}

describe('sluice loopback', () => {
  it('runs the exchange with its port', async () => {
    expect(await run(['binance'])).toMatchObject({ status: 0, parameters: [['binance']] });
    const { parameters } = await run(['bybit', '--port', '18990', '--still']);
    expect(parameters).toEqual([['bybit', '--port', '18990', '--still']]);
    expect((await run(['okx', '--json'])).parameters).toEqual([['okx', '--json']]);
  });

  it('exits with status 2 for an unknown exchange or a wrong port', async () => {
    for (const args of [
      [],
      ['nasdaq'],
      ['binance', '--port', '0'],
      ['binance', '--port', '70000'],
      ['binance', '--port', 'x'],
    ]) {
      const { status, parameters } = await run(args);
      expect([args, status, parameters]).toEqual([args, 2, []]);
    }
  });

  it('exits with status 1 when the exchange fails', async () => {
    expect(await run(['binance'], 3)).toMatchObject({
      status: 1,
      error: 'sluice: the loopback exchange ended with status 3\n',
    });
  });

  it('says that an installed package has no loopback exchanges', async () => {
    const missing = new LoopbackProgram('/nonexistent/main.js');
    const { status, error } = await sluice(['loopback', 'binance'], {}, { loopbacks: missing });
    expect(status).toBe(1);
    expect(error).toContain('not part of an installed package');
  });

  it('offers every protocol that the program knows', () => {
    expect([...LOOPBACK_EXCHANGES]).toEqual(Object.keys(PROTOCOLS));
  });
});

// Each waits for the programs that it starts.
describe.concurrent('sluice loopback in a process of its own', () => {
  it.for([
    ['binance', 'api.binance.com', askBinance, { canTrade: true }],
    ['bybit', 'api.bybit.com', askBybit, { retCode: 0, result: { list: [{ accountType: 'UNIFIED' }] } }],
    ['okx', 'www.okx.com', askOkx, { code: '0', data: [{ posMode: 'net_mode' }] }],
  ] as const)(
    'prints addresses of %s, a key that works and the settings of the service, and ends by a signal',
    async ([protocol, host, ask, expected], test) => {
      const stdio: StdioOptions = ['ignore', 'pipe', 'inherit'];
      const program = spawn(process.execPath, [COMMAND_LINE, 'loopback', protocol], { stdio });
      test.onTestFinished(() => void program.kill('SIGKILL'));
      const ended = new Promise((resolve) => program.once('exit', resolve));
      const text = await printed(program, 'The exchange and its key end with Ctrl-C.');
      const value = (name: string) => new RegExp(`^${name} +(\\S+)$`, 'm').exec(text)?.[1] ?? '';
      const key = { key: value('key'), secret: value('secret'), passphrase: value('passphrase') };
      const answer = await ask(`http://${value(`  ${host}`)}`, key);
      expect(await answer.json()).toMatchObject(expected);
      const { certificate = '', proxy = '' } = SETTINGS.exec(text)?.groups ?? {};
      expect(proxy).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
      expect(existsSync(certificate)).toBe(true);
      const venue = protocol.toUpperCase();
      expect(text).toContain(`export SLUICE_LIVE=${venue}:testnet\n`);
      expect(text).toContain(`--environment testnet --api-key ${key.key} --secret-stdin`);
      expect(text).toContain(`npx sluice live check --exchange ${venue}\n`);
      // The settings and the key lead the check of an account to this exchange, by its host names and by one address.
      const env = { SLUICE_LIVE_PROXY: proxy, NODE_EXTRA_CA_CERTS: certificate };
      expect(await checked({ venue, key, env, test })).toContain(`could be placed.`);
      const [, url = ''] = new RegExp(`export SLUICE_LIVE_URL_${venue}=(\\S+)`).exec(text) ?? [];
      const beside = { [`SLUICE_LIVE_URL_${venue}`]: url, HTTPS_PROXY: 'http://127.0.0.1:9' };
      expect(await checked({ venue, key, env: beside, test })).toContain(`could be placed.`);
      program.kill('SIGTERM');
      expect(await ended).toBe(0);
      expect(existsSync(certificate)).toBe(false);
    },
  );
});

interface PrintedKey {
  readonly key: string;
  readonly secret: string;
  /** Empty where keys have none. */
  readonly passphrase: string;
}

function askBinance(address: string, { key, secret }: PrintedKey): Promise<Response> {
  const query = `timestamp=${Date.now()}`;
  const signature = createHmac('sha256', secret).update(query).digest('hex');
  return fetch(`${address}/api/v3/account?${query}&signature=${signature}`, { headers: { 'X-MBX-APIKEY': key } });
}

function askBybit(address: string, { key, secret }: PrintedKey): Promise<Response> {
  const [time, query] = [String(Date.now()), 'accountType=UNIFIED'];
  const signature = createHmac('sha256', secret).update(`${time}${key}5000${query}`).digest('hex');
  const headers = {
    'X-BAPI-API-KEY': key,
    'X-BAPI-TIMESTAMP': time,
    'X-BAPI-RECV-WINDOW': '5000',
    'X-BAPI-SIGN': signature,
  };
  return fetch(`${address}/v5/account/wallet-balance?${query}`, { headers });
}

function askOkx(address: string, { key, secret, passphrase }: PrintedKey): Promise<Response> {
  const [time, path] = [new Date().toISOString(), '/api/v5/account/config'];
  const headers = {
    'OK-ACCESS-KEY': key,
    'OK-ACCESS-PASSPHRASE': passphrase,
    'OK-ACCESS-TIMESTAMP': time,
    'OK-ACCESS-SIGN': createHmac('sha256', secret).update(`${time}GET${path}`).digest('base64'),
    'x-simulated-trading': '1',
  };
  return fetch(`${address}${path}`, { headers });
}

/** Stores the key in a new data directory and runs `live check` in a process. Returns what it printed. */
async function checked({
  venue,
  key: { key, secret, passphrase },
  env,
  test,
}: {
  readonly venue: string;
  readonly key: PrintedKey;
  readonly env: NodeJS.ProcessEnv;
  readonly test: Pick<TestContext, 'onTestFinished'>;
}): Promise<string> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sluice-loopback-'));
  test.onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const run = (args: readonly string[], input = ''): Promise<string> => {
    const child = spawn(process.execPath, [COMMAND_LINE, ...args], {
      env: { ...process.env, ...env, SLUICE_DATA_DIR: dataDir },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
    child.stdin.end(input);
    return new Promise((resolve) => child.once('close', () => resolve(text)));
  };
  await run(['keys', 'create', '--account', 'demo', '--permissions', 'trade']);
  const place = ['--account', 'demo', '--exchange', venue, '--environment', 'testnet'];
  await run(['venue-keys', 'add', ...place, '--api-key', key, '--secret-stdin'], `${secret}\n${passphrase}`.trimEnd());
  return run(['live', 'check', '--exchange', venue]);
}

/** Waits until the program has printed the text; returns all that it has printed. */
function printed(child: ChildProcess, end: string): Promise<string> {
  let text = '';
  return new Promise((resolve, reject) => {
    child.once('exit', (status) => reject(new Error(`the program ended with status ${status}: ${text}`)));
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      if (text.includes(end)) resolve(text);
    });
  });
}
