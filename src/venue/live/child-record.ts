import type { VenueOrderId } from '../../domain/ids.js';
import type { Lots } from '../../domain/quantity.js';
import type { Rejection } from '../../domain/rejection.js';
import type { EpochMs } from '../../domain/time.js';
import type { ChildTarget } from '../../domain/venue-message.js';
import type { ReportedFill } from './exchange-client.js';
import type { Sent } from './fence.js';

/**
 * What this process knows of one child at its exchange. A start of the process knows nothing: then the shards ask for
 * each live child.
 */
export class ChildRecord {
  readonly target: ChildTarget;
  /** null: sent before the start of this process, or not at all. */
  readonly sent: Sent | null;
  /** null: not known, because this process has not sent it. */
  readonly quantity: Lots | null;
  /**
   * From the first sign of the order: an answer, an update, a look-up. From then on its absence needs more than a
   * fence.
   */
  venueOrderId: VenueOrderId | null;
  /** Sum of `fills`. */
  filled = 0 as Lots;
  /** The placement was sent and has no answer yet. */
  isAwaited: boolean;
  /** The exchange's definite refusal of the placement. */
  refusal: Rejection | null = null;
  /** True after a fill was found that no number of lots and ticks states. */
  isOffGrid = false;
  /** True after the exchange denied the order for so long that an operator must settle it. */
  isDenied = false;
  /** True after a refusal or an end was reported. */
  isEnded = false;
  endedAtMs = 0;
  /** Reported fills by trade id. */
  readonly #fills = new Map<number, ReportedFill>();

  constructor(target: ChildTarget, sent: (Sent & { readonly quantity: Lots }) | null) {
    this.target = target;
    this.venueOrderId = target.venueOrderId;
    this.isAwaited = sent !== null;
    this.sent = sent;
    this.quantity = sent?.quantity ?? null;
  }

  get fills(): Iterable<ReportedFill> {
    return this.#fills.values();
  }

  /** Returns false for a fill that is known. */
  add(seen: ReportedFill): boolean {
    const { tradeId, quantity } = seen.fill;
    if (this.#fills.has(tradeId)) return false;
    this.#fills.set(tradeId, seen);
    this.filled = (this.filled + quantity) as Lots;
    return true;
  }

  /** True when the fills add up to the whole child, so that no other report of its end is needed. */
  get isWhole(): boolean {
    return this.quantity !== null && this.filled >= this.quantity;
  }

  end(nowMs: EpochMs): void {
    this.isEnded = true;
    this.endedAtMs = nowMs;
  }
}

/** Bounds of the records of ended children: updates about them still come for a while. */
export interface RecordBounds {
  readonly endedKeptMs: number;
  readonly endedMax: number;
}

/** The children of one account. Live ones stay; ended ones are forgotten after a while, the oldest first. */
export class ChildRecords {
  readonly #bounds: RecordBounds;
  readonly #byName = new Map<string, ChildRecord>();
  /** In order of their ends. */
  readonly #ended = new Set<ChildRecord>();

  constructor(bounds: RecordBounds) {
    this.#bounds = bounds;
  }

  find({ orderId, child }: Pick<ChildTarget, 'orderId' | 'child'>): ChildRecord | null {
    return this.#byName.get(`${orderId}-${child}`) ?? null;
  }

  add(record: ChildRecord): ChildRecord {
    this.#byName.set(nameOf(record), record);
    return record;
  }

  end(record: ChildRecord, nowMs: EpochMs): void {
    if (record.isEnded) return;
    record.end(nowMs);
    this.#ended.add(record);
    for (const oldest of this.#ended) {
      const isOld = nowMs - oldest.endedAtMs > this.#bounds.endedKeptMs;
      if (!isOld && this.#ended.size <= this.#bounds.endedMax) return;
      this.#ended.delete(oldest);
      this.#byName.delete(nameOf(oldest));
    }
  }

  forget(record: ChildRecord): void {
    this.#ended.delete(record);
    this.#byName.delete(nameOf(record));
  }

  /** Children that the exchange may still fill, as far as this process knows. */
  live(): ChildRecord[] {
    return [...this.#byName.values()].filter(({ isEnded }) => !isEnded);
  }
}

function nameOf({ target: { orderId, child } }: ChildRecord): string {
  return `${orderId}-${child}`;
}
