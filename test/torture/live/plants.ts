import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Mutation } from '../../simulation/mutations/list.js';
import { ScratchCopy } from '../../simulation/mutations/plant.js';

/** Faults of the gateway that the torture must find. Each is one small change of its code. */
export const PLANTS: readonly Mutation[] = [
  {
    name: 'an order without an answer is sent again',
    file: 'src/venue/live/order-session.ts',
    before: "    if (answer.kind === 'unknown') return;\n    if (answer.kind === 'placed')",
    after:
      "    if (answer.kind === 'unknown') return this.#parts.line.place(record.target, nowMs + 2_000, (later, atMs) => " +
      "this.#onPlaced(record, later, atMs));\n    if (answer.kind === 'placed')",
  },
  {
    name: 'an absence counts before the fence',
    file: 'src/venue/live/order-session.ts',
    before: '    if (question.lookedAtMs < fenceMs) return Math.max(fenceMs, nowMs) as EpochMs;\n',
    after: '',
  },
  {
    name: 'a failure of the exchange counts as a refusal',
    file: 'src/venue/live/dialect/binance-errors.ts',
    before: '  if (status >= 500 || code === null) return null;\n',
    after: "  if (status >= 500) return { code: 'EXCHANGE_ERROR', message };\n  if (code === null) return null;\n",
  },
  {
    name: 'a cancel without an answer counts as the end',
    file: 'src/venue/live/order-session.ts',
    before: "    if (answer.kind === 'cancelled' && answer.order !== null) {\n",
    after:
      "    if (answer.kind === 'unknown') return this.#report({ ...refOf(target), atMs: nowMs, kind: 'Cancelled', " +
      "venueOrderId: target.venueOrderId ?? '', cause: null, filled: this.#records.find(target)?.filled ?? 0 });\n" +
      "    if (answer.kind === 'cancelled' && answer.order !== null) {\n",
  },
  {
    name: 'some fills are reported by no way',
    file: 'src/venue/live/order-session.ts',
    before: '{ fill, atMs }: SeenFill): void {\n',
    after: '{ fill, atMs }: SeenFill): void {\n    if (fill.tradeId % 5 === 0) return;\n',
  },
  {
    name: 'a fill of a look-up counts as another trade',
    file: 'src/venue/live/binance/binance-line.ts',
    before: '      this.#fillOf(target, fill),\n',
    after: "      this.#fillOf(target, { ...fill, tradeId: fill.tradeId + '0' }),\n",
  },
  {
    name: 'a fee is dropped',
    file: 'src/venue/live/seen-records.ts',
    before: '    fee,\n',
    after: '    fee: 0n,\n',
  },
  {
    name: 'a change of a balance is dropped',
    file: 'src/venue/live/funds-reader.ts',
    before: '    const changed = funds.take(place, balances, readAfter);\n',
    after: '    const changed = [];\n',
  },
];

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
}

/** Plants each fault in a copy of the compiled service and runs one campaign on it. */
export async function huntPlants({ root, seed, rounds, named }: HuntOptions): Promise<readonly Hunt[]> {
  const scratch = new ScratchCopy(root);
  try {
    const copy = join(scratch.path('x'), '../..');
    mkdirSync(join(copy, 'src/cli'), { recursive: true });
    cpSync(join(root, 'src/cli/join-modules.js'), join(copy, 'src/cli/join-modules.js'));
    symlinkSync(join(root, 'test'), join(copy, 'test'));
    const hunts: Hunt[] = [];
    for (const plant of PLANTS.filter(({ name }) => name.includes(named))) {
      scratch.plant(plant);
      await run([join(copy, 'src/cli/join-modules.js')], copy);
      const options = { exchange: 'BINANCE', seed, rounds, settleEveryRounds: 3 };
      const peer = join(copy, 'dist/test/torture/live/live-campaign-peer.js');
      const answer = await run([peer, JSON.stringify(options)], copy);
      const { problems, rounds: done } = answer as { problems: readonly string[]; rounds: number };
      hunts.push({ plant: plant.name, problems, rounds: done });
      scratch.restore(plant);
    }
    return hunts;
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
