import type { OrderId } from '../model/ids.js';
import { ORDER_ID_BLOCK_COUNT } from '../model/limits.js';

/** Reserves order ids durably: [from, to) is never handed out again, whatever crashes or is restored. */
export interface IdBlocks {
  reserveOrderIds(count: number, nowRealMs: number): { readonly from: number; readonly to: number };
}

/** Hands out order ids from reserved blocks: increasing, each once. A crash skips what is left of a block. */
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
