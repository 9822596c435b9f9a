import type { NumberedEvent, Release, TurnJournal } from '../journal/port.js';
import type { UnnumberedEvent } from '../model/event.js';
import type { ChildNumber, OrderId, Seq, VenueTradeId } from '../model/ids.js';
import type { ParentState } from '../model/order.js';

const NO_BYTES = new Uint8Array(0);

/** What happened in one replay: numbered like a journal, and forgotten with it. Nothing is encoded, nothing synced. */
export class MemoryJournal implements TurnJournal {
  readonly events: NumberedEvent[] = [];
  readonly #states = new Map<OrderId, ParentState>();
  readonly #trades = new Set<string>();

  commit(
    events: readonly UnnumberedEvent[],
    touched: readonly ParentState[],
    release?: Release,
  ): readonly NumberedEvent[] {
    const numbered = events.map((event, index): NumberedEvent => {
      const seq = (this.events.length + index + 1) as Seq;
      const causationSeq = event.causationSeq < 0 ? seq + event.causationSeq : event.causationSeq;
      return { envelope: { ...event, seq, causationSeq }, bytes: NO_BYTES, marks: [] };
    });
    this.events.push(...numbered);
    for (const { orderId, event } of events) {
      if (event.kind === 'ChildFilled') this.#trades.add(`${orderId}-${event.child}/${event.fill.tradeId}`);
    }
    for (const state of touched) this.#states.set(state.order.orderId, state);
    if (numbered.length > 0) release?.(numbered);
    return numbered;
  }

  hasTrade(orderId: OrderId, child: ChildNumber, tradeId: VenueTradeId): boolean {
    return this.#trades.has(`${orderId}-${child}/${tradeId}`);
  }

  state(orderId: OrderId): ParentState | null {
    return this.#states.get(orderId) ?? null;
  }

  /** Every replay begins with nothing. */
  openParents(): Iterable<ParentState> {
    return [];
  }
}
