import type { Side } from '../../model/order.js';
import type { Lots, Ticks } from '../../model/quantity.js';
import type { EpochMs } from '../../model/time.js';
import type { VenueOrder } from '../order/venue-order.js';
import { notionalOf } from './trading-terms.js';

/** Net position of one account in one future, at its entry prices. */
export class Position {
  /** Lots, negative when short. */
  net: number;
  /** What entering the net position cost in lot-ticks, negative when short. */
  cost: bigint;
  /** Quote currency that is tied up for it, as a count of 10^-18. */
  margin = 0n;
  /** Up to when its funding is paid: the latest funding time, or when it was opened if that was later. */
  fundedAtMs = 0 as EpochMs;
  /** Open reduce-only orders, oldest first. */
  readonly reducers: VenueOrder[] = [];
  #wasShort = false;

  constructor(net: number, cost: bigint) {
    this.net = net;
    this.cost = cost;
  }

  /** Which way it is held; a closed one: as it was held last. */
  get isShort(): boolean {
    return this.isOpen ? this.net < 0 : this.#wasShort;
  }

  /** Says of a closed one how it was held. */
  recall(isShort: boolean): void {
    this.#wasShort = isShort;
  }

  get isOpen(): boolean {
    return this.net !== 0;
  }

  /**
   * Takes a trade in and returns the profit it realised, in lot-ticks. A reduction gives back the cost in proportion,
   * cut to whole lot-ticks; what is cut stays in the position, so that no lot-tick is lost.
   */
  trade(side: Side, quantity: Lots, price: Ticks): bigint {
    const direction = side === 'BUY' ? 1 : -1;
    this.#wasShort = this.isShort;
    const closing = Math.min(quantity, this.reducible(side));
    let realised = 0n;
    if (closing > 0) {
      const returned = (this.cost * BigInt(closing)) / BigInt(Math.abs(this.net));
      this.cost -= returned;
      realised = -BigInt(direction) * notionalOf(closing as Lots, price) - returned;
    }
    this.cost += BigInt(direction) * notionalOf((quantity - closing) as Lots, price);
    this.net += direction * quantity;
    return realised;
  }

  /** Lots an order of this side could trade before it would open or turn the position. */
  reducible(side: Side): number {
    return Math.max(0, side === 'SELL' ? this.net : -this.net);
  }

  /** Lots that reduce-only orders of this side may still ask for. */
  unpromised(side: Side): Lots {
    const promised = this.reducers.reduce(
      (lots, order) => lots + (order.submission.side === side ? order.leaves : 0),
      0,
    );
    return Math.max(0, this.reducible(side) - promised) as Lots;
  }

  /** The newest reduce-only order for which the position has become too small; null when all of them still only reduce. */
  excessReducer(): VenueOrder | null {
    const room = { BUY: this.reducible('BUY'), SELL: this.reducible('SELL') };
    for (const order of this.reducers) room[order.submission.side] -= order.leaves;
    return this.reducers.findLast((order) => room[order.submission.side] < 0) ?? null;
  }

  forgetReducer(order: VenueOrder): void {
    const place = this.reducers.indexOf(order);
    if (place !== -1) this.reducers.splice(place, 1);
  }
}
