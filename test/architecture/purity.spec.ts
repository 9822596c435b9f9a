import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { impurities } from './purity.js';

const ROOT = join(import.meta.dirname, '../..');
const PURE = [
  'src/model/',
  'src/contract/',
  'src/order/',
  'src/strategy/',
  'src/analytics/',
  'src/http/parse',
  'src/http/present',
  'src/http/auth',
  'src/http/limit',
  'src/stream/topics',
];

describe('pure folders: no clock, no chance, no timers, no I/O, no async', () => {
  it.each([
    ['export const t = Date.now();', 'Date.now'],
    ['export const t = new Date();', 'new Date()'],
    ['export const r = Math.random();', 'Math.random'],
    ['setTimeout(() => 1, 5);', 'setTimeout'],
    ['export const p = process.env;', 'process'],
    ["import { readFileSync } from 'node:fs'; readFileSync('x');", 'import of node:fs'],
    ['export async function f() { await g(); }', 'async'],
    ["import { randomBytes } from 'node:crypto'; randomBytes(1);", 'randomBytes'],
    ['export const t = performance.now();', 'performance'],
  ])('refuses %s', (text, what) => {
    expect(impurities('planted.ts', text).join('\n')).toContain(what);
  });

  it('lets time that is an argument through', () => {
    expect(impurities('fine.ts', 'export const f = (ms: number) => new Date(ms).toISOString();')).toEqual([]);
  });

  const files = listFiles();

  it('finds the pure files', () => {
    expect(files.length).toBeGreaterThan(20);
  });

  it.each(files)('%s is pure', (file) => {
    expect(impurities(file, readFileSync(join(ROOT, file), 'utf8'))).toEqual([]);
  });
});

function listFiles(): string[] {
  return readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .map((file) => `src/${file}`)
    .filter((file) => file.endsWith('.ts') && PURE.some((pure) => file.startsWith(pure)));
}
