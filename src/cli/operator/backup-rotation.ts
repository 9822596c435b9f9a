import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { BACKUP_FILE, namesIn } from '../../storage/data-directory.js';

/** `2026-11-29T03-00-00Z`: the names sort by time, and a shell needs no quotes. */
const NAME = /^(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\dZ)$/;
/** An incomplete backup that is older than this is a rest: its command was killed. */
const INCOMPLETE_MS = 86_400_000;

/** The folder of the backup that begins now. `realNowMs`: epoch milliseconds. */
export function rotatedFolder(folder: string, realNowMs: number): string {
  return join(folder, new Date(realNowMs).toISOString().replace(/\.\d+/, '').replaceAll(':', '-'));
}

/**
 * Removes the oldest complete backups of `rotatedFolder`, so that `keep` remain, and rests of killed backups. Other
 * names stay. Returns the removed folders.
 */
export function removeOldBackups(folder: string, keep: number, realNowMs: number): readonly string[] {
  const names = namesIn(folder).filter((name) => NAME.test(name));
  const isComplete = (name: string): boolean => existsSync(join(folder, name, BACKUP_FILE));
  const surplus = names.filter(isComplete).slice(0, -keep);
  const rests = names.filter((name) => !isComplete(name) && realNowMs - beginOf(name) > INCOMPLETE_MS);
  const removed = [...surplus, ...rests].map((name) => join(folder, name));
  for (const path of removed) rmSync(path, { recursive: true, force: true });
  return removed;
}

/** Begin of a backup by its name, epoch milliseconds. */
function beginOf(name: string): number {
  return Date.parse(name.replace(NAME, '$1:$2:$3'));
}
