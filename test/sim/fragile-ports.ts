import type { NumberedEvent, TurnJournal } from '../../src/journal/port.js';
import type { VenueRequest } from '../../src/model/venue-message.js';
import { RingMainOutbox, RingVenueOutbox } from '../../src/shard/ring-ports.js';
import type { BellRinger } from '../../src/wire/doorbell.js';
import type { Faults } from './faults.js';
import type { ShardRings } from './shared-memory.js';

/** The ways out of a shard, as they are, on which its thread may die with every step. */
export class FragileMainOutbox extends RingMainOutbox {
  readonly #faults: Faults;

  constructor(rings: ShardRings, bell: BellRinger, faults: Faults) {
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

  /** `onSent` sees what leaves the shard, before it does. */
  constructor(rings: ShardRings, bell: BellRinger, faults: Faults, onSent: (request: VenueRequest) => void) {
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

/** The journal of one shard: its thread may die with nothing of the turn on disk, or with all of it. */
export function fragileJournal(
  journal: TurnJournal,
  faults: Faults,
  onTurn: (turn: readonly NumberedEvent[], touched: Parameters<TurnJournal['commit']>[1]) => void,
): TurnJournal {
  return {
    commit: (events, touched, release) => {
      faults.pass('before sync');
      return journal.commit(events, touched, (turn) => {
        onTurn(turn, touched);
        faults.pass('after sync');
        release?.(turn);
      });
    },
    hasTrade: (orderId, child, tradeId) => journal.hasTrade(orderId, child, tradeId),
    state: (orderId) => journal.state(orderId),
    openParents: (ownsSlot) => journal.openParents(ownsSlot),
  };
}
