import type { NumberedEvent, TurnJournal } from '../../src/journal/port.js';
import type { VenueRequest } from '../../src/domain/venue-message.js';
import { RingMainOutbox, RingVenueOutbox } from '../../src/shard/ring-ports.js';
import type { BellRinger } from '../../src/wire/bell.js';
import type { ShardMemory } from '../../src/wire/worker-data.js';
import { Crash, type Faults } from './faults.js';
import type { SimJournal } from './sim-journal.js';

/** The output ports of a shard without changes, except that its thread may die at every step. */
export class FragileMainOutbox extends RingMainOutbox {
  readonly #faults: Faults;

  constructor(rings: ShardMemory, bell: BellRinger, faults: Faults) {
    super(rings, bell);
    this.#faults = faults;
  }

  override publish(event: NumberedEvent): boolean {
    this.#faults.pass('release');
    return super.publish(event);
  }
}

export class FragileVenueOutbox extends RingVenueOutbox {
  readonly #faults: Faults;
  readonly #onSent: (request: VenueRequest) => void;

  /** `onSent` gets each message before it leaves the shard. */
  constructor(rings: ShardMemory, bell: BellRinger, faults: Faults, onSent: (request: VenueRequest) => void) {
    super(rings, bell);
    this.#faults = faults;
    this.#onSent = onSent;
  }

  override send(request: VenueRequest): void {
    this.#faults.pass('release');
    this.#onSent(request);
    super.send(request);
  }
}

/** The journal of one shard. Its thread may die after the append of a turn, before or after the sync. */
export function fragileJournal(
  journal: SimJournal,
  faults: Faults,
  onTurn: (turn: readonly NumberedEvent[]) => void,
): TurnJournal {
  return {
    commit: (events, touched, release) => {
      try {
        faults.pass('before sync');
      } catch (error) {
        if (error instanceof Crash) journal.appendUnsynced(events);
        throw error;
      }
      return journal.commit(events, touched, (turn) => {
        onTurn(turn);
        faults.pass('after sync');
        release?.(turn);
      });
    },
    hasTrade: (orderId, child, tradeId) => journal.hasTrade(orderId, child, tradeId),
    state: (orderId) => journal.state(orderId),
    openParents: (ownsSlot) => journal.openParents(ownsSlot),
  };
}
