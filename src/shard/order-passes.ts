import { BoundedPass } from '../domain/queues.js';
import type { RealVenues } from '../domain/exchange.js';
import type { AccountId } from '../domain/ids.js';
import { isTerminal, type ParentOrder } from '../domain/order.js';
import { tradesAt } from '../domain/order-legs.js';
import type { RestoreMark } from '../domain/restore.js';
import type { EpochMs } from '../domain/time.js';
import type { OrderInput } from '../order/decide.js';
import type { Actor } from './actor.js';
import type { OrderGuard } from './order-guard.js';
import type { OrderLifecycle } from './order-lifecycle.js';
import type { PackedStates } from './packed-states.js';

/** Why every order is checked: this shard has started, or the venue was lost or came back. */
type SweepCause =
  | Extract<OrderInput, { readonly kind: 'Recover' | 'Restore' }>
  /** `account`: null for all accounts. */
  | (Extract<OrderInput, { readonly kind: 'VenueLost' | 'VenueBack' }> & { readonly account: AccountId | null });

export interface OrderPassesParts {
  readonly guard: OrderGuard;
  readonly lifecycle: OrderLifecycle;
  readonly packed: PackedStates;
  readonly markDue: (actor: Actor) => void;
  readonly isHalted: (account: AccountId) => boolean;
  readonly restore: RestoreMark | null;
  readonly realVenues: RealVenues;
}

/** Passes over all open orders, a bounded number of orders each turn. */
export class OrderPasses {
  readonly #parts: OrderPassesParts;
  readonly #sweep = new BoundedPass<SweepCause, Actor>();
  /** Orders to check because trading was resumed. */
  readonly #resumed = new BoundedPass<null, Actor>();

  constructor(parts: OrderPassesParts) {
    this.#parts = parts;
  }

  /** True after every order was checked for every cause of a sweep. */
  get isSwept(): boolean {
    return this.#sweep.isDone;
  }

  /** True when nothing is left to check. */
  get isDone(): boolean {
    return this.#sweep.isDone && this.#resumed.isDone;
  }

  sweep(cause: SweepCause, actors: Iterable<Actor>): void {
    this.#sweep.start(cause, actors);
  }

  /**
   * Marks an order as restored when a report comes before the sweep has reached it: an exchange reports its open orders
   * as soon as it is connected, also those that the backup does not know.
   */
  restoreFirst(actor: Actor, nowMs: EpochMs): void {
    const { guard, lifecycle } = this.#parts;
    const { cause } = this.#sweep;
    if (cause?.kind === 'Restore' && this.#concerns(cause, actor.state.order))
      guard.run(actor, nowMs, () => void lifecycle.apply(actor, cause, nowMs));
  }

  /** Checks the orders that may trade, because trading was resumed for some. */
  resume(actors: Iterable<Actor>): void {
    this.#resumed.start(null, actors);
  }

  /** Checks at most `ordersMax` orders of each kind. */
  run(ordersMax: number, nowMs: EpochMs): void {
    this.#sweep.run(ordersMax, (cause, actor) => this.#onSweep(cause, actor, nowMs));
    this.#resumed.run(ordersMax, (_cause, actor) => this.#onResumed(actor));
  }

  #onSweep(cause: SweepCause, actor: Actor, nowMs: EpochMs): void {
    const { guard, lifecycle, markDue, packed } = this.#parts;
    if (isTerminal(actor.state.status)) return;
    if (!this.#concerns(cause, actor.state.order)) return actor.rest(packed);
    guard.run(actor, nowMs, () => void lifecycle.apply(actor, cause, nowMs));
    markDue(actor);
  }

  /** A restore skips exempt accounts: their orders are already reconciled, or were created after it. */
  #concerns(cause: SweepCause, order: ParentOrder): boolean {
    if (cause.kind === 'Restore') return this.#parts.restore?.exempt.includes(order.account) !== true;
    if (cause.kind === 'Recover') return true;
    if (cause.account !== null && cause.account !== order.account) return false;
    if (cause.venue !== null) return tradesAt(order, cause.venue);
    return order.legs.some(({ venue }) => !this.#parts.realVenues.has(venue));
  }

  #onResumed(actor: Actor): void {
    const { packed, markDue, isHalted } = this.#parts;
    if (isHalted(actor.state.order.account)) actor.rest(packed);
    else markDue(actor);
  }
}
