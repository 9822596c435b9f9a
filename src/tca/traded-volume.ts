import type { Liquidity } from '../domain/order.js';
import {
  addNotional,
  ZERO_LOTS,
  ZERO_NOTIONAL,
  type Lots,
  type Notional,
  type Ticks,
  type Amount,
} from '../domain/quantity.js';
import type { EpochMs } from '../domain/time.js';

/** One fill of an order whose cost is measured. */
export interface ExecutedFill {
  readonly atMs: EpochMs;
  readonly quantity: Lots;
  readonly price: Ticks;
  readonly liquidity: Liquidity;
  /** In quote currency. */
  readonly fee: Amount;
}

/** An exact sum of trades. */
export interface Turnover {
  readonly volume: Lots;
  readonly notional: Notional;
}

export const NOTHING_TRADED: Turnover = { volume: ZERO_LOTS, notional: ZERO_NOTIONAL };

/** Trades of a market in order of time. */
export class TradedVolume {
  readonly #trades: { readonly atMs: EpochMs; readonly price: Ticks; readonly quantity: Lots }[] = [];

  append(price: Ticks, quantity: Lots, atMs: EpochMs): void {
    this.#trades.push({ atMs, price, quantity });
  }

  /** Sums the trades between two instants, both included. */
  between(fromMs: number, toMs: number): Turnover {
    return this.#trades
      .filter(({ atMs }) => atMs >= fromMs && atMs <= toMs)
      .reduce((sum, { price, quantity }) => withTrade(sum, price, quantity), NOTHING_TRADED);
  }
}

export function turnoverOf(trades: readonly { readonly price: Ticks; readonly quantity: Lots }[]): Turnover {
  return trades.reduce((sum, { price, quantity }) => withTrade(sum, price, quantity), NOTHING_TRADED);
}

export function addTurnover(one: Turnover, other: Turnover): Turnover {
  return {
    volume: (one.volume + other.volume) as Lots,
    notional: (one.notional + other.notional) as Notional,
  };
}

/** Volume-weighted average price in ticks; null without trades. */
export function averageOf({ volume, notional }: Turnover): number | null {
  return volume === 0 ? null : Number(notional) / volume;
}

function withTrade({ volume, notional }: Turnover, price: Ticks, quantity: Lots): Turnover {
  return { volume: (volume + quantity) as Lots, notional: addNotional(notional, quantity, price) };
}
