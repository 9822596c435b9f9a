import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const PACKAGE = join(ROOT, 'node_modules/uWebSockets.js');
const COMMITTED = readFileSync(join(import.meta.dirname, 'uwebsockets.sha256'), 'utf8');
/** Of uwebsockets@3.0.6 in the lockfile. */
const INTEGRITY = 'sha512-0Nw22DDOd1YGnJ8/IHYVCDHZXAVqLnjBxktl2bSjcJRVcgasb2Zs8WCRhL41IydraLLq001c6ycHdIS+rEcAxw==';

function digestOf(name: string): string {
  return createHash('sha256')
    .update(readFileSync(join(PACKAGE, name)))
    .digest('hex');
}

describe('the installed uWebSockets.js', () => {
  it('is the build whose hashes are committed, file by file', () => {
    const committed = COMMITTED.trim()
      .split('\n')
      .map((line) => line.split(/\s+/));
    const installed = committed.map(([, name = '']) => [digestOf(name), name]);
    expect(installed).toEqual(committed);
    const binaries = readdirSync(PACKAGE).filter((name) => name.endsWith('.node'));
    expect(committed.map(([, name]) => name)).toEqual(expect.arrayContaining(binaries));
  });

  it('has the integrity that the lockfile holds', () => {
    const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
      readonly packages: Readonly<Record<string, { readonly version?: string; readonly integrity?: string }>>;
    };
    expect(lock.packages['node_modules/uWebSockets.js']).toMatchObject({ version: '3.0.6', integrity: INTEGRITY });
  });
});
