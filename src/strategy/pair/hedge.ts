import type { HedgeDecision } from '../../domain/intent.js';
import {
  HEDGE_LAST_STAND_MS,
  HEDGE_RETRY_MS,
  HEDGE_RETRY_MS_MAX,
  HEDGE_WATCH_MS,
  HEDGES_COUNT_MAX,
} from '../../domain/limits/trading.js';
import type { GivenReason } from '../../domain/order.js';
import { type HedgeDeficit, hedgeDeficit } from '../../domain/pair-balance.js';
import { hedgingIndexOf, legAt, type LegIndex, otherLeg, type Pair } from '../../domain/pair.js';
import { AMOUNT_PRECISION, formatAmount, formatLots, type Lots, type Ticks } from '../../domain/quantity.js';
import { type HedgingFigures, type ReasonCode, VALUE_PRECISION } from '../../domain/reason.js';
import { assert, type Rejection } from '../../domain/rejection.js';
import { type HedgeCause, type HedgeMemory, UNHEDGED } from '../../domain/strategy-memory.js';
import type { EpochMs } from '../../domain/time.js';
import { farTouch, isWithinLimit, maximumAt, minimumAt } from '../placement/child.js';
import { hedgePrice, type LegSight, type PairView, reachOf, sightOf, toleranceOf } from './pair-view.js';
import { isToBeHad, standingAt, residualHedge } from './residual-hedge.js';
import { unhedgedOf, type Unhedged } from './headroom.js';

/** Figures of one decision of the hedge. */
interface HedgeFigures {
  readonly view: PairView;
  readonly pair: Pair;
  readonly ahead: LegSight;
  readonly behind: LegSight;
  readonly short: HedgeDeficit | null;
  /** Lots that the leg behind must fill, working lots included. 0: less than the minimum. */
  readonly owed: Lots;
  readonly least: Lots;
  readonly tolerancePpm: number;
  /** Price of a hedge; null: unknown. */
  readonly price: Ticks | null;
  /** Start of the deficit. */
  readonly sinceMs: EpochMs;
  readonly tries: number;
  /** True when the deficit is the one of the last try, or has been seen before. */
  readonly isOld: boolean;
  /** True when the leg ahead fills no more. */
  readonly isFinal: boolean;
  /** True for a residual hedge: the leg ahead trades more, so that the leg behind can follow. */
  readonly isResidual: boolean;
  readonly unhedged: Unhedged;
  readonly before: HedgeMemory;
}

/**
 * Hedges the fills of a pair. It takes the deficit of the leg behind at the far touch and repeats with a wider
 * tolerance. While it cannot hedge, or the deficit is too large, the leading leg is withdrawn. At the end of the order
 * a residual hedge trades a rest that is below the venue's minimum together with a little more of the leg ahead.
 *
 *     owed ── priced ──▶ IOC at touch ± tolerance ── unfilled: 250 ms, tolerance × 2 up to the bound ──┐
 *      ▲                                                                                               │
 *      └────────────── max_unhedged_seconds over: bound × 4 for 5 s, then SLIPPAGE_EXCEEDED ───────────┘
 */
export function hedge(view: PairView): HedgeDecision {
  const figures = figuresOf(view);
  const cause = causeOf(figures);
  const isBlocked = cause !== 'HEDGE_READY';
  const quantity = quantityNow(figures);
  const memory = memoryAfter(figures, quantity, cause);
  const reason = (code: ReasonCode): GivenReason => ({ code, detail: '', figures: circumstances(figures) });
  const isNews = isWorked(view) && cause !== figures.before.cause;
  return {
    intents:
      quantity === 0 || figures.price === null
        ? []
        : [placement(quantity, figures.price, reason(figures.isResidual ? 'TOP_UP' : 'HEDGE'))],
    leg: legBehind(figures),
    memory,
    note: isNews ? reason(cause) : null,
    withdraw: isBlocked && isWorked(view) ? reason(cause) : null,
    giveUp: giveUpOf(figures),
    rest: restOf(figures),
    isHedged: figures.owed < figures.least && figures.behind.working === 0,
    headroom: isBlocked ? (0 as Lots) : (Math.max(0, figures.unhedged.most - figures.unhedged.lots) as Lots),
    wakeAtMs: wakeOf(figures),
  };
}

function figuresOf(view: PairView): HedgeFigures {
  const { pair } = view.state.order;
  assert(pair !== null, 'only a pair is hedged');
  const short = isDue(view, pair) ? hedgeDeficit(view.state) : null;
  const figures = figuresOn(view, pair, short);
  return short === null || !view.isEnding || figures.owed >= figures.least ? figures : withResidual(figures, short);
}

/** Adds a residual hedge when the deficit is below the minimum of the leg behind. */
function withResidual(figures: HedgeFigures, short: HedgeDeficit): HedgeFigures {
  const { view, pair, ahead, behind } = figures;
  const uneven = { ahead, behind, short, reachPpm: reachOf(pair) };
  const more = residualHedge(uneven);
  if (more === null) return figures;
  const topped = { ...figuresOn(view, pair, more), isResidual: true };
  if (topped.owed < topped.least || isOver(topped)) return figures;
  return isToBeHad(uneven, more) ? topped : { ...topped, price: null };
}

function figuresOn(view: PairView, pair: Pair, short: HedgeDeficit | null): HedgeFigures {
  const leg = short?.leg ?? hedgingIndexOf(pair);
  const [ahead, behind] = [sightOf(view, otherLeg(leg)), sightOf(view, leg)];
  const before = view.state.hedge ?? UNHEDGED;
  // The deficit of the last try is filled: a deficit now is a new one.
  const isOld = before.leg === leg && behind.filled < before.level;
  const sinceMs = isOld ? before.sinceMs : view.nowMs;
  const hasFailed = isOld && behind.taking === 0 && before.triedAtMs > 0;
  const tries = isOld ? before.tries + (hasFailed ? 1 : 0) : 0;
  const isLastStand = view.nowMs - sinceMs > pair.maxUnhedgedMs;
  const tolerancePpm = toleranceOf(pair.hedgeSlippageBps, tries, isLastStand);
  const price = hedgePrice(behind, tolerancePpm);
  const least = minimumAt(behind.instrument, price ?? behind.market?.bid ?? Number.MAX_SAFE_INTEGER);
  const isFinal = view.isEnding || ahead.filled >= ahead.traded.quantity;
  const owed = owedOf(behind, short, least, isFinal);
  const unhedged = unhedgedOf(view, pair);
  return {
    view,
    pair,
    ahead,
    behind,
    short,
    owed,
    least,
    tolerancePpm,
    price,
    sinceMs,
    tries,
    isOld,
    isFinal,
    isResidual: false,
    unhedged,
    before,
  };
}

/** True when the hedge works. Without a leading leg the strategies keep the legs in step until the end. */
function isDue({ state: { order, legs }, isEnding }: PairView, { isLed }: Pair): boolean {
  return isLed || isEnding || order.legs.some(({ quantity }, leg) => legs[leg]!.progress.filled >= quantity);
}

/** Lots to fill. While more fills may come, it holds back lots so that no rest below the minimum remains. */
function owedOf({ traded, filled }: LegSight, short: HedgeDeficit | null, least: Lots, isFinal: boolean): Lots {
  const lots = short?.lots ?? 0;
  const rest = traded.quantity - filled - lots;
  if (isFinal || rest === 0 || rest >= least) return lots as Lots;
  const placeable = lots + rest - least;
  return (placeable < least ? 0 : placeable) as Lots;
}

/** Lots to place now. 0: too few lots, the last try was too recent, or the price is unknown. */
function quantityNow(figures: HedgeFigures): Lots {
  const { view, behind, least, price, tries, before } = figures;
  const quantity = withoutRest(figures);
  if (price === null || quantity < least || behind.childCount >= HEDGES_COUNT_MAX) return 0 as Lots;
  if (tries > 0 && behind.taking === 0 && view.nowMs < before.triedAtMs + waitMs(behind)) return 0 as Lots;
  return Math.min(quantity, maximumAt(behind.instrument, price)) as Lots;
}

/**
 * Lots to place so that no rest below the minimum remains. After the last fill, less than two minimums wait until the
 * touch shows all of them, or until the last stand. Of more lots, one minimum is left for the next try.
 */
function withoutRest({ view, pair, behind, owed, least, sinceMs, isFinal }: HedgeFigures): number {
  const quantity = owed - behind.working;
  if (!isFinal || standingAt(behind) >= quantity) return quantity;
  if (quantity >= 2 * least) return quantity - least;
  return view.nowMs - sinceMs > pair.maxUnhedgedMs ? quantity : 0;
}

/** Wait before the next try. It doubles with each refusal in a row. */
function waitMs({ refusals }: LegSight): number {
  return Math.min(HEDGE_RETRY_MS_MAX, HEDGE_RETRY_MS * 2 ** Math.max(0, refusals - 1));
}

function placement(quantity: Lots, price: Ticks, reason: GivenReason): HedgeDecision['intents'][number] {
  return {
    kind: 'Place',
    quantity,
    type: 'LIMIT',
    timeInForce: 'IOC',
    limitPrice: price,
    postOnly: false,
    requestClass: 'HEDGE',
    reason,
  };
}

/** Reason why the leg ahead must not trade now, or HEDGE_READY. */
function causeOf({ view, pair, behind, owed, least, sinceMs, unhedged }: HedgeFigures): HedgeCause {
  if (view.places[pair.leadingIndex].market === null) return 'LEAD_BLIND';
  if (view.places[hedgingIndexOf(pair)].market === null || view.quoteRate === null) return 'HEDGE_BLIND';
  if (!pair.isLed) return 'HEDGE_READY';
  if (isBound(behind)) return 'HEDGE_LIMIT_BINDS';
  if (owed < least) return 'HEDGE_READY';
  if (view.nowMs - sinceMs > pair.maxUnhedgedMs) return 'UNHEDGED_TIME';
  if (behind.refusals > 0) return 'HEDGE_REFUSED';
  return unhedged.lots > unhedged.most ? 'UNHEDGED_VALUE' : 'HEDGE_READY';
}

/** True when the limit of the leg excludes its far touch. */
function isBound({ traded, market }: LegSight): boolean {
  return market !== null && !isWithinLimit(traded, farTouch(traded.side, market));
}

/** True in the statuses in which a strategy works. */
function isWorked({ state: { status } }: PairView): boolean {
  return status === 'ACCEPTED' || status === 'PARTIALLY_FILLED';
}

/**
 * Memory after the decision; null: unchanged. A deficit that cannot be placed is kept as well, so that its time runs.
 */
function memoryAfter(figures: HedgeFigures, quantity: Lots, cause: HedgeCause): HedgeMemory | null {
  const { view, behind, owed, least, sinceMs, tries, isOld, before } = figures;
  const leg = legBehind(figures);
  const causeNow = isWorked(view) ? cause : before.cause;
  const quoteRate = view.quoteRate ?? before.quoteRate;
  if (quantity > 0) {
    const level = behind.filled + behind.taking + quantity;
    return { ...before, quoteRate, sinceMs, tries, triedAtMs: view.nowMs, leg, level, cause: causeNow };
  }
  if (owed >= least && !isOld) {
    const level = behind.filled + least;
    return { ...before, quoteRate, sinceMs, tries: 0, triedAtMs: 0 as EpochMs, leg, level, cause: causeNow };
  }
  // Too few lots remain for another try: the next deficit is a new one.
  const level = owed < least && behind.taking === 0 ? 0 : before.level;
  const isSame = causeNow === before.cause && level === before.level;
  return isSame ? null : { ...before, level, cause: causeNow };
}

/** True when the time of the hedge and of its last stand is over. */
function isOver({ view, pair, sinceMs }: HedgeFigures): boolean {
  return view.nowMs - sinceMs > pair.maxUnhedgedMs + HEDGE_LAST_STAND_MS;
}

/** Cause to end the order: the time is over, or the rest is below the minimum. null: continue. */
function giveUpOf(figures: HedgeFigures): Rejection | null {
  const { view, owed, least, short, ahead, behind } = figures;
  if (short !== null && owed >= least) {
    return isOver(figures) ? { code: 'SLIPPAGE_EXCEEDED', message: unhedgedText(figures) } : null;
  }
  const isLast = isWorked(view) && ahead.filled >= ahead.traded.quantity && ahead.childCount === 0;
  return isLast && behind.childCount === 0 && behind.market !== null ? restOf(figures) : null;
}

/** Unhedged rest if the order ends now, with its cause. null: none. */
function restOf(figures: HedgeFigures): Rejection | null {
  const { short, owed, least, behind } = figures;
  if (short === null || owed >= least) return null;
  const [rest, minimum] = [short.lots, least].map((lots) => formatLots(lots, behind.traded));
  const { base } = behind.instrument;
  const message = `legs[${legBehind(figures)}]: the rest of ${rest} ${base} is below the exchange's minimum of ${minimum}`;
  return { code: 'INVALID_QUANTITY', message };
}

function unhedgedText(figures: HedgeFigures): string {
  const { view, pair, short, behind, unhedged, sinceMs } = figures;
  const { venue, symbol } = behind.traded;
  const lots = formatLots(short?.lots ?? (0 as Lots), behind.traded);
  const refusal = legAt(view.state.legs, hedgingIndexOf(pair)).lastRefusal;
  const seconds = Math.round((view.nowMs - sinceMs) / 1000);
  const { value } = unhedged;
  const worth = value === null ? 'of unknown worth' : `worth ${formatAmount(value)} ${leadingQuote(figures)}`;
  return (
    `legs[${legBehind(figures)}]: ${lots} ${behind.instrument.base} of ${symbol} at ${venue} are unhedged after ${seconds} s` +
    `, ${worth}` +
    `: max_unhedged_seconds is ${pair.maxUnhedgedMs / 1000}, hedge_slippage_bps ${pair.hedgeSlippageBps}` +
    (behind.market === null ? `; ${symbol} at ${venue} has no current price` : '') +
    (refusal === null || behind.refusals === 0 ? '' : `; the exchange said ${refusal.code}, ${refusal.message}`)
  );
}

/** The leg that is behind; the hedging leg when none is. */
function legBehind({ pair, short }: HedgeFigures): LegIndex {
  return short?.leg ?? hedgingIndexOf(pair);
}

function leadingQuote({ view, pair }: Pick<HedgeFigures, 'view' | 'pair'>): string {
  return view.places[pair.leadingIndex].instrument.quote;
}

function wakeOf({ view, behind, owed, least, before, tries, ahead }: HedgeFigures): EpochMs | null {
  if (owed >= least) {
    const heldUntilMs = before.triedAtMs + waitMs(behind);
    const isHeld = tries > 0 && behind.taking === 0 && heldUntilMs > view.nowMs;
    return (isHeld ? heldUntilMs : view.nowMs + HEDGE_RETRY_MS) as EpochMs;
  }
  const mayFill = ahead.childCount > 0 || view.places.some(({ market }) => market === null);
  return mayFill ? ((view.nowMs + HEDGE_WATCH_MS) as EpochMs) : null;
}

/** One unit of a stored value, as an amount. */
const VALUE_UNIT = 10n ** BigInt(AMOUNT_PRECISION - VALUE_PRECISION);

function circumstances(figures: HedgeFigures): HedgingFigures {
  const { short, ahead, behind, owed, tolerancePpm, unhedged, tries } = figures;
  const { market } = behind;
  return [
    legBehind(figures),
    behind.filled,
    ahead.filled,
    short?.wanted ?? behind.filled,
    owed - behind.working,
    behind.working,
    tries + 1,
    tolerancePpm,
    unhedged.lots,
    unhedged.most,
    unhedged.value === null ? Number.NaN : Number(unhedged.value / VALUE_UNIT),
    market?.bid ?? 0,
    market?.ask ?? 0,
  ];
}
