import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { FIRST_ADDED_INDEX } from '../../src/domain/instrument.js';
import { ADDED_INSTRUMENTS_PER_MODE_MAX } from '../../src/domain/limits/live.js';
import { openDatabase } from '../../src/keys/database.js';
import { InstrumentRegistry } from '../../src/keys/instrument-registry.js';

const folders: string[] = [];
afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true })));

function named(symbol: string) {
  const grid = { quantityPrecision: 5, quantityStep: 1, pricePrecision: 2, priceStep: 1 };
  return { venue: 'BINANCE', mode: 'live', assetCategory: 'SPOT', symbol, ...grid } as const;
}

it('gives each instrument one number for ever, also after a start with another list', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'registry-'));
  folders.push(folder);
  const before = openDatabase(folder);
  const first = new InstrumentRegistry(before);
  expect(first.indicesOf([named('A/USDT'), named('B/USDT'), named('A/USDT')])).toEqual([4_096, 4_097, 4_096]);
  await before.root.close();
  const after = openDatabase(folder);
  const second = new InstrumentRegistry(after);
  const listed = [named('C/USDT'), named('B/USDT'), { ...named('B/USDT'), assetCategory: 'FUTURE' } as const];
  expect(second.indicesOf(listed)).toEqual([4_098, 4_097, 4_099]);
  await after.root.close();
});

it('has no number beyond its bound, and keeps the numbers it gave', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'registry-'));
  folders.push(folder);
  const database = openDatabase(folder);
  const registry = new InstrumentRegistry(database);
  const all = Array.from({ length: ADDED_INSTRUMENTS_PER_MODE_MAX + 1 }, (_, row) => named(`C${row}/USDT`));
  const indices = registry.indicesOf(all);
  expect(indices.at(-2)).toBe(FIRST_ADDED_INDEX + ADDED_INSTRUMENTS_PER_MODE_MAX - 1);
  expect(indices.at(-1)).toBeNull();
  expect(registry.indicesOf([named('C0/USDT'), named('new/USDT')])).toEqual([FIRST_ADDED_INDEX, null]);
  await database.root.close();
});
