import { type Amount, amountOfHalfNotional, type Lots, lotTicksPerUnit } from '../domain/quantity.js';
import type { FeeTotal } from '../domain/order-state.js';
import type { LegCost } from './leg-cost.js';
import { MARKOUT_HORIZONS_MS } from './execution-cost.js';
import { turnoverOf } from './traded-volume.js';
import type { WorkedLeg } from './worked-leg.js';

/** A leg that could trade, and its cost. */
export interface CostedLeg {
  readonly leg: WorkedLeg;
  readonly cost: LegCost;
}

/** A weighted mean and its standard error. null: no value could be measured. */
export interface WeightedMean {
  readonly mean: number | null;
  /** Assumes independent legs; null with fewer than two. */
  readonly standardError: number | null;
}

/**
 * Total cost of legs in one quote currency. Means are weighted by the filled value at the arrival price, and the
 * implementation shortfall by the wanted value. A leg without a value is left out of its mean.
 */
export interface CostSummary {
  readonly legs: number;
  /** Exact, at the arrival prices, in quote currency. */
  readonly filledValue: Amount;
  readonly wantedValue: Amount;
  /** Filled value ÷ wanted value; null when nothing was wanted. */
  readonly completion: number | null;
  /** Fraction of the legs that were done in time, of those for which this is known. */
  readonly onTimeShare: number | null;
  readonly arrivalSlippageBps: WeightedMean;
  readonly allInSlippageBps: number | null;
  readonly implementationShortfallBps: number | null;
  readonly vwapSlippageBps: number | null;
  readonly vwapWithOwnSlippageBps: number | null;
  readonly twapSlippageBps: number | null;
  readonly effectiveSpreadBps: number | null;
  readonly spreadCapture: number | null;
  readonly participation: number | null;
  readonly makerShare: number | null;
  readonly feesBps: number | null;
  readonly markouts: readonly { readonly horizonMs: number; readonly bps: number | null }[];
  readonly fees: readonly FeeTotal[];
  readonly children: {
    readonly sent: number;
    readonly filled: number;
    readonly rejected: number;
    readonly cancelled: number;
    readonly fills: number;
  };
}

/** Summarises at least one leg. All legs must have the same quote currency. */
export function summarise(legs: readonly CostedLeg[]): CostSummary {
  const weights = legs.map(filledWeightOf);
  const mean = (figure: (cost: LegCost) => number | null): number | null =>
    weightedMean(
      legs.map(({ cost }) => figure(cost)),
      weights,
    ).mean;
  const wanted = legs.map(wantedWeightOf);
  const whole = sumOf(wanted);
  const timed = legs.filter(({ cost }) => cost.isOnTime !== null);
  return {
    legs: legs.length,
    filledValue: valueOf(legs, ({ fills }) => turnoverOf(fills).volume),
    wantedValue: valueOf(legs, ({ quantity }) => quantity),
    completion: whole === 0 ? null : sumOf(weights) / whole,
    onTimeShare: timed.length === 0 ? null : timed.filter(({ cost }) => cost.isOnTime).length / timed.length,
    arrivalSlippageBps: weightedMean(
      legs.map(({ cost }) => cost.arrivalSlippageBps),
      weights,
    ),
    allInSlippageBps: mean((cost) => cost.allInSlippageBps),
    implementationShortfallBps: weightedMean(
      legs.map(({ cost }) => cost.implementationShortfallBps),
      wanted,
    ).mean,
    vwapSlippageBps: mean((cost) => cost.vwapSlippageBps),
    vwapWithOwnSlippageBps: mean((cost) => cost.vwapWithOwnSlippageBps),
    twapSlippageBps: mean((cost) => cost.twapSlippageBps),
    effectiveSpreadBps: mean((cost) => cost.effectiveSpreadBps),
    spreadCapture: mean((cost) => cost.spreadCapture),
    participation: mean((cost) => cost.participation),
    makerShare: mean((cost) => cost.makerShare),
    feesBps: mean((cost) => cost.feesBps),
    markouts: MARKOUT_HORIZONS_MS.map((horizonMs) => ({
      horizonMs,
      bps: mean(({ markouts }) => markouts.find((one) => one.horizonMs === horizonMs)?.bps ?? null),
    })),
    fees: feesOf(legs),
    children: childrenOf(legs),
  };
}

/** Returns Σwx / Σw and its standard error √(Σw²(x − mean)²) / Σw, over the known values with a weight above 0. */
export function weightedMean(values: readonly (number | null)[], weights: readonly number[]): WeightedMean {
  let [whole, sum, count] = [0, 0, 0];
  for (const [index, value] of values.entries()) {
    const weight = weights[index] ?? 0;
    if (value === null || weight === 0) continue;
    whole += weight;
    sum += weight * value;
    count += 1;
  }
  if (count === 0) return { mean: null, standardError: null };
  const mean = sum / whole;
  const squares = values.map((value, index) => (value === null ? 0 : ((weights[index] ?? 0) * (value - mean)) ** 2));
  return { mean, standardError: count < 2 ? null : Math.sqrt(sumOf(squares)) / whole };
}

/** Sum of quantities at the arrival prices of their legs. */
function valueOf(legs: readonly CostedLeg[], quantityOf: (leg: WorkedLeg) => Lots): Amount {
  let sum = 0n;
  for (const { leg } of legs) {
    sum += amountOfHalfNotional(BigInt(quantityOf(leg)) * BigInt(leg.arrivalTwiceMid ?? 0), leg);
  }
  return sum as Amount;
}

/* Weights of means: the same values as floats. */

function filledWeightOf({ leg }: CostedLeg): number {
  return turnoverOf(leg.fills).volume * lotValueOf(leg);
}

function wantedWeightOf({ leg }: CostedLeg): number {
  return leg.quantity * lotValueOf(leg);
}

function lotValueOf(leg: WorkedLeg): number {
  return (leg.arrivalTwiceMid ?? 0) / 2 / lotTicksPerUnit(leg);
}

function feesOf(legs: readonly CostedLeg[]): readonly FeeTotal[] {
  const totals = new Map<string, Amount>();
  for (const { currency, amount } of legs.flatMap(({ leg }) => leg.fees)) {
    totals.set(currency, ((totals.get(currency) ?? 0n) + amount) as Amount);
  }
  return [...totals].map(([currency, amount]) => ({ currency, amount }));
}

function childrenOf(legs: readonly CostedLeg[]): CostSummary['children'] {
  const total = (count: (leg: WorkedLeg) => number): number => sumOf(legs.map(({ leg }) => count(leg)));
  return {
    sent: total(({ children }) => children.sent),
    filled: total(({ children }) => children.filled),
    rejected: total(({ children }) => children.rejected),
    cancelled: total(({ children }) => children.cancelled),
    fills: total(({ fills }) => fills.length),
  };
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
