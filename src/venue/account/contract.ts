import { assert } from '../../model/assert.js';
import { LEVERAGE_DEFAULT } from '../../model/limits.js';
import type { Side } from '../../model/order.js';
import { POSITION_SIDES, type MarginMode, type PositionSide } from '../../model/position.js';
import type { Lots, Ticks } from '../../model/quantity.js';
import type { EpochMs } from '../../model/time.js';
import { Position } from './position.js';
import { marginUnit, notionalOf, type TradingTerms } from './trading-terms.js';

/** Orders of one side that wait in the book and may open a position. */
interface Waiting {
  readonly lots: number;
  /** Lots × ticks of their limits. */
  readonly notional: bigint;
}

const NOBODY: Waiting = { lots: 0, notional: 0n };

export interface Trade {
  readonly side: Side;
  readonly quantity: Lots;
  readonly price: Ticks;
  readonly atMs: EpochMs;
}

/**
 * What one account has set for one future, holds in it, and must tie up for that:
 *
 *     needed = margin of the positions + (initial margin + taker fee) × what waiting orders would open
 *
 * An order opposite to the net position closes it first, and for that part needs nothing: it frees more than its fee.
 */
export class Contract {
  readonly terms: TradingTerms;
  readonly positions: Readonly<Record<PositionSide, Position>> = {
    BOTH: new Position(0, 0n),
    LONG: new Position(0, 0n),
    SHORT: new Position(0, 0n),
  };
  marginMode: MarginMode = 'CROSS';
  #leverage = LEVERAGE_DEFAULT;
  #marginUnit: bigint;
  #waiting: Record<Side, Waiting> = { BUY: NOBODY, SELL: NOBODY };
  /** What the account has locked for it; `retie` brings it to what is needed. */
  #tied = 0n;

  constructor(terms: TradingTerms) {
    this.terms = terms;
    this.#marginUnit = marginUnit(terms, this.#leverage);
  }

  get leverage(): number {
    return this.#leverage;
  }

  /** Under a new leverage a CROSS position ties up another margin; an ISOLATED one keeps what it has. */
  set leverage(leverage: number) {
    this.#leverage = leverage;
    this.#marginUnit = marginUnit(this.terms, leverage);
    if (this.marginMode === 'CROSS') for (const [, position] of this.open()) position.margin = this.#initial(position);
  }

  get isFlat(): boolean {
    return !POSITION_SIDES.some((side) => this.positions[side].isOpen);
  }

  get hasWaiting(): boolean {
    const { BUY, SELL } = this.#waiting;
    const reducers = POSITION_SIDES.some((side) => this.positions[side].reducers.length > 0);
    return BUY.lots > 0 || SELL.lots > 0 || reducers;
  }

  /** There is nothing about it that a new contract would not have too. */
  get isBlank(): boolean {
    return this.isFlat && this.marginMode === 'CROSS' && this.#leverage === LEVERAGE_DEFAULT;
  }

  /** The positions that are not flat. */
  open(): [PositionSide, Position][] {
    const sides = POSITION_SIDES.filter((side) => this.positions[side].isOpen);
    return sides.map((side) => [side, this.positions[side]]);
  }

  sideOf(position: Position): PositionSide {
    const side = POSITION_SIDES.find((each) => this.positions[each] === position);
    assert(side !== undefined, 'the position is one of the contract');
    return side;
  }

  /** Takes a trade into one of the positions and returns the profit it realised, in lot-ticks. */
  trade(position: Position, { side, quantity, price, atMs }: Trade): bigint {
    const { net, margin } = position;
    const closing = Math.min(quantity, position.reducible(side));
    const realised = position.trade(side, quantity, price);
    if (net * position.net <= 0) position.fundedAtMs = atMs;
    if (this.marginMode === 'CROSS') position.margin = this.#initial(position);
    else {
      const freed = closing === 0 ? 0n : (margin * BigInt(closing)) / BigInt(Math.abs(net));
      position.margin = margin - freed + notionalOf((quantity - closing) as Lots, price) * this.#marginUnit;
    }
    return realised;
  }

  /** More lots wait in orders of a side that may open a position, or fewer when both numbers are negative. */
  wait(side: Side, lots: number, notional: bigint): void {
    const waiting = this.#waiting[side];
    this.#waiting[side] = { lots: waiting.lots + lots, notional: waiting.notional + notional };
  }

  /** What is to be tied up now, as a count of 10^-18. */
  get needed(): bigint {
    return this.#neededFor(this.#waiting);
  }

  /** What an order would add to that if it waited too; 0 for one that only closes. */
  neededBy(side: Side, lots: number, notional: bigint): bigint {
    return this.#neededFor({ ...this.#waiting, [side]: this.#with(side, lots, notional) }) - this.needed;
  }

  /** Notional, as a count of 10^-18, that the position an order opens would reach with it and what waits. */
  exposureWith(side: Side, lots: number, notional: bigint): bigint {
    const { BOTH, LONG, SHORT } = this.positions;
    const netted = BOTH.reducible(side) === 0 ? magnitude(BOTH.cost) : 0n;
    const hedged = side === 'BUY' ? LONG.cost : magnitude(SHORT.cost);
    return (netted + hedged + this.#opening(side, this.#with(side, lots, notional))) * this.terms.notionalUnit;
  }

  /** The larger of both sides' notional that is open or waits to be, as a count of 10^-18. */
  get exposure(): bigint {
    const [buying, selling] = [this.exposureWith('BUY', 0, 0n), this.exposureWith('SELL', 0, 0n)];
    return buying > selling ? buying : selling;
  }

  /** Counts as tied up what is needed now, and returns by how much that is more than before. */
  retie(): bigint {
    const { needed } = this;
    const more = needed - this.#tied;
    this.#tied = needed;
    return more;
  }

  #with(side: Side, lots: number, notional: bigint): Waiting {
    const waiting = this.#waiting[side];
    return { lots: waiting.lots + lots, notional: waiting.notional + notional };
  }

  #neededFor({ BUY, SELL }: Record<Side, Waiting>): bigint {
    const { BOTH, LONG, SHORT } = this.positions;
    const opening = this.#opening('BUY', BUY) + this.#opening('SELL', SELL);
    return BOTH.margin + LONG.margin + SHORT.margin + opening * (this.#marginUnit + this.terms.takerFeeUnit);
  }

  /** Lot-ticks of what waits beyond the lots that would close the net position; rounded up. */
  #opening(side: Side, { lots, notional }: Waiting): bigint {
    const closing = this.positions.BOTH.reducible(side);
    if (closing === 0) return notional;
    if (lots <= closing) return 0n;
    return (notional * BigInt(lots - closing) + BigInt(lots) - 1n) / BigInt(lots);
  }

  #initial(position: Position): bigint {
    return magnitude(position.cost) * this.#marginUnit;
  }
}

export function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value;
}
