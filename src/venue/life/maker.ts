import type { Side } from '../../model/order.js';
import type { Lots, Ticks } from '../../model/quantity.js';
import { BACKGROUND, BookOrder } from '../matching/index.js';

/**
 * One of the background's makers: it has one order, which it places, withdraws and places again. An order
 * that was traded to the last lot leaves its maker exhausted, and it comes back only after a while.
 */
export class Maker extends BookOrder {
  /** Between which distances from the touch it quotes, in basis points; 0 and 0: at the touch itself. */
  readonly nearBps: number;
  readonly farBps: number;
  /** Lots it quotes on average. */
  readonly meanLots: number;

  constructor(side: Side, { nearBps, farBps, meanLots }: MakerHabits) {
    super({ id: 0, participant: BACKGROUND, side, price: 1 as Ticks, leaves: 1 as Lots });
    this.nearBps = nearBps;
    this.farBps = farBps;
    this.meanLots = meanLots;
  }

  /** It quotes at the touch, not behind it. */
  get isOfWall(): boolean {
    return this.farBps === 0;
  }

  get isExhausted(): boolean {
    return this.leaves === 0;
  }

  /** Makes an exhausted maker ready to quote again. */
  recover(): void {
    this.leaves = 1 as Lots;
  }
}

export interface MakerHabits {
  readonly nearBps: number;
  readonly farBps: number;
  readonly meanLots: number;
}
