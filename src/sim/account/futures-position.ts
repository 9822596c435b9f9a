import { LEVERAGE_DEFAULT } from '../../domain/limits/trading.js';
import type { Side } from '../../domain/order.js';
import type { Lots, Ticks } from '../../domain/quantity.js';
import type { EpochMs } from '../../domain/time.js';
import type { VenueOrder } from '../order/venue-order.js';
import { marginUnit, notionalOf, type TradingTerms } from './trading-terms.js';

/** Orders of one side that rest in the book and may open a position. */
interface Waiting {
  readonly lots: number;
  /** Lots × ticks of their limits. */
  readonly notional: bigint;
}

const NONE: Waiting = { lots: 0, notional: 0n };

export interface Trade {
  readonly side: Side;
  readonly quantity: Lots;
  readonly price: Ticks;
  readonly atMs: EpochMs;
}

/**
 * The net position of one account in one future, and the money that the account locks for it and for its orders:
 *
 *     needed = initial margin of the position + (initial margin + taker fee) × notional that resting orders would open
 *
 * An order opposite to the position closes it first. That part needs nothing: it frees more than its fee. Every account
 * trades with LEVERAGE_DEFAULT, and its whole balance backs all of its positions (CROSS margin).
 */
export class FuturesPosition {
  readonly terms: TradingTerms;
  readonly leverage = LEVERAGE_DEFAULT;
  /** Lots, negative when short. */
  net = 0;
  /** Lot-ticks paid to enter the net position, negative when short. */
  cost = 0n;
  /** Funding is paid up to this time: the latest funding time, or the opening of the position if that is later. */
  fundedAtMs = 0 as EpochMs;
  /** Open reduce-only orders, oldest first. */
  readonly reducers: VenueOrder[] = [];
  readonly #marginUnit: bigint;
  #wasShort = false;
  #waiting: Record<Side, Waiting> = { BUY: NONE, SELL: NONE };
  /** Amount that the account has locked for it; `takeLockChange` updates it. */
  #locked = 0n;

  constructor(terms: TradingTerms) {
    this.terms = terms;
    this.#marginUnit = marginUnit(terms, this.leverage);
  }

  /**
   * The same position in other lots and ticks of its market; null: it is no whole number of those lots. The cost is
   * rounded up, which is less than one lot-tick to the disadvantage of the account.
   */
  restated(terms: TradingTerms): FuturesPosition | null {
    const base = BigInt(this.net) * this.terms.lotUnit;
    if (base % terms.lotUnit !== 0n) return null;
    const restated = new FuturesPosition(terms);
    restated.net = Number(base / terms.lotUnit);
    restated.cost = dividedUp(this.cost * this.terms.notionalUnit, terms.notionalUnit);
    restated.fundedAtMs = this.fundedAtMs;
    restated.#wasShort = this.#wasShort;
    restated.#locked = this.#locked;
    return restated;
  }

  get isOpen(): boolean {
    return this.net !== 0;
  }

  /** The direction of the position; of a closed position, its last direction. */
  get isShort(): boolean {
    return this.isOpen ? this.net < 0 : this.#wasShort;
  }

  /** Sets the last direction of a closed position. */
  restoreDirection(isShort: boolean): void {
    this.#wasShort = isShort;
  }

  /** Initial margin of the position, as a count of 10^-18. */
  get margin(): bigint {
    return magnitude(this.cost) * this.#marginUnit;
  }

  /**
   * Books a trade and returns the realised profit in lot-ticks. A reduction returns the cost in proportion, cut to
   * whole lot-ticks. The remainder stays in the position, so that no lot-tick is lost.
   */
  trade({ side, quantity, price, atMs }: Trade): bigint {
    const direction = side === 'BUY' ? 1 : -1;
    const before = this.net;
    this.#wasShort = this.isShort;
    const closing = Math.min(quantity, this.reducible(side));
    let realised = 0n;
    if (closing > 0) {
      const returned = (this.cost * BigInt(closing)) / BigInt(Math.abs(before));
      this.cost -= returned;
      realised = -BigInt(direction) * notionalOf(closing as Lots, price) - returned;
    }
    this.cost += BigInt(direction) * notionalOf((quantity - closing) as Lots, price);
    this.net += direction * quantity;
    if (before * this.net <= 0) this.fundedAtMs = atMs;
    return realised;
  }

  /** Lots that an order of this side can trade before it opens or turns the position. */
  reducible(side: Side): number {
    return Math.max(0, side === 'SELL' ? this.net : -this.net);
  }

  /** Reducible lots of this side that no reduce-only order has reserved. */
  unreserved(side: Side): Lots {
    const reserved = this.reducers.reduce(
      (lots, order) => lots + (order.submission.side === side ? order.leaves : 0),
      0,
    );
    return Math.max(0, this.reducible(side) - reserved) as Lots;
  }

  /** The newest reduce-only order that is larger than the rest of the position; null when all of them only reduce. */
  excessReducer(): VenueOrder | null {
    const left = { BUY: this.reducible('BUY'), SELL: this.reducible('SELL') };
    for (const order of this.reducers) left[order.submission.side] -= order.leaves;
    return this.reducers.findLast((order) => left[order.submission.side] < 0) ?? null;
  }

  removeReducer(order: VenueOrder): void {
    const place = this.reducers.indexOf(order);
    if (place !== -1) this.reducers.splice(place, 1);
  }

  /** Adds lots to the resting orders of a side that may open a position; negative numbers remove lots. */
  wait(side: Side, lots: number, notional: bigint): void {
    this.#waiting[side] = this.#with(side, lots, notional);
  }

  /** Amount to lock now, as a count of 10^-18. */
  get needed(): bigint {
    return this.#neededFor(this.#waiting);
  }

  /** Amount that an order would add to `needed` if it rested; 0 for an order that only closes. */
  neededBy(side: Side, lots: number, notional: bigint): bigint {
    return this.#neededFor({ ...this.#waiting, [side]: this.#with(side, lots, notional) }) - this.needed;
  }

  /** Notional that the position reaches with this order and the resting ones, as a count of 10^-18. */
  exposureWith(side: Side, lots: number, notional: bigint): bigint {
    const held = this.reducible(side) === 0 ? magnitude(this.cost) : 0n;
    return (held + this.#opening(side, this.#with(side, lots, notional))) * this.terms.notionalUnit;
  }

  /** Records `needed` as locked and returns the difference to the amount that was locked before. */
  takeLockChange(): bigint {
    const { needed } = this;
    const change = needed - this.#locked;
    this.#locked = needed;
    return change;
  }

  #with(side: Side, lots: number, notional: bigint): Waiting {
    const waiting = this.#waiting[side];
    return { lots: waiting.lots + lots, notional: waiting.notional + notional };
  }

  #neededFor({ BUY, SELL }: Record<Side, Waiting>): bigint {
    const opening = this.#opening('BUY', BUY) + this.#opening('SELL', SELL);
    return this.margin + opening * (this.#marginUnit + this.terms.takerFeeUnit);
  }

  /** Lot-ticks of the resting lots beyond those that close the position; rounded up. */
  #opening(side: Side, { lots, notional }: Waiting): bigint {
    const closing = this.reducible(side);
    if (closing === 0) return notional;
    if (lots <= closing) return 0n;
    return (notional * BigInt(lots - closing) + BigInt(lots) - 1n) / BigInt(lots);
  }
}

function dividedUp(value: bigint, divisor: bigint): bigint {
  const whole = value / divisor;
  return whole * divisor < value ? whole + 1n : whole;
}

export function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value;
}
