import { type Command } from '../domain/command.js';
import { shardOf, type AccountId, type CorrelationId, type OrderId, type Seq } from '../domain/ids.js';
import type { InstrumentCatalogue } from '../domain/instrument.js';
import type { NumberMap } from '../domain/number-map.js';
import type { ParentOrder } from '../domain/order.js';
import { leadingLeg } from '../domain/order-legs.js';
import { InvariantViolation, type Rejection } from '../domain/rejection.js';
import type { OrderInput } from '../order/decide.js';
import { evolve } from '../order/evolve.js';
import type { Actor } from './actor.js';
import type { OrderGuard } from './order-guard.js';
import type { AccountOrders } from './port.js';
import type { OrderLifecycle } from './order-lifecycle.js';
import type { TurnBatch } from './turn-batch.js';

/** A command about one order. */
export type OrderCommand = Exclude<Command, { readonly kind: 'VenueLink' | 'SetTrading' | 'StopShard' }>;

/** The order of a command, and the account that sent it. */
interface NamedOrder {
  readonly orderId: OrderId;
  readonly account: AccountId;
  readonly correlationId: CorrelationId;
}

export interface OrderCommandsParts {
  readonly shard: number;
  readonly shardCount: number;
  readonly catalogue: InstrumentCatalogue;
  /** Orders up to this event were read at the start. */
  readonly openSeq: number;
  /** Open orders of the shard. A create adds one. */
  readonly actors: NumberMap<OrderId, Actor>;
  readonly accountOrders: Pick<AccountOrders, 'left'>;
  readonly batch: TurnBatch;
  readonly lifecycle: OrderLifecycle;
  readonly guard: OrderGuard;
  /** Adds the order to this turn's work list. */
  readonly markDue: (actor: Actor) => void;
}

/** Executes the main thread's commands on single orders. Each command but a create causes events, or gets an answer. */
export class OrderCommands {
  readonly #parts: OrderCommandsParts;

  constructor(parts: OrderCommandsParts) {
    this.#parts = parts;
  }

  /** `encodedOrder`: the bytes of a new order, valid inside the call. */
  take(command: OrderCommand, encodedOrder?: Uint8Array): void {
    switch (command.kind) {
      case 'CreateParent':
        return this.#create(command, encodedOrder);
      case 'CancelParent':
        return this.#ask(command, () => ({ kind: 'Cancel', cancelCause: command.cancelCause }));
      case 'PauseParent':
        return this.#ask(command, (actor) => this.#pauseOf(actor));
      case 'ResumeParent':
        return this.#ask(command, () => ({ kind: 'Resume' }));
      case 'AmendParent':
        return this.#amend(command);
      case 'ReleaseParent':
        return this.#operate(command, { kind: 'Release' });
      case 'SettleChild':
        return this.#operate(command, { kind: 'Settle', settlement: command });
      case 'ReconcileParent':
        return this.#ask(command, () => ({ ...command, kind: 'Reconcile' }));
      default:
        return command satisfies never;
    }
  }

  /** The order is durable and acknowledged. When it cannot be worked, it is set aside. */
  #create({ order, seq }: Extract<Command, { kind: 'CreateParent' }>, encodedOrder?: Uint8Array): void {
    const { guard, openSeq, accountOrders } = this.#parts;
    // A shard that starts has read the orders up to here from the journal's state, and counted them.
    if (seq <= openSeq) return accountOrders.left(order.account);
    const isDone = guard.runShared(() => this.#begin(order, seq, encodedOrder?.slice() ?? null));
    if (!isDone) guard.putAside(order.orderId, new Error(`the work on order ${order.orderId} cannot begin`));
  }

  #begin(order: ParentOrder, seq: Seq, encodedOrder: Uint8Array | null): void {
    const { shard, shardCount, catalogue, batch } = this.#parts;
    const { orderId } = order;
    if (shardOf(orderId, shardCount) !== shard) {
      throw new InvariantViolation(`order ${orderId} belongs to shard ${shard}`);
    }
    if (this.#parts.actors.has(orderId)) throw new InvariantViolation(`order id ${orderId} is given once`);
    const state = evolve(null, { kind: 'ParentCreated', order }, batch.nowMs);
    const actor = batch.adopt(state, catalogue.at(leadingLeg(order).instrument), seq, encodedOrder);
    this.#parts.actors.set(orderId, actor);
    this.#parts.markDue(actor);
  }

  /** A pause may come in the turn of its create. The order is admitted first, as if the pause had come later. */
  #pauseOf(actor: Actor): OrderInput {
    this.#parts.lifecycle.admit(actor, this.#parts.batch.nowMs);
    return { kind: 'Pause' };
  }

  #amend({ order, correlationId }: Extract<Command, { kind: 'AmendParent' }>): void {
    const { orderId, account } = order;
    this.#ask({ orderId, account, correlationId }, () => this.#parts.lifecycle.amendmentOf(order));
  }

  /** Executes an account's command on one of its open orders. */
  #ask({ orderId, account, correlationId }: NamedOrder, input: (actor: Actor) => OrderInput): void {
    const actor = this.#parts.actors.get(orderId);
    if (actor === undefined || actor.state.order.account !== account) {
      const message = `order_id ${orderId} is not an open order`;
      this.#parts.batch.answer(correlationId, orderId, { code: 'INVALID_ORDER', message });
      return;
    }
    this.#carryOut(actor, correlationId, () => input(actor));
  }

  /**
   * Executes a command, and answers it unless it causes events. A failed command quarantines the order and runs once
   * more.
   */
  #carryOut(actor: Actor, correlationId: CorrelationId, input: () => OrderInput): void {
    const { orderId } = actor.state.order;
    let before = actor.state;
    let rejection: Rejection | null = null;
    const work = (): void => {
      before = actor.state;
      rejection = this.#parts.lifecycle.applyCommand(actor, input(), this.#parts.batch.nowMs, correlationId);
    };
    const isDone =
      this.#parts.guard.run(actor, this.#parts.batch.nowMs, work) ||
      this.#parts.guard.run(actor, this.#parts.batch.nowMs, work);
    if (!isDone) this.#parts.batch.answer(correlationId, orderId, failureOf(orderId));
    else if (rejection !== null || actor.state === before) this.#parts.batch.answer(correlationId, orderId, rejection);
    this.#parts.markDue(actor);
  }

  /** Executes an operator's command on an order of any account. */
  #operate({ orderId, correlationId }: Pick<NamedOrder, 'orderId' | 'correlationId'>, input: OrderInput): void {
    const actor = this.#parts.actors.get(orderId);
    if (actor === undefined) return this.#parts.batch.answer(correlationId, orderId, null);
    this.#carryOut(actor, correlationId, () => input);
  }
}

function failureOf(orderId: OrderId): Rejection {
  const message = `order_id ${orderId}: the request failed by an error of the service, which is logged`;
  return { code: 'SYSTEM_ERROR', message };
}
