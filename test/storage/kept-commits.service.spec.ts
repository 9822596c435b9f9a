import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openIdentity } from '../../src/runtime/identity.js';
import { openStateTables } from '../../src/journal/state/state-tables.js';
import type { AccountId } from '../../src/domain/ids.js';
import { LmdbVenueStore } from '../../src/sim/store/lmdb-store.js';
import { checkedEnvironment, numberIn, rowOf } from './checked-environment.js';
import { hideLastCommit } from './hidden-commit.js';

const LMDB = createRequire(import.meta.url).resolve('lmdb');
/** Hidden commits that a test waits for. On a loaded machine the first one may take a minute. */
const REPAIRS_WANTED = 1;
const TURNS_PER_LOOK = 50;
const OPENING_MS_MAX = 240_000;

/** Opens and closes an environment until it is killed. */
const OPENER = `
  const [, lmdb, path, mode] = process.argv;
  const { open } = require(lmdb);
  (async () => {
    for (;;) {
      const root = open({ path, maxDbs: 4, noSubdir: false, overlappingSync: false, readOnly: mode === 'read' });
      await root.close();
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  })();
`;

function openerOf(path: string, mode: 'read' | 'write'): ChildProcess {
  const child = spawn(process.execPath, ['-e', OPENER, LMDB, path, mode], { stdio: 'ignore' });
  onTestFinished(async () => {
    const ended = new Promise((resolve) => child.once('close', resolve));
    child.kill('SIGKILL');
    await ended;
  });
  return child;
}

function folderOf(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-lmdb-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

describe('an environment that other processes open', () => {
  it.each(['read', 'write'] as const)('keeps every commit while they open it to %s', async (mode) => {
    const { path, table, repairCount } = checkedEnvironment(true);
    openerOf(path, mode);
    const endMs = performance.now() + OPENING_MS_MAX;
    let count = 0;
    while (repairCount() < REPAIRS_WANTED && performance.now() < endMs) {
      for (let turn = 0; turn < TURNS_PER_LOOK; turn += 1) {
        const found = table.transactionSync(() => {
          const seen = numberIn(table, 'n');
          table.putSync('n', rowOf(seen + 1));
          return seen;
        });
        expect(found).toBe(count);
        count += 1;
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(repairCount()).toBeGreaterThanOrEqual(REPAIRS_WANTED);
  });
});

/** Times at which the test hides a commit, and writes before and after it. */
const HIDINGS = 5;
const WRITES_PER_HIDING = 50;

describe('asynchronous writes', () => {
  it.each([
    ['in one transaction', () => false],
    ['in several transactions', (n: number) => n % 7 === 0],
  ])('keep their order and need one repair for each hidden commit, %s', async (_, isPause) => {
    const { path, table, repairCount } = checkedEnvironment(true);
    const done: number[] = [];
    let count = 0;
    for (let hiding = 0; hiding < HIDINGS; hiding += 1) {
      table.transactionSync(() => table.putSync('before', rowOf(count)));
      hideLastCommit(path);
      const under: Promise<unknown>[] = [];
      for (let turn = 0; turn < WRITES_PER_HIDING; turn += 1) {
        const n = (count += 1);
        under.push(table.put('n', rowOf(n)).then(() => done.push(n)));
        if (isPause(n)) await new Promise((resolve) => setImmediate(resolve));
      }
      await Promise.all(under);
      expect(table.transactionSync(() => [numberIn(table, 'before'), numberIn(table, 'n')])).toEqual([
        count - WRITES_PER_HIDING,
        count,
      ]);
    }
    expect(done).toEqual(Array.from({ length: count }, (_unused, index) => index + 1));
    expect(repairCount()).toBe(HIDINGS);
  });

  it('need no second repair when their transaction began before the first and is checked after it', async () => {
    const { path, root, table, repairCount } = checkedEnvironment(true);
    const txnId = root.getWriteTxnId.bind(root);
    for (let hiding = 1; hiding <= HIDINGS; hiding += 1) {
      table.transactionSync(() => table.putSync('before', rowOf(hiding)));
      hideLastCommit(path);
      const late: Promise<unknown>[] = [];
      // LMDB's thread may begin the next transaction with the late write while this thread repairs.
      root.getWriteTxnId = () => {
        root.getWriteTxnId = txnId;
        queueMicrotask(() => late.push(table.put('late', rowOf(hiding))));
        return txnId();
      };
      await table.put('n', rowOf(hiding));
      await Promise.all(late);
      expect(['before', 'n', 'late'].map((key) => numberIn(table, key))).toEqual([hiding, hiding, hiding]);
      expect(repairCount()).toBe(hiding);
    }
  });
});

describe('a commit that another process has hidden', () => {
  it('is found again for reserved order ids, so that no id is given twice', async () => {
    const folder = folderOf();
    const identity = openIdentity(folder);
    const first = identity.ids.reserveOrderIds(10, 0);
    hideLastCommit(join(folder, 'identity'));
    const second = identity.ids.reserveOrderIds(10, 0);
    expect(second.from).toBeGreaterThanOrEqual(first.to);
    await identity.close();
  });

  it('is seen by reads of the halt after a restore once the service has made its check of each second', async () => {
    const folder = folderOf();
    const identity = openIdentity(folder);
    identity.trading.begin({
      epoch: 1,
      backupAtMs: 1,
      backupServiceMs: 1,
      childRoom: null,
      isHalted: true,
      exempt: [],
    });
    hideLastCommit(join(folder, 'identity'));
    identity.checkCommits();
    await new Promise<void>((resolve) =>
      identity.timers.put('a' as AccountId, { triggerAtMs: 1, throughOrderId: null }, resolve),
    );
    expect(identity.trading.restore()?.isHalted).toBe(true);
    await identity.close();
  });

  it('is found again for the state', async () => {
    const folder = folderOf();
    const tables = openStateTables(folder);
    const put = (key: number): void =>
      tables.root.transactionSync(() => tables.table.meta.putSync(Buffer.of(key), Buffer.of(1)));
    put(100);
    hideLastCommit(folder);
    put(101);
    expect([100, 101].map((key) => tables.table.meta.get(Buffer.of(key)))).toEqual([Buffer.of(1), Buffer.of(1)]);
    await tables.root.close();
  });

  it('is found again for the exchanges', () => {
    const folder = folderOf();
    const store = new LmdbVenueStore(folder);
    store.commit([{ key: 'a', value: Uint8Array.of(1) }]);
    hideLastCommit(folder);
    store.commit([{ key: 'b', value: Uint8Array.of(1) }]);
    expect(['a', 'b'].map((key) => store.get(key)?.length)).toEqual([1, 1]);
    store.close();
  });
});
