import { closeSync, openSync, readFileSync, readdirSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { entryBytes, readEntry, writeEntry } from '../../src/journal/entry.js';
import { readSegmentHeader, SEGMENT_HEADER_BYTES } from '../../src/journal/segments.js';
import type { Seq } from '../../src/domain/ids.js';

/** Position of an entry in its segment. */
export interface PlacedAt {
  readonly offset: number;
  readonly seq: number;
}

/** The segment of a stopped service's journal that holds its end. */
export class JournalEnd {
  readonly file: string;
  readonly entries: readonly PlacedAt[];
  /** Offset of the first byte after the last entry. */
  readonly end: number;

  constructor(dataDir: string) {
    const folder = join(dataDir, 'journal');
    const files = readdirSync(folder).map((name) => join(folder, name));
    this.file = files.findLast((file) => readSegmentHeader(readFileSync(file)) !== null) as string;
    const bytes = readFileSync(this.file);
    const entries: PlacedAt[] = [];
    let offset = SEGMENT_HEADER_BYTES;
    for (let entry = readEntry(bytes, offset); entry !== null; entry = readEntry(bytes, offset)) {
      entries.push({ offset, seq: entry.seq });
      offset += entryBytes(entry.payload.length);
    }
    this.entries = entries;
    this.end = offset;
  }

  write(bytes: Uint8Array, offset: number): void {
    const file = openSync(this.file, 'r+');
    writeSync(file, bytes, 0, bytes.length, offset);
    closeSync(file);
  }

  flipBit(offset: number): void {
    const byte = readFileSync(this.file)[offset] as number;
    this.write(Buffer.of(byte ^ 1), offset);
  }

  /** The first entry of a turn whose other entries never reached the disk. */
  unfinishedTurn(): Buffer {
    const lastSeq = this.entries.at(-1)?.seq ?? 0;
    const payload = Buffer.from('half of a turn');
    const target = Buffer.alloc(entryBytes(payload.length));
    writeEntry(target, 0, { seq: (lastSeq + 1) as Seq, syncedSeq: lastSeq, endsTurn: false, payload });
    return target;
  }
}
