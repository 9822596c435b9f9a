import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { FORGET_BATCH_ROWS, ORDER_HISTORY_MS } from '../../../src/domain/limits/trading.js';
import { LmdbVenueStore } from '../../../src/sim/store/lmdb-store.js';
import { START_MS } from '../simulated-exchange.js';
import { keysOf, removeForgotten, storeEnded } from './stored-history.js';

const PEER = join(import.meta.dirname, '../../../dist/test/sim/order/history-peer.js');
const OLD_MS = START_MS + ORDER_HISTORY_MS + 1;

test.each([1, 2, 3])('the removal of forgotten orders continues after a kill: %i commits', (commits) => {
  const folder = mkdtempSync(join(tmpdir(), 'venue.'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const store = new LmdbVenueStore(folder);
  storeEnded(store, '1-1', START_MS, 2 * FORGET_BATCH_ROWS);
  storeEnded(store, '2-1', START_MS, 50);
  storeEnded(store, '3-1', START_MS + 10_000, 1);
  store.close();
  const peer = spawnSync(process.execPath, [PEER, folder, String(OLD_MS), String(commits)]);
  expect([peer.signal, peer.stderr.toString()]).toEqual(['SIGKILL', '']);

  const again = new LmdbVenueStore(folder);
  const young = ['done/alice/BINANCE/3-1', 'fill/alice/BINANCE/3-1/000000000'];
  const left = keysOf(again, 'done/', 'fill/');
  expect(left).toEqual(expect.arrayContaining(young));
  if (commits < 3) expect(left.length).toBeGreaterThan(young.length);
  removeForgotten(again, OLD_MS);
  expect(keysOf(again, 'done/', 'fill/')).toEqual(young);
  expect(keysOf(again, 'forget/')).toHaveLength(1);
  again.close();
});
