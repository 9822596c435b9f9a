import { readFileSync } from 'node:fs';

/** Memory of a process, in MiB. */
export interface MemoryFigure {
  /** Private memory: heaps and stacks. */
  readonly ownMib: number;
  /** Includes pages of mapped files, which the system may drop. */
  readonly residentMib: number;
}

const KIB_PER_MIB = 1024;
const SAMPLES = 10;
const PAUSE_MS = 50;

/** Returns the smallest of several samples, because garbage that is not collected yet increases the others. */
export async function memoryOf(pid: number): Promise<MemoryFigure> {
  let least = sample(pid);
  for (let count = 1; count < SAMPLES; count += 1) {
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    const next = sample(pid);
    if (next.ownMib < least.ownMib) least = next;
  }
  return least;
}

function sample(pid: number): MemoryFigure {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const mib = (name: string): number =>
    Math.round(Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) / KIB_PER_MIB);
  return { ownMib: mib('RssAnon'), residentMib: mib('VmRSS') };
}
