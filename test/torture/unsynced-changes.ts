/** The bytes that an unsynced write has replaced. */
export interface Write {
  readonly position: number;
  /** Replaced bytes of the file; zeros beyond its end. */
  readonly before: Buffer;
  readonly sizeBefore: number;
}

export type NameChange =
  | { readonly kind: 'create'; readonly path: string }
  /** `kept`: a link to the file that `to` named before; '' for none. */
  | { readonly kind: 'rename'; readonly from: string; readonly to: string; readonly kept: string }
  | { readonly kind: 'remove'; readonly path: string; readonly kept: string };

/** Unsynced changes of a process, in order. */
export interface UnsyncedChanges {
  /** By the inode of the file. */
  readonly writes: ReadonlyMap<number, readonly Write[]>;
  readonly names: readonly NameChange[];
}

const [WRITE, DURABLE, SYNC, CREATE, RENAME, REMOVE] = [1, 2, 3, 4, 5, 6];
const HEADER_BYTES = 48;

interface Record {
  readonly kind: number;
  readonly number: number;
  readonly inode: number;
  /** Inode of the folder; for a write the number of bytes written. */
  readonly folder: number;
  readonly position: number;
  readonly size: number;
  readonly bytes: Buffer;
}

/** Parses the log of lost-writes.c. Ignores an incomplete last record. */
export function readChanges(log: Buffer): UnsyncedChanges {
  const writes = new Map<number, Record[]>();
  let names: Record[] = [];
  for (const record of recordsOf(log)) {
    const { kind, inode } = record;
    if (kind === WRITE) {
      const ofFile = writes.get(inode);
      if (ofFile === undefined) writes.set(inode, [record]);
      else ofFile.push(record);
    } else if (kind === DURABLE) {
      for (const earlier of writes.get(inode) ?? []) overwrite(earlier, record);
    } else if (kind === SYNC) {
      const left = (writes.get(inode) ?? []).filter(({ number }) => number > record.number);
      if (left.length > 0) writes.set(inode, left);
      else writes.delete(inode);
      names = names.filter(({ number, folder }) => number > record.number || folder !== inode);
    } else {
      names.push(record);
    }
  }
  return {
    writes: new Map([...writes].map(([inode, ofFile]) => [inode, ofFile.map(writeOf)])),
    names: names.flatMap(nameChangeOf),
  };
}

function writeOf({ position, folder: length, size, bytes }: Record): Write {
  const before = Buffer.alloc(Math.max(length, bytes.length));
  bytes.copy(before);
  return { position, before, sizeBefore: size };
}

function* recordsOf(log: Buffer): Generator<Record> {
  for (let at = 0; at + HEADER_BYTES <= log.length;) {
    const count = log.readUInt32LE(at + 4);
    const end = at + HEADER_BYTES + count;
    if (end > log.length) return;
    const word = (index: number): number => Number(log.readBigUInt64LE(at + 8 * index));
    yield {
      kind: log.readUInt32LE(at),
      number: word(1),
      inode: word(2),
      folder: word(3),
      position: word(4),
      size: word(5),
      bytes: log.subarray(at + HEADER_BYTES, end),
    };
    at = end;
  }
}

/** Applies a durable write to the saved bytes of earlier writes, so that reverting them keeps it. */
function overwrite(earlier: Record, durable: Record): void {
  const start = Math.max(earlier.position, durable.position);
  const end = Math.min(earlier.position + earlier.bytes.length, durable.position + durable.bytes.length);
  if (start < end) {
    durable.bytes.copy(earlier.bytes, start - earlier.position, start - durable.position, end - durable.position);
  }
}

function nameChangeOf({ kind, bytes }: Record): NameChange[] {
  const [first = '', second = '', third = ''] = bytes.toString().split('\n');
  if (kind === CREATE) return [{ kind: 'create', path: first }];
  if (kind === RENAME) return [{ kind: 'rename', from: first, to: second, kept: third }];
  return kind === REMOVE ? [{ kind: 'remove', path: first, kept: second }] : [];
}
