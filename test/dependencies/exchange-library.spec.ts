import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const CODE = /\.[cm]?[jt]sx?$/;

it('ccxt is installed for development alone, and no file of the service names it', () => {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean }>;
  };
  const installed = Object.keys(lock.packages).filter((path) => /node_modules\/ccxt($|\/)/.test(path));
  expect(installed).not.toEqual([]);
  for (const path of installed) expect([path, lock.packages[path]?.dev]).toEqual([path, true]);
  const files = ['src', 'workers'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => CODE.test(name))
      .map((name) => join(folder, name)),
  );
  expect(files.filter((name) => /ccxt/i.test(readFileSync(join(ROOT, name), 'utf8')))).toEqual([]);
});
