import type { SelfTradePrevention } from '../../src/domain/instrument.js';
import type { Side } from '../../src/domain/order.js';
import type { Lots, Ticks } from '../../src/domain/quantity.js';
import { BookOrder } from '../../src/sim/matching/book-order.js';
import type { Units } from './decimal.js';
import type { LoopbackInstrument } from './instrument.js';

export type OrderType = 'LIMIT' | 'MARKET';
export type TimeInForce = 'GTC' | 'IOC' | 'FOK';
export type PositionSide = 'BOTH' | 'LONG' | 'SHORT';

/** CANCELED: by its owner. EXPIRED: by a rule of the order or of the exchange. PREVENTED: by self-trade prevention. */
export type OrderStatus = 'NEW' | 'PARTIALLY_FILLED' | 'FILLED' | 'CANCELED' | 'EXPIRED' | 'PREVENTED';

/** What an account asks for. The protocol has already checked its form and the filters of the instrument. */
export interface OrderTerms {
  readonly account: number;
  readonly instrument: LoopbackInstrument;
  readonly clientId: string;
  readonly side: Side;
  readonly type: OrderType;
  readonly timeInForce: TimeInForce;
  readonly isPostOnly: boolean;
  readonly isReduceOnly: boolean;
  readonly positionSide: PositionSide;
  /** Above 0, a multiple of the lot. */
  readonly quantity: Units;
  /** A multiple of the tick; 0 for a market order. */
  readonly price: Units;
  readonly prevention: SelfTradePrevention;
  /** The names of the protocol, for its answers: `LIMIT_MAKER`, `GTX`, an amount in the quote asset. */
  readonly wireType: string;
  readonly wireTimeInForce: string;
  readonly quoteQuantity: Units;
  /** Further members of the request that answers repeat. */
  readonly wireMembers?: Readonly<Record<string, string>>;
}

/** An order at one moment. */
export interface OrderState {
  readonly atMs: number;
  readonly status: OrderStatus;
  readonly filled: Units;
  /** Sum of price × quantity of the fills. */
  readonly quoteFilled: Units;
  readonly isWorking: boolean;
}

/** States that an order remembers at most; it drops the oldest ones. */
const STATES_MAX = 64;

/** An accepted order with its recent past, so that a look-up may answer as of some time ago. */
export class LoopbackOrder extends BookOrder {
  /** Changed by an amendment only. */
  terms: OrderTerms;
  readonly acceptedAtMs: number;
  readonly #states: OrderState[];

  constructor(id: number, terms: OrderTerms, atMs: number) {
    const { account, instrument, side, price, quantity } = terms;
    super({
      id,
      participant: account,
      side,
      price: Number(price / instrument.tick) as Ticks,
      leaves: Number(quantity / instrument.lot) as Lots,
    });
    this.terms = terms;
    this.acceptedAtMs = atMs;
    this.#states = [{ atMs, status: 'NEW', filled: 0n, quoteFilled: 0n, isWorking: true }];
  }

  get state(): OrderState {
    return this.#states.at(-1)!;
  }

  get isOpen(): boolean {
    return isOpenStatus(this.state.status);
  }

  /** Takes other terms with the quantity that is left to trade. The order must not rest in the book. */
  amend(terms: OrderTerms, rest: Units, atMs: number): void {
    this.terms = terms;
    this.price = Number(terms.price / terms.instrument.tick) as Ticks;
    this.leaves = Number(rest / terms.instrument.lot) as Lots;
    this.change({ atMs });
  }

  change(change: Partial<OrderState> & { readonly atMs: number }): OrderState {
    const state = { ...this.state, ...change };
    this.#states.push(state);
    if (this.#states.length > STATES_MAX) this.#states.shift();
    return state;
  }

  /** The state at a time; null when the order was not accepted yet. */
  stateAt(atMs: number): OrderState | null {
    if (atMs < this.acceptedAtMs) return null;
    return this.#states.findLast((state) => state.atMs <= atMs) ?? this.#states[0] ?? null;
  }
}

export function isOpenStatus(status: OrderStatus): boolean {
  return status === 'NEW' || status === 'PARTIALLY_FILLED';
}
