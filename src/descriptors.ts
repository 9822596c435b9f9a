import { readdirSync, readFileSync } from 'node:fs';
import { CONNECTIONS_MAX, DESCRIPTORS_KEPT_COUNT } from './model/limits.js';

export interface Descriptors {
  /** Files and sockets that the process may have open; null: not known. */
  readonly limit: number | null;
  /** Connections that leave enough of them to the service itself. */
  readonly connectionsMax: number;
}

const CONNECTIONS_MIN = 8;

/** Reads what the operating system allows (Linux), once everything but the sockets is open. */
export function readDescriptors(limits = '/proc/self/limits', open = '/proc/self/fd'): Descriptors {
  const limit = openFilesLimit(limits);
  if (limit === null) return { limit, connectionsMax: CONNECTIONS_MAX };
  const free = limit - openCount(open) - DESCRIPTORS_KEPT_COUNT;
  return { limit, connectionsMax: Math.min(CONNECTIONS_MAX, Math.max(CONNECTIONS_MIN, free)) };
}

function openFilesLimit(path: string): number | null {
  try {
    const soft = /^Max open files\s+(\d+)\s/m.exec(readFileSync(path, 'utf8'))?.[1];
    return soft === undefined ? null : Number(soft);
  } catch {
    return null;
  }
}

function openCount(path: string): number {
  try {
    return readdirSync(path).length;
  } catch {
    return 0;
  }
}
