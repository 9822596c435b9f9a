import { spawnSync } from 'node:child_process';
import type { Mutation } from './list.js';
import type { ScratchCopy } from './plant.js';

export interface Catch {
  /** Number of seeds until the first failure; null: no seed failed. */
  readonly seedCount: number | null;
  readonly reason: string | null;
}

/** Plants the fault, runs the simulation from its first seed until one fails, and removes the fault. */
export function hunt(
  scratch: ScratchCopy,
  mutation: Mutation,
  { seeds, jobs }: { readonly seeds: number; readonly jobs: number },
): Catch {
  scratch.plant(mutation);
  try {
    const args = ['--seeds', String(seeds), '--jobs', String(jobs), '--stop', '--json'];
    const { stdout, stderr } = spawnSync(
      process.execPath,
      ['--max-semi-space-size=64', scratch.path('test/simulation/main.ts'), ...args],
      {
        encoding: 'utf8',
      },
    );
    const last = stdout.trim().split('\n').at(-1) ?? '';
    if (!last.startsWith('{')) throw new Error(`the simulation did not report with "${mutation.name}": ${stderr}`);
    const { failures, first } = JSON.parse(last) as { failures: readonly number[]; first: string | null };
    return { seedCount: failures.length === 0 ? null : Math.min(...failures), reason: first };
  } finally {
    scratch.restore(mutation);
  }
}
