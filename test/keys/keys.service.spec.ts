import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type CreatedKey, openIdentity } from '../../src/runtime/identity.js';
import { temporaryDataDir } from './data-dir.js';

const MODULE = join(import.meta.dirname, '../../dist/src/runtime/identity.js');

/** Runs `statement` on the directory in a separate process. Returns its value as JSON. */
function inOtherProcess(dataDir: string, statement: string): string {
  const script = `
    import { openIdentity } from ${JSON.stringify(MODULE)};
    const identity = openIdentity(${JSON.stringify(dataDir)});
    console.log(JSON.stringify(${statement}));
    await identity.close();`;
  return execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
}

describe('the key directory', () => {
  it('shows the changes of another process at once', async () => {
    const dataDir = temporaryDataDir();
    const identity = openIdentity(dataDir);
    const key = JSON.parse(
      inOtherProcess(dataDir, `identity.keys.createKey({ account: 'demo', permissions: ['read'], kind: 'HMAC' }, 1)`),
    ) as CreatedKey;
    expect(identity.directory.find(key.apiKey)).not.toBeNull();
    inOtherProcess(dataDir, `identity.keys.revoke(${JSON.stringify(key.apiKey)}, 2)`);
    expect(identity.directory.find(key.apiKey)).toBeNull();
    await identity.close();
  });
});
