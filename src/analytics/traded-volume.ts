import { addNotional, ZERO_LOTS, ZERO_NOTIONAL, type Lots, type Notional, type Ticks } from '../model/quantity.js';
import type { EpochMs } from '../model/time.js';

/** A sum of trades: exact. */
export interface Turnover {
  readonly volume: Lots;
  readonly notional: Notional;
}

export const NOTHING_TRADED: Turnover = { volume: ZERO_LOTS, notional: ZERO_NOTIONAL };

/** What was traded in a market and when, one after the other. */
export class TradedVolume {
  readonly #trades: { readonly atMs: EpochMs; readonly price: Ticks; readonly quantity: Lots }[] = [];

  append(price: Ticks, quantity: Lots, atMs: EpochMs): void {
    this.#trades.push({ atMs, price, quantity });
  }

  /** Of the trades from the one instant to the other, both included. */
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

/** Volume-weighted average price in ticks; null when nothing was traded. */
export function averageOf({ volume, notional }: Turnover): number | null {
  return volume === 0 ? null : Number(notional) / volume;
}

function withTrade({ volume, notional }: Turnover, price: Ticks, quantity: Lots): Turnover {
  return { volume: (volume + quantity) as Lots, notional: addNotional(notional, quantity, price) };
}
