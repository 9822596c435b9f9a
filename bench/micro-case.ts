/** One operation on the way of an order, small enough to be run thousands of times. */
export interface MicroCase {
  readonly name: string;
  /** How often `run` does the operation: often enough for the clock to see it. */
  readonly operations: number;
  /** What it returns is of no interest, but keeps its making from being left out as useless. */
  readonly run: () => unknown;
  /** Called before each run, unmeasured. */
  readonly prepare?: () => void;
  /** The operation once, where it matters what it takes from the heap. */
  readonly once?: () => unknown;
}

/** Cases that share what they need; `close` is called when all have been measured. */
export interface MicroGroup {
  readonly cases: readonly MicroCase[];
  readonly close: () => void | Promise<void>;
}

const REPEATS = 100;

/** Cases of operations that take about a microsecond, too little for one measurement, and need nothing to be closed. */
export function repeated(operations: Readonly<Record<string, () => unknown>>): MicroGroup {
  const cases = Object.entries(operations).map(([name, operation]): MicroCase => {
    const run = (): unknown => {
      let latest: unknown;
      for (let count = 0; count < REPEATS; count += 1) latest = operation();
      return latest;
    };
    return { name, operations: REPEATS, run };
  });
  return { cases, close: () => undefined };
}
