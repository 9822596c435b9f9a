/** What the clients of one data directory have done and seen. */
export interface CastTally {
  readonly orders: number;
  readonly pairs: number;
  /** Open over all lives. */
  readonly standing: number;
  /** Pairs whose legs ended apart, and that said so. */
  readonly uneven: number;
  /** Creates that were not answered, and sent again. */
  readonly resent: number;
  readonly frames: number;
  /** Refused by guardrails, as they must be. */
  readonly guarded: number;
  readonly killSwitches: number;
  readonly deadMen: number;
  /** Requests to venues, for want of room. */
  readonly refused: number;
  /** Timelines and costs that were read a second time. */
  readonly reviews: number;
}

/** What a torture has come to. */
export interface Tally extends CastTally {
  readonly rounds: number;
  readonly seconds: number;
  readonly kills: number;
  readonly stops: number;
  readonly powerLosses: number;
  /** Steps of the wall clock while it ran, and starts that a wrong clock had refused. */
  readonly restores: number;
  /** Children that the exchange knew and the backup did not: taken over, or of lost orders. */
  readonly adopted: number;
  readonly orphans: number;
  /** A stop that a loaded machine did not bring to its end in time: the service ended with status 1. */
  readonly lateStops: number;
  /** Threads that did not move for seconds on a machine that had nothing left for them. */
  readonly silences: number;
  readonly clockSteps: number;
  readonly clockRefusals: number;
  /** Starts that had the right time confirmed by the operator. */
  readonly clockConfirmations: number;
  /** Pages and names that a loss of power took. */
  readonly pagesLost: number;
  readonly namesLost: number;
  readonly recoveryMsMax: number;
  readonly problems: readonly string[];
}

/** The sum of several: of the slowest recovery the maximum, of problems all. */
export function sumOf(tallies: readonly Tally[]): Tally {
  const [first, ...others] = tallies;
  if (first === undefined) throw new Error('there is nothing to sum up');
  return others.reduce((sum, tally) => {
    const counts = Object.entries(tally).map(([name, value]) => {
      const before = sum[name as keyof Tally];
      return [name, typeof value === 'number' && typeof before === 'number' ? before + value : before];
    });
    return {
      ...(Object.fromEntries(counts) as Tally),
      recoveryMsMax: Math.max(sum.recoveryMsMax, tally.recoveryMsMax),
      problems: [...sum.problems, ...tally.problems],
    };
  }, first);
}
