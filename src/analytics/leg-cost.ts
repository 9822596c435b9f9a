import { AMOUNT_PRECISION, type Amount } from '../model/amount.js';
import type { EpochMs } from '../model/time.js';
import { executionCost, type ExecutionCost } from './execution-cost.js';
import { signOf, type Execution } from './execution.js';
import { markouts, type Markout } from './markout.js';
import { plannedDeviation } from './planned-schedule.js';
import type { ScheduleDeviation } from './schedule-deviation.js';
import { spreadCost, type SpreadCost } from './spread-cost.js';
import type { Tape, TapeSpan } from './tape.js';
import { NOTHING_TRADED, turnoverOf } from './traded-volume.js';
import type { WorkedLeg } from './worked-leg.js';

/** Perold's shortfall in money, in 10^-18 of the quote currency, exact: positive is cost. */
export interface ShortfallAmount {
  /** What was filled, against the arrival price. */
  readonly trading: Amount;
  /** What was not, at the mid when the order ended, or now: null while that mid is not known. */
  readonly missed: Amount | null;
  /** null when a fee could not be valued in quote currency. */
  readonly fees: Amount | null;
  readonly total: Amount | null;
}

/** What a leg cost, up to its end or to now. Prices in ticks; bps are 10^-4 of the reference, positive is cost. */
export interface LegCost extends Omit<ExecutionCost, 'implementationShortfallBps'>, SpreadCost {
  readonly startMs: EpochMs;
  /** Its end, or when it was last looked at. */
  readonly endMs: EpochMs;
  readonly implementationShortfallBps: number | null;
  readonly shortfall: ShortfallAmount;
  readonly schedule: ScheduleDeviation | null;
  readonly markouts: readonly Markout[];
  /** Done by when it was to be done; null: it still can, or it had no such time, or somebody stopped it. */
  readonly isOnTime: boolean | null;
  /** Between which observations the volumes were counted; null: the market was not observed. */
  readonly observed: TapeSpan | null;
}

/** null: the leg could not trade yet. `asOfMs` is now; what comes after it does not count. */
export function legCost(leg: WorkedLeg, tape: Tape, asOfMs: EpochMs): LegCost | null {
  const { startedAtMs, arrivalTwiceMid } = leg;
  if (startedAtMs === null || arrivalTwiceMid === null) return null;
  const endMs = leg.endedAtMs ?? asOfMs;
  const execution: Execution = { ...leg, arrivalMid: arrivalTwiceMid / 2, startMs: startedAtMs, endMs };
  // Late fills are the order's own too, so the market is looked at until the last of them.
  const untilMs = Math.max(endMs, leg.fills.at(-1)?.atMs ?? endMs) as EpochMs;
  const observed = tape.tradedByOthers(startedAtMs, untilMs, leg.fills);
  const cost = executionCost(execution, { mids: tape.mids, others: observed ?? NOTHING_TRADED });
  const shortfall = shortfallOf(leg, tape, { arrivalTwiceMid, endMs });
  return {
    ...cost,
    ...spreadCost(execution, tape),
    ...(leg.areFeesValued ? {} : { feesBps: null, allInSlippageBps: null }),
    participation: observed === null ? null : cost.participation,
    startMs: startedAtMs,
    endMs,
    implementationShortfallBps: shortfall.total === null ? null : cost.implementationShortfallBps,
    shortfall,
    schedule: plannedDeviation(leg, tape, asOfMs),
    markouts: markouts(execution, tape.mids, asOfMs),
    isOnTime: isOnTime(leg, asOfMs),
    observed,
  };
}

interface Ends {
  readonly arrivalTwiceMid: number;
  readonly endMs: EpochMs;
}

function shortfallOf(leg: WorkedLeg, tape: Tape, { arrivalTwiceMid, endMs }: Ends): ShortfallAmount {
  const { side, quantity, fills, quantityPrecision, pricePrecision } = leg;
  const own = turnoverOf(fills);
  // Half a lot at one tick: what a mid between two ticks needs. Grids leave at least one of the 18 digits for it.
  const half = 10n ** BigInt(AMOUNT_PRECISION - quantityPrecision - pricePrecision) / 2n;
  const sign = BigInt(signOf(side));
  const inMoney = (halves: bigint): Amount => (sign * halves * half) as Amount;
  const trading = inMoney(2n * own.notional - BigInt(own.volume) * BigInt(arrivalTwiceMid));
  const left = quantity - own.volume;
  const endMid = left === 0 ? arrivalTwiceMid / 2 : tape.mids.at(endMs);
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
