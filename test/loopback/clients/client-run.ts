import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ApiKey } from '../accounts.js';
import type { ProxiedSite } from '../proxied-site.js';

/** What a client process found out, by name. */
export type ClientFindings = Readonly<Record<string, unknown>>;

const TIME_MS_MAX = 60_000;

/** Runs a foreign client in its own process, with the proxy as its only way out. Returns the object that it printed. */
export async function runClient(
  script: string,
  { site, key, secret = key.secret ?? '' }: { site: ProxiedSite; key: ApiKey; secret?: string },
): Promise<ClientFindings> {
  const guard = new URL('./dial-guard.js', compiled(import.meta.url)).href;
  const file = fileURLToPath(new URL(`./${script}.js`, compiled(import.meta.url)));
  const child = spawn(process.execPath, ['--import', guard, file], {
    env: {
      PATH: process.env['PATH'],
      NODE_EXTRA_CA_CERTS: site.certificateFile,
      LOOPBACK_PROXY: site.proxy.url,
      LOOPBACK_KEY: key.key,
      LOOPBACK_SECRET: secret,
      LOOPBACK_PASSPHRASE: key.passphrase ?? '',
    },
    timeout: TIME_MS_MAX,
  });
  let output = '';
  let errors = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const status = await new Promise((resolve) => {
    child.on('close', resolve);
  });
  const last = output.trim().split('\n').at(-1) ?? '';
  if (status !== 0) throw new Error(`${script} ended with status ${String(status)}\n${errors}\n${output}`);
  return JSON.parse(last) as ClientFindings;
}

/** Specs run from their sources; a child process runs the built file of the same name. */
function compiled(url: string): string {
  return url.includes('/dist/test/') ? url : url.replace('/test/loopback/', '/dist/test/loopback/');
}
