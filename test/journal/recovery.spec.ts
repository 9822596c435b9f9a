import { existsSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { listCheckpoints } from '../../src/journal/checkpoint.js';
import { JournalDamage } from '../../src/journal/journal-damage.js';
import { Keeper } from '../../src/journal/keeper.js';
import { writeStamp } from '../../src/journal/trust-stamp.js';
import type { AccountId } from '../../src/domain/ids.js';
import { BUILD_ATTEMPTS_COUNT_MAX } from '../../src/domain/limits/process.js';
import { dataFolders } from './data-folders.js';
import {
  alter,
  beginRecovery,
  dump,
  JournalWorld,
  loseState,
  recover,
  segmentFile,
  silentLog,
  takeState,
  SMALL_SEGMENT_BYTES,
} from './journal-world.js';
import { ScriptedOrders, START_MS } from './scripted-orders.js';

const folders = dataFolders();

/** A journal of a few segments with open and ended orders of two accounts. */
function fill(world: JournalWorld, orders: ScriptedOrders, rounds = 12): void {
  for (let round = 0; round < rounds; round++) {
    orders.completeOrder('demo' as AccountId, `client-${round}`);
    orders.create('other' as AccountId);
    orders.balance();
    world.commit(orders);
  }
}

describe('a start', () => {
  test('makes the folders with access for their owner only when there are no data', async () => {
    const dataDir = join(folders.fresh(), 'new');
    const world = new JournalWorld(dataDir);
    expect(world.main.report).toEqual({
      origin: 'nothing',
      lastSeq: 0,
      end: SMALL_SEGMENT_BYTES,
      recordedAtMs: 0,
      replayedCount: 0,
      isTornTurnCut: false,
    });
    expect(world.main.lastServiceMs).toBe(0);
    for (const name of ['', 'journal', 'state', 'claim']) {
      expect(statSync(join(dataDir, name)).mode & 0o777, name).toBe(0o700);
    }
    await world.close();
  });

  test('replays no entry after a clean end, in any boot', async () => {
    const dataDir = folders.fresh();
    const world = new JournalWorld(dataDir);
    fill(world, new ScriptedOrders());
    await world.close();
    const before = dump(dataDir);
    const again = recover(dataDir, { bootId: 'boot-2' });
    expect(again.report).toMatchObject({ origin: 'state', lastSeq: 96, replayedCount: 0 });
    expect(again.lastServiceMs).toBe(START_MS);
    await again.close();
    expect(dump(dataDir)).toEqual(before);
  });

  test('trusts the state after a kill and continues the sequence numbers', async () => {
    const world = new JournalWorld(folders.fresh());
    const orders = new ScriptedOrders();
    fill(world, orders);
    const image = folders.crashImage(world.dataDir);
    await world.close();
    const again = new JournalWorld(image);
    expect(again.main.report).toMatchObject({ origin: 'state', replayedCount: 0 });
    orders.completeOrder();
    const numbered = again.commit(orders);
    expect(numbered[0]?.envelope.seq).toBe(97);
    expect(numbered[0]?.marks).toEqual([{ topic: 'order', n: 37 }]);
    await again.close();
  });

  test('builds the same bytes from the journal alone after a power loss', async () => {
    const world = new JournalWorld(folders.fresh());
    fill(world, new ScriptedOrders());
    const image = folders.crashImage(world.dataDir);
    const before = dump(world.dataDir);
    await world.close();
    const again = recover(image, { bootId: 'boot-2' });
    expect(again.report).toMatchObject({ origin: 'nothing', lastSeq: 96, replayedCount: 96 });
    await again.close();
    expect(dump(image)).toEqual(before);
  });

  test('builds a lost or unreadable state anew', async () => {
    const world = new JournalWorld(folders.fresh());
    fill(world, new ScriptedOrders());
    await world.close();
    const before = dump(world.dataDir);
    const lost = folders.crashImage(world.dataDir);
    loseState(lost);
    const strange = folders.crashImage(world.dataDir);
    writeFileSync(join(strange, 'state', 'data.mdb'), 'no environment at all');
    const cut = folders.crashImage(world.dataDir);
    truncateSync(join(cut, 'state', 'data.mdb'), 5000);
    // Reading it took the last process down.
    const fatal = folders.crashImage(world.dataDir);
    writeStamp(join(fatal, 'state'), { bootId: 'boot-1', isClean: false, isOpening: true });
    for (const image of [lost, strange, cut, fatal]) {
      const again = recover(image);
      expect(again.report).toMatchObject({ origin: 'nothing', replayedCount: 96 });
      await again.close();
      expect(dump(image)).toEqual(before);
    }
  });

  test('builds the state anew when the last start ended before its threads had read it', async () => {
    const world = new JournalWorld(folders.fresh());
    fill(world, new ScriptedOrders());
    const image = folders.crashImage(world.dataDir);
    const begun = beginRecovery(image);
    expect(begun.report).toMatchObject({ origin: 'state' });
    const killed = folders.crashImage(image);
    await begun.close();
    const again = recover(killed);
    expect(again.report).toMatchObject({ origin: 'nothing', lastSeq: 96, replayedCount: 96 });
    await again.close();
    await world.close();
  });

  test.each([1, 2, 5, 11])('catches up a state that is %i turns behind', async (behind) => {
    const world = new JournalWorld(folders.fresh());
    const orders = new ScriptedOrders();
    fill(world, orders, 12 - behind);
    const older = folders.crashImage(world.dataDir);
    fill(world, orders, behind);
    const image = folders.crashImage(world.dataDir);
    const before = dump(world.dataDir);
    await world.close();
    takeState(older, image);
    const again = recover(image);
    expect(again.report).toMatchObject({ origin: 'state', lastSeq: 96, replayedCount: 8 * behind });
    await again.close();
    expect(dump(image)).toEqual(before);
  });

  test('cuts off a torn last turn and continues at its place', async () => {
    const world = new JournalWorld(folders.fresh());
    const orders = new ScriptedOrders();
    fill(world, orders, 3);
    const older = folders.crashImage(world.dataDir);
    const before = dump(world.dataDir);
    fill(world, orders, 1);
    const image = folders.crashImage(world.dataDir);
    await world.close();
    takeState(older, image);
    const last = [4, 3, 2, 1].find((number) => existsSync(segmentFile(image, number)))!;
    alter(segmentFile(image, last), (bytes) => bytes.fill(0, lastByte(bytes) - 50));
    const again = new JournalWorld(image);
    expect(again.main.report).toMatchObject({ lastSeq: 24, replayedCount: 0, isTornTurnCut: true });
    expect(dump(image)).toEqual(before);
    orders.create();
    expect(again.commit(orders)[0]?.envelope.seq).toBe(25);
    const once = folders.crashImage(image);
    await again.close();
    loseState(once);
    const rebuilt = recover(once);
    expect(rebuilt.report).toMatchObject({ lastSeq: 25, isTornTurnCut: false });
    await rebuilt.close();
  });
});

describe('a start is refused', () => {
  test('is refused when a synced entry is damaged', async () => {
    const world = new JournalWorld(folders.fresh());
    fill(world, new ScriptedOrders());
    await world.close();
    loseState(world.dataDir);
    alter(segmentFile(world.dataDir, 1), (bytes) => bytes.fill(0x5a, 2000, 2010));
    const start = (): unknown => recover(world.dataDir);
    expect(start).toThrow(JournalDamage);
    expect(start, 'a second time, for nothing was changed').toThrow(/0000000001\.segment at offset \d+ is damaged/);
  });

  test('is refused when the last turn that the state holds is not in the journal', async () => {
    const world = new JournalWorld(folders.fresh());
    fill(world, new ScriptedOrders(), 2);
    await world.close();
    alter(segmentFile(world.dataDir, 1), (bytes) => bytes.fill(0, lastByte(bytes) - 20));
    const start = (): unknown => recover(world.dataDir);
    expect(start).toThrow(/is damaged, but the journal was synced up to seq 16/);
    expect(start, 'a second time').toThrow(/is damaged, but the journal was synced up to seq 16/);
  });

  test('is refused when a segment is missing that replay needs', async () => {
    const world = new JournalWorld(folders.fresh());
    fill(world, new ScriptedOrders());
    await world.close();
    loseState(world.dataDir);
    rmSync(segmentFile(world.dataDir, 1));
    expect(() => recover(world.dataDir)).toThrow(/begins with seq \d+ .* but seq 1 and on are needed/);
  });
});

describe('with checkpoints', () => {
  test('an untrusted state is built from the newest intact one', async () => {
    const world = new JournalWorld(folders.fresh());
    const keeper = new Keeper({ dataDir: world.dataDir, shared: world.main.shared, log: silentLog });
    const orders = new ScriptedOrders();
    expect(await keeper.checkpoint()).toBeNull();
    fill(world, orders, 4);
    const first = await keeper.checkpoint();
    fill(world, orders, 4);
    const second = await keeper.checkpoint();
    fill(world, orders, 4);
    expect([first?.head.lastSeq, second?.head.lastSeq]).toEqual([32, 64]);
    const image = folders.crashImage(world.dataDir);
    const before = dump(world.dataDir);
    await keeper.close();
    await world.close();

    const again = recover(image, { bootId: 'boot-2' });
    expect(again.report).toMatchObject({ origin: 'checkpoint', lastSeq: 96, replayedCount: 32 });
    await again.close();
    expect(dump(image)).toEqual(before);

    loseState(image);
    alter(join(image, 'checkpoint', '0000000000000064', 'data.mdb'), (bytes) => bytes.fill(0xee, 5000, 5004));
    const older = recover(image);
    expect(older.report).toMatchObject({ origin: 'checkpoint', replayedCount: 64 });
    await older.close();
    expect(dump(image)).toEqual(before);

    loseState(image);
    rmSync(join(image, 'checkpoint'), { recursive: true });
    const none = recover(image);
    expect(none.report).toMatchObject({ origin: 'nothing', replayedCount: 96 });
    await none.close();
    expect(dump(image)).toEqual(before);
  });

  test('a start takes an older checkpoint, then the journal alone, after starts that died on the others', async () => {
    const world = new JournalWorld(folders.fresh());
    const keeper = new Keeper({ dataDir: world.dataDir, shared: world.main.shared, log: silentLog });
    const orders = new ScriptedOrders();
    for (let round = 0; round < 2; round++) {
      fill(world, orders, 4);
      await keeper.checkpoint();
    }
    let image = folders.crashImage(world.dataDir);
    const before = dump(world.dataDir);
    await keeper.close();
    await world.close();
    const sources: unknown[] = [];
    for (let start = 1; start <= 4; start++) {
      // It ends before its threads have read the state, as one that LMDB kills.
      const begun = beginRecovery(image, { bootId: 'boot-2' });
      sources.push([begun.report.origin, begun.report.replayedCount]);
      const killed = folders.crashImage(image);
      await begun.close();
      image = killed;
    }
    expect(sources).toEqual([
      ['checkpoint', 0],
      ['checkpoint', 32],
      ['nothing', 64],
      ['checkpoint', 0],
    ]);
    await recover(image, { bootId: 'boot-2' }).close();
    expect(dump(image)).toEqual(before);
    expect(existsSync(join(image, 'build-attempts.json')), 'a start that succeeds forgets the deaths').toBe(false);
  });

  test('a start is refused when others have died on every source, and keeps the present state', async () => {
    const world = new JournalWorld(folders.fresh());
    const keeper = new Keeper({ dataDir: world.dataDir, shared: world.main.shared, log: silentLog });
    fill(world, new ScriptedOrders(), 12);
    await keeper.checkpoint();
    const image = folders.crashImage(world.dataDir);
    await keeper.close();
    await world.close();
    rmSync(segmentFile(image, 1));
    const counts = JSON.stringify({ '0000000000000096': BUILD_ATTEMPTS_COUNT_MAX });
    writeFileSync(join(image, 'build-attempts.json'), counts);
    const before = readFileSync(join(image, 'state', 'data.mdb'));
    const start = (): unknown => recover(image, { bootId: 'boot-2' });
    expect(start).toThrow(
      /begins with seq \S+ in .* Every start that built the state from these died: 0000000000000096/,
    );
    expect(start, 'a second time').toThrow(JournalDamage);
    expect(readFileSync(join(image, 'state', 'data.mdb')).equals(before)).toBe(true);
  });

  test('a start is refused when the journal lacks entries that a damaged checkpoint proves', async () => {
    const world = new JournalWorld(folders.fresh());
    const keeper = new Keeper({ dataDir: world.dataDir, shared: world.main.shared, log: silentLog });
    fill(world, new ScriptedOrders(), 4);
    await keeper.checkpoint();
    const image = folders.crashImage(world.dataDir);
    await keeper.close();
    await world.close();
    alter(join(image, 'checkpoint', '0000000000000032', 'data.mdb'), (bytes) => bytes.fill(0xee, 5000, 5004));
    alter(segmentFile(image, 1), (bytes) => bytes.fill(0));
    rmSync(segmentFile(image, 2), { force: true });
    expect(() => recover(image, { bootId: 'boot-2' })).toThrow(/synced up to seq 32: this is no torn tail/);
  });

  test('only the newest two stay', async () => {
    const world = new JournalWorld(folders.fresh());
    const keeper = new Keeper({ dataDir: world.dataDir, shared: world.main.shared, log: silentLog });
    const orders = new ScriptedOrders();
    for (let round = 0; round < 4; round++) {
      fill(world, orders, 1);
      await keeper.checkpoint();
    }
    await keeper.checkpoint();
    const parent = join(world.dataDir, 'checkpoint');
    expect(listCheckpoints(parent).map(({ head }) => head.lastSeq)).toEqual([32, 24]);
    // Nothing is left of the checkpoint that the last one replaced.
    expect(readdirSync(parent)).toHaveLength(2);
    await keeper.close();
    await world.close();
  });
});

/** Offset of the last byte that is not zero. */
function lastByte(bytes: Buffer): number {
  let last = bytes.length - 1;
  while (bytes[last] === 0) last -= 1;
  return last;
}
