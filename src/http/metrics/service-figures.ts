/** What the service knows of itself besides its answers, for its metrics. Everything is asked once a scrape. */
export interface ServiceFigures {
  readonly isReady: () => boolean;
  readonly isVenueUp: () => boolean;
  /** By shard: whether it takes commands, and how many parent orders it works. */
  readonly shards: () => readonly ShardFigures[];
  /** Commands whose shard has not answered yet. */
  readonly pendingCommands: () => number;
  readonly openStreams: () => number;
  /** Subscriptions of all streams, by topic. */
  readonly subscriptions: () => Readonly<Record<string, number>>;
  readonly rings: () => readonly RingFigures[];
  readonly journal: () => JournalFigures;
  /** How often each worker thread has died and was started again. */
  readonly workerRestarts: () => Readonly<Record<string, number>>;
}

export interface ShardFigures {
  readonly shard: number;
  readonly isUp: boolean;
  readonly openParents: number;
}

/** A ring, whose messages it carries, and the part of it that is in use: 0 to 1. */
export interface RingFigures {
  readonly ring: string;
  readonly thread: string;
  readonly usedRatio: number;
}

/** Numbers of events. None is above the one before it while no turn is under way. */
export interface JournalFigures {
  readonly appended: number;
  readonly released: number;
  readonly committed: number;
}
