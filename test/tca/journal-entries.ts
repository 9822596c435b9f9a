import { join } from 'node:path';
import { JournalScan } from '../../src/journal/journal-scan.js';
import { SegmentFolder } from '../../src/journal/segments.js';
import type { EventEnvelope } from '../../src/domain/event.js';
import { decodeEvent } from '../../src/wire/codec/envelope.js';

/** Returns all entries of a stopped service's journal. */
export function journalEntries(dataDir: string): EventEnvelope[] {
  const folder = SegmentFolder.at(join(dataDir, 'journal'));
  const [first = 1] = folder.numbers();
  const scan = new JournalScan(folder, { position: folder.startOf(first), seq: 1, syncedSeq: 0 });
  return [...scan.turns()].flatMap(({ entries }) => entries.map(({ payload }) => decodeEvent(payload)));
}
