import { type Amount, amountOfHalfNotional } from '../domain/quantity.js';
import type { EpochMs } from '../domain/time.js';
import {
  type CostInput,
  executionCost,
  type ExecutionCost,
  type Markout,
  markouts,
  signOf,
  spreadCost,
  type SpreadCost,
} from './execution-cost.js';
import { plannedDeviation, type ScheduleDeviation } from './schedule-deviation.js';
import type { ObservedMarket, ObservedSpan } from './quote-history.js';
import { NOTHING_TRADED, turnoverOf } from './traded-volume.js';
import type { WorkedLeg } from './worked-leg.js';

/** Perold's implementation shortfall in money, in 10^-18 of the quote currency, exact. Positive is cost. */
export interface ShortfallAmount {
  /** Fills against the arrival price. */
  readonly trading: Amount;
  /** Unfilled rest at the mid at the order's end, or now; null while that mid is unknown. */
  readonly missed: Amount | null;
  /** null when a fee could not be valued in quote currency. */
  readonly fees: Amount | null;
  readonly total: Amount | null;
}

/**
 * Cost of a leg up to its end, or up to now. Prices in ticks; bps are 10^-4 of the reference price, positive is cost.
 */
export interface LegCost extends Omit<ExecutionCost, 'implementationShortfallBps'>, SpreadCost {
  readonly startMs: EpochMs;
  /** End of the leg, or the time of the measurement while it works. */
  readonly endMs: EpochMs;
  readonly implementationShortfallBps: number | null;
  readonly shortfall: ShortfallAmount;
  readonly schedule: ScheduleDeviation | null;
  readonly markouts: readonly Markout[];
  /** True when done by its due time. null: still open, without a due time, cancelled or rejected. */
  readonly isOnTime: boolean | null;
  /** Observations between which the volumes were counted; null: the market was not observed. */
  readonly observed: ObservedSpan | null;
}

/** Measures a leg as of `asOfMs`, ignoring later events; null while the leg could not trade. */
export function legCost(leg: WorkedLeg, market: ObservedMarket, asOfMs: EpochMs): LegCost | null {
  const { startedAtMs, arrivalTwiceMid } = leg;
  if (startedAtMs === null || arrivalTwiceMid === null) return null;
  const endMs = leg.endedAtMs ?? asOfMs;
  const execution: CostInput = { ...leg, arrivalMid: arrivalTwiceMid / 2, startMs: startedAtMs, endMs };
  // Includes late fills, which are part of the order.
  const untilMs = Math.max(endMs, leg.fills.at(-1)?.atMs ?? endMs) as EpochMs;
  const observed = market.tradedByOthers(startedAtMs, untilMs, leg.fills);
  const cost = executionCost(execution, { mids: market.mids, others: observed ?? NOTHING_TRADED });
  const shortfall = implementationShortfall(leg, market, { arrivalTwiceMid, endMs });
  return {
    ...cost,
    ...spreadCost(execution, market),
    ...(leg.areFeesValued ? {} : { feesBps: null, allInSlippageBps: null }),
    participation: observed === null ? null : cost.participation,
    startMs: startedAtMs,
    endMs,
    implementationShortfallBps: shortfall.total === null ? null : cost.implementationShortfallBps,
    shortfall,
    schedule: plannedDeviation(leg, market, asOfMs),
    markouts: markouts(execution, market.mids, asOfMs),
    isOnTime: isOnTime(leg, asOfMs),
    observed,
  };
}

interface Ends {
  readonly arrivalTwiceMid: number;
  readonly endMs: EpochMs;
}

function implementationShortfall(
  leg: WorkedLeg,
  market: ObservedMarket,
  { arrivalTwiceMid, endMs }: Ends,
): ShortfallAmount {
  const { side, quantity, fills } = leg;
  const own = turnoverOf(fills);
  const sign = BigInt(signOf(side));
  const inMoney = (lotHalfTicks: bigint): Amount => amountOfHalfNotional(sign * lotHalfTicks, leg);
  const trading = inMoney(2n * own.notional - BigInt(own.volume) * BigInt(arrivalTwiceMid));
  const left = quantity - own.volume;
  const endMid = left === 0 ? arrivalTwiceMid / 2 : market.mids.at(endMs);
  const missed = endMid === null ? null : inMoney(BigInt(left) * BigInt(2 * endMid - arrivalTwiceMid));
  const fees = leg.areFeesValued ? (fills.reduce((sum, { fee }) => sum + fee, 0n) as Amount) : null;
  const total = missed === null || fees === null ? null : ((trading + missed + fees) as Amount);
  return { trading, missed, fees, total };
}

function isOnTime({ status, dueAtMs, fills }: WorkedLeg, asOfMs: EpochMs): boolean | null {
  if (dueAtMs === null) return null;
  if (status === 'FILLED') return (fills.at(-1)?.atMs ?? asOfMs) <= dueAtMs;
  if (status === 'CANCELLED' || status === 'REJECTED') return null;
  return asOfMs >= dueAtMs ? false : null;
}
