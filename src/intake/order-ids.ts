import type { OrderId } from '../domain/ids.js';
import { ORDER_ID_BLOCK_COUNT } from '../domain/limits/process.js';

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
