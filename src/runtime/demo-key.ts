import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { CreatedKey, Identity } from './identity.js';
import { assert, isRejected } from '../domain/rejection.js';

export interface DemoKeyParts {
  readonly identity: Pick<Identity, 'keys' | 'settings'>;
  /** Real time, epoch milliseconds. */
  readonly nowRealMs: number;
  /** Delivers the key to the user or to a file. Throws on failure. */
  readonly deliver: (key: CreatedKey) => void;
}

const DEMO_ACCOUNT = 'demo';
const KEY_FILE = 'demo-key.json';

/**
 * Creates a key of account `demo` in a data directory without keys and delivers it once. Returns false when keys exist.
 *
 * A mark on disk exists from the creation to the delivery. A process that finds the mark revokes the key, because its
 * secret may be lost, and creates another one.
 */
export function makeDemoKey({ identity, nowRealMs, deliver }: DemoKeyParts): boolean {
  const { keys, settings } = identity;
  const isPending = settings.isDemoKeyPending();
  const valid = keys.list().filter(({ revokedAtMs }) => revokedAtMs === null);
  const undelivered = isPending ? valid.filter(({ account }) => account === DEMO_ACCOUNT) : [];
  // The operator has created keys in the meantime.
  if (valid.length > 1 || undelivered.length !== valid.length) {
    if (isPending) settings.setDemoKeyPending(false);
    return false;
  }
  if (!isPending && keys.list().length > 0) return false;
  settings.setDemoKeyPending(true);
  for (const { apiKey } of undelivered) keys.revoke(apiKey, nowRealMs);
  const key = keys.createKey({ account: DEMO_ACCOUNT, permissions: ['trade'], kind: 'HMAC' }, nowRealMs);
  assert(!isRejected(key), 'the request of the demo key is a right one');
  deliver(key);
  settings.setDemoKeyPending(false);
  return true;
}

/** Writes a key as `sluice keys create --json` prints it to a file that only its owner can read. Returns its path. */
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
