import type { ChangeOutcome, CreateOutcome, OrderChange, ShardMessage } from '../domain/command.js';
import { type AccountId, type CorrelationId, type OrderId, shardOf } from '../domain/ids.js';
import { ANSWER_WAIT_MS } from '../domain/limits/clients.js';
import { PENDING_COMMANDS_MAX } from '../domain/limits/process.js';
import { OPEN_PARENTS_PER_SHARD_MAX } from '../domain/limits/trading.js';
import { NumberMap } from '../domain/number-map.js';
import type { ParentOrder, ParentOrderDraft } from '../domain/order.js';
import { assert, type Rejection } from '../domain/rejection.js';
import type { Clock } from '../domain/time.js';
import type { WhenComplete } from '../journal/complete-reads.js';
import type { CreateJournal, NumberedEvent } from '../journal/port.js';
import { creationOf } from '../order/snapshot.js';
import type { PendingOrder } from '../risk/exposure-reading.js';
import { areSameTerms } from '../order/amendment.js';
import { type ParentState, wantedTerms } from '../domain/order-state.js';
import type { OpenOrderCounts } from './open-order-counts.js';
import type { IdAllocator } from './order-ids.js';
import type { ReserveResult, SendResult, ShardClient } from './shard-client.js';

/** The part of a stored order that shows which commands it has processed. */
export type StoredOrder = Pick<ParentState, 'order' | 'amendment' | 'status'>;

/** A snapshot of LMDB. Decides the outcome of a change whose answer is lost. */
interface StoredOrders {
  order(orderId: OrderId): StoredOrder | null;
}

/** A create that is not durable yet. */
interface PendingCreate {
  readonly correlationId: CorrelationId;
  readonly order: ParentOrder;
  readonly deadlineMs: number;
  /** null: answered with an unknown outcome. */
  answer: ((outcome: CreateOutcome) => void) | null;
  /**
   * Changes that wait for the order: its client need not wait for the answer, and LMDB may show it earlier. null: none.
   */
  changes: HeldChange[] | null;
  /** Requests that wait until the order is durable. null: none. */
  waiters: (() => void)[] | null;
}

/** A change of an order whose create is not durable yet. */
interface HeldChange {
  readonly asked: OrderChange;
  readonly deadlineMs: number;
  /** null: answered with an unknown outcome. */
  answer: ((outcome: ChangeOutcome) => void) | null;
}

interface PendingChange {
  readonly shard: number;
  readonly orderId: OrderId;
  readonly asked: OrderChange;
  readonly deadlineMs: number;
  readonly answer: (outcome: ChangeOutcome) => void;
}

/** The changes that a snapshot settles. */
interface ShownChanges {
  readonly shard: number;
  /** The last of them: the snapshot may show what an order was before a later one. */
  readonly upTo: number;
  /** A change that the snapshot does not show was not carried out. */
  readonly isComplete: boolean;
}

interface OrderGatewayParts {
  readonly links: readonly ShardClient[];
  readonly ids: IdAllocator;
  readonly nowRealMs: () => number;
  /** Service time. */
  readonly clock: Clock;
  /** Makes creates durable. */
  readonly journal: CreateJournal;
  readonly openOrders: Pick<OpenOrderCounts, 'add'>;
  /** Called with each create when it is durable, before any answer. */
  readonly onDurable: (created: NumberedEvent) => void;
  /** Called with each create when it is durable and answered. */
  readonly onCreated: (created: NumberedEvent) => void;
  readonly whenComplete: WhenComplete<StoredOrders>;
  /**
   * Called when amendments that were answered with an unknown outcome are decided, and may have changed nothing. No
   * event shows that.
   */
  readonly onLateNoEffect: () => void;
}

/**
 * Gives every order its id and its shard, and every command its answer: once its events are durable, or with the reason
 * why nothing happened. It retries nothing, and every wait is bounded.
 */
export class OrderGateway {
  readonly #parts: OrderGatewayParts;
  /**
   * Creates that are not durable yet, oldest first: the journal releases them in this order. A Map would keep thousands
   * of them alive after their answer (adr/0073).
   */
  readonly #creates: PendingCreate[] = [];
  readonly #changes = new NumberMap<CorrelationId, PendingChange>();
  /** Amendments answered with an unknown outcome, oldest first. The shard may still carry them out. */
  readonly #unresolved = new Map<CorrelationId, PendingChange>();
  /** Creates that have just become durable. Their shards have them. */
  #durable: NumberedEvent[] = [];
  #lastCorrelationId = 0;

  constructor(parts: OrderGatewayParts) {
    this.#parts = parts;
  }

  /** Takes an order id that no order gets. Every later order has a larger one. */
  takeOrderId(): OrderId {
    return this.#parts.ids.next();
  }

  get pendingCount(): number {
    return this.#changes.size + this.#creates.reduce((count, { answer }) => count + (answer === null ? 0 : 1), 0);
  }

  /**
   * Makes the order durable, answers, and passes the order on to its shard. Takes ownership of the draft: it becomes
   * the order. (A copy of so many fields would cost microseconds.)
   */
  create(order: ParentOrderDraft, answer: (outcome: CreateOutcome) => void): void {
    const { ids, links, nowRealMs, clock, journal } = this.#parts;
    if (this.#creates.length + this.#changes.size + this.#unresolved.size >= PENDING_COMMANDS_MAX) {
      return answer({ kind: 'refused', rejection: refusalOf('busy', 0) });
    }
    order.orderId = ids.next();
    const shard = shardOf(order.orderId, links.length);
    const link = links[shard] as ShardClient;
    const correlationId = this.#nextCorrelationId();
    const { event } = creationOf(order, clock.nowMs(), correlationId);
    const encoded = journal.encode(event);
    const reserved = link.reserve(encoded.length);
    if (reserved !== 'reserved') return answer({ kind: 'refused', rejection: refusalOf(reserved, shard) });
    if (!journal.append(event, encoded, this.#deliver)) {
      link.unreserve(encoded.length);
      return answer({ kind: 'refused', rejection: JOURNAL_BUSY });
    }
    this.#parts.openOrders.add(order.account, link);
    this.#creates.push({
      correlationId,
      order,
      deadlineMs: nowRealMs() + ANSWER_WAIT_MS,
      answer,
      changes: null,
      waiters: null,
    });
  }

  readonly #deliver = (created: NumberedEvent): void => {
    const { event } = created.envelope;
    assert(event.kind === 'ParentCreated', 'the main thread appends creates only');
    const { links } = this.#parts;
    (links[shardOf(event.order.orderId, links.length)] as ShardClient).deliver(created);
    this.#durable.push(created);
    this.#parts.onDurable(created);
  };

  /**
   * Answers the creates that have become durable. The shards get them first, before a client can send a command on one;
   * each shard is woken once, and works while the answers leave.
   */
  releaseDurable(): void {
    this.#parts.journal.releaseDurable();
    if (this.#durable.length === 0) return;
    const durable = this.#durable;
    this.#durable = [];
    for (const link of this.#parts.links) link.wake();
    for (const created of durable) this.#onCreated(created);
  }

  #onCreated(numbered: NumberedEvent): void {
    const created = this.#creates.shift();
    const isNext = created?.correlationId === numbered.envelope.correlationId;
    assert(created !== undefined && isNext, 'the journal releases creates in their order');
    const { orderId, createdAtMs } = created.order;
    created.answer?.({ kind: 'created', orderId, createdAtMs });
    this.#parts.onCreated(numbered);
    for (const { asked, answer } of created.changes ?? []) this.change(asked, answer ?? (() => undefined));
    for (const run of created.waiters ?? []) run();
  }

  /**
   * Calls `run` when the creates of the account that have an id are durable. Returns false, and does not call it, when
   * all of them are.
   */
  afterPending(account: AccountId, run: () => void): boolean {
    // The journal releases them in their order.
    const last = this.#creates.findLast(({ order }) => order.account === account);
    if (last === undefined) return false;
    (last.waiters ??= []).push(run);
    return true;
  }

  /** The creates and amendments of the account without an answer of their shards. Each kind is oldest first. */
  *pendingOrders(account: AccountId): Iterable<PendingOrder> {
    for (const { order } of this.#creates) {
      if (order.account === account) yield { kind: 'CreateParent', order };
    }
    for (const changes of [this.#unresolved, this.#changes]) {
      for (const { asked } of changes.values()) {
        if (asked.kind === 'AmendParent' && asked.order.account === account)
          yield { kind: asked.kind, order: asked.order };
      }
    }
  }

  /** The caller has checked that the order is open and belongs to the account. The shard checks again. */
  change(change: OrderChange, answer: (outcome: ChangeOutcome) => void): void {
    const { links, nowRealMs } = this.#parts;
    const { orderId } = change.kind === 'AmendParent' ? change.order : change;
    const creating = this.#creates.find(({ order }) => order.orderId === orderId);
    const deadlineMs = nowRealMs() + ANSWER_WAIT_MS;
    if (creating !== undefined) return void (creating.changes ??= []).push({ asked: change, deadlineMs, answer });
    const shard = shardOf(orderId, links.length);
    const correlationId = this.#nextCorrelationId();
    // The new member comes first: after the spread it makes V8 create a hidden class for every change.
    const sent = (links[shard] as ShardClient).send({ correlationId, ...change });
    if (sent !== 'sent') return answer({ kind: 'refused', rejection: refusalOf(sent, shard) });
    this.#changes.set(correlationId, { asked: change, shard, orderId, deadlineMs, answer });
  }

  /** Answers the command of a shard's message, if one waits. */
  onShardMessage(message: ShardMessage): void {
    switch (message.kind) {
      case 'Published':
        this.#resolveBefore(message.correlationId);
        this.#unresolved.delete(message.correlationId);
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

  /** Counts the pending creates of a shard whose thread starts again, with new counts. */
  recount(link: ShardClient): void {
    const { links, openOrders } = this.#parts;
    for (const { order } of this.#creates) {
      if (shardOf(order.orderId, links.length) === link.shard) openOrders.add(order.account, link);
    }
  }

  /**
   * Settles the changes of a shard that died or dropped messages, when LMDB shows every turn that is durable now. A
   * change that LMDB does not show then still waits: its shard may be at work on it.
   */
  settleShown(shard: number): void {
    if (this.#changes.size + this.#unresolved.size === 0) return;
    const upTo = this.#lastCorrelationId;
    this.#parts.whenComplete(
      (stored) => {
        if (stored !== null) this.#settleFrom(stored, { shard, upTo, isComplete: false });
      },
      { account: null },
    );
  }

  /**
   * Settles all changes of a shard that does not work. `stored` shows each of its turns that the journal may contain.
   * So a change that it does not show was not carried out. Creates do not depend on a shard.
   */
  settleAll(shard: number, stored: StoredOrders): void {
    this.#settleFrom(stored, { shard, upTo: this.#lastCorrelationId, isComplete: true });
  }

  #settleFrom(stored: StoredOrders, { shard, upTo, isComplete }: ShownChanges): void {
    for (const [correlationId, pending] of this.#changes.entries()) {
      if (correlationId > upTo) break;
      if (pending.shard !== shard) continue;
      if (isCarriedOut(pending, stored.order(pending.orderId))) this.#settle(correlationId, null);
      else if (isComplete) this.#settle(correlationId, refusalOf('down', shard));
    }
    let isAnyLost = false;
    for (const [correlationId, pending] of this.#unresolved) {
      if (correlationId > upTo) break;
      if (pending.shard !== shard) continue;
      const isDone = isCarriedOut(pending, stored.order(pending.orderId));
      if (isDone || isComplete) this.#unresolved.delete(correlationId);
      isAnyLost ||= isComplete && !isDone;
    }
    if (isAnyLost) this.#parts.onLateNoEffect();
  }

  /** Ends expired waits; called about once a second. */
  sweep(): void {
    const nowMs = this.#parts.nowRealMs();
    for (const create of this.#creates) {
      if (create.deadlineMs > nowMs) break;
      const { answer } = create;
      const { orderId } = create.order;
      create.answer = null;
      answer?.({ kind: 'refused', rejection: unknownOutcome(orderId), unresolvedOrderId: orderId });
      for (const held of create.changes ?? []) {
        if (held.deadlineMs > nowMs) break;
        held.answer?.({ kind: 'refused', rejection: unknownOutcome(orderId), isUnresolved: true });
        held.answer = null;
      }
    }
    for (const [correlationId, pending] of this.#changes.entries()) {
      if (pending.deadlineMs > nowMs) break;
      // An earlier answer of this loop may have settled it.
      if (!this.#changes.delete(correlationId)) continue;
      if (pending.asked.kind === 'AmendParent') this.#unresolved.set(correlationId, pending);
      pending.answer({ kind: 'refused', rejection: unknownOutcome(pending.orderId), isUnresolved: true });
    }
  }

  #nextCorrelationId(): CorrelationId {
    this.#lastCorrelationId += 1;
    return this.#lastCorrelationId as CorrelationId;
  }

  /** A shard processes its commands in order, so a published turn shows that it has decided all earlier changes. */
  #resolveBefore(correlationId: CorrelationId): void {
    if (this.#unresolved.size === 0) return;
    const answered = this.#changes.get(correlationId) ?? this.#unresolved.get(correlationId);
    let isAnyDecided = false;
    for (const [earlier, { shard }] of this.#unresolved) {
      if (earlier >= correlationId) break;
      if (shard === answered?.shard) isAnyDecided = this.#unresolved.delete(earlier) || isAnyDecided;
    }
    if (isAnyDecided) this.#parts.onLateNoEffect();
  }

  #settle(correlationId: CorrelationId, rejection: Rejection | null): void {
    const pending = this.#changes.get(correlationId);
    if (pending === undefined) {
      if (this.#unresolved.delete(correlationId)) this.#parts.onLateNoEffect();
      return;
    }
    this.#changes.delete(correlationId);
    if (rejection === null) pending.answer({ kind: 'pending', orderId: pending.orderId });
    else pending.answer({ kind: 'refused', rejection });
  }
}

function unknownOutcome(orderId: OrderId): Rejection {
  const message =
    `order_id ${orderId}: no answer within ${ANSWER_WAIT_MS} ms; the outcome is unknown, ` +
    'query the order before you send it again';
  return { code: 'SYSTEM_BUSY', message };
}

/** True when the stored order shows the requested change. */
function isCarriedOut(pending: PendingChange, stored: StoredOrder | null): boolean {
  if (stored === null) return false;
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
function hasTerms(stored: StoredOrder, terms: ParentOrder): boolean {
  const latest = wantedTerms(stored);
  return latest.revision === terms.revision && areSameTerms(latest, terms);
}

const JOURNAL_BUSY: Rejection = {
  code: 'SYSTEM_BUSY',
  message: 'too many orders wait for the disk; nothing was placed, try again',
};

function refusalOf(result: Exclude<SendResult | ReserveResult, 'sent' | 'reserved'>, shard: number): Rejection {
  switch (result) {
    case 'busy':
      return { code: 'SYSTEM_BUSY', message: `the mailbox of shard ${shard} is full; nothing was placed` };
    case 'full': {
      const message = `shard ${shard} works ${OPEN_PARENTS_PER_SHARD_MAX} open orders, its maximum; nothing was placed`;
      return { code: 'SYSTEM_BUSY', message };
    }
    case 'down':
      return {
        code: 'EMS_INSTANCES_DOWN',
        message: `shard ${shard} is down and not yet recovered; nothing was placed`,
      };
  }
}
