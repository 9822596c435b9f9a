import type { UnnumberedEvent } from '../../domain/event.js';
import type { ChildNumber, OrderId, VenueTradeId } from '../../domain/ids.js';
import type { ParentState } from '../../domain/order-state.js';

/** What one turn changed. */
interface RecentTurn {
  /** Last event of the turn; null: its number is not known yet. */
  seq: number | null;
  readonly states: readonly ParentState[];
  readonly trades: readonly string[];
}

/**
 * The states and fills of a shard's own turns that LMDB may lack. A shard decides ahead of the disk and of LMDB, so it
 * reads its own turns here first.
 */
export class RecentTurns {
  readonly #states = new Map<OrderId, ParentState>();
  readonly #trades = new Set<string>();
  #turns: RecentTurn[] = [];

  /** Notes a turn. Returns a function that sets the seq of its last event. */
  add(events: readonly UnnumberedEvent[], states: readonly ParentState[]): (lastSeq: number) => void {
    const trades: string[] = [];
    for (const { orderId, event } of events) {
      if (event.kind === 'ChildFilled') trades.push(keyOf(orderId as OrderId, event.child, event.fill.tradeId));
    }
    for (const state of states) this.#states.set(state.order.orderId, state);
    for (const trade of trades) this.#trades.add(trade);
    const turn: RecentTurn = { seq: null, states, trades };
    this.#turns.push(turn);
    return (lastSeq) => (turn.seq = lastSeq);
  }

  /** Forgets the turns up to an event that LMDB contains. */
  forget(projectedSeq: number): void {
    let count = 0;
    for (const { seq, states, trades } of this.#turns) {
      if (seq === null || seq > projectedSeq) break;
      for (const trade of trades) this.#trades.delete(trade);
      for (const state of states) {
        // A later turn may have changed the order again.
        if (this.#states.get(state.order.orderId) === state) this.#states.delete(state.order.orderId);
      }
      count += 1;
    }
    if (count > 0) this.#turns = this.#turns.slice(count);
  }

  hasTrade(orderId: OrderId, child: ChildNumber, tradeId: VenueTradeId): boolean {
    return this.#trades.size > 0 && this.#trades.has(keyOf(orderId, child, tradeId));
  }

  /** The order's state after the shard's last turn on it; null: LMDB contains it. */
  state(orderId: OrderId): ParentState | null {
    return this.#states.get(orderId) ?? null;
  }
}

function keyOf(orderId: OrderId, child: ChildNumber, tradeId: VenueTradeId): string {
  return `${orderId}-${child}/${tradeId}`;
}
