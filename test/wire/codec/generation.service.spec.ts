import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';

const GENERATED = fileURLToPath(new URL('../../../src/wire/generated', import.meta.url));
const copy = mkdtempSync(join(tmpdir(), 'sluice-generated-'));
afterAll(() => rmSync(copy, { recursive: true }));

function check(folder: string): { status: number | null; stderr: string } {
  return spawnSync(process.execPath, [join(GENERATED, 'generate.js'), '--check', folder], { encoding: 'utf8' });
}

describe('the generated code', () => {
  it('is up to date with proto/', () => {
    expect(check(GENERATED)).toMatchObject({ status: 0, stderr: '' });
  });

  it('fails the check when it is out of date', () => {
    copyFileSync(join(GENERATED, 'messages.d.ts'), join(copy, 'messages.d.ts'));
    const code = readFileSync(join(GENERATED, 'messages.js'), 'utf8');
    writeFileSync(join(copy, 'messages.js'), code.replace('v1.Command', 'v1.Order'));
    const { status, stderr } = check(copy);
    expect(status).toBe(1);
    expect(stderr).toContain('messages.js is not what proto/ says: run `npm run gen`');
    expect(stderr).not.toContain('messages.d.ts');
  });
});
