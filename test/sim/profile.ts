import type { DurationMs } from '../../src/model/time.js';
import type { RequestRate } from '../../src/venue/listing/index.js';
import type { Chance } from './chance.js';

/** What kind of world a seed makes: how many of everything, how tight the queues, how often what goes wrong. */
export interface Profile {
  readonly shardCount: number;
  /** Room of the rings from and to the main thread, and between shards and venue: a power of two. */
  readonly mainRingBytes: number;
  readonly venueRingBytes: number;
  /** Probabilities a step. */
  readonly request: number;
  /** That a stream client connects, stops reading or goes away. */
  readonly stream: number;
  /** Probabilities a request that changes nothing else: of a cancel, and of a pause, resume or amendment. */
  readonly cancel: number;
  readonly control: number;
  readonly threadCrash: number;
  readonly processCrash: number;
  readonly venueCrash: number;
  /** Probability a turn of the venue that an earlier report comes again. */
  readonly repeat: number;
  /** Probability that a fill comes later than the reports behind it. */
  readonly delay: number;
  /** Probability a step that something goes wrong at a venue. */
  readonly trouble: number;
  /** Probability a step that the venues begin to report what cannot be. */
  readonly forgery: number;
  /** Probability a step that a backup is taken, or that the data directory is restored from the last one. */
  readonly restore: number;
  /** Probability a step that an operator does something. */
  readonly operator: number;
  /** Share of the creates that are of two legs. */
  readonly pair: number;
  /** Probability a step that a shard gets no processor for a while. */
  readonly stall: number;
  /** Probability a step that the wall clock is put forward or back. */
  readonly clockStep: number;
  /** Whether messages to and from the venues take their time. */
  readonly isDistant: boolean;
  /** Whether venues tell what was traded before; else they are silent when asked. */
  readonly tellsPast: boolean;
  /** What each venue takes of an account; null: as much as is sent. */
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
    trouble: chance.hits(0.5) ? 0.01 * chance.between(1, 4) : 0,
    stall: chance.hits(0.2) ? 0.01 * chance.between(1, 3) : 0,
    clockStep: chance.hits(0.2) ? 0.01 * chance.between(1, 3) : 0,
    isDistant: chance.hits(0.3),
    tellsPast: chance.hits(0.5),
    requestRate: chance.hits(0.4) ? drawRate(chance) : null,
    forgery: chance.hits(0.3) ? 0.02 * chance.between(1, 3) : 0,
    restore: chance.hits(0.2) ? 0.01 * chance.between(1, 3) : 0,
    pair: chance.hits(0.5) ? 0.1 * chance.between(1, 4) : 0,
    operator: 0.01 * chance.between(1, 3),
  };
}

/** From so few that most requests wait to more than are ever sent. */
function drawRate(chance: Chance): RequestRate {
  const seconds = chance.between(1, 5);
  return { count: chance.skewed(2 * seconds, 60 * seconds), perMs: (1_000 * seconds) as DurationMs };
}
