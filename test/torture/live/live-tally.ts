/** Counts of a campaign, or of several ones. */
export interface LiveTally {
  readonly rounds: number;
  readonly seconds: number;
  readonly orders: number;
  readonly pairs: number;
  /** Orders and fills in the ledger of the exchange. */
  readonly children: number;
  readonly fills: number;
  readonly frames: number;
  readonly looks: number;
  readonly kills: number;
  readonly stops: number;
  readonly powerLosses: number;
  /** Applied faults of requests and frames, incidents, and creates that were refused without an order; by kind. */
  readonly faults: Readonly<Record<string, number>>;
  readonly incidents: Readonly<Record<string, number>>;
  readonly refusals: Readonly<Record<string, number>>;
  readonly readyMsMax: number;
  readonly caughtUpMsMax: number;
  /** Rounds on a machine that was too loaded to keep time limits: waits in them were allowed more time. */
  readonly starvedRounds: number;
  readonly problems: readonly string[];
}

/** Adds counts by name. */
export function addCounts(into: Record<string, number>, counts: Readonly<Record<string, number>>): void {
  for (const [name, count] of Object.entries(counts)) into[name] = (into[name] ?? 0) + count;
}
