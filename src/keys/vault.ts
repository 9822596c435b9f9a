import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { MASTER_KEY_FILE, namesIn, readIfPresent } from '../storage/data-directory.js';
import { nodeDisk, writeSynced } from '../storage/disk.js';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts secrets at rest with AES-256-GCM. Sealed bytes are nonce, tag, ciphertext. The purpose is authenticated
 * data, so that a sealed secret does not open in another row.
 */
export class Vault {
  readonly #masterKey: KeyObject;

  constructor(masterKey: KeyObject) {
    this.#masterKey = masterKey;
  }

  seal(secret: Uint8Array, purpose: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#masterKey, nonce).setAAD(Buffer.from(purpose));
    const ciphertext = Buffer.concat([cipher.update(secret), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]);
  }

  /**
   * Returns the secret; the caller may overwrite it, no other copy exists. Null when the bytes were sealed with another
   * master key, for another purpose, or were altered.
   */
  open(sealed: Uint8Array, purpose: string): Buffer | null {
    if (sealed.length < NONCE_BYTES + TAG_BYTES) return null;
    const nonce = sealed.subarray(0, NONCE_BYTES);
    const decipher = createDecipheriv(CIPHER, this.#masterKey, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(purpose)).setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    const secret = decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES));
    try {
      // Checks the tag. In this mode it returns no further bytes.
      decipher.final();
      return secret;
    } catch {
      secret.fill(0);
      return null;
    }
  }
}

/** The master key is missing or malformed. The message names its source. */
export class MasterKeyError extends Error {
  override readonly name = 'MasterKeyError';
}

export const MASTER_KEY_VARIABLE = 'SLUICE_MASTER_KEY';

/** The name of the master key among the credentials of a systemd unit. */
const CREDENTIAL_FILE = 'sluice.master-key';

/**
 * The text of the master key that the environment gives: SLUICE_MASTER_KEY, otherwise the credential
 * `sluice.master-key` of the systemd unit. No other user of the machine can read them. undefined: none, so the data
 * directory has the key.
 */
export function masterKeyText(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const folder = env['CREDENTIALS_DIRECTORY'];
  if (env[MASTER_KEY_VARIABLE] !== undefined || folder === undefined) return env[MASTER_KEY_VARIABLE];
  return readIfPresent(join(folder, CREDENTIAL_FILE)) ?? undefined;
}

const MASTER_KEY_BYTES = 32;

/**
 * Returns the 256-bit master key: the text of the variable when it is set (64 hexadecimal digits, or Base64 of 32
 * bytes), otherwise `<dataDir>/master.key`. Creates that file, readable by its owner only, unless secrets exist that a
 * new key could not open. Throws MasterKeyError when there is no key, or it is malformed.
 */
export function readMasterKey(dataDir: string, variable: string | undefined, hasSecrets: boolean): KeyObject {
  if (variable !== undefined) return parseMasterKey(variable, MASTER_KEY_VARIABLE);
  const path = join(dataDir, MASTER_KEY_FILE);
  const text = readIfPresent(path);
  if (text === null && hasSecrets) {
    throw new MasterKeyError(
      `${path} is missing, and secrets in the directory need it; put it back or set ${MASTER_KEY_VARIABLE}`,
    );
  }
  return parseMasterKey(text ?? generate(dataDir, path), path);
}

function parseMasterKey(text: string, source: string): KeyObject {
  const trimmed = text.trim();
  const bytes = /^[0-9a-f]{64}$/i.test(trimmed) ? Buffer.from(trimmed, 'hex') : decodeBase64(trimmed);
  if (bytes?.length !== MASTER_KEY_BYTES) {
    throw new MasterKeyError(`${source} is neither 64 hexadecimal digits nor Base64 of ${MASTER_KEY_BYTES} bytes`);
  }
  return createSecretKey(bytes);
}

/** Node decodes leniently and skips characters that are not Base64, so the shape is checked first. */
function decodeBase64(text: string): Buffer | null {
  return /^[A-Za-z0-9+/_-]+={0,2}$/.test(text) ? Buffer.from(text, 'base64') : null;
}

/**
 * Creates the key file. Two processes may start on an empty directory at once. Each writes its own file and links it to
 * the final name. One link succeeds, and both processes read the linked file. No reader ever sees an incomplete key.
 */
function generate(dataDir: string, path: string): string {
  const draft = `${path}.${randomBytes(DRAFT_BYTES).toString('hex')}`;
  writeSynced(nodeDisk, draft, `${randomBytes(MASTER_KEY_BYTES).toString('hex')}\n`);
  try {
    nodeDisk.link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    nodeDisk.remove(draft);
  }
  nodeDisk.sync(dataDir);
  return readFileSync(path, 'utf8');
}

const DRAFT_BYTES = 8;
const DRAFT_FILE = new RegExp(`^${MASTER_KEY_FILE.replace('.', '\\.')}\\.[0-9a-f]{${2 * DRAFT_BYTES}}$`);
/** A process writes and links its draft within this time. */
const DRAFT_MS_MAX = 60_000;

/**
 * Removes the key files that starts left behind when they were killed. Such a file may be a second name of the master
 * key. Leaves a file that is newer than DRAFT_MS_MAX: another process may be about to link it. `nowMs`: real time.
 */
export function removeKeyDrafts(dataDir: string, nowMs: number): void {
  for (const name of namesIn(dataDir).filter((one) => DRAFT_FILE.test(one))) {
    const path = join(dataDir, name);
    const writtenAtMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? nowMs;
    if (nowMs - writtenAtMs > DRAFT_MS_MAX) nodeDisk.remove(path);
  }
}
