import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, type RunOptions } from './service-run.js';

/** When a thread ends: see mortal-threads-peer. */
export type Death = 'throw' | 'exit' | 'lose' | 'hang';

const PRELOAD = join(ROOT, 'dist/test/system/mortal-threads-peer.js');

/** Ends threads of a running service, by name: shard-0, shard-1, …, venue, live-BINANCE, keeper, … */
export class MortalThreads {
  readonly #folder: string;

  /** In a folder of the test's own. */
  constructor({ folder }: { readonly folder: string }) {
    this.#folder = join(folder, 'mortal-threads');
    mkdirSync(this.#folder);
  }

  /** The options with which the service must be started. */
  options(env: Readonly<Record<string, string>> = {}): RunOptions {
    return { nodeArgs: [`--import=${PRELOAD}`], env: { ...env, MORTAL_THREADS: this.#folder } };
  }

  /** From now on the thread ends whenever it comes to that point. */
  doom(thread: string, death: Death): void {
    writeFileSync(join(this.#folder, `${thread}.${death}`), '');
  }

  /** True once a thread that is doomed to hang has come to that point. */
  hangs(thread: string): boolean {
    return existsSync(join(this.#folder, `${thread}.hangs`));
  }

  spare(thread: string, death: Death): void {
    rmSync(join(this.#folder, `${thread}.${death}`));
  }

  /** From now on the thread does not start. */
  hold(thread: string): void {
    writeFileSync(join(this.#folder, `${thread}.hold`), '');
  }

  release(thread: string): void {
    rmSync(join(this.#folder, `${thread}.hold`));
  }
}
