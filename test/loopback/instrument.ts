import type { Units } from './decimal.js';

/** How far a limit price may lie from the reference price of the market, as factors of it. */
export interface PriceBands {
  readonly bidUp: Units;
  readonly bidDown: Units;
  readonly askUp: Units;
  readonly askDown: Units;
}

/**
 * One instrument of the loopback exchange with the rules that its orders must meet. One linear contract is one base
 * unit.
 */
export interface LoopbackInstrument {
  readonly kind: 'spot' | 'linear';
  readonly symbol: string;
  readonly base: string;
  readonly quote: string;
  readonly tick: Units;
  readonly lot: Units;
  readonly priceMin: Units;
  readonly priceMax: Units;
  readonly quantityMin: Units;
  readonly quantityMax: Units;
  readonly marketQuantityMax: Units;
  readonly notionalMin: Units;
  readonly notionalMax: Units;
  readonly bands: PriceBands;
  readonly openOrdersMax: number;
  /** Fees as a part of the notional. */
  readonly makerRate: Units;
  readonly takerRate: Units;
  /** Quantity of the best level of the background; absent: a number of lots. */
  readonly levelQuantity?: Units;
  /** First price of the market. */
  readonly startPrice: Units;
}
