import type { NumberedEvent } from '../../src/journal/port.js';
import type { RestoreMark } from '../../src/domain/restore.js';
import type { TradingMode } from '../../src/domain/command.js';
import type { ThreadClock } from '../../src/domain/time.js';
import type { VenueRequest } from '../../src/domain/venue-message.js';
import type { ShardMemory } from '../../src/wire/worker-data.js';
import type { ServiceMemory } from '../../src/runtime/shared-memory.js';
import { CachedMarketView } from '../../src/shard/ring-ports.js';
import { Shard } from '../../src/shard/shard.js';
import { ShardLoop } from '../../src/shard/shard-loop.js';
import { BellRinger } from '../../src/wire/bell.js';
import { QuoteClaims } from '../../src/shard/quote-history.js';
import { curiousStrategyFor } from './curious-strategies.js';
import type { Faults } from './faults.js';
import { FragileInbox, FragileJournal, FragileMainOutbox, FragileVenueOutbox } from './fragile-ports.js';
import { CATALOGUE } from './listed.js';
import type { SimJournal } from './sim-journal.js';

/** Turns that a shard may take at one instant without new input. */
const TURNS_MAX = 2_000;

export interface ShardThreadParts {
  readonly number: number;
  readonly memory: ServiceMemory;
  /** State of this shard; new after a restart. */
  readonly own: ShardMemory;
  readonly journal: SimJournal;
  readonly clock: ThreadClock;
  /** Whether children may be placed at the start. */
  readonly trading: TradingMode;
  /** The restore in progress, or null. */
  readonly restore: RestoreMark | null;
  readonly faults: Faults;
  /** True when the disk has synced since the last question. */
  readonly isSynced: () => boolean;
  readonly mayLead: () => boolean;
  /** True while the disk syncs nothing. */
  readonly isDiskStalled: () => boolean;
  readonly onTurn: (turn: readonly NumberedEvent[]) => void;
  readonly onReleased: (event: NumberedEvent) => void;
  readonly onSent: (request: VenueRequest) => void;
  /** Called for an error that the service would log and survive. */
  readonly onFault: (error: unknown) => void;
}

/** The disk of the simulation syncs without a thread of the journal. */
const NO_JOURNAL_THREAD = { wakeLater: () => Infinity, wake: () => undefined };

function throwIt(error: unknown): never {
  throw error;
}

/** Replaces workers/shard.ts, without a thread. The world calls the turns of its loop. */
export class ShardThread {
  readonly #shard: Shard;
  readonly #loop: ShardLoop;
  readonly #number: number;
  readonly #isDiskStalled: () => boolean;
  #isReady = false;

  constructor({ number, memory, own, journal, clock, faults, onSent, onFault, ...start }: ShardThreadParts) {
    const bell = new BellRinger(memory.mainBell);
    this.#number = number;
    this.#isDiskStalled = start.isDiskStalled;
    const market = new CachedMarketView(memory, number, bell);
    this.#shard = new Shard({
      shard: number,
      shardCount: memory.shards.length,
      clock,
      trading: start.trading,
      restore: start.restore,
      catalogue: CATALOGUE,
      journal: new FragileJournal(number, {
        journal,
        faults,
        onTurn: start.onTurn,
        onReleased: start.onReleased,
        isSynced: start.isSynced,
        mayLead: start.mayLead,
      }),
      inbox: new FragileInbox(own, faults, throwIt),
      main: new FragileMainOutbox(own, bell, faults),
      venue: new FragileVenueOutbox(own, bell, faults, onSent),
      market,
      quotes: { source: market, claims: new QuoteClaims(memory.quoteClaims), past: journal },
      watch: {
        atWork: () => undefined,
        onQuarantined: () => undefined,
        onContradiction: () => undefined,
        onReportLost: () => undefined,
        onSetAside: (_orderId, error) => onFault(error),
        onFault,
        setQuarantinedCount: () => undefined,
      },
      strategyFor: curiousStrategyFor,
    });
    this.#loop = new ShardLoop({
      shard: this.#shard,
      clock,
      journal: NO_JOURNAL_THREAD,
      catalogue: CATALOGUE,
      listing: null,
      beat: own.beat,
      onReady: () => (this.#isReady = true),
    });
    this.#loop.recover();
  }

  /** Commands are sent to it from here on. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** Real milliseconds until its next turn is due without input. */
  waitMs(): number {
    return this.#loop.waitMs();
  }

  turn(): void {
    this.#loop.turn();
  }

  /** Takes turns until the thread would wait. A thread that never waits would occupy its processor. */
  rest(): void {
    for (let turns = 0; turns < TURNS_MAX; turns += 1) {
      const isBusy = this.#loop.turn() || (this.#shard.isWaiting && !this.#isDiskStalled());
      if (!isBusy && this.#loop.waitMs() > 0) return;
    }
    throw new Error(`shard ${this.#number} does not become idle within ${TURNS_MAX} turns`);
  }
}
