import { JournalFailure } from '../journal/port.js';
import { InvariantViolation } from '../domain/rejection.js';
import type { OrderId } from '../domain/ids.js';
import type { ParentState } from '../domain/order-state.js';
import { isTerminal } from '../domain/order.js';
import type { QuarantineReason } from '../domain/quarantine.js';
import { type ExecutionReport, reportText } from '../domain/venue-report.js';
import type { EpochMs } from '../domain/time.js';
import { checkInvariants } from '../order/invariants.js';
import type { Actor } from './actor.js';
import type { OrderLifecycle } from './order-lifecycle.js';
import type { ShardWatch } from './port.js';
import type { TurnBatch } from './turn-batch.js';

export interface OrderGuardParts {
  readonly batch: TurnBatch;
  readonly lifecycle: OrderLifecycle;
  readonly watch: ShardWatch;
}

/**
 * Isolates an error in the work on one order from all other orders:
 *
 *   work throws ─▶ the order's part of the turn is rolled back ─▶ quarantined, once, in the journal
 *                                                    └─ that fails too ─▶ set aside in memory, logged and counted
 *
 * A journal failure concerns all orders and is rethrown.
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

  /**
   * Runs the work on one order. Returns false when it failed or the order is set aside; its changes are then rolled
   * back.
   */
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

  /** Runs work that belongs to no single order. Returns false when it failed; its changes are then rolled back. */
  runShared(work: () => void): boolean {
    const { batch, watch } = this.#parts;
    const mark = batch.mark(null);
    try {
      work();
      return true;
    } catch (error) {
      if (error instanceof JournalFailure) throw error;
      batch.rollBack(mark);
      watch.onFault(error);
      return false;
    }
  }

  /** Applies a report. When even the quarantined order cannot apply it, records the report as text. */
  takeReport(actor: Actor, nowMs: EpochMs, report: ExecutionReport): void {
    const { lifecycle } = this.#parts;
    const wasQuarantined = actor.state.quarantine !== null;
    const apply = (): void => void lifecycle.apply(actor, { kind: 'Report', report }, nowMs, eventAtMs(report, nowMs));
    if (!wasQuarantined && this.run(actor, nowMs, apply)) return;
    if (this.#setAside.has(report.orderId)) return this.#parts.watch.onReportLost(report);
    const error = this.#attempt(actor, apply);
    if (error === null) return;
    const detail = `${reportText(report)} failed: ${messageOf(error)}`;
    this.run(actor, nowMs, () => void lifecycle.apply(actor, { kind: 'Unusable', report, detail }, nowMs));
  }

  /** Journals the quarantine and releases the order's markets. */
  quarantine(actor: Actor, nowMs: EpochMs, reason: QuarantineReason, detail: string): void {
    const { lifecycle } = this.#parts;
    const error = this.#attempt(actor, () => {
      lifecycle.apply(actor, { kind: 'Quarantine', reason, detail }, nowMs);
      lifecycle.retire(actor);
    });
    if (error === null) this.#note(actor);
    else this.#putAside(actor.state.order.orderId, error);
  }

  /** Sets aside an open order that cannot be worked, for example because its state is unreadable. */
  putAside(orderId: OrderId, error: unknown): void {
    this.#putAside(orderId, error);
  }

  /** Counts an order that was quarantined before this start. */
  noteLoaded({ order }: ParentState): void {
    this.#quarantined.add(order.orderId);
  }

  /** Removes an order that has ended. */
  leave(orderId: OrderId): void {
    this.#quarantined.delete(orderId);
  }

  /** Returns null when the work succeeded and the order's invariants are valid, else the error. */
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

/** The venue's time of the report, or now when that is invalid. */
export function eventAtMs({ atMs }: ExecutionReport, nowMs: EpochMs): EpochMs {
  return Number.isSafeInteger(atMs) && atMs > 0 ? atMs : nowMs;
}
