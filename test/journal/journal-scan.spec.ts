import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { Appender, TurnBuffer } from '../../src/journal/appender.js';
import { JournalDamage } from '../../src/journal/journal-damage.js';
import { JournalScan, type ScanEnd } from '../../src/journal/journal-scan.js';
import { FIRST_SEGMENT, SegmentFolder } from '../../src/journal/segments.js';
import type { Seq } from '../../src/domain/ids.js';
import { dataFolders } from './data-folders.js';

const SEGMENT = 1024;
const folders = dataFolders();

/** A journal of bare turns, without state. */
class BareJournal {
  readonly folder: SegmentFolder;
  end: number;
  lastSeq = 0;
  readonly #appender: Appender;
  readonly #turn = new TurnBuffer();

  constructor(segmentBytes = SEGMENT) {
    const path = join(folders.fresh(), 'journal');
    mkdirSync(path);
    this.folder = new SegmentFolder(path, segmentBytes);
    this.#appender = new Appender(this.folder);
    this.end = this.folder.startOf(FIRST_SEGMENT);
  }

  /** Appends a turn of entries with such payload sizes; returns its position. */
  append(...payloadBytes: readonly number[]): number {
    this.#turn.begin(this.lastSeq);
    for (const [index, bytes] of payloadBytes.entries()) {
      this.lastSeq += 1;
      this.#turn.add(this.lastSeq as Seq, Buffer.alloc(bytes, this.lastSeq), index === payloadBytes.length - 1);
    }
    const position = this.#appender.append(this.end, this.#turn);
    this.end = position + this.#turn.entriesBytes;
    return position;
  }

  file(number: number): string {
    return this.folder.fileOf(number);
  }
}

/** A journal of three segments. */
function filled(): BareJournal {
  const journal = new BareJournal();
  for (let turn = 0; turn < 12; turn++) journal.append(30, 90);
  return journal;
}

interface Scanned extends ScanEnd {
  readonly seqs: readonly number[];
}

function scan(folder: SegmentFolder, start?: { position: number; seq: number; syncedSeq: number }): Scanned {
  const [first = FIRST_SEGMENT] = folder.numbers();
  const journal = new JournalScan(folder, start ?? { position: folder.startOf(first), seq: 1, syncedSeq: 0 });
  const seqs = [...journal.turns()].flatMap(({ entries }) => entries.map(({ seq }) => seq));
  return { seqs, ...journal.end };
}

describe('a journal', () => {
  test('ends where it begins when it is empty', () => {
    const { folder } = new BareJournal();
    expect(scan(folder)).toEqual({ seqs: [], position: SEGMENT, lastSeq: 0, isTorn: false });
  });

  test('is read back over as many segments as it took', () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.integer({ min: 1, max: 120 }), { minLength: 1, maxLength: 5 })), (turns) => {
        const journal = new BareJournal();
        for (const turn of turns) journal.append(...turn);
        const found = scan(journal.folder);
        expect(found.seqs).toEqual(Array.from({ length: journal.lastSeq }, (_, index) => index + 1));
        expect(found).toMatchObject({ position: journal.end, lastSeq: journal.lastSeq, isTorn: false });
      }),
      { numRuns: 30 },
    );
  });

  test('ends before a prepared segment that follows it', () => {
    const journal = new BareJournal();
    journal.append(10);
    journal.folder.create(2);
    expect(scan(journal.folder)).toMatchObject({ lastSeq: 1, isTorn: false });
  });
});

describe('a turn that a crash cut short', () => {
  let journal: BareJournal;
  let whole: Buffer;
  let from: number;
  let to: number;

  beforeEach(() => {
    journal = new BareJournal();
    journal.append(40, 33);
    from = journal.append(21, 1, 60) % SEGMENT;
    to = journal.end % SEGMENT;
    whole = readFileSync(journal.file(1));
  });

  test.each([
    ['zeros', 0],
    ['garbage', 0xa5],
  ])('is no turn when it is cut at any byte and %s follow', (_, filling) => {
    // The last bytes are padding: without them the turn is whole.
    const payloadEnd = to - 4;
    for (let cut = from; cut < payloadEnd; cut++) {
      writeFileSync(journal.file(1), Buffer.concat([whole.subarray(0, cut), Buffer.alloc(SEGMENT - cut, filling)]));
      const isTorn = filling !== 0 || cut > from;
      expect(scan(journal.folder), `cut at ${cut}`).toEqual({
        seqs: [1, 2],
        position: SEGMENT + from,
        lastSeq: 2,
        isTorn,
      });
    }
  });

  test('is no turn when any sector is lost, even when later sectors were written', () => {
    for (let lost = from; lost < to - 4; lost += 8) {
      const bytes = Buffer.from(whole);
      bytes.fill(0, lost, Math.min(lost + 16, to));
      if (bytes.equals(whole)) continue;
      writeFileSync(journal.file(1), bytes);
      expect(scan(journal.folder), `lost at ${lost}`).toMatchObject({ seqs: [1, 2], lastSeq: 2, isTorn: true });
    }
  });

  test('is removed by the cut, and the journal continues there', () => {
    whole.fill(0xff, from + 30);
    writeFileSync(journal.file(1), whole);
    const { position } = scan(journal.folder);
    journal.folder.create(2);
    journal.folder.cutAt(position);
    expect(journal.folder.numbers()).toEqual([1]);
    expect(scan(journal.folder)).toMatchObject({ lastSeq: 2, isTorn: false });
    journal.end = position;
    journal.lastSeq = 2;
    journal.append(50);
    expect(scan(journal.folder).seqs).toEqual([1, 2, 3]);
  });

  test('leaves a new segment unused when only its header was written', () => {
    journal.append(400, 400);
    expect(journal.folder.numbers()).toEqual([1, 2]);
    const second = readFileSync(journal.file(2));
    for (const kept of [0, 10, 63, 64, 100, 900]) {
      const bytes = Buffer.from(second).fill(0x11, kept);
      writeFileSync(journal.file(2), bytes);
      expect(scan(journal.folder), `kept ${kept}`).toMatchObject({ lastSeq: 5, isTorn: true });
    }
    journal.folder.cutAt(SEGMENT + to);
    expect(journal.folder.numbers()).toEqual([1]);
    expect(scan(journal.folder)).toMatchObject({ lastSeq: 5, isTorn: false });
  });
});

describe('a bad entry that was synced', () => {
  test('is damage at any place before the last turn', () => {
    const journal = filled();
    const last = journal.folder.numbers().at(-1)!;
    for (const number of journal.folder.numbers()) {
      const whole = readFileSync(journal.file(number));
      const { position } = scan(journal.folder);
      const end = number === last ? (position % SEGMENT) - 200 : lastUsed(whole);
      for (let offset = 64; offset < end; offset += 37) {
        const bytes = Buffer.from(whole);
        bytes[offset] = bytes[offset]! ^ 0x40;
        if (isPadding(whole, offset)) continue;
        writeFileSync(journal.file(number), bytes);
        expect(() => scan(journal.folder), `segment ${number} offset ${offset}`).toThrow(JournalDamage);
      }
      writeFileSync(journal.file(number), whole);
    }
    expect(scan(journal.folder).lastSeq).toBe(24);
  });

  test('is reported with file, offset, seq and remedy', () => {
    const journal = new BareJournal(4096);
    journal.append(30);
    const position = journal.append(30);
    for (let turn = 0; turn < 3; turn++) journal.append(30);
    const bytes = readFileSync(journal.file(1));
    bytes[(position % 4096) + 30] = 0x77;
    writeFileSync(journal.file(1), bytes);
    expect(() => scan(journal.folder)).toThrow(
      new RegExp(`seq 2 in .*0000000001\\.segment at offset ${position % 4096} .* synced up to seq 4.*sluice restore`),
    );
  });

  test('is also damage when only the state proves that it was synced', () => {
    const journal = new BareJournal();
    const position = journal.append(30);
    const bytes = readFileSync(journal.file(1));
    bytes.fill(0, position % SEGMENT);
    writeFileSync(journal.file(1), bytes);
    expect(scan(journal.folder)).toMatchObject({ lastSeq: 0 });
    expect(() => scan(journal.folder, { position, seq: 1, syncedSeq: 1 })).toThrow('journal entry seq 1');
  });

  test('is found when a segment is missing in the middle, at the beginning or at the end', () => {
    const journal = filled();
    const numbers = journal.folder.numbers();
    expect(numbers.length).toBe(3);
    journal.folder.remove(2);
    expect(() => scan(journal.folder)).toThrow(/segment .*0000000002\.segment with seq \d+ and on is missing/);
    journal.folder.remove(1);
    expect(() => scan(journal.folder)).toThrow(
      /the journal begins with seq \d+ in .*3\.segment, but seq 1 and on are needed/,
    );
    for (const number of journal.folder.numbers()) journal.folder.remove(number);
    expect(() => scan(journal.folder, { position: SEGMENT * 2 + 64, seq: 7, syncedSeq: 8 })).toThrow(
      /0000000002\.segment with seq 7 and on is missing/,
    );
  });

  test('is found when a segment has another size', () => {
    const journal = filled();
    writeFileSync(journal.file(1), Buffer.alloc(1000));
    expect(() => scan(journal.folder)).toThrow('has 1000 bytes instead of 1024');
  });
});

/** Offset after the last byte that is not zero. */
function lastUsed(bytes: Buffer): number {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end -= 1;
  return end;
}

/** Padding between entries has no content, and no checksum covers it. */
function isPadding(bytes: Buffer, offset: number): boolean {
  let at = 64;
  while (at < offset) {
    const payloadBytes = bytes.readUInt32LE(at) & 0x7fff_ffff;
    const end = at + 24 + payloadBytes;
    const next = Math.ceil(end / 8) * 8;
    if (offset < next) return offset >= end;
    at = next;
  }
  return false;
}
