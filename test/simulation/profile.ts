import type { DurationMs } from '../../src/domain/time.js';
import type { RequestRate } from '../../src/venue/listing/exchange-listing.js';
import type { Chance } from './chance.js';

/** The world of a seed: numbers of clients and threads, sizes of queues, frequencies of faults. */
export interface Profile {
  readonly shardCount: number;
  /** Room of the rings from and to the main thread, and between shards and venue: a power of two. */
  readonly mainRingBytes: number;
  readonly venueRingBytes: number;
  /** Probabilities per step. */
  readonly request: number;
  /** Probability that a stream client connects, stops reading or disconnects. */
  readonly stream: number;
  /** Probabilities per client request: of a cancel, and of a pause, resume or amendment. */
  readonly cancel: number;
  readonly control: number;
  readonly threadCrash: number;
  readonly processCrash: number;
  readonly venueCrash: number;
  /** Probability, per turn of the venue, that an earlier report comes again. */
  readonly repeat: number;
  /** Probability that a fill comes later than the reports after it. */
  readonly delay: number;
  /** Probability of a venue fault in a step. */
  readonly venueFault: number;
  /** Probability that the venues begin to send impossible reports in a step. */
  readonly forgery: number;
  /** Probability, per step, that a backup is taken, or that the data directory is restored from the last one. */
  readonly restore: number;
  /** Probability, per step, that an operator does something. */
  readonly operator: number;
  /** Share of the creates with two legs. */
  readonly pair: number;
  /** Probability, per step, that a shard gets no processor time for a while. */
  readonly stall: number;
  /** Probability, per look, that the state does not follow the journal yet. */
  readonly lag: number;
  /** Probability, per step, that the wall clock is set forward or back. */
  readonly clockStep: number;
  /** True when messages to and from the venues have a delay. */
  readonly isDistant: boolean;
  /** True when venues answer requests for past volumes. */
  readonly tellsPast: boolean;
  /** Request rate of each venue for an account. null means no limit. */
  readonly requestRate: RequestRate | null;
}

export function drawProfile(chance: Chance): Profile {
  const isStable = chance.hits(0.2);
  return {
    shardCount: chance.between(1, 4),
    mainRingBytes: 2 ** chance.between(13, 17),
    venueRingBytes: 2 ** chance.between(12, 16),
    request: 0.04 * chance.between(1, 6),
    stream: 0.01 * chance.between(0, 3),
    cancel: 0.1 * chance.between(0, 4),
    control: 0.25 * chance.between(0, 4),
    threadCrash: isStable ? 0 : 0.01 * chance.between(0, 2),
    processCrash: isStable ? 0 : 0.002 * chance.between(0, 3),
    venueCrash: 0.002 * chance.between(0, 3),
    repeat: 0.05 * chance.between(0, 4),
    delay: chance.hits(0.3) ? 0.3 : 0,
    venueFault: chance.hits(0.5) ? 0.01 * chance.between(1, 4) : 0,
    stall: chance.hits(0.2) ? 0.01 * chance.between(1, 3) : 0,
    clockStep: chance.hits(0.2) ? 0.01 * chance.between(1, 3) : 0,
    lag: chance.pick([0, 0, 0, 0.3, 0.6, 0.9]),
    isDistant: chance.hits(0.3),
    tellsPast: chance.hits(0.5),
    requestRate: chance.hits(0.4) ? drawRate(chance) : null,
    forgery: chance.hits(0.3) ? 0.02 * chance.between(1, 3) : 0,
    restore: chance.hits(0.2) ? 0.01 * chance.between(1, 3) : 0,
    pair: chance.hits(0.5) ? 0.1 * chance.between(1, 4) : 0,
    operator: 0.01 * chance.between(1, 3),
  };
}

/** Rates from a low one, at which most requests wait, to one above the number of all requests. */
function drawRate(chance: Chance): RequestRate {
  const seconds = chance.between(1, 5);
  return { count: chance.skewed(2 * seconds, 60 * seconds), perMs: (1_000 * seconds) as DurationMs };
}
