import type { MatchingOperation } from '../../../bench/matching/players.js';
import type { Side } from '../../../src/domain/order.js';

interface Order {
  readonly id: number;
  readonly participant: number;
  readonly side: Side;
  readonly price: number;
  leaves: number;
  /** Sequence number of its arrival at its price. */
  since: number;
}

/** A simple reference book: one list of orders, sorted for every match. */
export class NaiveBook {
  readonly log: string[] = [];
  #resting: Order[] = [];
  #arrivals = 0;

  get orderCount(): number {
    return this.#resting.length;
  }

  play(operation: MatchingOperation): void {
    const { kind, id, timeInForce, postOnly, stp } = operation;
    if (kind === 'limit' || kind === 'market') {
      const order = { ...operation, price: operation.price as number, leaves: operation.leaves as number, since: 0 };
      const inForce = kind === 'market' ? 'IOC' : timeInForce;
      this.log.push(`${id} ${this.#submit(order, inForce, postOnly && kind === 'limit', stp)}, ${order.leaves} left`);
      return;
    }
    const order = this.#resting.find((each) => each.id === id);
    if (order === undefined) return;
    this.#leave(order);
    this.log.push(`${id} cancelled, ${order.leaves} left`);
  }

  levels(side: Side): string[] {
    const line = this.#line(side);
    const prices = [...new Set(line.map((order) => order.price))];
    return prices.map((price) => {
      const orders = line.filter((order) => order.price === price);
      return `${price}: ${orders.map(({ id, leaves }) => `${id}×${leaves}`).join(' ')}`;
    });
  }

  preview(takerSide: Side, wanted: number, limit: number): { quantity: number; notional: bigint } {
    let quantity = 0;
    let notional = 0n;
    for (const maker of this.#reachable(takerSide, limit)) {
      const taken = Math.min(maker.leaves, wanted - quantity);
      quantity += taken;
      notional += BigInt(taken * maker.price);
    }
    return { quantity, notional };
  }

  #submit(order: Order, timeInForce: string, postOnly: boolean, stp: string): string {
    const reachable = this.#reachable(order.side, order.price);
    if (postOnly && reachable.length > 0) return 'WOULD_CROSS';
    const isFillOrKill = timeInForce === 'FOK';
    if (isFillOrKill && reachable.reduce((sum, { leaves }) => sum + leaves, 0) < order.leaves) return 'NOT_FILLABLE';
    for (const maker of reachable) {
      if (order.leaves === 0) break;
      const isOwn = order.participant !== 0 && order.participant === maker.participant;
      if (!isOwn || stp === 'NONE' || isFillOrKill) this.#trade(order, maker);
      else if (this.#prevent(order, maker, stp)) return 'EXPIRED';
    }
    if (order.leaves === 0) return 'FILLED';
    if (timeInForce !== 'GTC') return 'EXPIRED';
    this.#arrivals += 1;
    order.since = this.#arrivals;
    this.#resting.push(order);
    return 'RESTING';
  }

  #trade(taker: Order, maker: Order): void {
    const quantity = Math.min(taker.leaves, maker.leaves);
    taker.leaves -= quantity;
    maker.leaves -= quantity;
    if (maker.leaves === 0) this.#leave(maker);
    this.log.push(
      `${taker.id} takes ${quantity} at ${maker.price} from ${maker.id}, ${taker.leaves} and ${maker.leaves} left`,
    );
  }

  /** True when the taker ends. */
  #prevent(taker: Order, maker: Order, stp: string): boolean {
    if (stp === 'EXPIRE_TAKER') return true;
    const lost = stp === 'DECREMENT' ? Math.min(taker.leaves, maker.leaves) : maker.leaves;
    maker.leaves -= lost;
    if (stp === 'DECREMENT') taker.leaves -= lost;
    if (maker.leaves === 0) this.#leave(maker);
    this.log.push(`${maker.id} loses ${lost}, ${maker.leaves} left`);
    return stp === 'EXPIRE_BOTH' || taker.leaves === 0;
  }

  #leave(order: Order): void {
    this.#resting = this.#resting.filter((each) => each !== order);
  }

  /** Orders of one side in priority order. */
  #line(side: Side): Order[] {
    const sign = side === 'BUY' ? -1 : 1;
    const orders = this.#resting.filter((order) => order.side === side);
    return orders.sort((one, other) => sign * (one.price - other.price) || one.since - other.since);
  }

  /** Orders that a taker can match at its limit; 0: any price. */
  #reachable(takerSide: Side, limit: number): Order[] {
    if (takerSide === 'SELL') return this.#line('BUY').filter(({ price }) => price >= limit);
    return this.#line('SELL').filter(({ price }) => limit === 0 || price <= limit);
  }
}
