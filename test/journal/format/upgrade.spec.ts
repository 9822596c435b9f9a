import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { backupData, restoreData } from '../../../src/journal/backup.js';
import { upgradeData } from '../../../src/journal/format/data-upgrade.js';
import { SEGMENT_BYTES } from '../../../src/domain/limits/process.js';
import { JournalScan, type PlacedEntry } from '../../../src/journal/journal-scan.js';
import { JournalTail } from '../../../src/journal/journal-tail.js';
import { SegmentReader } from '../../../src/journal/segment-reader.js';
import { SegmentFolder } from '../../../src/journal/segments.js';
import { SharedJournal } from '../../../src/journal/shared-journal.js';
import { nodeDisk } from '../../../src/storage/disk.js';
import { decodeEvent } from '../../../src/wire/codec/envelope.js';
import { readBackupOrders } from '../../../src/journal/state/stored-orders.js';
import { journalFolder, markFinished } from '../../../src/storage/data-directory.js';
import { OtherFormat } from '../../../src/storage/data-format.js';
import { runs } from '../../runs.js';
import { contentOf } from '../../storage/directory-content.js';
import { dataFolders } from '../data-folders.js';
import { alter, dump, recover, segmentFile, silentLog } from '../journal-world.js';
import { ScriptedOrders } from '../scripted-orders.js';
import { makeAgedData, problemsOf, Release, renamed, segmentFormats, textOf, trade } from './aged-data.js';
import { VERSION_1, VERSION_2, VERSION_3 } from './releases.js';

const ORDERS_COUNT = runs(60, 240);
/** More than the first turn of a script. */
const TURN_BYTES = 2_000;

const folders = dataFolders();

let made = '';
let aged: Awaited<ReturnType<typeof makeAgedData>>;
/** What a client of version 2 must read. */
let expected: readonly string[] = [];

beforeAll(async () => {
  made = folders.fresh();
  aged = await makeAgedData(made, ORDERS_COUNT);
  expected = renamed(aged.texts, 'two-');
});

/** A copy of the data of version 1, as a clean stop left it. */
function version1(): string {
  return folders.copyOf(made);
}

/** Further orders. */
function script(): ScriptedOrders {
  const orders = new ScriptedOrders(aged.orders.nextId);
  orders.nowMs = aged.orders.nowMs;
  return orders;
}

function recorded(dataDir: string): unknown {
  return JSON.parse(readFileSync(join(dataDir, 'format.json'), 'utf8'));
}

function textsOf(entries: readonly PlacedEntry[]): string[] {
  return entries.map(({ payload }) => textOf(decodeEvent(payload)));
}

describe('data of version 1 in a release of version 2', () => {
  test('has a journal without its beginning, frames, markets and open orders', () => {
    expect(SegmentFolder.at(journalFolder(made)).header(1)).toBeNull();
    expect(aged.ids.length).toBeGreaterThanOrEqual(ORDERS_COUNT);
    for (const part of ['"kind":"BalanceChanged"', '"kind":"ChildFilled"', '"bid":5999990', '"legs":[{']) {
      expect(
        aged.texts.some((text) => text.includes(part)),
        part,
      ).toBe(true);
    }
  });

  test('reads as in version 1, with the changes of version 2', async () => {
    const dataDir = version1();
    const release = new Release(dataDir, VERSION_2);
    expect(release.world.main.report).toMatchObject({ origin: 'state', replayedCount: 0 });
    expect(release.read(aged.ids, 'two-')).toEqual(expected);
    await release.close();
    expect(await problemsOf(dataDir, VERSION_2)).toEqual([]);
    expect(recorded(dataDir)).toEqual({ format: 2 });
    expect(readdirSync(dataDir).filter((name) => name.includes('upgrade') || name.includes('attempts'))).toEqual([]);
  });

  test('takes new turns in new segments, also after restarts', async () => {
    const dataDir = version1();
    const before = segmentFormats(dataDir);
    const folder = SegmentFolder.at(journalFolder(dataDir));
    const old = recover(version1(), { format: VERSION_1 });
    expect(folder.roomAt(old.report.end), 'the last segment has room for a turn').toBeGreaterThan(TURN_BYTES);
    await old.close();
    expect(new Set(before)).toEqual(new Set([1]));
    const orders = script();
    for (let run = 1; run <= 3; run++) {
      const release = new Release(dataDir, VERSION_2);
      trade(release, orders, 12);
      await release.close();
      // oxlint-disable-next-line no-await-in-loop
      expect(await problemsOf(dataDir, VERSION_2)).toEqual([]);
    }
    const after = segmentFormats(dataDir);
    expect(after.slice(0, before.length)).toEqual(before);
    expect(new Set(after.slice(before.length))).toEqual(new Set([2]));
    const release = new Release(dataDir, VERSION_2);
    const texts = release.read(aged.ids, 'two-');
    expect(texts.slice(0, 50)).toEqual(expected.slice(0, 50));
    const snapshot = release.world.main.reader.latest();
    for (const [orderId, { order }] of orders.states) {
      const [created] = snapshot.events(orderId);
      // An entry that is read as one of version 1 has the prefix.
      expect(created?.event).toMatchObject({ order: { clientOrderId: order.clientOrderId } });
      expect(snapshot.order(orderId)?.order.clientOrderId).toBe(order.clientOrderId);
    }
    await release.close();
  });

  test('replays segments of both versions, from a checkpoint of version 1', async () => {
    const dataDir = version1();
    const release = new Release(dataDir, VERSION_2);
    trade(release, script(), 12);
    const texts = release.read(aged.ids, 'two-');
    await release.close();
    const rows = dump(dataDir);
    rmSync(join(dataDir, 'state'), { recursive: true });
    const again = new Release(dataDir, VERSION_2, { bootId: 'boot-2' });
    expect(again.world.main.report.origin).toBe('checkpoint');
    expect(again.read(aged.ids, 'two-')).toEqual(texts);
    await again.close();
    expect(dump(dataDir)).toEqual(expect.arrayContaining(rows));
    expect(await problemsOf(dataDir, VERSION_2)).toEqual([]);
  });

  test('makes checkpoints of version 2, and a start builds the state from them', async () => {
    const dataDir = version1();
    const release = new Release(dataDir, VERSION_2);
    await release.keeper.checkpoint();
    trade(release, script(), 12);
    await release.keeper.checkpoint();
    await release.close();
    rmSync(join(dataDir, 'state'), { recursive: true });
    const again = new Release(dataDir, VERSION_2, { bootId: 'boot-2' });
    expect(again.world.main.report.origin).toBe('checkpoint');
    expect(again.read(aged.ids, 'two-').slice(0, 50)).toEqual(expected.slice(0, 50));
    await again.close();
    expect(await problemsOf(dataDir, VERSION_2)).toEqual([]);
  });

  test('loses no turn when the first write of version 2 is torn', async () => {
    const dataDir = version1();
    const release = new Release(dataDir, VERSION_2);
    const orders = script();
    trade(release, orders, 1);
    await release.close();
    const number = segmentFormats(dataDir).indexOf(2) + SegmentFolder.at(journalFolder(dataDir)).numbers()[0]!;
    alter(segmentFile(dataDir, number), (bytes) => bytes.fill(0, 200));
    rmSync(join(dataDir, 'state'), { recursive: true });
    const again = new Release(dataDir, VERSION_2, { bootId: 'boot-2' });
    expect(again.world.main.report.isTornTurnCut).toBe(true);
    expect(again.read(aged.ids, 'two-')).toEqual(expected);
    trade(again, script(), 3);
    await again.close();
    expect(await problemsOf(dataDir, VERSION_2)).toEqual([]);
    expect(segmentFormats(dataDir).at(-1)).toBe(2);
  });

  test('is upgraded after a kill by the stamp of the same boot, and built from a checkpoint after a power loss', async () => {
    for (const [bootId, origin] of [
      ['boot-1', 'state'],
      ['boot-2', 'checkpoint'],
    ] as const) {
      const dataDir = version1();
      const killed = recover(dataDir, { format: VERSION_1 });
      const image = folders.crashImage(dataDir);
      await killed.close();
      const release = new Release(image, VERSION_2, { bootId });
      expect(release.world.main.report.origin).toBe(origin);
      expect(release.read(aged.ids, 'two-')).toEqual(expected);
      await release.close();
      expect(await problemsOf(image, VERSION_2)).toEqual([]);
    }
  });
});

describe('readers of the journal', () => {
  test('lift an entry in the same way: a scan, the tail and a reader of single entries', async () => {
    const dataDir = version1();
    const release = new Release(dataDir, VERSION_2);
    trade(release, script(), 5);
    const { durableSeq, durableEnd } = new SharedJournal(release.world.main.shared);
    await release.close();
    const folder = SegmentFolder.at(journalFolder(dataDir), SEGMENT_BYTES, nodeDisk, VERSION_2);
    const first = folder.numbers()[0]!;
    const start = { position: folder.startOf(first), seq: folder.header(first)!.firstSeq };
    const scanned = [...new JournalScan(folder, { ...start, syncedSeq: 0 }).turns()].flatMap(({ entries }) => entries);
    const followed = [...new JournalTail(folder, start).turns(durableSeq, durableEnd)].flatMap(
      ({ entries }) => entries,
    );
    expect(scanned.at(-1)?.seq).toBe(durableSeq);
    expect(textsOf(followed)).toEqual(textsOf(scanned));
    const reader = new SegmentReader(folder);
    expect(scanned.map(({ position }) => textOf(reader.read(position)))).toEqual(textsOf(scanned));
    reader.close();
    expect(new Set(segmentFormats(dataDir))).toEqual(new Set([1, 2]));
  });
});

describe('data of version 1 in a release of version 3', () => {
  test('is lifted by both steps, with segments of all versions', async () => {
    const dataDir = version1();
    const orders = script();
    const second = new Release(dataDir, VERSION_2);
    trade(second, orders, 5);
    await second.close();
    const third = new Release(dataDir, VERSION_3);
    trade(third, orders, 5);
    expect(third.read(aged.ids, 'three-two-').slice(0, 50)).toEqual(renamed(expected, 'three-').slice(0, 50));
    await third.close();
    expect(new Set(segmentFormats(dataDir))).toEqual(new Set([1, 2, 3]));
    expect(await problemsOf(dataDir, VERSION_3)).toEqual([]);
  });

  test('is lifted at once', async () => {
    const dataDir = version1();
    const release = new Release(dataDir, VERSION_3);
    expect(release.read(aged.ids, 'three-two-')).toEqual(renamed(aged.texts, 'three-two-'));
    await release.close();
    expect(await problemsOf(dataDir, VERSION_3)).toEqual([]);
  });
});

describe('data of version 2 in a release of version 1', () => {
  test.each<[string, (dataDir: string) => Promise<unknown>]>([
    ['a directory that is upgraded', async () => undefined],
    [
      'a directory with segments of version 2',
      async (dataDir) => {
        const release = new Release(dataDir, VERSION_2);
        trade(release, script(), 3);
        await release.close();
        // Without the record, the segment alone must be enough.
        writeFileSync(join(dataDir, 'format.json'), '{"format":1}');
      },
    ],
  ])('%s is refused and stays as it is', async (_name, change) => {
    const dataDir = version1();
    upgradeData({ dataDir, log: silentLog, format: VERSION_2, bootId: 'boot-1' });
    await change(dataDir);
    const before = contentOf(dataDir);
    const message = 'has format 2; this release reads format 1. Nothing was changed.';
    const target = join(folders.fresh(), 'copy');
    const programs: readonly (() => unknown)[] = [
      () => upgradeData({ dataDir, log: silentLog, format: VERSION_1 }),
      () => recover(dataDir, { format: VERSION_1 }),
      () => problemsOf(dataDir, VERSION_1),
      () => backupData(dataDir, target, { withMasterKey: false, format: VERSION_1 }),
    ];
    for (const program of programs) {
      const refusal = (async () => program())();
      await expect(refusal).rejects.toThrow(OtherFormat);
      await expect(refusal).rejects.toThrow(message);
    }
    expect(contentOf(dataDir)).toEqual(before);
    expect(existsSync(target)).toBe(false);
  });

  test('a backup of version 2 is refused and stays as it is', async () => {
    const [dataDir, source, target] = [version1(), folders.fresh(), folders.fresh()];
    await new Release(dataDir, VERSION_2).close();
    await backupData(dataDir, source, { withMasterKey: false, format: VERSION_2 });
    const before = contentOf(source);
    await expect(restoreData(source, target, VERSION_1)).rejects.toThrow('has format 2; this release reads format 1.');
    expect([contentOf(source), readdirSync(target)]).toEqual([before, []]);
  });
});

describe('a program other than the service', () => {
  test('refuses data of an earlier version, names both versions and changes nothing', async () => {
    const dataDir = version1();
    const before = contentOf(dataDir);
    const message = 'has format 1; this release works with format 2. Nothing was changed. Start the service';
    await expect(problemsOf(dataDir, VERSION_2)).rejects.toThrow(message);
    expect(() => recover(dataDir, { format: VERSION_2 })).toThrow(message);
    expect(contentOf(dataDir)).toEqual(before);
  });
});

describe('a backup of version 1', () => {
  test('is restored by a release of version 2, and its first start upgrades the checkpoint', async () => {
    const [source, target] = [folders.fresh(), folders.fresh()];
    await backupData(version1(), source, { withMasterKey: false, format: VERSION_1 });
    const before = contentOf(source);
    await restoreData(source, target, VERSION_2);
    expect(contentOf(source)).toEqual(before);
    expect(recorded(target)).toEqual({ format: 2 });
    const { openCounts } = await readBackupOrders(target, VERSION_2);
    const open = [...aged.orders.states.values()].filter(({ endedAtMs }) => endedAtMs === null);
    expect([...openCounts.values()].reduce((sum, count) => sum + count, 0)).toBe(open.length);
    markFinished(target);
    const release = new Release(target, VERSION_2, { bootId: 'boot-2' });
    expect(release.world.main.report.origin).toBe('checkpoint');
    expect(release.read(aged.ids, 'two-')).toEqual(expected);
    trade(release, script(), 5);
    await release.close();
    expect(await problemsOf(target, VERSION_2)).toEqual([]);
  });
});
