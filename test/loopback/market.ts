import type { Side } from '../../src/domain/order.js';
import type { Lots, Ticks } from '../../src/domain/quantity.js';
import { BACKGROUND, BookOrder } from '../../src/sim/matching/book-order.js';
import { type BookListener, OrderBook } from '../../src/sim/matching/order-book.js';
import { divide, multiply, type Units } from './decimal.js';
import type { LoopbackInstrument } from './instrument.js';

/** One price level: price and quantity. */
export type Level = readonly [price: Units, quantity: Units];

/** One public trade. */
export interface PublicTrade {
  readonly id: number;
  readonly price: Units;
  readonly quantity: Units;
  readonly atMs: number;
  readonly isBuyerMaker: boolean;
  /** Trades of one taker at one price form one aggregate trade. */
  readonly takerId: number;
}

const TRADES_MAX = 10_000;
const LEVELS_MAX = 5_000;

/** The book and the trades of one instrument, in units instead of ticks and lots. */
export class Market {
  /** The grid in which the book counts. It never changes. */
  readonly instrument: LoopbackInstrument;
  /** What the exchange publishes, and what new orders must meet. It changes with `Exchange.changeRules`. */
  rules: LoopbackInstrument;
  readonly book: OrderBook;
  readonly trades: PublicTrade[] = [];
  /** Sequence number of the last change of the book. */
  updateId = 1_000_000;
  lastPrice: Units;
  #lastTradeId = 0;
  readonly #touched: Record<Side, Set<Ticks>> = { BUY: new Set(), SELL: new Set() };
  readonly #prices = new Float64Array(LEVELS_MAX);
  readonly #quantities = new Float64Array(LEVELS_MAX);

  constructor(instrument: LoopbackInstrument, listener: BookListener) {
    this.instrument = instrument;
    this.rules = instrument;
    this.book = new OrderBook(listener);
    this.lastPrice = instrument.startPrice;
  }

  bestBid(): Units {
    return BigInt(this.book.bestBid()) * this.instrument.tick;
  }

  bestAsk(): Units {
    return BigInt(this.book.bestAsk()) * this.instrument.tick;
  }

  /** Up to `count` levels, best first. */
  depth(side: Side, count: number): Level[] {
    const shown = this.book.depth(side, this.#prices, this.#quantities, Math.min(count, LEVELS_MAX));
    const { tick, lot } = this.instrument;
    return Array.from({ length: shown }, (_, index): Level => {
      return [BigInt(this.#prices[index]!) * tick, BigInt(this.#quantities[index]!) * lot];
    });
  }

  /** The quantity that an amount of the quote asset trades at the present book, cut to a lot. */
  quantityFor(side: Side, amount: Units): Units {
    const { lot } = this.rules;
    let rest = amount;
    let quantity = 0n;
    for (const [price, available] of this.depth(side === 'BUY' ? 'SELL' : 'BUY', LEVELS_MAX)) {
      const affordable = divide(rest, price);
      const taken = affordable < available ? affordable : available;
      quantity += taken;
      rest -= multiply(taken, price);
      if (taken < available) break;
    }
    return quantity - (quantity % lot);
  }

  levelAt(side: Side, price: Ticks): Level {
    const { tick, lot } = this.instrument;
    return [BigInt(price) * tick, BigInt(this.book.quantityAt(side, price)) * lot];
  }

  /** Notes that the level at this price changed in the current transaction. */
  touch(side: Side, price: Ticks): void {
    this.#touched[side].add(price);
  }

  /** Ends a transaction: the changed prices by side, and a new update id when there are any. */
  takeTouched(): { readonly bids: readonly Ticks[]; readonly asks: readonly Ticks[] } | null {
    const { BUY, SELL } = this.#touched;
    if (BUY.size + SELL.size === 0) return null;
    this.updateId += 1;
    const touched = { bids: [...BUY], asks: [...SELL] };
    BUY.clear();
    SELL.clear();
    return touched;
  }

  record(trade: Omit<PublicTrade, 'id'>): PublicTrade {
    this.#lastTradeId += 1;
    const recorded = { ...trade, id: this.#lastTradeId };
    this.trades.push(recorded);
    if (this.trades.length > TRADES_MAX) this.trades.shift();
    this.lastPrice = trade.price;
    return recorded;
  }

  /** A new order of no account: part of the market that the accounts trade in. */
  backgroundOrder(id: number, side: Side, price: Units, quantity: Units): BookOrder {
    const { tick, lot } = this.instrument;
    return new BookOrder({
      id,
      participant: BACKGROUND,
      side,
      price: Number(price / tick) as Ticks,
      leaves: Number(quantity / lot) as Lots,
    });
  }
}
