import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { impurities } from './purity.js';

const ROOT = join(import.meta.dirname, '../..');
const PURE = [
  'src/domain/',
  'src/api/',
  'src/order/',
  'src/strategy/',
  'src/tca/',
  'src/pretrade/',
  'src/sim/matching/',
  'src/http/auth',
  'src/http/limit',
];
/** In these folders no call changes an object of its module, so no call affects a later one. */
const WITHOUT_CACHE = ['src/domain/', 'src/order/', 'src/strategy/', 'src/tca/', 'src/pretrade/', 'src/sim/matching/'];

describe('pure folders: no clock, randomness, timers, I/O, async or changed objects of a module', () => {
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
    ['let last = 0; export const next = () => (last += 1);', 'change of last'],
    ['const GOAL = { at: 0 }; export const f = (at: number) => { GOAL.at = at; };', 'change of GOAL'],
    ["import { GOAL } from './goal.js'; export function f() { GOAL.wanted = 1; }", 'change of GOAL'],
    ['const SEEN = [0]; export function f() { SEEN[0]! += 1; }', 'change of SEEN'],
  ])('reports an impurity: %s', (text, what) => {
    expect(impurities('planted.ts', text).join('\n')).toContain(what);
  });

  it('accepts a time that is an argument', () => {
    expect(impurities('fine.ts', 'export const f = (ms: number) => new Date(ms).toISOString();')).toEqual([]);
  });

  it('accepts a change of an object that the caller passes in', () => {
    const text =
      "import { target } from './target.js'; export const f = (target: { at: number }) => { target.at = 1; };";
    expect(impurities('fine.ts', text)).toEqual([]);
  });

  const files = listFiles();

  it('finds more than 20 pure files', () => {
    expect(files.length).toBeGreaterThan(20);
  });

  it.each(files)('%s is pure', (file) => {
    const mayCache = !WITHOUT_CACHE.some((folder) => file.startsWith(folder));
    expect(impurities(file, readFileSync(join(ROOT, file), 'utf8'), mayCache)).toEqual([]);
  });
});

function listFiles(): string[] {
  return readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .map((file) => `src/${file}`)
    .filter((file) => file.endsWith('.ts') && PURE.some((pure) => file.startsWith(pure)));
}
