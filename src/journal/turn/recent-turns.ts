import type { UnnumberedEvent } from '../../domain/event.js';
import type { ChildNumber, OrderId, VenueTradeId } from '../../domain/ids.js';
import { NumberMap } from '../../domain/number-map.js';
import { isTerminal } from '../../domain/order.js';
import type { ParentState } from '../../domain/order-state.js';

/** What one turn changed. */
interface RecentTurn {
  /** Last event of the turn; null: its number is not known yet. */
  seq: number | null;
  readonly ended: readonly ParentState[];
  readonly trades: readonly string[];
}

/**
 * The fills and the ended orders of a shard's own turns that LMDB may lack. A shard decides ahead of the disk and of
 * LMDB, so it reads its own turns here first. It has the states of its open orders itself.
 */
export class RecentTurns {
  readonly #ended = new NumberMap<OrderId, ParentState>();
  readonly #trades = new Set<string>();
  #turns: RecentTurn[] = [];

  /** Notes a turn. Returns a function that takes the seq of its last event. */
  add(events: readonly UnnumberedEvent[], states: readonly ParentState[]): (lastSeq: number) => void {
    const trades: string[] = [];
    for (const { orderId, event } of events) {
      if (event.kind === 'ChildFilled') trades.push(keyOf(orderId as OrderId, event.child, event.fill.tradeId));
    }
    const ended = states.filter(({ status }) => isTerminal(status));
    if (ended.length + trades.length === 0) return nothingToNote;
    for (const state of ended) this.#ended.set(state.order.orderId, state);
    for (const trade of trades) this.#trades.add(trade);
    const turn: RecentTurn = { seq: null, ended, trades };
    this.#turns.push(turn);
    return (lastSeq) => (turn.seq = lastSeq);
  }

  /** Forgets the turns up to an event that LMDB contains. */
  forget(projectedSeq: number): void {
    let count = 0;
    for (const { seq, ended, trades } of this.#turns) {
      if (seq === null || seq > projectedSeq) break;
      for (const trade of trades) this.#trades.delete(trade);
      for (const state of ended) {
        // A late fill may have changed the order again.
        if (this.#ended.get(state.order.orderId) === state) this.#ended.delete(state.order.orderId);
      }
      count += 1;
    }
    if (count > 0) this.#turns = this.#turns.slice(count);
  }

  hasTrade(orderId: OrderId, child: ChildNumber, tradeId: VenueTradeId): boolean {
    return this.#trades.size > 0 && this.#trades.has(keyOf(orderId, child, tradeId));
  }

  /** The state of an ended order after the shard's last turn on it; null: the order is open, or LMDB contains it. */
  endedState(orderId: OrderId): ParentState | null {
    return this.#ended.get(orderId) ?? null;
  }
}

function nothingToNote(): void {
  // LMDB may lack the turn, but nothing will be read from it.
}

function keyOf(orderId: OrderId, child: ChildNumber, tradeId: VenueTradeId): string {
  return `${orderId}-${child}/${tradeId}`;
}
