import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A part of the long tier: one program that runs to its end. */
export interface Part {
  readonly name: string;
  readonly what: string;
  /** Arguments of Node, from the root of the project. */
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const VITEST = 'node_modules/vitest/vitest.mjs';
/** The import of a spec file that takes samples. */
const SAMPLED = /from '(?:\.\.\/)+runs\.js'/;

/** All parts in their order, the shortest first. `seed`: of all programs that draw random numbers. */
export function partsOf(root: string, seed: number): readonly Part[] {
  const torture = ['dist/test/torture/main.js', '--seed', String(seed)];
  const live = (exchange: string, rounds: number): Part => ({
    name: `torture-${exchange.toLowerCase()}`,
    what: `${rounds} rounds of kills and power losses on a loopback ${exchange} that fails`,
    args: [...torture, '--live', '--exchange', exchange, '--rounds', String(rounds)],
  });
  return [
    {
      name: 'samples',
      what: 'the unit and service tests that take samples, with all steps and runs',
      args: [VITEST, 'run', '--project=unit*', '--project=service*', ...sampledSpecs(root)],
      env: { SLUICE_TEST_RUNS: 'full' },
    },
    {
      name: 'specs',
      what: 'the tests in *.long.spec.ts: all benchmarks, large books, recorded data',
      args: [VITEST, 'run', '--project=long*'],
      env: { SLUICE_TEST_RUNS: 'full' },
    },
    {
      name: 'simulation',
      what: '4,000 seeds of the whole service on a simulated clock',
      args: ['--max-semi-space-size=64', 'dist/test/simulation/main.js', '--seeds', '4000', '--from', String(seed)],
    },
    {
      name: 'mutations',
      what: 'planted faults that the simulation must find',
      args: ['dist/test/simulation/mutations/main.js', '--jobs', '2'],
    },
    {
      name: 'fuzz',
      what: '20,000 valid, mutated and broken requests',
      args: ['dist/test/fuzz/main.js', '--requests', '20000', '--seed', String(seed)],
    },
    {
      name: 'torture',
      what: '30 rounds of kills, stops and power losses on the simulated exchanges',
      args: [...torture, '--rounds', '30', '--open-orders', '1000'],
    },
    live('BYBIT', 16),
    live('OKX', 16),
    live('BINANCE', 350),
  ];
}

/** The spec files of the other tiers that take samples. */
function sampledSpecs(root: string): readonly string[] {
  return readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.spec.ts') && !name.endsWith('.long.spec.ts'))
    .filter((name) => SAMPLED.test(readFileSync(join(root, 'test', name), 'utf8')))
    .map((name) => `test/${name}`);
}
