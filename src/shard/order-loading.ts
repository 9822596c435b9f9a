import { ownerOf, type OrderId } from '../domain/ids.js';
import type { InstrumentCatalogue } from '../domain/instrument.js';
import type { NumberMap } from '../domain/number-map.js';
import type { ParentState } from '../domain/order-state.js';
import { leadingLeg } from '../domain/order-legs.js';
import type { EpochMs } from '../domain/time.js';
import type { TurnJournal } from '../journal/port.js';
import { Actor } from './actor.js';
import type { OrderGuard } from './order-guard.js';
import type { PackedStates } from './packed-states.js';
import type { AccountOrders } from './port.js';

export interface OrderLoadingParts {
  readonly shard: number;
  readonly shardCount: number;
  readonly catalogue: InstrumentCatalogue;
  readonly journal: Pick<TurnJournal, 'openParents'>;
  /** Orders to quarantine: the thread died repeatedly during their work. Default: none. */
  readonly suspects?: readonly OrderId[];
  readonly actors: NumberMap<OrderId, Actor>;
  readonly packed: PackedStates;
  readonly guard: OrderGuard;
  readonly accountOrders: Pick<AccountOrders, 'loaded'>;
}

/** Loads the open orders of a shard at its start. An order that cannot be loaded is put aside. */
export class OrderLoading {
  readonly #parts: OrderLoadingParts;
  #suspects: readonly OrderId[] = [];

  constructor(parts: OrderLoadingParts) {
    this.#parts = parts;
  }

  load(): void {
    const { shard, shardCount, journal, guard, actors, suspects = [] } = this.#parts;
    const isOwn = (slot: number): boolean => ownerOf(slot, shardCount) === shard;
    for (const state of journal.openParents(isOwn, (orderId, error) => guard.putAside(orderId, error))) {
      this.#add(state);
    }
    this.#suspects = suspects.filter((orderId) => actors.has(orderId));
  }

  /** Quarantines the suspects before any other work on them: that work may have ended the thread. */
  quarantineSuspects(nowMs: EpochMs): void {
    const { guard, actors } = this.#parts;
    for (const orderId of this.#suspects) {
      const actor = actors.get(orderId);
      const detail = 'the thread of the order died repeatedly while it worked on the order';
      if (actor !== undefined) guard.quarantine(actor, nowMs, 'SHARD_DEATH', detail);
    }
    this.#suspects = [];
  }

  #add(state: ParentState): void {
    const { catalogue, guard, actors, packed, accountOrders } = this.#parts;
    const { orderId, account } = state.order;
    try {
      const actor = new Actor(state, catalogue.at(leadingLeg(state.order).instrument));
      actors.set(orderId, actor);
      accountOrders.loaded(account);
      if (state.quarantine !== null) guard.noteLoaded(state);
      actor.rest(packed);
    } catch (error) {
      guard.putAside(orderId, error);
    }
  }
}
