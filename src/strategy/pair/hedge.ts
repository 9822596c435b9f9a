import { assert } from '../../model/assert.js';
import { formatAmount } from '../../model/amount.js';
import type { HedgeDecision } from '../../model/hedge.js';
import {
  HEDGE_LAST_STAND_MS,
  HEDGE_RETRY_MS,
  HEDGE_RETRY_MS_MAX,
  HEDGE_WATCH_MS,
  HEDGES_COUNT_MAX,
} from '../../model/limits.js';
import type { Reason } from '../../model/order.js';
import type { Pair } from '../../model/pair.js';
import { shortfallOf, type Shortfall } from '../../model/pair-balance.js';
import { formatLots, type Lots, type Ticks } from '../../model/quantity.js';
import type { Rejection } from '../../model/rejection.js';
import type { EpochMs } from '../../model/time.js';
import { farTouch, maximumAt, minimumAt } from '../placement.js';
import { hedgeMemoryOf, hedgeNumbers, type Cause, type HedgeMemory } from './hedge-memory.js';
import { hedgePrice, isInside, reachOf, toleranceOf } from './hedge-price.js';
import { followerSight, leadSight, type LegSight, type PairView } from './pair-view.js';
import { isToBeHad, standingAt, toppingUp } from './topping-up.js';
import { unhedgedOf, type Unhedged } from './unhedged.js';

/** Everything that one look at a pair is judged by. */
interface Look {
  readonly view: PairView;
  readonly pair: Pair;
  readonly ahead: LegSight;
  readonly behind: LegSight;
  readonly short: Shortfall | null;
  /** To be filled of the leg behind, what is working included; 0 while that is less than may be placed. */
  readonly owed: Lots;
  readonly least: Lots;
  readonly tolerancePpm: number;
  /** null: no hedge can be priced. */
  readonly price: Ticks | null;
  /** Since when something has been owed. */
  readonly sinceMs: EpochMs;
  readonly tries: number;
  /** What is owed has been owed since the last try, or since it was first seen. */
  readonly isOld: boolean;
  /** Nothing more is to come of the leg that is ahead. */
  readonly isFinal: boolean;
  /** It is the leg ahead that trades, so that the other can. */
  readonly isToppingUp: boolean;
  readonly unhedged: Unhedged;
  readonly before: HedgeMemory;
}

/**
 * Keeps the other leg of a pair in step with the leading one: for whatever fills there, at once or late, it takes what is
 * owed from the far touch, and again with a wider reach until it has it. While it cannot, or too much is owed, the
 * leading leg is withdrawn. At the end of the order, a rest that its venue does not take alone is taken with a little more
 * of the leg that is ahead.
 *
 *     owed ── priced ──▶ IOC at touch ± tolerance ── unfilled: 250 ms, tolerance × 2 up to the bound ──┐
 *      ▲                                                                                               │
 *      └────────────── max_unhedged_seconds over: bound × 4 for 5 s, then SLIPPAGE_EXCEEDED ───────────┘
 */
export function hedge(view: PairView): HedgeDecision {
  const look = lookAt(view);
  const cause = causeOf(look);
  const isBlocked = cause !== 'HEDGE_READY';
  const quantity = quantityNow(look);
  const memory = memoryAfter(look, quantity, cause);
  const reason = (code: string): Reason => ({ code, detail: circumstances(look) });
  const isNews = isWorked(view) && cause !== look.before.cause;
  return {
    intents:
      quantity === 0 || look.price === null
        ? []
        : [placement(quantity, look.price, reason(look.isToppingUp ? 'TOP_UP' : 'HEDGE'))],
    ofFollower: look.short?.ofFollower ?? true,
    memory,
    note: isNews ? reason(cause) : null,
    withdraw: isBlocked && isWorked(view) ? reason(cause) : null,
    giveUp: giveUpOf(look),
    rest: restOf(look),
    isHedged: look.owed < look.least && look.behind.working === 0,
    leadRoom: isBlocked ? (0 as Lots) : (Math.max(0, look.unhedged.most - look.unhedged.lots) as Lots),
    wakeAtMs: wakeOf(look),
  };
}

function lookAt(view: PairView): Look {
  const { pair } = view.state.order;
  assert(pair !== null, 'only a pair is hedged');
  const short = isDue(view, pair) ? shortfallOf(view.state) : null;
  const look = lookFor(view, pair, short);
  return short === null || !view.isEnding || look.owed >= look.least ? look : toppedUp(look, short);
}

/** The leg that is behind cannot be brought level by itself: for as long as a hedge is tried, the other is asked. */
function toppedUp(look: Look, short: Shortfall): Look {
  const { view, pair, ahead, behind } = look;
  const uneven = { ahead, behind, short, reachPpm: reachOf(pair) };
  const more = toppingUp(uneven);
  if (more === null) return look;
  const topped = { ...lookFor(view, pair, more), isToppingUp: true };
  if (topped.owed < topped.least || isOver(topped)) return look;
  return isToBeHad(uneven, more) ? topped : { ...topped, price: null };
}

function lookFor(view: PairView, pair: Pair, short: Shortfall | null): Look {
  const [lead, follower] = [leadSight(view), followerSight(view)];
  const ofFollower = short?.ofFollower ?? true;
  const [ahead, behind] = ofFollower ? [lead, follower] : [follower, lead];
  const before = hedgeMemoryOf(view.state.follower?.memory ?? []);
  // What the last try was to fill is filled: what is owed now is owed since now.
  const isOld = before.ofFollower === ofFollower && behind.filled < before.level;
  const sinceMs = isOld ? before.sinceMs : view.nowMs;
  const hasFailed = isOld && behind.taking === 0 && before.triedAtMs > 0;
  const tries = isOld ? before.tries + (hasFailed ? 1 : 0) : 0;
  const isLastStand = view.nowMs - sinceMs > pair.maxUnhedgedMs;
  const tolerancePpm = toleranceOf(pair.hedgeSlippageBps, tries, isLastStand);
  const price = hedgePrice(behind, tolerancePpm);
  const least = minimumAt(behind.instrument, price ?? behind.market?.bid ?? (Number.MAX_SAFE_INTEGER as Ticks));
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
    isToppingUp: false,
    unhedged,
    before,
  };
}

/** Where neither leg leads, their strategies keep them in step; the hedge levels them at the end. */
function isDue({ state, isEnding }: PairView, { isLed }: Pair): boolean {
  return isLed || isEnding || state.progress.filled >= state.order.quantity || isFollowed(state);
}

function isFollowed({ order, follower }: PairView['state']): boolean {
  const whole = order.pair?.legs[order.pair.leadingIndex === 0 ? 1 : 0].quantity ?? 0;
  return follower !== null && follower.progress.filled >= whole;
}

/** Nothing is placed of which a rest would stay that no venue takes: as long as more fills come, it waits for them. */
function owedOf({ traded, filled }: LegSight, short: Shortfall | null, least: Lots, isFinal: boolean): Lots {
  const lots = short?.lots ?? 0;
  const rest = traded.quantity - filled - lots;
  if (isFinal || rest === 0 || rest >= least) return lots as Lots;
  const placeable = lots + rest - least;
  return (placeable < least ? 0 : placeable) as Lots;
}

/** Lots to be placed at once; 0 while there is too little, the last try is still too near, or no price is known. */
function quantityNow(look: Look): Lots {
  const { view, behind, least, price, tries, before } = look;
  const quantity = withoutRest(look);
  if (price === null || quantity < least || behind.childCount >= HEDGES_COUNT_MAX) return 0 as Lots;
  if (tries > 0 && behind.taking === 0 && view.nowMs < before.triedAtMs + waitMs(behind)) return 0 as Lots;
  return Math.min(quantity, maximumAt(behind.instrument, price)) as Lots;
}

/**
 * What of it can be placed so that no rest stays that no venue takes. Once no more fills are to come, less than two of the
 * least wait for a touch that offers them all, until the last stand; of more, the least is left for the next try.
 */
function withoutRest({ view, pair, behind, owed, least, sinceMs, isFinal }: Look): number {
  const quantity = owed - behind.working;
  if (!isFinal || standingAt(behind) >= quantity) return quantity;
  if (quantity >= 2 * least) return quantity - least;
  return view.nowMs - sinceMs > pair.maxUnhedgedMs ? quantity : 0;
}

/** A venue that refuses is given ever more time. */
function waitMs({ refusals }: LegSight): number {
  return Math.min(HEDGE_RETRY_MS_MAX, HEDGE_RETRY_MS * 2 ** Math.max(0, refusals - 1));
}

function placement(quantity: Lots, price: Ticks, reason: Reason): HedgeDecision['intents'][number] {
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

/** Why the leg that is ahead must not trade now. */
function causeOf({ view, pair, behind, owed, least, sinceMs, unhedged }: Look): Cause {
  if (view.lead.market === null) return 'LEAD_BLIND';
  if (view.follower.market === null || view.quoteRate === null) return 'HEDGE_BLIND';
  if (!pair.isLed) return 'HEDGE_READY';
  if (isBound(behind)) return 'HEDGE_LIMIT_BINDS';
  if (owed < least) return 'HEDGE_READY';
  if (view.nowMs - sinceMs > pair.maxUnhedgedMs) return 'UNHEDGED_TIME';
  if (behind.refusals > 0) return 'HEDGE_REFUSED';
  return unhedged.lots > unhedged.most ? 'UNHEDGED_VALUE' : 'HEDGE_READY';
}

/** True when the leg's limit keeps it from what its market offers. */
function isBound({ traded, market }: LegSight): boolean {
  return market !== null && !isInside(traded, farTouch(traded.side, market));
}

/** True where a strategy may work. */
function isWorked({ state: { status } }: PairView): boolean {
  return status === 'ACCEPTED' || status === 'PARTIALLY_FILLED';
}

/** null when unchanged. What is owed and cannot be placed is remembered too, so that its time runs. */
function memoryAfter(look: Look, quantity: Lots, cause: Cause): HedgeDecision['memory'] {
  const { view, short, behind, owed, least, sinceMs, tries, isOld, before } = look;
  const ofFollower = short?.ofFollower ?? true;
  const causeNow = isWorked(view) ? cause : before.cause;
  const quoteRate = view.quoteRate ?? before.quoteRate;
  if (quantity > 0) {
    const level = behind.filled + behind.taking + quantity;
    return numbers(look, { quoteRate, sinceMs, tries, triedAtMs: view.nowMs, ofFollower, level, cause: causeNow });
  }
  if (owed >= least && !isOld) {
    const level = behind.filled + least;
    return numbers(look, { quoteRate, sinceMs, tries: 0, triedAtMs: 0 as EpochMs, ofFollower, level, cause: causeNow });
  }
  // Too little is left to go on with the last try: what comes next is owed anew.
  const level = owed < least && behind.taking === 0 ? 0 : before.level;
  const isSame = causeNow === before.cause && level === before.level;
  return isSame ? null : numbers(look, { ...before, level, cause: causeNow });
}

/** What a leg's own strategy remembers stands behind it. */
function numbers({ view }: Look, memory: HedgeMemory): HedgeDecision['memory'] {
  const hedging = hedgeNumbers(memory);
  return hedging.concat(view.state.follower?.memory.slice(hedging.length) ?? []);
}

/** The time for a hedge is over, that for its last stand included. */
function isOver({ view, pair, sinceMs }: Look): boolean {
  return view.nowMs - sinceMs > pair.maxUnhedgedMs + HEDGE_LAST_STAND_MS;
}

/** The time for it is over, or no venue takes what is left. */
function giveUpOf(look: Look): Rejection | null {
  const { view, owed, least, short, ahead, behind } = look;
  if (short !== null && owed >= least) {
    return isOver(look) ? { code: 'SLIPPAGE_EXCEEDED', message: unhedgedText(look) } : null;
  }
  const isLast = isWorked(view) && ahead.filled >= ahead.traded.quantity && ahead.childCount === 0;
  return isLast && behind.childCount === 0 && behind.market !== null ? restOf(look) : null;
}

/** What is left unhedged if the order ends now, and why; null when nothing is. */
function restOf(look: Look): Rejection | null {
  const { short, owed, least, behind } = look;
  if (short === null || owed >= least) return null;
  const [rest, minimum] = [short.lots, least].map((lots) => formatLots(lots, behind.traded));
  const { base } = behind.instrument;
  const message = `legs[${indexOf(look)}]: the rest of ${rest} ${base} is below the exchange's minimum of ${minimum}`;
  return { code: 'INVALID_QUANTITY', message };
}

function unhedgedText(look: Look): string {
  const { view, pair, short, behind, unhedged, sinceMs } = look;
  const { venue, symbol } = behind.traded;
  const lots = formatLots(short?.lots ?? (0 as Lots), behind.traded);
  const refusal = view.state.follower?.lastRefusal ?? null;
  const seconds = Math.round((view.nowMs - sinceMs) / 1000);
  return (
    `legs[${indexOf(look)}]: ${lots} ${behind.instrument.base} of ${symbol} at ${venue} are unhedged after ${seconds} s` +
    `, worth ${formatAmount(unhedged.value)} ${view.lead.instrument.quote}` +
    `: max_unhedged_seconds is ${pair.maxUnhedgedMs / 1000}, hedge_slippage_bps ${pair.hedgeSlippageBps}` +
    (refusal === null || behind.refusals === 0 ? '' : `; the exchange said ${refusal.code}, ${refusal.message}`)
  );
}

/** Of the leg that is behind, in the order of the request. */
function indexOf({ pair, short }: Look): number {
  return short?.ofFollower === false ? pair.leadingIndex : 1 - pair.leadingIndex;
}

function wakeOf({ view, behind, owed, least, before, tries, ahead }: Look): EpochMs | null {
  if (owed >= least) {
    const heldUntilMs = before.triedAtMs + waitMs(behind);
    const isHeld = tries > 0 && behind.taking === 0 && heldUntilMs > view.nowMs;
    return (isHeld ? heldUntilMs : view.nowMs + HEDGE_RETRY_MS) as EpochMs;
  }
  const mayFill = ahead.childCount > 0 || view.lead.market === null || view.follower.market === null;
  return mayFill ? ((view.nowMs + HEDGE_WATCH_MS) as EpochMs) : null;
}

/** The numbers behind a hedge, in lots and ticks; tolerance in basis points, the unhedged value in quote currency. */
function circumstances({ short, ahead, behind, owed, tolerancePpm, unhedged, view, tries }: Look): string {
  const { market } = behind;
  const [leadFilled, hedgeFilled] = [ahead.filled, behind.filled];
  const wanted = short?.wanted ?? hedgeFilled;
  return (
    `filled_lead=${leadFilled} filled_hedge=${hedgeFilled} want=${wanted} deficit=${owed - behind.working}` +
    ` working=${behind.working} try=${tries + 1} tolerance=${tolerancePpm / 100}bps` +
    ` unhedged=${formatAmount(unhedged.value)}${view.lead.instrument.quote} cap=${unhedged.most}` +
    ` bid=${market?.bid ?? 0} ask=${market?.ask ?? 0}`
  );
}
