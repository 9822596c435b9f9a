import { readFileSync } from 'node:fs';

/** What a process holds, in MiB. */
export interface MemoryFigure {
  /** Memory of its own: heaps and stacks. */
  readonly ownMib: number;
  /** With the pages of its files, which the system takes back when it needs them. */
  readonly residentMib: number;
}

const KIB_PER_MIB = 1024;
const SAMPLES = 10;
const PAUSE_MS = 50;

/** The least of some samples: what is left between two collections of garbage tells more than what is on its way out. */
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
