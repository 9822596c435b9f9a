import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Memory of a process, in bytes. */
export interface Memory {
  readonly resident: number;
  /** Heaps, buffers and memory shared by threads. */
  readonly own: number;
  /** Pages of mapped files: those of LMDB, which the system may drop, and the program. */
  readonly mapped: number;
}

const KIB = 1024;
const TICKS_PER_S = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
/** Field numbers in /proc/PID/stat after the name in parentheses, which may contain blanks. */
const USER_TICKS_FIELD = 11;
const SYSTEM_TICKS_FIELD = 12;

export function memoryOf(pid: number): Memory {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const bytesOf = (name: string): number => {
    const value = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1];
    if (value === undefined) throw new Error(`/proc/${pid}/status has no ${name}`);
    return Number(value) * KIB;
  };
  return {
    resident: bytesOf('VmRSS'),
    own: bytesOf('RssAnon') + bytesOf('RssShmem'),
    mapped: bytesOf('RssFile'),
  };
}

/** Processor time of all threads of a process so far, in seconds. */
export function cpuSecondsOf(pid: number): number {
  return secondsIn(readFileSync(`/proc/${pid}/stat`, 'utf8'));
}

/** Processor time of a process's main thread so far, in seconds. */
export function threadSecondsOf(pid: number): number {
  return secondsIn(readFileSync(`/proc/${pid}/task/${pid}/stat`, 'utf8'));
}

function secondsIn(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[USER_TICKS_FIELD]) + Number(fields[SYSTEM_TICKS_FIELD])) / TICKS_PER_S;
}
