import { JournalFailure } from '../journal/port.js';
import { InvariantViolation } from '../model/assert.js';
import type { OrderId } from '../model/ids.js';
import { isTerminal, type ParentState } from '../model/order.js';
import type { QuarantineReason } from '../model/quarantine.js';
import { reportText } from '../model/report-text.js';
import type { EpochMs } from '../model/time.js';
import type { ExecutionReport } from '../model/venue-message.js';
import { checkInvariants } from '../order/invariants.js';
import type { Actor } from './actor.js';
import type { OrderLife } from './order-life.js';
import type { ShardWatch } from './port.js';
import type { TurnBatch } from './turn-batch.js';

export interface OrderGuardParts {
  readonly batch: TurnBatch;
  readonly life: OrderLife;
  readonly watch: ShardWatch;
}

/**
 * Keeps a fault in the work on one order away from all others:
 *
 *   work throws ─▶ the order's part of the turn is rolled back ─▶ quarantined, once, in the journal
 *                                                    └─ that fails too ─▶ set aside in memory, logged and counted
 *
 * A journal failure belongs to no order and passes.
 */
export class OrderGuard {
  readonly #parts: OrderGuardParts;
  readonly #quarantined = new Set<OrderId>();
  readonly #setAside = new Set<OrderId>();

  constructor(parts: OrderGuardParts) {
    this.#parts = parts;
  }

  /** Open orders that are quarantined or set aside. */
  get quarantinedCount(): number {
    return this.#quarantined.size;
  }

  isSetAside(orderId: OrderId): boolean {
    return this.#setAside.has(orderId);
  }

  /** Does the work on one order. False: it failed or the order is set aside, and nothing of the work is left. */
  run(actor: Actor, nowMs: EpochMs, work: () => void): boolean {
    const { orderId } = actor.state.order;
    if (this.#setAside.has(orderId)) return false;
    const error = this.#attempt(actor, work);
    if (error === null) {
      if (actor.state.quarantine !== null) this.#note(actor);
      return true;
    }
    if (actor.state.quarantine !== null || isTerminal(actor.state.status)) this.#putAside(orderId, error);
    else this.quarantine(actor, nowMs, reasonOf(error), messageOf(error));
    return false;
  }

  /** Takes in a report. One that cannot be applied even after the order is quarantined is recorded as text. */
  takeReport(actor: Actor, nowMs: EpochMs, report: ExecutionReport): void {
    const { life } = this.#parts;
    const wasQuarantined = actor.state.quarantine !== null;
    const apply = (): void => void life.apply(actor, { kind: 'Report', report }, nowMs, eventAtMs(report, nowMs));
    if (!wasQuarantined && this.run(actor, nowMs, apply)) return;
    if (this.#setAside.has(report.orderId)) return this.#parts.watch.onReportLost(report);
    const error = this.#attempt(actor, apply);
    if (error === null) return;
    const detail = `${reportText(report)} failed: ${messageOf(error)}`;
    this.run(actor, nowMs, () => void life.apply(actor, { kind: 'Unusable', report, detail }, nowMs));
  }

  /** Journals the quarantine and lets the markets of the order sleep. */
  quarantine(actor: Actor, nowMs: EpochMs, reason: QuarantineReason, detail: string): void {
    const { life } = this.#parts;
    const error = this.#attempt(actor, () => {
      life.apply(actor, { kind: 'Quarantine', reason, detail }, nowMs);
      life.retire(actor);
    });
    if (error === null) this.#note(actor);
    else this.#putAside(actor.state.order.orderId, error);
  }

  /** The order is open and cannot be worked at all, not even read. */
  putAside(orderId: OrderId, error: unknown): void {
    this.#putAside(orderId, error);
  }

  /** The order was quarantined in an earlier life of the shard. */
  noteLoaded({ order }: ParentState): void {
    this.#quarantined.add(order.orderId);
  }

  /** The order has ended. */
  leave(orderId: OrderId): void {
    this.#quarantined.delete(orderId);
  }

  /** null: the work is done and the order keeps its invariants. */
  #attempt(actor: Actor, work: () => void): unknown {
    const { batch, watch } = this.#parts;
    const mark = batch.mark(actor);
    watch.atWork(actor.state.order.orderId);
    try {
      work();
      if (actor.state !== mark.state) checkInvariants(actor.state);
      return null;
    } catch (error) {
      if (error instanceof JournalFailure) throw error;
      batch.rollBack(mark);
      return error ?? new Error('an error without a value');
    }
  }

  #note(actor: Actor): void {
    if (!isTerminal(actor.state.status)) this.#quarantined.add(actor.state.order.orderId);
  }

  #putAside(orderId: OrderId, error: unknown): void {
    this.#setAside.add(orderId);
    this.#quarantined.add(orderId);
    this.#parts.watch.onSetAside(orderId, error);
  }
}

function reasonOf(error: unknown): QuarantineReason {
  return error instanceof InvariantViolation ? 'BROKEN_INVARIANT' : 'UNEXPECTED_ERROR';
}

function messageOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

/** When it happened, as the venue says; now when it says no time. */
export function eventAtMs({ atMs }: ExecutionReport, nowMs: EpochMs): EpochMs {
  return Number.isSafeInteger(atMs) && atMs > 0 ? atMs : nowMs;
}
