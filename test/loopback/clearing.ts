import type { Accounts } from './accounts.js';
import { multiply, type Units } from './decimal.js';
import type { LoopbackOrder, OrderTerms } from './order.js';

/** Why the exchange refuses an order that has a correct form. */
export type OrderRefusal = 'DUPLICATE' | 'NO_FUNDS' | 'WOULD_TAKE' | 'NOTHING_TO_REDUCE' | 'NO_LIQUIDITY';

/** What one side of a trade costs and brings. */
export interface Settlement {
  readonly fee: Units;
  readonly feeAsset: string;
  readonly realizedPnl: Units;
}

/** One side of one trade. */
export interface Execution {
  readonly order: LoopbackOrder;
  readonly price: Units;
  readonly quantity: Units;
  readonly isMaker: boolean;
}

/** Checks funds of orders and settles trades: spot with assets, futures with margin and positions. */
export interface Clearing {
  /** `cost` is quantity × limit price; for a market order what the book asks now. */
  check(terms: OrderTerms, cost: Units): OrderRefusal | null;
  /** The quantity that an order may have; a smaller one than asked only for orders that reduce a position. */
  permitted(terms: OrderTerms): Units;
  /** Reserves what a quantity of an open order may spend. */
  reserved(order: LoopbackOrder, quantity: Units): void;
  settle(execution: Execution): Settlement;
  /** Releases what a quantity that will never trade had reserved. */
  released(order: LoopbackOrder, quantity: Units): void;
}

/** Spot: a limit order locks what it may spend. Fees are taken from the asset that the trade brings. */
export class SpotClearing implements Clearing {
  readonly #accounts: Accounts;
  readonly #freeOf: (account: number, asset: string) => Units;

  /** `freeOf` says what an order may spend: less than the free balance where the wallet also secures futures. */
  constructor(accounts: Accounts, freeOf?: (account: number, asset: string) => Units) {
    this.#accounts = accounts;
    this.#freeOf = freeOf ?? ((account, asset) => accounts.at(account).spot.balance(asset).free);
  }

  check({ account, side, instrument, quantity }: OrderTerms, cost: Units): OrderRefusal | null {
    const [asset, needed] = side === 'BUY' ? [instrument.quote, cost] : [instrument.base, quantity];
    return this.#freeOf(account, asset) < needed ? 'NO_FUNDS' : null;
  }

  permitted({ quantity }: OrderTerms): Units {
    return quantity;
  }

  reserved(order: LoopbackOrder, quantity: Units): void {
    this.#lock(order, quantity, 1n);
  }

  settle({ order, price, quantity, isMaker }: Execution): Settlement {
    const { account, side, instrument } = order.terms;
    const { spot } = this.#accounts.at(account);
    this.#lock(order, quantity, -1n);
    const notional = multiply(price, quantity);
    const rate = isMaker ? instrument.makerRate : instrument.takerRate;
    const [paidAsset, paid] = side === 'BUY' ? [instrument.quote, notional] : [instrument.base, quantity];
    const [feeAsset, received] = side === 'BUY' ? [instrument.base, quantity] : [instrument.quote, notional];
    const fee = multiply(received, rate);
    spot.add(paidAsset, -paid);
    spot.add(feeAsset, received - fee);
    return { fee, feeAsset, realizedPnl: 0n };
  }

  released(order: LoopbackOrder, quantity: Units): void {
    this.#lock(order, quantity, -1n);
  }

  /** A market order buys at once at prices that are known only then, so it locks nothing. */
  #lock(order: LoopbackOrder, quantity: Units, sign: bigint): void {
    const { account, side, instrument, price, type } = order.terms;
    if (type === 'MARKET' && side === 'BUY') return;
    const [asset, amount] =
      side === 'BUY' ? [instrument.quote, multiply(price, quantity)] : [instrument.base, quantity];
    this.#accounts.at(account).spot.lock(asset, sign * amount);
  }
}
