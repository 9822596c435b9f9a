import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { CreatedKey, Identity } from './journal/identity/index.js';
import { assert } from './model/assert.js';
import { isRejected } from './model/rejection.js';

export interface DemoKeyParts {
  readonly identity: Pick<Identity, 'keys' | 'settings'>;
  /** Real time, epoch milliseconds. */
  readonly nowRealMs: number;
  /** Hands the key to the person or the file it is for. Throws when that fails. */
  readonly deliver: (key: CreatedKey) => void;
}

const DEMO_ACCOUNT = 'demo';
const KEY_FILE = 'demo-key.json';

/**
 * On a data directory without keys: makes a key of account `demo` and delivers it once. False: there are keys already.
 *
 * A note of the key that is being made stays on disk until it is delivered. A process that finds the note revokes that
 * key, whose secret may be lost with the process before it, and makes another one.
 */
export function makeDemoKey({ identity, nowRealMs, deliver }: DemoKeyParts): boolean {
  const { keys, settings } = identity;
  const isPending = settings.isDemoKeyPending();
  const good = keys.list().filter(({ revokedAtMs }) => revokedAtMs === null);
  const lost = isPending ? good.filter(({ account }) => account === DEMO_ACCOUNT) : [];
  // The operator has made keys meanwhile.
  if (good.length > 1 || lost.length !== good.length) {
    if (isPending) settings.setDemoKeyPending(false);
    return false;
  }
  if (!isPending && keys.list().length > 0) return false;
  settings.setDemoKeyPending(true);
  for (const { apiKey } of lost) keys.revoke(apiKey, nowRealMs);
  const key = keys.createKey({ account: DEMO_ACCOUNT, permissions: ['trade'], kind: 'HMAC' }, nowRealMs);
  assert(!isRejected(key), 'the request of the demo key is a right one');
  deliver(key);
  settings.setDemoKeyPending(false);
  return true;
}

/** Writes a key, in the form of `sluice keys create --json`, to a file that only its owner can read. Returns its path. */
export function writeKeyFile(dataDir: string, { apiKey, apiSecret, account, permissions }: CreatedKey): string {
  const path = join(dataDir, KEY_FILE);
  const draft = `${path}.new`;
  rmSync(draft, { force: true });
  const file = openSync(draft, 'wx', 0o600);
  try {
    const content = { api_key: apiKey, api_secret: apiSecret, account, permissions };
    writeSync(file, `${JSON.stringify(content, null, 2)}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(draft, path);
  const folder = openSync(dataDir, 'r');
  fsyncSync(folder);
  closeSync(folder);
  return path;
}
