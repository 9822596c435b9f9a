import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { CreatedKey, Identity } from './identity.js';
import { assert, isRejected } from '../domain/rejection.js';
import { readIfPresent } from '../storage/data-directory.js';
import { nodeDisk, writeSynced } from '../storage/disk.js';

export interface DemoKeyParts {
  readonly identity: Pick<Identity, 'keys' | 'settings'>;
  /** Real time, epoch milliseconds. */
  readonly nowRealMs: number;
  /** Delivers the key to the user or to a file. Throws on failure. */
  readonly deliver: (key: CreatedKey) => void;
}

const DEMO_ACCOUNT = 'demo';
const KEY_FILE = 'demo-key.json';
const FILE_WARNING =
  'the demo key is in this file, in plain text: copy it to a file of your client now; this one is removed within a second after the first use of the key';

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

interface DemoKeyFileParts {
  readonly dataDir: string;
  /** True when a client of this process has proven the key. */
  readonly hasSigned: (apiKey: string) => boolean;
  readonly log: {
    warn(context: object, message: string): void;
    info(context: object, message: string): void;
  };
}

/**
 * The file with the demo key. It holds a trade key in plain text, so it is removed soon after the first request or
 * session that the key has signed. Until then each start logs a warning.
 */
export class DemoKeyFile {
  readonly #parts: DemoKeyFileParts;
  readonly #path: string;
  /** null: there is no file to watch. */
  #apiKey: string | null = null;

  constructor(parts: DemoKeyFileParts) {
    this.#parts = parts;
    this.#path = join(parts.dataDir, KEY_FILE);
  }

  /** Writes a key as `sluice keys create --json` prints it. Only the owner of the data directory can read the file. */
  write({ apiKey, apiSecret, account, permissions }: CreatedKey): void {
    this.#removeDraft();
    const content = { api_key: apiKey, api_secret: apiSecret, account, permissions };
    writeSynced(nodeDisk, this.#draft, `${JSON.stringify(content, null, 2)}\n`);
    nodeDisk.rename(this.#draft, this.#path);
    nodeDisk.sync(this.#parts.dataDir);
    this.#watch(apiKey);
  }

  /** Finds the file of an earlier start. Removes what a killed start left of another one. */
  open(): void {
    this.#removeDraft();
    const text = readIfPresent(this.#path);
    if (text !== null) this.#watch(apiKeyIn(text));
  }

  /** Removes the file when its key has been used. Call it about once a second. */
  check(): void {
    if (this.#apiKey === null || !this.#parts.hasSigned(this.#apiKey)) return;
    this.#apiKey = null;
    rmSync(this.#path, { force: true });
    nodeDisk.sync(this.#parts.dataDir);
    this.#parts.log.info({ path: this.#path }, 'the demo key was used: its file is removed');
  }

  get #draft(): string {
    return `${this.#path}.new`;
  }

  #removeDraft(): void {
    rmSync(this.#draft, { force: true });
  }

  #watch(apiKey: string): void {
    this.#apiKey = apiKey;
    const copy = `install -m 600 ${this.#path} ~/sluice-key.json`;
    this.#parts.log.warn({ path: this.#path, copy }, FILE_WARNING);
  }
}

/** '' for an unreadable file: no key has this id, so the file and its warning stay. */
function apiKeyIn(text: string): string {
  try {
    return String((JSON.parse(text) as { readonly api_key?: unknown } | null)?.api_key);
  } catch {
    return '';
  }
}
