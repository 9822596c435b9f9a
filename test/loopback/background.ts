import { Random } from '../../src/sim/prng.js';
import type { BookOrder } from '../../src/sim/matching/book-order.js';
import type { Units } from './decimal.js';
import type { Exchange } from './exchange.js';

const LEVELS = 20;
/**
 * Distance between the levels in ticks, and the quantity of the first level in the smallest quantities of the
 * instrument.
 */
const STEP_TICKS = 5n;
const LEVEL_LOTS = 40_000n;

/** Orders of no account around a price, so that every market has a book from the start. A test moves the price. */
export class Background {
  readonly #exchange: Exchange;
  readonly #random: Random;
  readonly #orders = new Map<string, BookOrder[]>();

  constructor(exchange: Exchange, seed: string) {
    this.#exchange = exchange;
    this.#random = new Random(seed);
  }

  /** Quotes every market around its last price. */
  quoteAll(): void {
    for (const market of this.#exchange.markets) this.quote(market.instrument.symbol, market.lastPrice);
  }

  /** Removes the quotes of a market. */
  clear(symbol: string): void {
    for (const order of this.#orders.get(symbol) ?? []) this.#exchange.removeBackground(symbol, order);
    this.#orders.delete(symbol);
  }

  /**
   * Replaces the quotes of a market by 20 levels on each side of a price. Orders of accounts in reach trade. The quotes
   * of a suspended market stay.
   */
  quote(symbol: string, middle: Units): void {
    if (this.#exchange.suspensionOf(symbol) !== null) return;
    this.clear(symbol);
    const market = this.#exchange.market(symbol)!;
    const { tick, lot, levelQuantity = LEVEL_LOTS * lot } = market.rules;
    const centre = middle - (middle % tick);
    const orders: BookOrder[] = [];
    for (let level = 1n; level <= BigInt(LEVELS); level += 1n) {
      const quantity = levelQuantity * level;
      const distance = tick * STEP_TICKS * level;
      const add = (side: 'BUY' | 'SELL', price: Units): unknown => {
        return orders.push(this.#exchange.background(symbol, { side, price, quantity, mayRest: true }));
      };
      add('BUY', centre - distance);
      add('SELL', centre + distance);
    }
    this.#orders.set(symbol, orders);
  }

  /** One market order of no account. A suspended market has none. */
  trade(symbol: string, side: 'BUY' | 'SELL', quantity: Units): void {
    if (this.#exchange.suspensionOf(symbol) !== null) return;
    this.#exchange.background(symbol, { side, price: 0n, quantity, mayRest: false });
  }

  /** Moves every market by a random step and trades once in it. For a market that a person watches. */
  wander(): void {
    for (const { rules, lastPrice } of this.#exchange.markets) {
      const { symbol, tick, lot } = rules;
      const steps = BigInt(Math.round(this.#random.normal() * 10));
      this.quote(symbol, lastPrice + steps * tick * STEP_TICKS);
      const lots = BigInt(Math.ceil(this.#random.uniform() * 2_000));
      this.trade(symbol, this.#random.uniform() < 0.5 ? 'BUY' : 'SELL', lots * lot);
    }
  }
}
