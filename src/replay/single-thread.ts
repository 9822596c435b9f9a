import { assert } from '../model/assert.js';
import type { Command } from '../model/command.js';
import type { InstrumentCatalogue } from '../model/instrument.js';
import { REPLAY_ROUNDS_MAX } from '../model/limits.js';
import type { Rejection } from '../model/rejection.js';
import type { EpochMs } from '../model/time.js';
import { Shard, type ShardParts } from '../shard/shard.js';
import type { VenueGateway, VenueSink } from '../venue/port.js';
import { MemoryJournal } from './memory-journal.js';
import { MemoryInbox, MemoryMainOutbox, MemoryVenueOutbox, type MemoryMarketView } from './memory-ports.js';

const SHARD = 0;

export interface SingleThreadParts extends Pick<ShardParts, 'strategyFor'> {
  readonly venue: VenueGateway;
  readonly catalogue: InstrumentCatalogue;
  /** Filled with what the venue tells; books the venue shows it directly. */
  readonly market: MemoryMarketView;
}

/**
 * One shard and one venue in one thread, under a clock that stands still unless it is moved. At every instant they talk
 * until neither has anything left to say:
 *
 *   venue ── reports, market ──▶ shard ── requests ──▶ venue ── …
 */
export class SingleThread {
  readonly journal = new MemoryJournal();
  readonly #inbox = new MemoryInbox();
  readonly #main = new MemoryMainOutbox();
  readonly #requests = new MemoryVenueOutbox();
  readonly #market: MemoryMarketView;
  readonly #venue: VenueGateway;
  readonly #shard: Shard;
  readonly #sink: VenueSink;
  #nowMs = 0 as EpochMs;

  constructor({ venue, ...parts }: SingleThreadParts) {
    const { market } = parts;
    this.#venue = venue;
    this.#market = market;
    this.#shard = new Shard({
      ...parts,
      shard: SHARD,
      shardCount: 1,
      clock: { nowMs: () => this.#nowMs },
      journal: this.journal,
      inbox: this.#inbox,
      main: this.#main,
      venue: this.#requests,
    });
    this.#sink = {
      report: (report) => this.#inbox.report(report),
      market: (instrument, row) => market.write(instrument, row),
      trade: () => undefined,
    };
  }

  /** Why the shard refused the latest command it refused; null when it has taken all. */
  get refusal(): Rejection | null {
    return this.#main.refusal;
  }

  /** When something is due next. */
  nextWakeMs(): EpochMs {
    return Math.min(this.#venue.nextWakeMs(), this.#shard.nextWakeMs()) as EpochMs;
  }

  command(command: Command): void {
    this.#inbox.command(command);
  }

  /** Lets everything happen that is due by then. */
  advance(nowMs: EpochMs): void {
    this.#nowMs = nowMs;
    for (let round = 0; round < REPLAY_ROUNDS_MAX; round += 1) {
      this.#venue.advance(nowMs, this.#sink);
      if (!this.#isShardDue(nowMs)) return;
      while (this.#shard.turn());
      for (const request of this.#requests.take()) this.#venue.handle(request, SHARD, nowMs);
    }
    assert(false, `shard and venue come to rest within ${REPLAY_ROUNDS_MAX} rounds`);
  }

  #isShardDue(nowMs: EpochMs): boolean {
    return !this.#inbox.isEmpty || this.#market.hasChanged || this.#shard.nextWakeMs() <= nowMs;
  }
}
