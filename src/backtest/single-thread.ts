import { assert, type Rejection } from '../domain/rejection.js';
import type { CorrelationId } from '../domain/ids.js';
import type { InstrumentCatalogue } from '../domain/instrument.js';
import { BACKTEST_ROUNDS_MAX } from '../domain/limits/trading.js';
import type { ParentOrder } from '../domain/order.js';
import type { EpochMs } from '../domain/time.js';
import { Shard, type ShardParts } from '../shard/shard.js';
import type { VenueGateway, VenueSink } from '../venue/port.js';
import {
  createIn,
  MemoryInbox,
  MemoryJournal,
  MemoryMainOutbox,
  type MemoryMarketView,
  MemoryVenueOutbox,
} from './memory-ports.js';

const SHARD = 0;
const CORRELATION = 1 as CorrelationId;

export interface SingleThreadParts extends Pick<ShardParts, 'strategyFor'> {
  readonly venue: VenueGateway;
  readonly catalogue: InstrumentCatalogue;
  /** Receives the markets that the venue publishes; the venue writes books directly. */
  readonly market: MemoryMarketView;
}

/**
 * One shard and one venue in one thread, with a clock that moves only by `advance`. At every instant they exchange
 * messages until none is left:
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

  /** The shard's latest refusal of a command; null when it refused none. */
  get refusal(): Rejection | null {
    return this.#main.refusal;
  }

  /** Time of the next due event. */
  nextWakeMs(): EpochMs {
    return Math.min(this.#venue.nextWakeMs(), this.#shard.nextWakeMs()) as EpochMs;
  }

  /** Creates an order, which the shard gets with the next advance. */
  place(order: ParentOrder, nowMs: EpochMs): void {
    this.#inbox.command(createIn(this.journal, order, nowMs, CORRELATION));
  }

  /** Processes all events due by `nowMs`. */
  advance(nowMs: EpochMs): void {
    this.#nowMs = nowMs;
    for (let round = 0; round < BACKTEST_ROUNDS_MAX; round += 1) {
      this.#venue.advance(nowMs, this.#sink);
      if (!this.#isShardDue(nowMs)) return;
      while (this.#shard.turn());
      for (const request of this.#requests.take()) this.#venue.handle(request, SHARD, nowMs);
    }
    assert(false, `shard and venue stop within ${BACKTEST_ROUNDS_MAX} rounds`);
  }

  #isShardDue(nowMs: EpochMs): boolean {
    return !this.#inbox.isEmpty || this.#market.hasChanged || this.#shard.nextWakeMs() <= nowMs;
  }
}
