import type { EpochMs } from '../../domain/time.js';
import type { InstrumentIndex } from '../../domain/instrument.js';
import { smaller, type Ticks } from '../../domain/quantity.js';
import { magnitude, type FuturesPosition } from './futures-position.js';
import { maintenanceOf } from './margin-tier.js';
import type { TradingTerms } from './trading-terms.js';
import type { VenueAccount } from './venue-account.js';

/** Mark prices and funding rates at any instant. */
export interface MarkSource {
  /** Mark price of a future, above 0. */
  markPrice(instrument: InstrumentIndex, atMs: EpochMs): Ticks;
  /** Paid by longs to shorts at a funding time, in 10^-6 of the notional at the mark price; negative: shorts pay. */
  fundingRatePpm(instrument: InstrumentIndex, atMs: EpochMs): number;
  /**
   * False: the price is not known yet. The funding of its positions waits, and so do the liquidations of accounts that
   * hold one. Absent: each price is known.
   */
  isKnown?(instrument: InstrumentIndex): boolean;
}

/** Mark price of a future at one instant. */
export type MarkOf = (terms: TradingTerms) => Ticks;

/** Equity of positions and their maintenance margin, as counts of 10^-18. The venue liquidates when equity is lower. */
export interface Backing {
  readonly equity: bigint;
  readonly maintenance: bigint;
}

/** Profit if the position were closed at the mark price, as a count of 10^-18 of the quote currency. */
export function unrealisedPnl({ net, cost, terms }: FuturesPosition, mark: Ticks): bigint {
  return (BigInt(net) * BigInt(mark) - cost) * terms.notionalUnit;
}

export function maintenanceMargin({ net, terms }: FuturesPosition, mark: Ticks): bigint {
  return maintenanceOf(terms.tiers, magnitude(BigInt(net) * BigInt(mark)) * terms.notionalUnit);
}

/**
 * The equity of all positions settled in an asset: the balance and their unrealised profit. Amounts that orders lock
 * count: a liquidation cancels the orders first.
 */
export function backingOf(account: VenueAccount, asset: string, markOf: MarkOf): Backing {
  let equity: bigint = account.total(asset);
  let maintenance = 0n;
  for (const position of account.openPositions(asset)) {
    const mark = markOf(position.terms);
    equity += unrealisedPnl(position, mark);
    maintenance += maintenanceMargin(position, mark);
  }
  return { equity, maintenance };
}

/** Amount that may be spent or locked: the free balance, less the unrealised loss of the open positions. */
export function available(account: VenueAccount, asset: string, markOf: MarkOf): bigint {
  let profit = 0n;
  for (const position of account.openPositions(asset)) profit += unrealisedPnl(position, markOf(position.terms));
  const free = account.free(asset);
  return profit < 0n ? free + profit : free;
}

/**
 * First mark price, in ticks, at which the equity no longer covers the maintenance margin, all else unchanged; null
 * when no price above 0 does that. `cushion` is the equity without the profit of this position, less the maintenance
 * margin of all other positions. Solves
 *
 *     cushion + net × P − cost = |net| × P × rate − deduction
 *
 *     P = (cost − cushion − deduction) ÷ (net − |net| × rate)
 *
 * which is the published formula with cushion = WB − TMM + UPNL (Binance, How to Calculate Liquidation Price of USDⓈ-M
 * Futures Contracts). The maintenance margin is the largest that any tier's rate and deduction give. So every tier is
 * tried, and the nearest price counts: the highest below a long position, the lowest above a short one.
 */
export function liquidationPrice(position: FuturesPosition, cushion: bigint): Ticks | null {
  const { terms, cost } = position;
  const [net, lots] = [BigInt(position.net), magnitude(BigInt(position.net))];
  let [below, above] = [0n, BEYOND];
  for (const { maintenancePpm, deduction } of terms.tiers) {
    // The margin is short wherever perTick × price < owed.
    const perTick = net * terms.notionalUnit - lots * terms.ppmUnit * BigInt(maintenancePpm);
    const owed = cost * terms.notionalUnit - deduction - cushion;
    if (perTick > 0n) below = larger(below, floor(owed - 1n, perTick));
    else if (perTick < 0n) above = smaller(above, floor(owed, perTick) + 1n);
  }
  return position.net > 0 ? (ticksOf(below) ?? ticksOf(above)) : (ticksOf(above) ?? ticksOf(below));
}

const BEYOND = BigInt(Number.MAX_SAFE_INTEGER) + 1n;

function ticksOf(price: bigint): Ticks | null {
  return price > 0n && price < BEYOND ? (Number(price) as Ticks) : null;
}

function larger(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}

/** Quotient rounded down, for any signs. */
function floor(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  return dividend % divisor !== 0n && dividend < 0n !== divisor < 0n ? quotient - 1n : quotient;
}
