import type { ChangeOutcome, CreateOutcome, OrderChange, ShardMessage } from '../domain/command.js';
import { type AccountId, type CorrelationId, type OrderId, shardOf } from '../domain/ids.js';
import { ANSWER_WAIT_MS } from '../domain/limits/clients.js';
import { ORDER_ID_BLOCK_COUNT, PENDING_COMMANDS_MAX } from '../domain/limits/process.js';
import type { ParentOrder, ParentOrderDraft, RestingStatus } from '../domain/order.js';
import type { Rejection } from '../domain/rejection.js';
import type { PendingOrder } from '../risk/exposure-reading.js';
import { areSameTerms, type OrderTerms, wantedTerms } from '../order/amendment.js';
import type { SendResult, ShardClient } from './shard-client.js';

/** The part of a stored order that shows which commands it has processed. */
export type StoredOrder = OrderTerms & { readonly status: RestingStatus };

type Pending = { readonly shard: number; readonly orderId: OrderId; readonly deadlineMs: number } & (
  | { readonly kind: 'create'; readonly order: ParentOrder; readonly answer: (outcome: CreateOutcome) => void }
  | {
      readonly kind: 'change';
      readonly asked: OrderChange;
      readonly answer: (outcome: ChangeOutcome) => void;
    }
);

interface OrderGatewayParts {
  readonly links: readonly ShardClient[];
  readonly ids: IdAllocator;
  readonly nowRealMs: () => number;
  /** The order in LMDB; null: there is none. Decides the outcome of a command whose answer is lost. */
  readonly stored: (orderId: OrderId) => StoredOrder | null;
  /** Called when a shard refuses an order after the gateway answered it with an unknown outcome. */
  readonly onLateRefusal: () => void;
}

/**
 * Gives every order its id and its shard, and every command its answer: once its events are durable, or with the reason
 * why nothing happened. It retries nothing, and every wait is bounded.
 */
export class OrderGateway {
  readonly #parts: OrderGatewayParts;
  readonly #pending = new Map<CorrelationId, Pending>();
  /** Creates and amendments answered with an unknown outcome, oldest first. The shard may still carry them out. */
  readonly #unresolved = new Map<CorrelationId, Pending>();
  #lastCorrelationId = 0;

  constructor(parts: OrderGatewayParts) {
    this.#parts = parts;
  }

  /** Takes an order id that no order gets. Every later order has a larger one. */
  takeOrderId(): OrderId {
    return this.#parts.ids.next();
  }

  get pendingCount(): number {
    return this.#pending.size;
  }

  /** Takes ownership of the draft: it becomes the order. (A copy of so many fields would cost microseconds.) */
  create(order: ParentOrderDraft, answer: (outcome: CreateOutcome) => void): void {
    const { ids, links, nowRealMs } = this.#parts;
    if (this.#pending.size + this.#unresolved.size >= PENDING_COMMANDS_MAX) {
      return answer({ kind: 'refused', rejection: refusalOf('busy', 0) });
    }
    order.orderId = ids.next();
    const shard = shardOf(order.orderId, links.length);
    const correlationId = this.#nextCorrelationId();
    const sent = (links[shard] as ShardClient).send({ kind: 'CreateParent', correlationId, order });
    if (sent !== 'sent') return answer({ kind: 'refused', rejection: refusalOf(sent, shard) });
    const deadlineMs = nowRealMs() + ANSWER_WAIT_MS;
    const { orderId } = order;
    this.#pending.set(correlationId, { kind: 'create', shard, orderId, order, deadlineMs, answer });
  }

  /** The creates and amendments of the account without an answer of their shards, oldest first. */
  *pendingOrders(account: AccountId): Iterable<PendingOrder> {
    for (const commands of [this.#unresolved, this.#pending]) {
      for (const pending of commands.values()) {
        const order = orderOf(pending);
        if (order?.account !== account) continue;
        yield { kind: pending.kind === 'create' ? 'CreateParent' : 'AmendParent', order };
      }
    }
  }

  /** The caller has checked that the order is open and belongs to the account. The shard checks again. */
  change(change: OrderChange, answer: (outcome: ChangeOutcome) => void): void {
    const { links, nowRealMs } = this.#parts;
    const { orderId } = change.kind === 'AmendParent' ? change.order : change;
    const shard = shardOf(orderId, links.length);
    const correlationId = this.#nextCorrelationId();
    const sent = (links[shard] as ShardClient).send({ ...change, correlationId });
    if (sent !== 'sent') return answer({ kind: 'refused', rejection: refusalOf(sent, shard) });
    const deadlineMs = nowRealMs() + ANSWER_WAIT_MS;
    this.#pending.set(correlationId, { kind: 'change', asked: change, shard, orderId, deadlineMs, answer });
  }

  /** Answers the command of a shard's message, if one waits. */
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
   * Settles the commands of a shard that died or dropped messages, from LMDB. A command that LMDB does not show is answered
   * only when `isComplete`: LMDB shows each turn of the shard that the journal may contain.
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

  /** Ends expired waits; called about once a second. */
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
      'query the order before you send it again';
    const refused = { kind: 'refused', rejection: { code: 'SYSTEM_BUSY', message } } as const;
    if (pending.kind === 'change') pending.answer(refused);
    else pending.answer({ ...refused, unresolvedOrderId: pending.orderId });
  }

  #nextCorrelationId(): CorrelationId {
    this.#lastCorrelationId += 1;
    return this.#lastCorrelationId as CorrelationId;
  }

  /** A shard processes its commands in order, so a published turn shows that it has decided all earlier commands. */
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

/** null for a command without new terms. */
function orderOf(pending: Pending): ParentOrder | null {
  if (pending.kind === 'create') return pending.order;
  return pending.asked.kind === 'AmendParent' ? pending.asked.order : null;
}

/** True when the stored order shows the requested change. */
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

/** True when the current or pending terms are those of the request. Another request may have made the same revision. */
function hasTerms(stored: OrderTerms, terms: ParentOrder): boolean {
  const latest = wantedTerms(stored);
  return latest.revision === terms.revision && areSameTerms(latest, terms);
}

function refusalOf(sent: Exclude<SendResult, 'sent'>, shard: number): Rejection {
  return sent === 'busy'
    ? { code: 'SYSTEM_BUSY', message: `the mailbox of shard ${shard} is full; nothing was placed` }
    : { code: 'EMS_INSTANCES_DOWN', message: `shard ${shard} is down and not yet recovered; nothing was placed` };
}

/** Reserves order ids durably: [from, to) is never reserved again, even after a crash or a restore. */
export interface IdBlocks {
  reserveOrderIds(count: number, nowRealMs: number): { readonly from: number; readonly to: number };
}

/** Allocates order ids from reserved blocks: increasing, each once. A crash skips the rest of a block. */
export class IdAllocator {
  readonly #blocks: IdBlocks;
  readonly #nowRealMs: () => number;
  #next = 0;
  #end = 0;

  constructor(blocks: IdBlocks, nowRealMs: () => number) {
    this.#blocks = blocks;
    this.#nowRealMs = nowRealMs;
  }

  next(): OrderId {
    if (this.#next === this.#end) {
      const { from, to } = this.#blocks.reserveOrderIds(ORDER_ID_BLOCK_COUNT, this.#nowRealMs());
      this.#next = from;
      this.#end = to;
    }
    const id = this.#next;
    this.#next += 1;
    return id as OrderId;
  }
}
