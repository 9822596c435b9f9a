import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { ScratchCopy } from '../../simulation/mutations/plant.js';
import type { Mutation } from '../../simulation/mutations/list.js';
import { PLANTS } from './plant-list.js';

export interface Hunt {
  readonly plant: string;
  /** Problems of the first campaign that found it; empty: it was not found. */
  readonly problems: readonly string[];
  readonly rounds: number;
}

interface HuntOptions {
  /** Root of the compiled repository. */
  readonly root: string;
  readonly seed: number;
  readonly rounds: number;
  /** Part of the names of the faults that are planted; empty: all. */
  readonly named: string;
  /** Faults that are hunted at the same time. */
  readonly jobs: number;
  readonly onHunted: (hunt: Hunt) => void;
}

/** Plants each fault in a copy of the compiled service and runs one campaign on it. */
export async function huntPlants(options: HuntOptions): Promise<void> {
  const plants = PLANTS.filter(({ name }) => name.includes(options.named));
  const work = async (): Promise<void> => {
    for (let plant = plants.shift(); plant !== undefined; plant = plants.shift()) {
      options.onHunted(await hunt(plant, options));
    }
  };
  await Promise.all(Array.from({ length: options.jobs }, work));
}

async function hunt(plant: Mutation, { root, seed, rounds }: HuntOptions): Promise<Hunt> {
  const scratch = new ScratchCopy(root);
  try {
    const copy = join(scratch.path('x'), '../..');
    mkdirSync(join(copy, 'src/cli'), { recursive: true });
    cpSync(join(root, 'src/cli/join-modules.js'), join(copy, 'src/cli/join-modules.js'));
    symlinkSync(join(root, 'test'), join(copy, 'test'));
    scratch.plant(plant);
    await run([join(copy, 'src/cli/join-modules.js')], copy);
    const campaign = { exchange: 'BINANCE', seed, rounds, settleEveryRounds: 3 };
    const peer = join(copy, 'dist/test/torture/live/live-campaign-peer.js');
    const answer = await run([peer, JSON.stringify(campaign)], copy);
    const { problems, rounds: done } = answer as { problems: readonly string[]; rounds: number };
    return { plant: plant.name, problems, rounds: done };
  } finally {
    scratch.remove();
  }
}

/** Runs a Node program. Returns its last message. */
async function run(args: readonly string[], cwd: string): Promise<unknown> {
  const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  let message: unknown = null;
  child.on('message', (value) => {
    message = value;
  });
  const code = await new Promise<number | null>((resolve) => child.once('exit', (status) => resolve(status)));
  if (code !== 0) throw new Error(`${args[0] ?? ''} ended with ${String(code)}`);
  return message;
}
