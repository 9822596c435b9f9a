import type { StrategyView } from '../../domain/intent.js';
import { DURATION_SECONDS_MAX, SLOT_INTERVAL_MS_MIN } from '../../domain/limits/trading.js';
import type { Urgency } from '../../domain/order.js';
import { endOf } from '../../domain/order-state.js';
import { type Lots, lotSize, tickSize } from '../../domain/quantity.js';
import type { ImpactCourse, IsMemory } from '../../domain/strategy-memory.js';
import type { EpochMs } from '../../domain/time.js';
import { scheduled } from './scheduled.js';
import { firedCount, type Slots } from './slots.js';

const DAY_MS = 24 * 3600 * 1000;
const MINUTES_PER_DAY = 1440;
/** Penalty on variance relative to expected cost, per unit of quote currency. */
const LAMBDA: { readonly [Name in Urgency]: number } = { LOW: 0.2e-6, MEDIUM: 1e-6, HIGH: 5e-6 };
/** Daily volatility before the market's volatility is known, as a fraction of the price. */
const VOLATILITY_PRIOR = 0.03;
/** Impact after Almgren, Thum, Hauptmann and Li (2005), linearised at a tenth of the volume. */
const ETA_OF_VOLATILITY = 0.357;
const GAMMA_OF_VOLATILITY = 0.314;
/** Horizon without an end time: 3/κ, but no faster than this share of the day's volume. */
const HORIZON_KAPPAS = 3;
const PARTICIPATION_MAX = 0.2;
const HORIZON_MS_MIN = 60_000;
/** Horizons without an end time while the day's volume is unknown. */
const HORIZON_MS_UNKNOWN: { readonly [Name in Urgency]: number } = {
  LOW: 14_400_000,
  MEDIUM: 3_600_000,
  HIGH: 900_000,
};
/** Bounds of the learnt temporary impact relative to its prior, and the prior's weight in slices of evidence. */
const ETA_FACTOR_MIN = 0.2;
const ETA_FACTOR_MAX = 5;
const PRIOR_SLICES = 50;
/** Lower bound of η̃, as a fraction of η. */
const NET_ETA_MIN = 0.1;

/**
 * Implementation shortfall: balances impact and risk after Almgren and Chriss. Each slot solves the rest of the
 * trajectory again with the volatility and impact learnt so far. Without new evidence the trajectory stays the same.
 */
export const IS = scheduled<IsMemory>({
  name: 'IS',
  needs: { depth: false, profile: true },
  endsAtMs: horizonOf,
  keep,
  learn,
  curve: (_view, slots, kept, fired) => trajectory(slots, kept, fired),
});

type Course = { -readonly [Key in keyof ImpactCourse]: ImpactCourse[Key] };

/** Shares of the quantity done at the end of each slot, from 0 to 1, as first solved. */
export function sharesDone({ slotCount: count, kept: { kappa } }: IsMemory, horizonMs: number): number[] {
  const days = horizonMs / DAY_MS;
  return Array.from({ length: count + 1 }, (_, slot) => 1 - shareHeld(kappa, (days * (count - slot)) / count, days));
}

function trajectory(slots: Slots, kept: ImpactCourse, fired: number): Lots {
  if (fired <= 0) return 0 as Lots;
  if (fired >= slots.count) return slots.quantity;
  const { solvedAt, held, kappa } = kept;
  const horizonDays = (slots.endMs - slots.startMs) / DAY_MS;
  const left = (horizonDays * (slots.count - solvedAt)) / slots.count;
  const share = held * shareHeld(kappa, (horizonDays * (slots.count - fired)) / slots.count, left);
  return Math.floor(slots.quantity * (1 - Math.min(1, share))) as Lots;
}

/** Returns the client's end time, or the end of the horizon max(3/κ, quantity ÷ 20 % of the volume). */
function horizonOf(view: StrategyView): EpochMs {
  const given = endOf(view.state.order, view.state.startedAtMs ?? view.nowMs);
  if (given !== null) return given;
  const leg = view.state.order.legs[0];
  const { progress } = view.state.legs[0];
  const model = modelOf(view, dailyVolatility(view, 0), 1);
  if (model === null) return (view.nowMs + HORIZON_MS_UNKNOWN[leg.urgency]) as EpochMs;
  const dailyVolume = view.profile?.dailyVolume ?? Infinity;
  const kappa = Math.sqrt((LAMBDA[leg.urgency] * model.sigma ** 2) / model.eta);
  const days = Math.max(HORIZON_KAPPAS / kappa, (leg.quantity - progress.filled) / (PARTICIPATION_MAX * dailyVolume));
  const ms = Math.max(HORIZON_MS_MIN, Math.min(DURATION_SECONDS_MAX * 1000, Math.ceil(days * DAY_MS)));
  return (view.nowMs + ms) as EpochMs;
}

function keep(view: StrategyView, endMs: EpochMs): ImpactCourse {
  const volatility = dailyVolatility(view, 0);
  const model = modelOf(view, volatility, 1);
  const intervalDays = Math.max(SLOT_INTERVAL_MS_MIN, (endMs - view.nowMs) / 100) / DAY_MS;
  const kappa = model === null ? 0 : kappaOf(view.state.order.legs[0].urgency, model, intervalDays);
  return {
    solvedAt: 0,
    held: 1,
    kappa,
    rateSquares: 0,
    rateCosts: 0,
    filled: view.state.legs[0].progress.filled,
    notional: Number(view.state.legs[0].progress.notional),
    mid: midOf(view),
    volatility,
  };
}

/** Updates the figures once a slot: learns from the last slice's cost and solves the rest of the trajectory again. */
function learn(view: StrategyView, slots: Slots, kept: ImpactCourse): ImpactCourse {
  const fired = firedCount(slots, view.nowMs);
  if (fired <= kept.solvedAt || fired >= slots.count) return kept;
  const course: Course = { ...kept };
  const intervalDays = (slots.endMs - slots.startMs) / slots.count / DAY_MS;
  learnImpact(view, course, intervalDays);
  const volatility = dailyVolatility(view, course.volatility);
  const model = modelOf(view, volatility, impactFactor(view, volatility, course));
  course.solvedAt = fired - 1;
  course.held = 1 - trajectory(slots, kept, fired - 1) / slots.quantity;
  course.kappa = model === null ? 0 : kappaOf(view.state.order.legs[0].urgency, model, intervalDays);
  course.mid = midOf(view);
  course.volatility = volatility;
  return course;
}

/** Adds the evidence of the last slice: its rate of trading and its cost beyond the mid and half the spread. */
function learnImpact(view: StrategyView, course: Course, intervalDays: number): void {
  const leg = view.state.order.legs[0];
  const { progress } = view.state.legs[0];
  const notional = Number(progress.notional);
  const filled = progress.filled - course.filled;
  const average = (notional - course.notional) / filled;
  course.filled = progress.filled;
  course.notional = notional;
  if (filled <= 0 || course.mid <= 0) return;
  const sign = leg.side === 'BUY' ? 1 : -1;
  const ticks = sign * (average - course.mid) - (view.market.ask - view.market.bid) / 2;
  const cost = ticks * tickSize(view.instrument);
  const rate = (filled * lotSize(view.instrument)) / intervalDays;
  course.rateSquares += rate ** 2;
  course.rateCosts += rate * cost;
}

/**
 * Ridge regression of the slices' cost on their rate, shrunk to the prior. Bounded by ETA_FACTOR_MIN and
 * ETA_FACTOR_MAX.
 */
function impactFactor(view: StrategyView, volatility: number, { rateSquares, rateCosts }: Course): number {
  const prior = modelOf(view, volatility, 1);
  if (prior === null || rateSquares === 0) return 1;
  const usual = (PARTICIPATION_MAX / 2) * (view.profile?.dailyVolume ?? 0) * lotSize(view.instrument);
  const weight = PRIOR_SLICES * usual ** 2;
  const eta = (rateCosts + weight * prior.eta) / (rateSquares + weight);
  return Math.max(ETA_FACTOR_MIN, Math.min(ETA_FACTOR_MAX, eta / prior.eta));
}

/**
 * Solves κ. Limits the permanent impact so that η̃ is at least NET_ETA_MIN × η: the longer the slots, the lower the
 * limit.
 */
function kappaOf(urgency: Urgency, model: ImpactModel, intervalDays: number): number {
  const gamma = Math.min(model.gamma, (2 * (1 - NET_ETA_MIN) * model.eta) / intervalDays);
  return urgencyOf(LAMBDA[urgency], { ...model, gamma }, intervalDays);
}

/** Impact model in quote and base units; null while the day's volume is unknown. */
function modelOf(view: StrategyView, volatility: number, etaFactor: number): ImpactModel | null {
  const { instrument, market, profile } = view;
  if (profile === undefined || profile.dailyVolume <= 0) return null;
  const tick = tickSize(instrument);
  const dailyUnits = profile.dailyVolume * lotSize(instrument);
  const price = midOf(view) * tick;
  const sigma = price * volatility;
  const eta = (etaFactor * ETA_OF_VOLATILITY * sigma) / dailyUnits;
  const gamma = (GAMMA_OF_VOLATILITY * sigma) / dailyUnits;
  const epsilon = ((market.ask - market.bid) / 2) * tick + price * instrument.takerFeePpm * 1e-6;
  return { sigma, epsilon, eta, gamma };
}

/** Daily volatility as a fraction of the price: the mean of the market's present value and the previous estimate. */
export function dailyVolatility({ market }: StrategyView, known: number): number {
  const shown = market.volatility * Math.sqrt(MINUTES_PER_DAY);
  if (shown <= 0) return known > 0 ? known : VOLATILITY_PRIOR;
  return known > 0 ? (shown + known) / 2 : shown;
}

function midOf({ market, state }: StrategyView): number {
  const twice = market.bid > 0 && market.ask > 0 ? market.bid + market.ask : (state.legs[0].arrivalTwiceMid ?? 0);
  return twice / 2;
}

/*
 * Optimal execution after R. Almgren and N. Chriss, "Optimal execution of portfolio transactions" (2000): the exact
 * discrete solution. Its form does not overflow for long or urgent orders.
 */

/** Parameters of the impact model. Money in quote currency, quantity in base units, time in days. */
export interface ImpactModel {
  /** Standard deviation of the price over a day, in quote per unit. */
  readonly sigma: number;
  /** Half the spread plus the fee, paid for every unit. */
  readonly epsilon: number;
  /** Temporary impact: quote per unit, for one unit per day. */
  readonly eta: number;
  /** Permanent impact: quote per unit, for each unit traded. */
  readonly gamma: number;
}

/** Urgency × horizon below which the trajectory is a straight line within float precision. */
const STRAIGHT = 1e-6;

/** η̃ = η − γτ/2. The model requires a value above 0. */
function netEta({ eta, gamma }: ImpactModel, interval: number): number {
  return eta - (gamma * interval) / 2;
}

/** κ per day, from 2 (cosh κτ − 1) / τ² = λσ²/η̃. Solved as (2/τ) asinh(κ̃τ/2), which is exact for small values too. */
export function urgencyOf(lambda: number, model: ImpactModel, interval: number): number {
  const net = Math.sqrt((lambda * model.sigma ** 2) / netEta(model, interval));
  return (2 / interval) * Math.asinh((net * interval) / 2);
}

/** Share of the quantity still held when `left` of the horizon is left: sinh κ(T − t) / sinh κT. */
export function shareHeld(kappa: number, left: number, horizon: number): number {
  if (left <= 0) return 0;
  if (kappa * horizon < STRAIGHT) return left / horizon;
  const rest = kappa * left;
  const whole = kappa * horizon;
  return (Math.exp(rest - whole) * -Math.expm1(-2 * rest)) / -Math.expm1(-2 * whole);
}
