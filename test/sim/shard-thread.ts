import type { NumberedEvent } from '../../src/journal/port.js';
import type { RestoreMark } from '../../src/model/restore.js';
import type { TradingMode } from '../../src/model/trading-halt.js';
import type { Clock } from '../../src/model/time.js';
import type { VenueRequest } from '../../src/model/venue-message.js';
import type { ShardMemory } from '../../src/route/worker-data.js';
import type { ServiceMemory } from '../../src/service-memory.js';
import { RingInbox, SlateMarketView } from '../../src/shard/ring-ports.js';
import { Shard } from '../../src/shard/shard.js';
import { BellRinger } from '../../src/wire/doorbell.js';
import { TapeClaims } from '../../src/wire/tape-claims.js';
import { curiousStrategyFor } from './curious-strategies.js';
import type { Faults } from './faults.js';
import { FragileMainOutbox, FragileVenueOutbox, fragileJournal } from './fragile-ports.js';
import { CATALOGUE } from './listed.js';
import type { SimJournal } from './sim-journal.js';

/** Turns that a shard may take at one instant without anything new to do. */
const TURNS_MAX = 2_000;

export interface ShardThreadParts {
  readonly number: number;
  readonly memory: ServiceMemory;
  /** Of this shard; fresh after a restart. */
  readonly own: ShardMemory;
  readonly journal: SimJournal;
  readonly clock: Clock;
  /** Whether children may be placed at the start. */
  readonly trading: TradingMode;
  /** The restore that is not over; null: there is none. */
  readonly restore: RestoreMark | null;
  readonly faults: Faults;
  readonly onTurn: (turn: readonly NumberedEvent[]) => void;
  readonly onSent: (request: VenueRequest) => void;
  /** A bug of the service that it would log and live with. */
  readonly onFault: (error: unknown) => void;
}

function throwIt(error: unknown): never {
  throw error;
}

/** What workers/shard.ts is, without the thread: the world says when it takes a turn. */
export class ShardThread {
  readonly #shard: Shard;
  readonly #clock: Clock;
  readonly #number: number;

  constructor({ number, memory, own, journal, clock, faults, onTurn, onSent, onFault, ...start }: ShardThreadParts) {
    const bell = new BellRinger(memory.mainBell);
    this.#clock = clock;
    this.#number = number;
    const market = new SlateMarketView(memory, number, bell);
    this.#shard = new Shard({
      shard: number,
      shardCount: memory.shards.length,
      clock,
      trading: start.trading,
      restore: start.restore,
      catalogue: CATALOGUE,
      journal: fragileJournal(journal, faults, onTurn),
      inbox: new RingInbox(own, throwIt),
      main: new FragileMainOutbox(own, bell, faults),
      venue: new FragileVenueOutbox(own, bell, faults, onSent),
      market,
      tape: { source: market, claims: new TapeClaims(memory.tapeClaims), past: journal },
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
    this.#shard.recover();
  }

  /** Commands are sent to it from here on. */
  get isReady(): boolean {
    return this.#shard.isRecovered;
  }

  /** Service time of its next turn that is due even if nothing comes in. */
  nextWakeMs(): number {
    return this.#shard.nextWakeMs();
  }

  turn(): void {
    this.#shard.turn();
  }

  /** Takes turns until it would wait; a shard that never would burns its processor. */
  rest(): void {
    for (let turns = 0; turns < TURNS_MAX; turns += 1) {
      if (!this.#shard.turn() && this.#shard.nextWakeMs() > this.#clock.nowMs()) return;
    }
    throw new Error(`shard ${this.#number} does not come to rest within ${TURNS_MAX} turns`);
  }
}
