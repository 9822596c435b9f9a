import type { OrderId } from '../model/ids.js';
import { CONTRADICTIONS, type Contradiction } from '../model/quarantine.js';

/** Bytes of the number of the order that is worked, before the counters of 32 bits. */
const ORDER_BYTES = 8;
/** The gauge of quarantined orders, before one counter for each kind of contradiction. */
const COUNTERS_FROM = 1;

/** Memory for the figures of one shard. It outlives the thread. */
export function createFaultFigures(): SharedArrayBuffer {
  return new SharedArrayBuffer(ORDER_BYTES + Int32Array.BYTES_PER_ELEMENT * (COUNTERS_FROM + CONTRADICTIONS.length));
}

/** What a shard shows of orders that go wrong: written by its thread, read by the main thread. */
export class FaultFigures {
  readonly #order: Float64Array;
  readonly #counts: Int32Array;

  constructor(memory: SharedArrayBuffer) {
    this.#order = new Float64Array(memory, 0, 1);
    this.#counts = new Int32Array(memory, ORDER_BYTES);
  }

  /** The order that is worked, or was when the thread died; null: none. */
  get atWork(): OrderId | null {
    const orderId = this.#order[0] ?? 0;
    return orderId === 0 ? null : (orderId as OrderId);
  }

  setAtWork(orderId: OrderId | null): void {
    this.#order[0] = orderId ?? 0;
  }

  /** Open orders that are quarantined or set aside. */
  get quarantinedCount(): number {
    return Atomics.load(this.#counts, 0);
  }

  setQuarantinedCount(count: number): void {
    if (Atomics.load(this.#counts, 0) !== count) Atomics.store(this.#counts, 0, count);
  }

  count(contradiction: Contradiction): void {
    Atomics.add(this.#counts, COUNTERS_FROM + CONTRADICTIONS.indexOf(contradiction), 1);
  }

  countOf(contradiction: Contradiction): number {
    return Atomics.load(this.#counts, COUNTERS_FROM + CONTRADICTIONS.indexOf(contradiction));
  }
}
