import { AMOUNT_PRECISION } from '../model/amount.js';
import type { Lots } from '../model/quantity.js';
import { costBps, signOf, type Execution } from './execution.js';
import type { MidPath } from './mid-path.js';
import { addTurnover, averageOf, turnoverOf, type Turnover } from './traded-volume.js';

/** The market that an order is measured against. */
export interface CostMarket {
  readonly mids: MidPath;
  /** Traded by others between the order's start and end: own fills are not in it. */
  readonly others: Turnover;
}

/**
 * What an order cost. Prices in ticks; bps are 10^-4 of the reference, positive is cost; null where nothing was filled
 * or traded that could be measured.
 */
export interface ExecutionCost {
  readonly filled: Lots;
  /** Filled part of what was wanted, 0..1. */
  readonly completion: number;
  readonly arrivalPrice: number;
  readonly averagePrice: number | null;
  readonly arrivalSlippageBps: number | null;
  /** Fees, of the filled notional. */
  readonly feesBps: number | null;
  /** Slippage and fees, against the arrival price. */
  readonly allInSlippageBps: number | null;
  /** Perold's: what was filled against arrival, what was not against the mid at the end, and the fees; of all wanted. */
  readonly implementationShortfallBps: number;
  /** Volume-weighted average price of the market between start and end, without own fills and with them. */
  readonly marketVwap: number | null;
  readonly marketVwapWithOwn: number | null;
  readonly vwapSlippageBps: number | null;
  readonly vwapWithOwnSlippageBps: number | null;
  /** Time-weighted mid between start and end. */
  readonly twapPrice: number | null;
  readonly twapSlippageBps: number | null;
  /** Filled as maker, of all filled. */
  readonly makerShare: number | null;
  /** Own volume of all volume, own included. */
  readonly participation: number | null;
}

/** With s = +1 BUY, -1 SELL; F filled of Q at average p; p0 the arrival mid; x own and V others' volume. */
export function executionCost(execution: Execution, { mids, others }: CostMarket): ExecutionCost {
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
function shortfallBps({ side, quantity, arrivalMid }: Execution, own: Turnover, fees: number, endMid: number): number {
  const done = Number(own.notional) - own.volume * arrivalMid;
  const missed = (quantity - own.volume) * (endMid - arrivalMid);
  return (10_000 * (signOf(side) * (done + missed) + fees)) / (quantity * arrivalMid);
}

/** Fees in the unit of the notional: one lot at one tick. */
function feesInLotTicks({ fills, quantityPrecision, pricePrecision }: Execution): number {
  const total = fills.reduce((sum, { fee }) => sum + fee, 0n);
  return Number(total) / 10 ** (AMOUNT_PRECISION - quantityPrecision - pricePrecision);
}

function makerVolume({ fills }: Execution): number {
  return turnoverOf(fills.filter(({ liquidity }) => liquidity === 'MAKER')).volume;
}
