/** Totals of the clients of one data directory. */
export interface ActorTally {
  readonly orders: number;
  readonly pairs: number;
  /** Orders open over all runs. */
  readonly openOrders: number;
  /** Pairs that ended unhedged and reported it. */
  readonly uneven: number;
  /** Creates that were not answered and were sent again. */
  readonly resent: number;
  readonly frames: number;
  /** Orders that risk limits rejected as expected. */
  readonly guarded: number;
  readonly killSwitches: number;
  readonly cancelAllAfters: number;
  /** Sessions with cancel_on_disconnect: resumed, and ended with all their orders cancelled. */
  readonly resumedSessions: number;
  readonly goneSessions: number;
  /** Requests to venues that the request throttle rejected. */
  readonly refused: number;
  /** Timelines and costs that were compared. */
  readonly reviews: number;
}

/** Totals of a campaign. */
export interface Tally extends ActorTally {
  readonly rounds: number;
  readonly seconds: number;
  readonly kills: number;
  readonly stops: number;
  readonly powerLosses: number;
  /** Backups that were restored. */
  readonly restores: number;
  /** Children known to the exchange but not to the backup: adopted, or of lost orders. */
  readonly adopted: number;
  readonly orphans: number;
  /** Stops that exceeded their time limit on a loaded machine: the service exited with status 1. */
  readonly lateStops: number;
  /** Log lines about threads that did not move for seconds on a starved machine. */
  readonly silences: number;
  readonly clockSteps: number;
  readonly clockRefusals: number;
  /** Starts at which the operator confirmed the time. */
  readonly clockConfirmations: number;
  /** Pages and names lost in power losses. */
  readonly pagesLost: number;
  readonly namesLost: number;
  readonly recoveryMsMax: number;
  readonly problems: readonly string[];
}

type Counts = Readonly<Record<string, unknown>>;

/** Adds up several tallies: numbers by name, the largest where the name ends with Max, and all problems. */
export function sumOf<Sum extends object>(tallies: readonly Sum[]): Sum {
  const [first, ...others] = tallies;
  if (first === undefined) throw new Error('no tally to sum up');
  return others.reduce((sum, tally) => sumOfTwo(sum as Counts, tally as Counts) as Sum, first);
}

function sumOfTwo(one: Counts, other: Counts): Counts {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries([...names].map((name) => [name, sumOfMember(name, one[name], other[name])]));
}

function sumOfMember(name: string, one: unknown, other: unknown): unknown {
  if (one === undefined || other === undefined) return one ?? other;
  if (typeof one === 'number' && typeof other === 'number') {
    return name.endsWith('Max') ? Math.max(one, other) : one + other;
  }
  if (Array.isArray(one) && Array.isArray(other)) return [...(one as unknown[]), ...(other as unknown[])];
  return sumOfTwo(one as Counts, other as Counts);
}
