import type { UnnumberedEvent } from '../../src/domain/event.js';
import type { ChildNumber, OrderId, Seq, VenueTradeId } from '../../src/domain/ids.js';
import type { InstrumentIndex } from '../../src/domain/instrument.js';
import type { ParentState } from '../../src/domain/order-state.js';
import type { EpochMs } from '../../src/domain/time.js';
import type { LatestObservations, NumberedEvent, Release, TurnJournal } from '../../src/journal/port.js';
import { SimJournal } from '../simulation/sim-journal.js';

const SHARD = 0;

/** A journal in memory that is durable at once. Shards that open it after a crash find the committed turns. */
export class MemoryJournal implements TurnJournal, LatestObservations {
  /** Seq of the first event of each turn. */
  readonly turns: Seq[] = [];
  readonly waitingCount = 0;
  readonly isFull = false;
  readonly #store = new SimJournal();

  /** All events, in order of seq. */
  get entries(): NumberedEvent[] {
    return this.#store.entries;
  }

  /** Stored state of every order. */
  get states(): SimJournal['states'] {
    return this.#store.states;
  }

  get openSeq(): number {
    return this.entries.length;
  }

  commit(
    events: readonly UnnumberedEvent[],
    touched: readonly ParentState[],
    release: Release = () => undefined,
  ): readonly NumberedEvent[] {
    const first = this.entries.length;
    if (events.length > 0) this.turns.push((first + 1) as Seq);
    this.#store.handOver({ producer: SHARD, events, touched, onDurable: release });
    this.#store.sync();
    return this.entries.slice(first);
  }

  /** Every turn is released at once. */
  releaseDurable(): void {}

  hasTrade(orderId: OrderId, child: ChildNumber, tradeId: VenueTradeId): boolean {
    return this.#store.hasTrade(orderId, child, tradeId);
  }

  state(orderId: OrderId): ParentState | null {
    return this.#store.state(orderId);
  }

  openParents: TurnJournal['openParents'] = (ownsSlot, onUnreadable) => this.#store.openParents(ownsSlot, onUnreadable);

  lastObservedMs(instrument: InstrumentIndex): EpochMs | null {
    return this.#store.lastObservedMs(instrument);
  }

  /** Stores other bytes for an order, without an event. */
  overwrite(orderId: OrderId, bytes: Uint8Array): void {
    this.#store.overwrite(orderId, bytes);
  }
}
