import { childCountOf, type Side, type StrategyName, type Leg, type OrderTerms } from '../../domain/order.js';
import { instrumentFor, minimumRefusal } from '../../domain/exchange-rules.js';
import type { Instrument } from '../../domain/instrument.js';
import { LADDER_RUNGS_MAX, LADDER_RUNGS_MIN, PARTICIPATION_PPM_OF_PERCENT_MAX } from '../../domain/limits/trading.js';
import { formatSteps, formatTicks, type Lots, type Ticks } from '../../domain/quantity.js';
import type { Rejection, RejectionCode } from '../../domain/rejection.js';
import { clipSize, PERCENT_PRECISION } from './composite-values.js';
import { ORDER_PARAMS } from './param-fields.js';
import type { Check } from './order-reader.js';
import { checkTimeOrder, type RequestedTimes } from './trade-times.js';

/* Rules between fields that are valid on their own. A check returns the violation, or null. */

/** Typed values of a create: the terms of an order and of its only leg, with the requested times. */
export type OrderValues = OrderTerms & Leg & RequestedTimes;

/** The values that the rules use. The quantity of a leg may be null until its price is known. */
type Checked = Omit<OrderValues, 'quantity'> & { readonly quantity: Lots | null };

/** Rules of side, quantity, strategy and limit price, in the order of the fields that they name. */
export const TERM_CHECKS: readonly Check<OrderValues>[] = [
  { needs: ['strategy', 'limit_price'], check: checkLimitPrice },
  {
    needs: ['symbol', 'quantity', 'limit_price'],
    check: ({ limitPrice, quantity }, instrument) =>
      instrument.filters.isReducingExempt ? null : checkMinimum(limitPrice, quantity, instrument),
  },
];

/** Rules of the whole request, in the order of the fields that they name. */
export const ORDER_CHECKS: readonly Check<Checked>[] = [
  { needs: ['symbol', 'quantity', 'limit_price', 'reduce_only'], check: checkExemptMinimum },
  { needs: ['start_time', 'end_time'], check: checkTimeOrder },
  { needs: ['strategy', 'clip_size_type'], check: checkParticipation },
  { needs: ['symbol', 'strategy', 'quantity', 'clip_size_type'], check: checkRungs },
  { needs: ['strategy', 'duration_seconds', 'end_time'], check: checkDuration },
  { needs: ['symbol', 'side', 'limit_price', 'would'], check: checkWouldPrice },
  { needs: ['symbol', 'reduce_only'], check: checkReduceOnly },
  { needs: ['symbol', 'side', 'strategy', 'limit_price', 'start_ladder_price'], check: checkLadder },
  { needs: ['exchange', 'post_only'], check: checkPostOnly },
];

export function checkLimitPrice({ strategy, limitPrice }: Pick<Checked, 'strategy' | 'limitPrice'>): Rejection | null {
  if (strategy !== 'LIMIT' || limitPrice !== null) return null;
  return wrong('limit_price is missing: strategy LIMIT needs one', 'INVALID_LIMIT_PRICE');
}

function checkMinimum(limitPrice: Ticks | null, quantity: Lots, instrument: Instrument): Rejection | null {
  return minimumRefusal({ limitPrice, ladder: null }, quantity, instrument, null);
}

/** Checks the minimum where it depends on reduce_only, which is read after the quantity. */
function checkExemptMinimum(order: Checked, instrument: Instrument): Rejection | null {
  if (!instrument.filters.isReducingExempt || order.quantity === null) return null;
  return checkMinimum(order.limitPrice, order.quantity, instrumentFor(order, instrument));
}

function checkParticipation({ strategy, clip }: Checked): Rejection | null {
  if (strategy !== 'POV' || clip.type !== 'PERCENTAGE') return null;
  if (clip.ppmOfPercent <= PARTICIPATION_PPM_OF_PERCENT_MAX) return null;
  const [share, most] = [clip.ppmOfPercent, PARTICIPATION_PPM_OF_PERCENT_MAX].map((ppmOfPercent) =>
    formatSteps(ppmOfPercent, PERCENT_PRECISION),
  );
  return wrong(`clip_size_val ${share} is above ${most}: with strategy POV it is percent of the market's volume`);
}

function checkRungs({ strategy, quantity, clip }: Checked, instrument: Instrument): Rejection | null {
  const count = strategy === 'SCALE' && quantity !== null ? childCountOf(clip, quantity) : null;
  if (count === null || clip.type === 'AUTOMATIC') return null;
  if (count >= LADDER_RUNGS_MIN && count <= LADDER_RUNGS_MAX) return null;
  const cut = `clip_size_val ${clipSize(clip, instrument)} of clip_size_type ${clip.type} makes ${count} rungs`;
  return wrong(`${cut}: the ladder of strategy SCALE has ${LADDER_RUNGS_MIN} to ${LADDER_RUNGS_MAX}`);
}

function checkDuration({ strategy, durationMs, endAtMs }: Checked): Rejection | null {
  if (strategy !== 'TWAP' && strategy !== 'VWAP') return null;
  if (durationMs !== null || endAtMs !== null) return null;
  return wrong(`params.duration_seconds is missing: strategy ${strategy} needs it, or end_time`);
}

function checkWouldPrice({ side, limitPrice, would }: Checked, instrument: Instrument): Rejection | null {
  const price = would?.price ?? null;
  if (price === null || limitPrice === null || !isWorse(side, price, limitPrice)) return null;
  const prices = `${formatTicks(price, instrument)} is worse than limit_price ${formatTicks(limitPrice, instrument)}`;
  return wrong(`params.would.would_price ${prices} of a ${side}`, 'INVALID_WOULD_PRICE');
}

function checkReduceOnly({ assetCategory, reduceOnly }: Checked): Rejection | null {
  if (!reduceOnly || assetCategory === 'FUTURE') return null;
  return wrong(`params.reduce_only true is for FUTURE only, not for ${assetCategory}`);
}

const LADDER_STRATEGIES: readonly StrategyName[] = ORDER_PARAMS.start_ladder_price.strategies;

function checkLadder({ strategy, side, limitPrice, ladder }: Checked, instrument: Instrument): Rejection | null {
  if (ladder === null) {
    if (strategy !== 'SCALE') return null;
    return wrong('params.start_ladder_price is missing: strategy SCALE needs it and end_ladder_price');
  }
  const start = formatTicks(ladder.start, instrument);
  if (!LADDER_STRATEGIES.includes(strategy)) {
    const names = LADDER_STRATEGIES.join(' and ');
    return wrong(`params.start_ladder_price ${start} is for strategies ${names}, not for ${strategy}`);
  }
  if (limitPrice === null) return null;
  const limit = `limit_price ${formatTicks(limitPrice, instrument)} of a ${side}`;
  if (isWorse(side, ladder.start, limitPrice))
    return wrong(`params.start_ladder_price ${start} is worse than ${limit}`);
  if (!isWorse(side, ladder.end, limitPrice)) return null;
  return wrong(`params.end_ladder_price ${formatTicks(ladder.end, instrument)} is worse than ${limit}`);
}

/** The contract offers post_only on one exchange only. */
const POST_ONLY_EXCHANGE = 'BINANCE';

function checkPostOnly({ venue, postOnly }: Checked): Rejection | null {
  if (!postOnly || venue === POST_ONLY_EXCHANGE) return null;
  return wrong(`params.post_only true is not supported on ${venue}`);
}

/** A worse price is higher for a buy and lower for a sell. */
function isWorse(side: Side, price: Ticks, other: Ticks): boolean {
  return side === 'BUY' ? price > other : price < other;
}

function wrong(message: string, code: RejectionCode = 'INVALID_PARAM'): Rejection {
  return { code, message };
}
