import type { Ticks } from '../../model/quantity.js';
import { magnitude } from './contract.js';
import type { Position } from './position.js';
import type { TradingTerms } from './trading-terms.js';

export interface LiquidationCase {
  readonly terms: TradingTerms;
  /** Open positions in the future that are liquidated together: one, or with CROSS in hedge mode up to two. */
  readonly positions: readonly Position[];
  /** What stands behind them besides their own profit, less the maintenance margin of all others; a count of 10^-18. */
  readonly cushion: bigint;
}

/** The margin is short wherever perTick × price < owed. */
interface ShortLine {
  readonly perTick: bigint;
  readonly owed: bigint;
}

/**
 * First mark price, in ticks, at which what stands behind the positions no longer covers their maintenance margin, all
 * else unchanged; null when no price above 0 would. Of
 *
 *     cushion + Σ (net × P − cost) = Σ (|net| × P × rate − deduction)
 *
 *     P = (Σ cost − cushion − Σ deduction) ÷ (Σ net − Σ |net| × rate)
 *
 * which is the published formula with cushion = WB − TMM + UPNL (Binance, How to Calculate Liquidation Price of USDⓈ-M
 * Futures Contracts). The maintenance margin is the largest that any tier's rate and deduction give, so every tier is
 * tried and the price that comes first counts: the highest below a long position, the lowest above a short one.
 */
export function liquidationPrice({ terms, positions, cushion }: LiquidationCase): Ticks | null {
  let lines: ShortLine[] = [{ perTick: 0n, owed: -cushion }];
  for (const position of positions) lines = lines.flatMap((line) => linesWith(position, terms, line));
  const rising = lines.filter(({ perTick }) => perTick > 0n);
  const falling = lines.filter(({ perTick }) => perTick < 0n);
  const below = rising.map(({ perTick, owed }) => floor(owed - 1n, perTick)).reduce(larger, 0n);
  const above = falling.map(({ perTick, owed }) => floor(owed, perTick) + 1n).reduce(smaller, BEYOND);
  const isLong = positions.reduce((net, position) => net + position.net, 0) > 0;
  return isLong ? (ticksOf(below) ?? ticksOf(above)) : (ticksOf(above) ?? ticksOf(below));
}

function linesWith(position: Position, terms: TradingTerms, line: ShortLine): ShortLine[] {
  const [net, lots] = [BigInt(position.net), magnitude(BigInt(position.net))];
  return terms.tiers.map(({ maintenancePpm, deduction }) => ({
    perTick: line.perTick + net * terms.notionalUnit - lots * terms.ppmUnit * BigInt(maintenancePpm),
    owed: line.owed + position.cost * terms.notionalUnit - deduction,
  }));
}

const BEYOND = BigInt(Number.MAX_SAFE_INTEGER) + 1n;

function ticksOf(price: bigint): Ticks | null {
  return price > 0n && price < BEYOND ? (Number(price) as Ticks) : null;
}

function larger(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}

function smaller(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}

/** Quotient rounded down, whatever the signs. */
function floor(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  return dividend % divisor !== 0n && dividend < 0n !== divisor < 0n ? quotient - 1n : quotient;
}
