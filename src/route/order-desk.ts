import type { Command, ShardMessage } from '../model/command.js';
import { shardOf, type AccountId, type CorrelationId, type OrderId } from '../model/ids.js';
import { ANSWER_WAIT_MS, PENDING_COMMANDS_MAX } from '../model/limits.js';
import type { ParentOrder, RestingStatus } from '../model/order.js';
import type { Rejection } from '../model/rejection.js';
import type { EpochMs } from '../model/time.js';
import { areSameTerms, wantedTerms, type OrderTerms } from '../order/amendment.js';
import type { IdAllocator } from './id-allocator.js';
import type { SendResult, ShardLink } from './shard-link.js';

/** The part of a stored order that shows which commands it has taken. */
export type StoredOrder = OrderTerms & { readonly status: RestingStatus };

/** A validated order; 0 stands where the desk writes its id. */
export type ParentOrderDraft = Omit<ParentOrder, 'orderId'> & { orderId: OrderId };
export const NO_ORDER_ID = 0 as OrderId;

export type CreateOutcome =
  /** Durable: journalled and synced. */
  | { readonly kind: 'created'; readonly orderId: OrderId; readonly createdAtMs: EpochMs }
  | {
      readonly kind: 'refused';
      readonly rejection: Rejection;
      /** Nobody answered in time: the order of this id may still be placed. Absent when it surely is not. */
      readonly unresolvedOrderId?: OrderId;
    };

/** What may be asked of an open order. */
export type OrderChange =
  | {
      readonly kind: 'CancelParent' | 'PauseParent' | 'ResumeParent';
      readonly account: AccountId;
      readonly orderId: OrderId;
    }
  | Omit<Extract<Command, { readonly kind: 'ReconcileParent' }>, 'correlationId'>
  /** With its new terms. */
  | { readonly kind: 'AmendParent'; readonly order: ParentOrder };

export type ChangeOutcome =
  /** Durable: the order is being changed so, or already was. */
  { readonly kind: 'pending'; readonly orderId: OrderId } | { readonly kind: 'refused'; readonly rejection: Rejection };

type Pending = { readonly shard: number; readonly orderId: OrderId; readonly deadlineMs: number } & (
  | { readonly kind: 'create'; readonly order: ParentOrder; readonly answer: (outcome: CreateOutcome) => void }
  | {
      readonly kind: 'change';
      readonly asked: OrderChange;
      readonly answer: (outcome: ChangeOutcome) => void;
    }
);

/** An order whose create, or whose new terms, wait for their shard's answer. */
export interface PendingOrder {
  readonly kind: 'CreateParent' | 'AmendParent';
  readonly order: ParentOrder;
}

export interface OrderDeskParts {
  readonly links: readonly ShardLink[];
  readonly ids: IdAllocator;
  readonly nowRealMs: () => number;
  /** What LMDB holds of an order, null when it has none: decides what became of a command whose answer is lost. */
  readonly stored: (orderId: OrderId) => StoredOrder | null;
  /** A command has been sent and its answer is awaited. */
  readonly onSent: () => void;
  /** Called when a shard refuses an order after the desk has answered it with an unknown outcome. */
  readonly onLateRefusal: () => void;
}

/**
 * Gives every order its id and its shard, and every command its answer: once what it caused is durable, or with the
 * reason why nothing happened. Nothing is retried here and nothing waits without a bound.
 */
export class OrderDesk {
  readonly #parts: OrderDeskParts;
  readonly #pending = new Map<CorrelationId, Pending>();
  /**
   * Creates and amendments that the desk has answered with an unknown outcome. The shard may still carry them out.
   * Oldest first.
   */
  readonly #unresolved = new Map<CorrelationId, Pending>();
  #lastCorrelationId = 0;

  constructor(parts: OrderDeskParts) {
    this.#parts = parts;
  }

  get pendingCount(): number {
    return this.#pending.size;
  }

  /** Takes the draft over: it becomes the order. (A copy of so many members would cost microseconds.) */
  create(order: ParentOrderDraft, answer: (outcome: CreateOutcome) => void): void {
    const { ids, links, nowRealMs } = this.#parts;
    if (this.#pending.size + this.#unresolved.size >= PENDING_COMMANDS_MAX) {
      return answer({ kind: 'refused', rejection: refusalOf('busy', 0) });
    }
    order.orderId = ids.next();
    const shard = shardOf(order.orderId, links.length);
    const correlationId = this.#nextCorrelationId();
    const sent = (links[shard] as ShardLink).send({ kind: 'CreateParent', correlationId, order });
    if (sent !== 'sent') return answer({ kind: 'refused', rejection: refusalOf(sent, shard) });
    const deadlineMs = nowRealMs() + ANSWER_WAIT_MS;
    const { orderId } = order;
    this.#pending.set(correlationId, { kind: 'create', shard, orderId, order, deadlineMs, answer });
    this.#parts.onSent();
  }

  /** The creates and amendments of the account that its shards have not answered, oldest first. */
  *pendingOrders(account: AccountId): Iterable<PendingOrder> {
    for (const commands of [this.#unresolved, this.#pending]) {
      for (const pending of commands.values()) {
        const order = orderOf(pending);
        if (order?.account !== account) continue;
        yield { kind: pending.kind === 'create' ? 'CreateParent' : 'AmendParent', order };
      }
    }
  }

  /** The caller has checked that the order is open and the account's; the shard checks again. */
  change(change: OrderChange, answer: (outcome: ChangeOutcome) => void): void {
    const { links, nowRealMs } = this.#parts;
    const { orderId } = change.kind === 'AmendParent' ? change.order : change;
    const shard = shardOf(orderId, links.length);
    const correlationId = this.#nextCorrelationId();
    const sent = (links[shard] as ShardLink).send({ ...change, correlationId });
    if (sent !== 'sent') return answer({ kind: 'refused', rejection: refusalOf(sent, shard) });
    const deadlineMs = nowRealMs() + ANSWER_WAIT_MS;
    this.#pending.set(correlationId, { kind: 'change', asked: change, shard, orderId, deadlineMs, answer });
    this.#parts.onSent();
  }

  /** Answers the command that a shard's message belongs to, if any waits. */
  onShardMessage(message: ShardMessage): void {
    switch (message.kind) {
      case 'Published':
        this.#resolveBefore(message.correlationId);
        return this.#settle(message.correlationId, null);
      case 'Unchanged':
        return this.#settle(message.correlationId, null);
      case 'Refused':
        return this.#settle(message.correlationId, message.rejection);
      case 'Missed':
        return undefined;
      default:
        return message satisfies never;
    }
  }

  /**
   * The shard has died or left messages out: what became of its commands is read from LMDB. A command that LMDB does not
   * show is answered only when `isComplete`: LMDB shows each turn of the shard that the journal may hold.
   */
  settleFromStore(shard: number, isComplete: boolean): void {
    for (const [correlationId, pending] of this.#pending) {
      if (pending.shard !== shard) continue;
      const stored = this.#parts.stored(pending.orderId);
      if (isCarriedOut(pending, stored)) this.#settle(correlationId, null);
      else if (isComplete) this.#settle(correlationId, refusalOf('down', shard));
    }
    for (const [correlationId, pending] of this.#unresolved) {
      if (pending.shard !== shard) continue;
      if (isComplete || isCarriedOut(pending, this.#parts.stored(pending.orderId))) {
        this.#unresolved.delete(correlationId);
      }
    }
  }

  /** Ends the waits that are over; called about once a second. */
  sweep(): void {
    const nowMs = this.#parts.nowRealMs();
    for (const [correlationId, pending] of this.#pending) {
      if (pending.deadlineMs > nowMs) return;
      this.#giveUp(correlationId, pending);
    }
  }

  #giveUp(correlationId: CorrelationId, pending: Pending): void {
    this.#pending.delete(correlationId);
    if (orderOf(pending) !== null) this.#unresolved.set(correlationId, pending);
    const message =
      `order_id ${pending.orderId}: no answer within ${ANSWER_WAIT_MS} ms; the outcome is unknown, ` +
      'ask for the order before you send it again';
    const refused = { kind: 'refused', rejection: { code: 'SYSTEM_BUSY', message } } as const;
    if (pending.kind === 'change') pending.answer(refused);
    else pending.answer({ ...refused, unresolvedOrderId: pending.orderId });
  }

  #nextCorrelationId(): CorrelationId {
    this.#lastCorrelationId += 1;
    return this.#lastCorrelationId as CorrelationId;
  }

  /** A shard takes its commands in order. A turn that it has published shows that it has decided all commands before. */
  #resolveBefore(correlationId: CorrelationId): void {
    if (this.#unresolved.size === 0) return;
    const answered = this.#pending.get(correlationId) ?? this.#unresolved.get(correlationId);
    for (const [earlier, { shard }] of this.#unresolved) {
      if (earlier >= correlationId) return;
      if (shard === answered?.shard) this.#unresolved.delete(earlier);
    }
  }

  #settle(correlationId: CorrelationId, rejection: Rejection | null): void {
    const pending = this.#pending.get(correlationId);
    if (pending === undefined) {
      if (this.#unresolved.delete(correlationId) && rejection !== null) this.#parts.onLateRefusal();
      return undefined;
    }
    this.#pending.delete(correlationId);
    if (rejection !== null) return pending.answer({ kind: 'refused', rejection });
    if (pending.kind === 'change') return pending.answer({ kind: 'pending', orderId: pending.orderId });
    return pending.answer({ kind: 'created', orderId: pending.orderId, createdAtMs: pending.order.createdAtMs });
  }
}

/** null of what changes no terms. */
function orderOf(pending: Pending): ParentOrder | null {
  if (pending.kind === 'create') return pending.order;
  return pending.asked.kind === 'AmendParent' ? pending.asked.order : null;
}

/** True when the stored order shows what was asked. */
function isCarriedOut(pending: Pending, stored: StoredOrder | null): boolean {
  if (stored === null) return false;
  if (pending.kind === 'create') return true;
  const { asked } = pending;
  const { status } = stored;
  switch (asked.kind) {
    case 'CancelParent':
      return status === 'PENDING_CANCEL' || status === 'CANCELLED';
    case 'PauseParent':
      return status === 'PENDING_PAUSE' || status === 'PAUSED';
    case 'ResumeParent':
      return status === 'PENDING_UNPAUSE' || status === 'ACCEPTED' || status === 'PARTIALLY_FILLED';
    case 'AmendParent':
      return hasTerms(stored, asked.order);
    case 'ReconcileParent':
      return false;
  }
}

/** The terms that hold or are wanted are those of the request. Another request may have made the same revision. */
function hasTerms(stored: OrderTerms, terms: ParentOrder): boolean {
  const latest = wantedTerms(stored);
  return latest.revision === terms.revision && areSameTerms(latest, terms);
}

function refusalOf(sent: Exclude<SendResult, 'sent'>, shard: number): Rejection {
  return sent === 'busy'
    ? { code: 'SYSTEM_BUSY', message: `the mailbox of shard ${shard} is full; nothing was placed` }
    : { code: 'EMS_INSTANCES_DOWN', message: `shard ${shard} is down and not yet recovered; nothing was placed` };
}
