import { journalFolder, stateFolder } from './data-folder.js';
import type { StateReader, TapeReader } from './port.js';
import { SegmentFolder } from './segment-folder.js';
import { SegmentReader } from './segment-reader.js';
import { SharedJournal } from './shared-journal.js';
import { TableStateReader } from './state-reader.js';
import { openStateTables } from './state-tables.js';

export interface JournalReaderOptions {
  readonly dataDir: string;
  /** RecoveredJournal.shared of this process. */
  readonly shared: SharedArrayBuffer;
}

/** The journal for a thread that only reads it, now and then. */
export interface JournalReader {
  readonly reader: StateReader & TapeReader;
  /** Gives the snapshot back that was read last: one that is kept keeps LMDB from using freed pages again. */
  release(): void;
  close(): Promise<void>;
}

export function openJournalReader({ dataDir, shared }: JournalReaderOptions): JournalReader {
  const progress = new SharedJournal(shared);
  const tables = openStateTables(stateFolder(dataDir));
  const entries = new SegmentReader(new SegmentFolder(journalFolder(dataDir), progress.segmentBytes));
  return {
    reader: new TableStateReader(tables, entries, progress),
    release: () => tables.root.resetReadTxn(),
    close: async () => {
      entries.close();
      await tables.root.close();
    },
  };
}
