import type { Side } from '../domain/order.js';
import { type Grid, type Lots, amountPerLotTick } from '../domain/quantity.js';
import type { EpochMs } from '../domain/time.js';
import type { MidPath, ObservedMarket } from './quote-history.js';
import { addTurnover, averageOf, type Turnover, turnoverOf, type ExecutedFill } from './traded-volume.js';

/** Market data against which an order is measured. */
export interface CostMarket {
  readonly mids: MidPath;
  /** Volume of others between the order's start and end, without own fills. */
  readonly others: Turnover;
}

/**
 * Cost of an order. Prices in ticks; bps are 10^-4 of the reference price, positive is cost. null where no fill or
 * trade could be measured.
 */
export interface ExecutionCost {
  readonly filled: Lots;
  /** Filled fraction of the wanted quantity, 0..1. */
  readonly completion: number;
  readonly arrivalPrice: number;
  readonly averagePrice: number | null;
  readonly arrivalSlippageBps: number | null;
  /** Fees in bps of the filled notional. */
  readonly feesBps: number | null;
  /** Slippage and fees in bps of the arrival price. */
  readonly allInSlippageBps: number | null;
  /**
   * Perold's implementation shortfall: fills against the arrival price, the unfilled rest against the mid at the end,
   * and the fees. In bps of the wanted quantity at the arrival price.
   */
  readonly implementationShortfallBps: number;
  /** Volume-weighted average price of the market between start and end, without own fills and with them. */
  readonly marketVwap: number | null;
  readonly marketVwapWithOwn: number | null;
  readonly vwapSlippageBps: number | null;
  readonly vwapWithOwnSlippageBps: number | null;
  /** Time-weighted mean mid between start and end. */
  readonly twapPrice: number | null;
  readonly twapSlippageBps: number | null;
  /** Maker fraction of the filled quantity. */
  readonly makerShare: number | null;
  /** Own volume as a fraction of all volume, own included. */
  readonly participation: number | null;
}

/**
 * Measures an execution. Symbols: s = +1 BUY, -1 SELL; F filled of Q at average p; p0 the arrival mid; x own volume; V
 * volume of others.
 */
export function executionCost(execution: CostInput, { mids, others }: CostMarket): ExecutionCost {
  const { side, quantity, arrivalMid, startMs, endMs, fills } = execution;
  const own = turnoverOf(fills);
  const all = addTurnover(own, others);
  const averagePrice = averageOf(own);
  const fees = feesInLotTicks(execution);
  const slippageAgainst = (reference: number | null): number | null =>
    averagePrice === null || reference === null ? null : costBps(side, averagePrice, reference);
  const arrivalSlippageBps = slippageAgainst(arrivalMid);
  const marketVwap = averageOf(others);
  const marketVwapWithOwn = averageOf(all);
  const twapPrice = mids.mean(startMs, endMs);
  return {
    filled: own.volume,
    completion: own.volume / quantity,
    arrivalPrice: arrivalMid,
    averagePrice,
    arrivalSlippageBps,
    feesBps: own.volume === 0 ? null : (10_000 * fees) / Number(own.notional),
    allInSlippageBps:
      arrivalSlippageBps === null ? null : arrivalSlippageBps + (10_000 * fees) / (own.volume * arrivalMid),
    implementationShortfallBps: shortfallBps(execution, own, fees, mids.at(endMs) ?? arrivalMid),
    marketVwap,
    marketVwapWithOwn,
    vwapSlippageBps: slippageAgainst(marketVwap),
    vwapWithOwnSlippageBps: slippageAgainst(marketVwapWithOwn),
    twapPrice,
    twapSlippageBps: slippageAgainst(twapPrice),
    makerShare: own.volume === 0 ? null : makerVolume(execution) / own.volume,
    participation: all.volume === 0 ? null : own.volume / all.volume,
  };
}

/** 10^4 · (s·Σ q(p − p0) + s·(Q − F)(p_end − p0) + fees) / (Q·p0) */
function shortfallBps({ side, quantity, arrivalMid }: CostInput, own: Turnover, fees: number, endMid: number): number {
  const done = Number(own.notional) - own.volume * arrivalMid;
  const missed = (quantity - own.volume) * (endMid - arrivalMid);
  return (10_000 * (signOf(side) * (done + missed) + fees)) / (quantity * arrivalMid);
}

/** Fees in the unit of the notional: one lot at one tick. */
function feesInLotTicks(input: CostInput): number {
  const total = input.fills.reduce((sum, { fee }) => sum + fee, 0n);
  return Number(total) / amountPerLotTick(input);
}

function makerVolume({ fills }: CostInput): number {
  return turnoverOf(fills.filter(({ liquidity }) => liquidity === 'MAKER')).volume;
}

/** An order as executed, as far as its cost depends on it. */
export interface CostInput extends Grid {
  readonly side: Side;
  /** Wanted quantity; more than 0. */
  readonly quantity: Lots;
  /** Mid in ticks when the order could first trade. */
  readonly arrivalMid: number;
  /** When the order could first trade, and when it ended. */
  readonly startMs: EpochMs;
  readonly endMs: EpochMs;
  /** In order of time. */
  readonly fills: readonly ExecutedFill[];
}

/** +1 for a BUY, -1 for a SELL. Multiplied by this, paying more or receiving less is positive. */
export function signOf(side: Side): 1 | -1 {
  return side === 'BUY' ? 1 : -1;
}

/** Returns how much worse a price is than the reference, in bps of the reference; positive is cost. */
function costBps(side: Side, price: number, reference: number): number {
  return 10_000 * signOf(side) * (price / reference - 1);
}

/** Terms on which the rest of an order counts as taken at its end. */
interface RestTerms {
  /** In ticks. */
  readonly price: number;
  /** Taker fee rate, in units of 10^-6 of the notional. */
  readonly takerFeePpm: number;
}

/**
 * Returns the all-in cost of the whole quantity against the arrival price, in bps of it; positive is cost. Fills count
 * with their fees. The rest counts as taken at the end, so an order does not look cheaper because it leaves a part
 * undone.
 *
 *     10^4 · (s·Σ q(p − p0) + fees + (Q − F)·(s·(p_rest − p0) + rate·p_rest)) / (Q·p0)
 */
export function completedCostBps(execution: CostInput, { price, takerFeePpm }: RestTerms): number {
  const { side, quantity, arrivalMid, fills } = execution;
  const sign = signOf(side);
  const unit = amountPerLotTick(execution);
  let cost = 0;
  let filled = 0;
  for (const fill of fills) {
    cost += fill.quantity * sign * (fill.price - arrivalMid) + Number(fill.fee) / unit;
    filled += fill.quantity;
  }
  cost += (quantity - filled) * (sign * (price - arrivalMid) + (takerFeePpm / 1_000_000) * price);
  return (10_000 * cost) / (quantity * arrivalMid);
}

/** Spread paid or earned by the fills, weighted by quantity; null without a fill whose quote is known. */
export interface SpreadCost {
  /** 10^4 · 2s·(fill price − mid) / mid, with the mid at the fill. Negative when the spread was earned. */
  readonly effectiveSpreadBps: number | null;
  /** s·(mid − fill price) in half spreads: 1 for all fills at the near touch, -1 for all at the far touch. */
  readonly spreadCapture: number | null;
}

export function spreadCost({ side, fills }: CostInput, market: ObservedMarket): SpreadCost {
  let [quantity, spread, earned, offered] = [0, 0, 0, 0];
  for (const fill of fills) {
    const quote = market.quoteAt(fill.atMs);
    if (quote === null) continue;
    const paid = signOf(side) * (fill.price - quote.mid);
    quantity += fill.quantity;
    spread += (fill.quantity * 2 * paid) / quote.mid;
    earned -= fill.quantity * paid;
    offered += fill.quantity * quote.halfSpread;
  }
  return {
    effectiveSpreadBps: quantity === 0 ? null : (10_000 * spread) / quantity,
    spreadCapture: offered === 0 ? null : earned / offered,
  };
}

/** Mean move of the mid after the fills. */
export interface Markout {
  readonly horizonMs: number;
  /** Mean of 10^4 · s·(mid − fill price) / fill price, by quantity; positive is a gain. null without fills. */
  readonly bps: number | null;
  /** Fraction of the filled quantity for which the mid at the horizon is known, 0..1. */
  readonly coverage: number;
}

export const MARKOUT_HORIZONS_MS = [1_000, 5_000, 60_000] as const;

/** Returns the markouts of the fills whose horizon ends by `knownUntilMs`. */
export function markouts(
  { side, fills }: CostInput,
  mids: MidPath,
  knownUntilMs: number,
  horizonsMs: readonly number[] = MARKOUT_HORIZONS_MS,
): Markout[] {
  const filled = fills.reduce((sum, { quantity }) => sum + quantity, 0);
  return horizonsMs.map((horizonMs) => {
    let covered = 0;
    let sum = 0;
    for (const { atMs, price, quantity } of fills) {
      const mid = atMs + horizonMs <= knownUntilMs ? mids.at(atMs + horizonMs) : null;
      if (mid === null) continue;
      covered += quantity;
      sum += (quantity * signOf(side) * (mid - price)) / price;
    }
    return {
      horizonMs,
      bps: covered === 0 ? null : (10_000 * sum) / covered,
      coverage: filled === 0 ? 0 : covered / filled,
    };
  });
}
