import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { markFinished, markUnfinished, refuseUnfinished } from '../../src/storage/data-directory.js';

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'sluice-mark-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

it('refuses a directory whose restore is incomplete, until the restore is finished', () => {
  const dataDir = folder();
  expect(() => refuseUnfinished(dataDir)).not.toThrow();
  markUnfinished(dataDir);
  expect(() => refuseUnfinished(dataDir)).toThrow('was cut short; empty the directory and restore again');
  markFinished(dataDir);
  expect(() => refuseUnfinished(dataDir)).not.toThrow();
});

it('refuses a backup that was not restored', () => {
  const dataDir = folder();
  writeFileSync(join(dataDir, 'backup.json'), '{"lastSeq":1}');
  expect(() => refuseUnfinished(dataDir)).toThrow(`sluice restore ${dataDir}`);
});
