import { parseArgs } from 'node:util';
import { Builds, type Build } from './builds.js';
import { compared, type Comparison, type Measured } from './paired-ratio.js';

/**
 * Compares two commits, or a commit and the working tree, by one benchmark. Builds each commit in a temporary worktree
 * and runs the sides in turn, so that a slow phase of the machine affects both. Removes the worktrees, also on a
 * signal.
 */
const USAGE = `usage: npm run bench:compare -- A [B] [--bench NAME] [--case TEXT] [--rounds N] [--quick] [--json]

  A, B      commits, tags or branches; . is the working tree (default of B)
  --bench   benchmark to run (placement)
  --case    only cases whose name contains TEXT
  --rounds  pairs of runs, in the order A B, B A, A B, … (6)
  --quick   smallest sizes; shows that it works, not which side is faster
  --json    prints one JSON object a line

Prints B/A of each case and metric: the geometric mean of the pairs with its 95 % interval (Student t of the logarithms).`;

const WORKING_TREE = '.';
const ROUNDS_DEFAULT = 6;
const MISUSED = 2;
const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

interface Plan {
  readonly refs: readonly [a: string, b: string];
  readonly bench: string;
  /** Text in the names of the reported cases; '' reports all. */
  readonly caseText: string;
  /** Pairs of runs. */
  readonly rounds: number;
  readonly isQuick: boolean;
  readonly isJson: boolean;
}

/** Throws an Error that names the wrong argument. */
function planOf(args: readonly string[]): Plan {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      bench: { type: 'string', default: 'placement' },
      case: { type: 'string', default: '' },
      rounds: { type: 'string', default: String(ROUNDS_DEFAULT) },
      quick: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  });
  const [a, b = WORKING_TREE, ...more] = positionals;
  if (a === undefined || more.length > 0) throw new Error('give one or two commits');
  if (!/^[1-9]\d{0,2}$/.test(values.rounds)) throw new Error(`--rounds ${values.rounds} is not from 1 to 999`);
  const { bench, case: caseText, quick: isQuick, json: isJson } = values;
  return { refs: [a, b], bench, caseText, rounds: Number(values.rounds), isQuick, isJson };
}

async function compare(plan: Plan, builds: Builds): Promise<void> {
  const { refs, bench, rounds, isQuick } = plan;
  const a = await builds.make(refs[0]);
  const b = refs[1] === refs[0] ? a : await builds.make(refs[1]);
  const pairs: { readonly a: readonly Measured[]; readonly b: readonly Measured[] }[] = [];
  const flags = [bench, '--json', ...(isQuick ? ['--quick'] : [])];
  for (let round = 0; round < rounds; round += 1) {
    const measure = (build: Build, side: string): Promise<readonly Measured[]> => {
      process.stderr.write(`  … round ${round + 1} of ${rounds}: ${side} (${build.name})\n`);
      return builds.run(build, flags);
    };
    const isReversed = round % 2 === 1;
    const earlyB = isReversed ? await measure(b, 'B') : null;
    const ofA = await measure(a, 'A');
    pairs.push({ a: ofA, b: earlyB ?? (await measure(b, 'B')) });
  }
  const comparisons = compared(pairs).filter((one) => one.case.includes(plan.caseText));
  const names = { bench, a: a.name, b: b.name };
  if (plan.isJson) for (const one of comparisons) console.log(JSON.stringify({ ...names, ...one }));
  else print(names, comparisons);
}

function number(value: number): string {
  return value.toLocaleString('en', { maximumSignificantDigits: 4 });
}

function print(names: { bench: string; a: string; b: string }, comparisons: readonly Comparison[]): void {
  console.log(`${names.bench}: A = ${names.a}, B = ${names.b}; medians, ratio B/A with 95 % interval, n pairs`);
  for (const { case: name, metric, unit, a, b, ratio, low, high, n } of comparisons) {
    const interval = low === null || high === null ? '' : `[${low.toFixed(3)}, ${high.toFixed(3)}]`;
    const values = `${number(a).padStart(10)} ${number(b).padStart(10)} ${unit.padEnd(5)}`;
    console.log(`${name.padEnd(34)} ${metric.padEnd(12)} ${values} ${ratio.toFixed(3)} ${interval.padEnd(16)} n=${n}`);
  }
}

async function main(): Promise<number> {
  let plan: Plan;
  try {
    plan = planOf(process.argv.slice(2));
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    return MISUSED;
  }
  const builds = new Builds(process.cwd());
  let interrupted: keyof typeof SIGNALS | null = null;
  for (const signal of Object.keys(SIGNALS) as (keyof typeof SIGNALS)[]) {
    process.on(signal, () => {
      interrupted ??= signal;
      builds.stop();
    });
  }
  try {
    await compare(plan, builds);
    return 0;
  } catch (error) {
    if (interrupted !== null) return SIGNALS[interrupted];
    console.error(`compare: ${error instanceof Error ? error.message : String(error)}`);
    return 1;
  } finally {
    builds.remove();
  }
}

process.exitCode = await main();
