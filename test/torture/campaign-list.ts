/** Rounds on one data directory, with a seed of their own. */
export interface Campaign {
  readonly seed: number;
  readonly rounds: number;
}

interface CampaignListOptions {
  readonly rounds: number;
  /** Rounds of one campaign at most. */
  readonly roundsMax: number;
  readonly seed: number;
}

/** Divides rounds evenly. The seeds are `seed` and those that follow. */
export function campaignsOf({ rounds, roundsMax, seed }: CampaignListOptions): Campaign[] {
  const count = Math.ceil(rounds / roundsMax);
  return Array.from({ length: count }, (_, index) => {
    const share = Math.ceil((rounds - index) / count);
    return { seed: seed + index, rounds: share };
  });
}
