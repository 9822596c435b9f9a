import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { ROOT } from '../../system/service-run.js';
import { ServiceProcess } from '../service-process.js';
import type { ExchangeProcess } from './exchange-process.js';
import type { AccountKey } from './traded-exchange.js';

export const ENVIRONMENT = 'testnet';

/** Stores the key of an account by the command line, as an operator does. */
export async function addVenueKey(
  dataDir: string,
  { account, exchange }: { readonly account: string; readonly exchange: string },
  { apiKey, secret, passphrase }: AccountKey,
): Promise<void> {
  const place = ['--account', account, '--exchange', exchange, '--environment', ENVIRONMENT];
  const child = spawn(
    process.execPath,
    [join(ROOT, 'dist/service/src/cli/main.js'), 'venue-keys', 'add', ...place, '--api-key', apiKey, '--secret-stdin'],
    { stdio: ['pipe', 'ignore', 'pipe'], env: { ...process.env, SLUICE_DATA_DIR: dataDir } },
  );
  let words = '';
  child.stderr.on('data', (chunk: Buffer) => {
    words += chunk.toString();
  });
  child.stdin.end([secret, ...(passphrase === undefined ? [] : [passphrase])].join('\n'));
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`venue-keys add ended with ${code}: ${words}`);
}

/** Starts the service with one real exchange, which the loopback is. */
export function startLive(
  dataDir: string,
  exchange: { readonly name: string; readonly process: ExchangeProcess },
  env: Readonly<Record<string, string>>,
  nodeArgs: readonly string[] = [],
): ServiceProcess {
  const { proxy, certificateFile } = exchange.process.description;
  return new ServiceProcess(
    dataDir,
    {
      SLUICE_LIVE: `${exchange.name}:${ENVIRONMENT}`,
      SLUICE_LIVE_PROXY: proxy,
      NODE_EXTRA_CA_CERTS: certificateFile,
      ...env,
    },
    nodeArgs,
  );
}
