import type { StrategyView } from '../model/intent.js';
import type { Instrument } from '../model/instrument.js';
import { DURATION_SECONDS_MAX, SLOT_INTERVAL_MS_MIN } from '../model/limits.js';
import { endOf, type StrategyMemory, type Urgency } from '../model/order.js';
import type { Lots } from '../model/quantity.js';
import type { EpochMs } from '../model/time.js';
import { shareHeld, urgencyOf, type ImpactModel } from './almgren-chriss.js';
import { firedCount, type Slots } from './schedule.js';
import { slotted, type SlottedMemory } from './slotted.js';

const DAY_MS = 24 * 3600 * 1000;
const MINUTES_PER_DAY = 1440;
/** Penalty on variance relative to expected cost, per unit of quote currency. */
const LAMBDA: { readonly [Name in Urgency]: number } = { LOW: 0.2e-6, MEDIUM: 1e-6, HIGH: 5e-6 };
/** Daily volatility while the market has not shown any. */
const VOLATILITY_PRIOR = 0.03;
/** Impact after Almgren, Thum, Hauptmann and Li (2005), made linear at a tenth of the volume. */
const ETA_OF_VOLATILITY = 0.357;
const GAMMA_OF_VOLATILITY = 0.314;
/** Without an end: three times 1/κ, and no faster than this share of the day's volume. */
const HORIZON_KAPPAS = 3;
const PARTICIPATION_MAX = 0.2;
const HORIZON_MS_MIN = 60_000;
/** Horizons without an end while the day's volume is unknown. */
const HORIZON_MS_UNKNOWN: { readonly [Name in Urgency]: number } = {
  LOW: 14_400_000,
  MEDIUM: 3_600_000,
  HIGH: 900_000,
};
/** The temporary impact stays so near its prior; its share of the slice's own evidence, in slices. */
const ETA_FACTOR_MIN = 0.2;
const ETA_FACTOR_MAX = 5;
const PRIOR_SLICES = 50;
/** η̃ never falls under this part of η. */
const NET_ETA_MIN = 0.1;

/**
 * Implementation shortfall: the trade-off between impact and risk of Almgren and Chriss. In each slot the rest of the
 * trajectory is solved anew with what has been learnt of volatility and impact; with nothing new it is the same one.
 * What it keeps: slot of the last solution, share still held then, κ per day, sums of rate² and of rate × cost over the
 * slices, then filled, notional, mid and volatility as they were at that slot.
 */
export const IS = slotted({
  name: 'IS',
  needs: { depth: false, profile: true },
  endsAtMs: horizonOf,
  keep,
  learn,
  curve: (_view, slots, kept, fired) => trajectory(slots, kept, fired),
});

/** What is learnt on the way: an object of one decision's own, which it brings up to date. */
interface Course {
  solvedAt: number;
  held: number;
  kappa: number;
  rateSquares: number;
  rateCosts: number;
  filled: number;
  notional: number;
  mid: number;
  volatility: number;
}

function courseOf(kept: StrategyMemory): Course {
  return {
    solvedAt: kept[0] ?? 0,
    held: kept[1] ?? 1,
    kappa: kept[2] ?? 0,
    rateSquares: kept[3] ?? 0,
    rateCosts: kept[4] ?? 0,
    filled: kept[5] ?? 0,
    notional: kept[6] ?? 0,
    mid: kept[7] ?? 0,
    volatility: kept[8] ?? 0,
  };
}

function numbersOf(course: Course): StrategyMemory {
  const { solvedAt, held, kappa, rateSquares, rateCosts, filled, notional, mid, volatility } = course;
  return [solvedAt, held, kappa, rateSquares, rateCosts, filled, notional, mid, volatility];
}

/** Share of the quantity that is to be done when each slot is over, 0 first and 1 last, as first solved. */
export function sharesDone({ count, kept }: SlottedMemory, horizonMs: number): number[] {
  const { kappa } = courseOf(kept);
  const days = horizonMs / DAY_MS;
  return Array.from({ length: count + 1 }, (_, slot) => 1 - shareHeld(kappa, (days * (count - slot)) / count, days));
}

function trajectory(slots: Slots, kept: StrategyMemory, fired: number): Lots {
  if (fired <= 0) return 0 as Lots;
  if (fired >= slots.count) return slots.quantity;
  const { 0: solvedAt = 0, 1: held = 1, 2: kappa = 0 } = kept;
  const horizonDays = (slots.endMs - slots.startMs) / DAY_MS;
  const left = (horizonDays * (slots.count - solvedAt)) / slots.count;
  const share = held * shareHeld(kappa, (horizonDays * (slots.count - fired)) / slots.count, left);
  return Math.floor(slots.quantity * (1 - Math.min(1, share))) as Lots;
}

/** The end that the client has set, or when the urgency is spent: max(3/κ, quantity ÷ 20 % of the volume). */
function horizonOf(view: StrategyView): EpochMs {
  const given = endOf(view.state.order, view.nowMs);
  if (given !== null) return given;
  const { order, progress } = view.state;
  const model = modelOf(view, dailyVolatility(view, 0), 1);
  if (model === null) return (view.nowMs + HORIZON_MS_UNKNOWN[order.urgency]) as EpochMs;
  const dailyVolume = view.profile?.dailyVolume ?? Infinity;
  const kappa = Math.sqrt((LAMBDA[order.urgency] * model.sigma ** 2) / model.eta);
  const days = Math.max(HORIZON_KAPPAS / kappa, (order.quantity - progress.filled) / (PARTICIPATION_MAX * dailyVolume));
  const ms = Math.max(HORIZON_MS_MIN, Math.min(DURATION_SECONDS_MAX * 1000, Math.ceil(days * DAY_MS)));
  return (view.nowMs + ms) as EpochMs;
}

function keep(view: StrategyView, endMs: EpochMs): StrategyMemory {
  const volatility = dailyVolatility(view, 0);
  const model = modelOf(view, volatility, 1);
  const intervalDays = Math.max(SLOT_INTERVAL_MS_MIN, (endMs - view.nowMs) / 100) / DAY_MS;
  const kappa = model === null ? 0 : kappaOf(view.state.order.urgency, model, intervalDays);
  return numbersOf({
    solvedAt: 0,
    held: 1,
    kappa,
    rateSquares: 0,
    rateCosts: 0,
    filled: view.state.progress.filled,
    notional: Number(view.state.progress.notional),
    mid: midOf(view),
    volatility,
  });
}

/** Once a slot: what its fills cost, and what that means for the rest of the trajectory. */
function learn(view: StrategyView, slots: Slots, kept: StrategyMemory): StrategyMemory {
  const fired = firedCount(slots, view.nowMs);
  if (fired <= (kept[0] ?? 0) || fired >= slots.count) return kept;
  const course = courseOf(kept);
  const intervalDays = (slots.endMs - slots.startMs) / slots.count / DAY_MS;
  learnImpact(view, course, intervalDays);
  const volatility = dailyVolatility(view, course.volatility);
  const model = modelOf(view, volatility, impactFactor(view, volatility, course));
  course.solvedAt = fired - 1;
  course.held = 1 - trajectory(slots, kept, fired - 1) / slots.quantity;
  course.kappa = model === null ? 0 : kappaOf(view.state.order.urgency, model, intervalDays);
  course.mid = midOf(view);
  course.volatility = volatility;
  return numbersOf(course);
}

/** Evidence of the last slice: its rate of trading, and what it paid beyond the mid and half the spread. */
function learnImpact(view: StrategyView, course: Course, intervalDays: number): void {
  const { progress, order } = view.state;
  const notional = Number(progress.notional);
  const filled = progress.filled - course.filled;
  const average = (notional - course.notional) / filled;
  course.filled = progress.filled;
  course.notional = notional;
  if (filled <= 0 || course.mid <= 0) return;
  const sign = order.side === 'BUY' ? 1 : -1;
  const ticks = sign * (average - course.mid) - (view.market.ask - view.market.bid) / 2;
  const cost = ticks * tickOf(view.instrument);
  const rate = (filled * lotOf(view.instrument)) / intervalDays;
  course.rateSquares += rate ** 2;
  course.rateCosts += rate * cost;
}

/** Ridge regression of the slices' cost on their rate, shrunk to the prior; bounded. */
function impactFactor(view: StrategyView, volatility: number, { rateSquares, rateCosts }: Course): number {
  const prior = modelOf(view, volatility, 1);
  if (prior === null || rateSquares === 0) return 1;
  const usual = (PARTICIPATION_MAX / 2) * (view.profile?.dailyVolume ?? 0) * lotOf(view.instrument);
  const weight = PRIOR_SLICES * usual ** 2;
  const eta = (rateCosts + weight * prior.eta) / (rateSquares + weight);
  return Math.max(ETA_FACTOR_MIN, Math.min(ETA_FACTOR_MAX, eta / prior.eta));
}

/** Permanent impact counts so far only as it leaves something of the temporary one: the longer the slots, the less. */
function kappaOf(urgency: Urgency, model: ImpactModel, intervalDays: number): number {
  const gamma = Math.min(model.gamma, (2 * (1 - NET_ETA_MIN) * model.eta) / intervalDays);
  return urgencyOf(LAMBDA[urgency], { ...model, gamma }, intervalDays);
}

/** In quote and base units; null while the day's volume is unknown. */
function modelOf(view: StrategyView, volatility: number, etaFactor: number): ImpactModel | null {
  const { instrument, market, profile } = view;
  if (profile === undefined || profile.dailyVolume <= 0) return null;
  const tick = tickOf(instrument);
  const dailyUnits = profile.dailyVolume * lotOf(instrument);
  const price = midOf(view) * tick;
  const sigma = price * volatility;
  const eta = (etaFactor * ETA_OF_VOLATILITY * sigma) / dailyUnits;
  const gamma = (GAMMA_OF_VOLATILITY * sigma) / dailyUnits;
  const epsilon = ((market.ask - market.bid) / 2) * tick + price * instrument.takerFeePpm * 1e-6;
  return { sigma, epsilon, eta, gamma };
}

function tickOf({ pricePrecision }: Instrument): number {
  return 10 ** -pricePrecision;
}

function lotOf({ quantityPrecision }: Instrument): number {
  return 10 ** -quantityPrecision;
}

/** Fraction of the price over a day: what the market shows now, half and half with what was known. */
export function dailyVolatility({ market }: StrategyView, known: number): number {
  const shown = market.volatility * Math.sqrt(MINUTES_PER_DAY);
  if (shown <= 0) return known > 0 ? known : VOLATILITY_PRIOR;
  return known > 0 ? (shown + known) / 2 : shown;
}

function midOf({ market, state }: StrategyView): number {
  const twice = market.bid > 0 && market.ask > 0 ? market.bid + market.ask : (state.arrivalTwiceMid ?? 0);
  return twice / 2;
}
