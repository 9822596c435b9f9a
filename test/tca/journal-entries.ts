import { join } from 'node:path';
import { JournalScan } from '../../src/journal/journal-scan.js';
import { SegmentFolder } from '../../src/journal/segment-folder.js';
import type { EventEnvelope } from '../../src/model/event.js';
import { decodeEvent } from '../../src/wire/codec/index.js';

/** Every entry of a stopped service's journal, from the first on. */
export function journalEntries(dataDir: string): EventEnvelope[] {
  const folder = SegmentFolder.at(join(dataDir, 'journal'));
  const [first = 1] = folder.numbers();
  const scan = new JournalScan(folder, { position: folder.startOf(first), seq: 1, syncedSeq: 0 });
  return [...scan.turns()].flatMap(({ entries }) => entries.map(({ payload }) => decodeEvent(payload)));
}
