import { Big } from 'big.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Side } from '../../../../src/domain/order.js';
import { formatLots, formatTicks, type Lots, type Ticks } from '../../../../src/domain/quantity.js';
import type { ChildSubmission } from '../../../../src/domain/venue-message.js';
import { Random } from '../../../../src/sim/prng.js';
import type { OrderUpdate } from '../../../../src/venue/live/exchange-line.js';
import { PaperRig, PRICE, SPOT } from './paper-rig.js';
import { runs } from '../../../runs.js';

const STEPS = 120;
const RUNS = runs(20, 60);
/** Prices lie within so few ticks that orders, touches and trades meet often. */
const SPREAD = 6;

interface Level {
  readonly price: number;
  readonly quantity: number;
}

/** One of our orders as the oracle knows it. */
interface Known {
  readonly order: ChildSubmission;
  filled: number;
  isOpen: boolean;
  isResting: boolean;
  /** Largest number of lots ahead of it that the events allow; Infinity: its level was never shown. */
  ahead: number;
  seen: number | null;
}

/**
 * A random market and random orders, with an oracle that knows only what was shown and traded. It states bounds: it does
 * not repeat the matching.
 */
class World {
  readonly rig = new PaperRig();
  readonly orders: Known[] = [];
  readonly #random: Random;
  #bid: Level = { price: PRICE, quantity: 2_000 };
  #ask: Level = { price: PRICE + 2, quantity: 2_000 };
  /** Lots of the shown levels that we have taken since they changed. */
  #taken = { BUY: 0, SELL: 0 };
  #usdt = new Big(1_000_000);
  #btc = new Big(10);
  #seen = 0;

  constructor(seed: number) {
    this.#random = new Random(`paper-${seed}`);
    this.#show(this.#bid, this.#ask);
  }

  step(): void {
    const draw = this.#random.uniform();
    if (draw < 0.35) this.#move();
    else if (draw < 0.6) this.#trade();
    else if (draw < 0.88) this.#place();
    else if (draw < 0.96) this.#cancel();
    else this.#restart();
    this.#checkWallet();
  }

  #whole(from: number, to: number): number {
    return from + Math.floor(this.#random.uniform() * (to - from + 1));
  }

  #move(): void {
    const bid = PRICE + this.#whole(-SPREAD, SPREAD);
    const isSame = this.#random.uniform() < 0.3;
    this.#show(
      isSame ? this.#bid : { price: bid, quantity: this.#whole(1, 6) * 500 },
      isSame ? this.#ask : { price: bid + this.#whole(1, 3), quantity: this.#whole(1, 6) * 500 },
    );
  }

  #show(bid: Level, ask: Level): void {
    if (!isSame(bid, this.#bid)) this.#taken.BUY = 0;
    if (!isSame(ask, this.#ask)) this.#taken.SELL = 0;
    [this.#bid, this.#ask] = [bid, ask];
    this.rig.touch(bid.price, bid.quantity, ask.price, ask.quantity);
    for (const known of this.orders) {
      if (!known.isResting) continue;
      const { side, limitPrice } = known.order;
      const shown = this.#shownAt(side, Number(limitPrice));
      if (shown === null || shown === known.seen) continue;
      known.ahead = Math.min(known.ahead, shown);
      known.seen = shown;
    }
    const before = { ...this.#taken };
    for (const { order, update } of this.#news()) {
      const { quantity, price, liquidity } = update.fill!.fill;
      expect(liquidity).toBe('MAKER');
      expect(price).toBe(order.limitPrice);
      this.#taken[opposite(order.side)] += quantity;
    }
    this.#checkTaken(before);
  }

  #trade(): void {
    const takerSide: Side = this.#random.uniform() < 0.5 ? 'BUY' : 'SELL';
    const makerSide = opposite(takerSide);
    const touch = makerSide === 'BUY' ? this.#bid.price : this.#ask.price;
    const price = touch + (makerSide === 'BUY' ? -1 : 1) * this.#whole(-1, 2);
    const quantity = this.#whole(1, 40) * 100;
    const makers = this.orders.filter(({ isResting, order: { side } }) => isResting && side === makerSide);
    this.rig.trade(takerSide, price, quantity);
    const received = new Map<Known, number>();
    for (const { known, update } of this.#news()) {
      expect(makers).toContain(known);
      expect(update.fill!.fill.liquidity).toBe('MAKER');
      received.set(known, (received.get(known) ?? 0) + update.fill!.fill.quantity);
    }
    let total = 0;
    for (const known of makers) {
      const own = Number(known.order.limitPrice);
      const got = received.get(known) ?? 0;
      const isReached = makerSide === 'BUY' ? price <= own : price >= own;
      if (!isReached) expect(got).toBe(0);
      // A trade at our price serves those ahead of us first.
      if (price === own) {
        expect(got).toBeLessThanOrEqual(Math.max(0, quantity - known.ahead));
        known.ahead = Math.max(0, known.ahead - quantity);
      }
      total += got;
    }
    expect(total).toBeLessThanOrEqual(quantity);
  }

  #place(): void {
    const side: Side = this.#random.uniform() < 0.5 ? 'BUY' : 'SELL';
    const isMarket = this.#random.uniform() < 0.15;
    const isResting = !isMarket && this.#random.uniform() < 0.7;
    const postOnly = isResting && this.#random.uniform() < 0.3;
    const limit = PRICE + this.#whole(-SPREAD, SPREAD);
    const { answer, order } = this.rig.place({
      side,
      type: isMarket ? 'MARKET' : 'LIMIT',
      timeInForce: isResting ? 'GTC' : 'IOC',
      limitPrice: isMarket ? null : (limit as Ticks),
      quantity: (this.#whole(2, 30) * 100) as Lots,
      postOnly,
      selfTradePrevention: 'EXPIRE_TAKER',
    });
    const seen = isMarket ? null : this.#shownAt(side, limit);
    const known: Known = { order, filled: 0, isOpen: true, isResting: false, ahead: seen ?? Infinity, seen };
    if (answer.kind === 'placed') this.orders.push(known);
    const before = { ...this.#taken };
    for (const { known: filled, update } of this.#news()) {
      expect(filled).toBe(known);
      const { price, quantity, liquidity } = update.fill!.fill;
      expect(liquidity).toBe('TAKER');
      expect(postOnly).toBe(false);
      expect(price).toBe(side === 'BUY' ? this.#ask.price : this.#bid.price);
      this.#taken[opposite(side)] += quantity;
    }
    this.#checkTaken(before);
    known.isResting = known.isOpen && isResting;
  }

  #cancel(): void {
    const resting = this.orders.filter(({ isResting }) => isResting);
    const known = resting[this.#whole(0, resting.length - 1)];
    if (known === undefined) return;
    expect(this.rig.cancel(known.order).kind).toBe('cancelled');
    expect([...this.#news()]).toEqual([]);
    expect(known.isOpen).toBe(false);
  }

  #restart(): void {
    this.rig.restart();
    this.#taken = { BUY: 0, SELL: 0 };
    // The queue position is not stored: the order is the last one of its level again.
    for (const known of this.orders) [known.ahead, known.seen] = [Infinity, null];
    const isOpen = (child: number) => this.orders.some((known) => known.order.child === child && known.isResting);
    const open = this.rig.openOrders();
    expect(open.every(({ child }) => isOpen(child.child))).toBe(true);
    expect(open).toHaveLength(this.orders.filter(({ isResting }) => isResting).length);
    this.#show(this.#bid, this.#ask);
  }

  /** The fills since the last call. Notes ends, and checks limit and quantity of each order. */
  *#news(): Generator<{ readonly known: Known; readonly order: ChildSubmission; readonly update: OrderUpdate }> {
    this.rig.pass(10);
    for (const update of this.rig.updates.slice(this.#seen)) {
      const known = this.orders.find(({ order }) => order.child === update.child.child)!;
      const { state, filled } = update.order;
      if (update.fill !== null) this.#book(known, update.fill.fill);
      expect(filled).toBe(known.filled);
      expect(known.isOpen).toBe(true);
      if (state !== 'OPEN') [known.isOpen, known.isResting] = [false, false];
      expect(state === 'FILLED').toBe(known.filled === known.order.quantity);
      if (update.fill !== null) yield { known, order: known.order, update };
    }
    this.#seen = this.rig.updates.length;
  }

  #book(known: Known, { quantity, price, liquidity }: { quantity: Lots; price: Ticks; liquidity: string }): void {
    const { side, limitPrice } = known.order;
    known.filled += quantity;
    expect(known.filled).toBeLessThanOrEqual(known.order.quantity);
    if (limitPrice !== null) expect(side === 'BUY' ? price <= limitPrice : price >= limitPrice).toBe(true);
    const base = new Big(formatLots(quantity, SPOT));
    const notional = base.times(formatTicks(price, SPOT));
    const fee = notional.times(liquidity === 'MAKER' ? SPOT.makerFeePpm : SPOT.takerFeePpm).div(1_000_000);
    this.#btc = side === 'BUY' ? this.#btc.plus(base) : this.#btc.minus(base);
    this.#usdt = (side === 'BUY' ? this.#usdt.minus(notional) : this.#usdt.plus(notional)).minus(fee);
  }

  #checkTaken(before: Readonly<Record<Side, number>>): void {
    for (const [side, { quantity }] of [['BUY', this.#bid] as const, ['SELL', this.#ask] as const]) {
      if (this.#taken[side] > before[side]) expect(this.#taken[side]).toBeLessThanOrEqual(quantity);
    }
  }

  #checkWallet(): void {
    const { balances } = this.rig.wallet();
    const of = (name: string) => balances.find(({ asset }) => asset === name);
    expect(of('USDT')?.total).toBe(this.#usdt.toFixed());
    expect(of('BTC')?.total).toBe(this.#btc.toFixed());
    let [usdt, btc] = [this.#usdt, this.#btc];
    for (const { order, filled, isResting } of this.orders) {
      if (!isResting) continue;
      const left = new Big(formatLots((order.quantity - filled) as Lots, SPOT));
      const notional = left.times(formatTicks(order.limitPrice!, SPOT));
      if (order.side === 'SELL') btc = btc.minus(left);
      else usdt = usdt.minus(notional.times(1_000_000 + SPOT.takerFeePpm).div(1_000_000));
    }
    expect(of('USDT')?.free).toBe(usdt.toFixed());
    expect(of('BTC')?.free).toBe(btc.toFixed());
  }

  #shownAt(side: Side, price: number): number | null {
    const touch = side === 'BUY' ? this.#bid : this.#ask;
    if (price === touch.price) return touch.quantity;
    return (side === 'BUY' ? price > touch.price : price < touch.price) ? 0 : null;
  }
}

function isSame(one: Level, other: Level): boolean {
  return one.price === other.price && one.quantity === other.quantity;
}

function opposite(side: Side): Side {
  return side === 'BUY' ? 'SELL' : 'BUY';
}

describe('paper matching', () => {
  it('fills within the shown and traded quantity, limits and queues, with exact balances', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const world = new World(seed);
        for (let step = 0; step < STEPS; step += 1) world.step();
      }),
      { numRuns: RUNS },
    );
  });
});
