import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PRESENT_FORMAT } from '../../src/storage/format/format-steps.js';
import { makeAgedData } from '../journal/format/aged-data.js';
import { type Folders, recover } from '../journal/journal-world.js';

const ORDERS_COUNT = 20;
export const PRESENT = PRESENT_FORMAT.number;
/** The formats that this release reads, and the message about the next one. */
export const OURS = PRESENT === 1 ? 'format 1' : `formats 1 to ${PRESENT}`;
export const NEWER = `has format ${PRESENT + 1}; this release reads ${OURS}.`;

/** A data directory of this release after retention, as a killed service leaves it. */
export async function makeKilledData(folders: Folders): Promise<string> {
  const dataDir = folders.fresh();
  await makeAgedData(dataDir, ORDERS_COUNT, PRESENT_FORMAT);
  const running = recover(dataDir);
  const killed = folders.crashImage(dataDir);
  await running.close();
  return killed;
}

/** Replaces the record of the format. */
export function record(dataDir: string, content: object): void {
  writeFileSync(join(dataDir, 'format.json'), JSON.stringify(content));
}

export function recorded(dataDir: string): unknown {
  return JSON.parse(readFileSync(join(dataDir, 'format.json'), 'utf8'));
}
