import type { SelfTradePrevention } from '../../domain/instrument.js';
import { type Lots, type Ticks, ZERO_LOTS } from '../../domain/quantity.js';
import { assert } from '../../domain/rejection.js';
import type { MatchedFill } from '../account/clearing-house.js';
import { ANY_PRICE, BookOrder } from '../matching/book-order.js';
import { OrderBook } from '../matching/order-book.js';
import type { VenueOrder } from '../order/venue-order.js';
import { Maker, type Floor } from './market-makers.js';

/** Receives the events of a trading floor. */
interface FloorListener {
  /** The total quantity of one taker at one price, reported after its last match there. */
  traded(taker: BookOrder, price: Ticks, quantity: Lots, atMs: number): void;
  /**
   * A fill of one of our orders. Matches of our taker with several background makers at one price form one fill. May
   * call back into the floor.
   */
  filled(own: OwnOrder, execution: MatchedFill, atMs: number): void;
  /** Self-trade prevention removed lots from one of our orders; a resting order without leaves has left the book. */
  prevented(own: OwnOrder, quantity: Lots, atMs: number): void;
  /** A background maker's order filled completely. */
  exhausted(maker: Maker): void;
}

interface OwnFill {
  readonly kind: 'fill';
  readonly own: OwnOrder;
  readonly price: Ticks;
  readonly liquidity: MatchedFill['liquidity'];
  quantity: Lots;
}

interface OwnPrevention {
  readonly kind: 'prevention';
  readonly own: OwnOrder;
  readonly quantity: Lots;
}

/**
 * The book with our orders and the background's. While our orders rest, a taker meets the makers one by one, so the
 * consequences of a fill (such as a cancel of another order) take effect before the next match.
 */
export class TradingFloor implements Floor {
  readonly book: OrderBook;
  readonly #listener: FloorListener;
  readonly #resting = new Map<VenueOrder, OwnOrder>();
  #atMs = 0;
  /** Quantity of the current taker at the latest price. */
  #run: { taker: BookOrder | null; price: number; quantity: number } = { taker: null, price: 0, quantity: 0 };
  #events: (OwnFill | OwnPrevention)[] = [];

  constructor(listener: FloorListener) {
    this.#listener = listener;
    this.book = new OrderBook({
      traded: (taker, maker, price, quantity) => this.#match(taker, maker, price, quantity),
      prevented: (maker, quantity) => this.#prevent(maker, quantity),
    });
  }

  /** Number of our orders in the book. */
  get restingCount(): number {
    return this.#resting.size;
  }

  rest(order: BookOrder, atMs: number): void {
    this.take(order, atMs);
    if (order.leaves > 0) this.book.limit(order, 'GTC', false, 'NONE');
  }

  /** Matches a taker. An order that self-trade prevention ends has no leaves afterwards. */
  take(order: BookOrder, atMs: number, prevention: SelfTradePrevention = 'NONE'): void {
    this.#atMs = atMs;
    while (this.#resting.size > 0 && order.leaves > 0 && this.#matchFirst(order, prevention)) this.#reportEvents();
    // The remaining makers in reach are background orders.
    if (order.leaves > 0) this.book.market(order, 'NONE');
    this.#endRun();
    this.#reportEvents();
  }

  /** Rests one of our orders, which must not cross. */
  restOwn(order: VenueOrder, participant: number): void {
    const own = new OwnOrder(order, { participant, limit: order.price, leaves: order.leaves });
    this.#resting.set(order, own);
    const result = this.book.limit(own, 'GTC', true, 'NONE');
    assert(result === 'RESTING', 'an order without a crossing part rests');
  }

  /** Removes one of our orders from the book. */
  removeOwn(order: VenueOrder): void {
    this.book.cancel(this.#own(order));
    this.#resting.delete(order);
  }

  #own(order: VenueOrder): OwnOrder {
    const own = this.#resting.get(order);
    assert(own !== undefined, `order ${order.key} rests`);
    return own;
  }

  /** Matches with the first maker only; false when it is out of reach. */
  #matchFirst(order: BookOrder, prevention: SelfTradePrevention): boolean {
    const wanted = order.leaves;
    const outcome = this.book.matchFirst(order, prevention);
    if (outcome === 'OUT_OF_REACH') return false;
    if (outcome === 'TRADED') return true;
    if (outcome === 'ENDED') order.leaves = ZERO_LOTS;
    const quantity = (wanted - order.leaves) as Lots;
    if (order instanceof OwnOrder && quantity > 0) this.#events.push({ kind: 'prevention', own: order, quantity });
    return true;
  }

  #prevent(maker: BookOrder, quantity: Lots): void {
    assert(maker instanceof OwnOrder, 'self-trade prevention applies only to our orders');
    if (maker.leaves === 0) this.#resting.delete(maker.order);
    this.#events.push({ kind: 'prevention', own: maker, quantity });
  }

  #match(taker: BookOrder, maker: BookOrder, price: Ticks, quantity: Lots): void {
    const run = this.#run;
    if (price !== run.price || taker !== run.taker) {
      this.#endRun();
      run.taker = taker;
      run.price = price;
    }
    run.quantity += quantity;
    if (maker instanceof Maker) {
      if (maker.isExhausted) this.#listener.exhausted(maker);
    } else if (maker instanceof OwnOrder) {
      if (maker.leaves === 0) this.#resting.delete(maker.order);
      this.#events.push({ kind: 'fill', own: maker, price, quantity, liquidity: 'MAKER' });
    }
    if (taker instanceof OwnOrder) this.#noteTaking(taker, price, quantity, maker instanceof Maker);
  }

  #noteTaking(own: OwnOrder, price: Ticks, quantity: Lots, isFromBackground: boolean): void {
    const last = this.#events.at(-1);
    if (isFromBackground && last?.kind === 'fill' && last.own === own && last.price === price) {
      last.quantity = (last.quantity + quantity) as Lots;
    } else {
      this.#events.push({ kind: 'fill', own, price, quantity, liquidity: 'TAKER' });
    }
  }

  #endRun(): void {
    const run = this.#run;
    if (run.taker === null) return;
    const { taker, price, quantity } = run;
    run.taker = null;
    run.quantity = 0;
    this.#listener.traded(taker, price as Ticks, quantity as Lots, this.#atMs);
  }

  #reportEvents(): void {
    if (this.#events.length === 0) return;
    const events = this.#events;
    this.#events = [];
    for (const { own, quantity, ...what } of events) {
      if (what.kind === 'prevention') this.#listener.prevented(own, quantity, this.#atMs);
      else this.#listener.filled(own, { quantity, price: what.price, liquidity: what.liquidity }, this.#atMs);
    }
  }
}

/** One of our orders in the form of the book. */
export class OwnOrder extends BookOrder {
  readonly order: VenueOrder;

  constructor(order: VenueOrder, terms: { participant: number; limit: Ticks | null; leaves: Lots }) {
    const { participant, limit, leaves } = terms;
    super({ id: order.sequence, participant, side: order.submission.side, price: limit ?? ANY_PRICE, leaves });
    this.order = order;
  }
}
