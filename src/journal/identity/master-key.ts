import { createSecretKey, randomBytes } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** The key that protects secrets at rest cannot be used; the message names where it came from. */
export class MasterKeyError extends Error {
  override readonly name = 'MasterKeyError';
}

export const MASTER_KEY_VARIABLE = 'SLUICE_MASTER_KEY';
export const MASTER_KEY_FILE = 'master.key';

const MASTER_KEY_BYTES = 32;

/**
 * The 256-bit master key: from the variable's text when it is set (64 hexadecimal digits, or Base64 of 32 bytes),
 * otherwise from `<dataDir>/master.key`, which is made, readable by its owner only, unless there are secrets already
 * that a new key could not open. Throws MasterKeyError when there is no key to be had, or it is malformed.
 */
export function readMasterKey(dataDir: string, variable: string | undefined, hasSecrets: boolean): KeyObject {
  if (variable !== undefined) return parseMasterKey(variable, MASTER_KEY_VARIABLE);
  const path = join(dataDir, MASTER_KEY_FILE);
  const text = readIfPresent(path);
  if (text === null && hasSecrets) {
    throw new MasterKeyError(
      `${path} is missing, which opens the secrets there; put it back or set ${MASTER_KEY_VARIABLE}`,
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

/** Node decodes leniently and skips what is no Base64, so the shape is checked first. */
function decodeBase64(text: string): Buffer | null {
  return /^[A-Za-z0-9+/_-]+={0,2}$/.test(text) ? Buffer.from(text, 'base64') : null;
}

function readIfPresent(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/**
 * Two processes may start on an empty directory at once. Each writes a file of its own and links it to the final
 * name, which succeeds for exactly one; both then read what is there. No reader ever sees half a key.
 */
function generate(dataDir: string, path: string): string {
  const draft = `${path}.${randomBytes(8).toString('hex')}`;
  writeSynced(draft, `${randomBytes(MASTER_KEY_BYTES).toString('hex')}\n`);
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    unlinkSync(draft);
  }
  syncFolder(dataDir);
  return readFileSync(path, 'utf8');
}

function writeSynced(path: string, text: string): void {
  const file = openSync(path, 'wx', 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
