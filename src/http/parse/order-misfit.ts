import { PARAMS_NOT_OFFERED, STRATEGIES_OFFERED } from '../../contract/offer.js';
import { LADDER_RUNGS_MAX, LADDER_RUNGS_MIN, PARTICIPATION_PPM_OF_PERCENT_MAX } from '../../model/limits.js';
import type { Clip, Side } from '../../model/order.js';
import { formatTicks, type Lots, type Ticks } from '../../model/quantity.js';
import type { Rejection, RejectionCode } from '../../model/rejection.js';
import { WHOLE_PPM_OF_PERCENT } from './clip.js';
import type { OrderRequest } from './order-request.js';

type Parts = Omit<OrderRequest, 'clientOrderId'>;

/** What the parts of a request that are right by themselves mean for each other: the first rule that is broken. */
export function misfitOf(parts: Parts): Rejection | null {
  return (
    timelessness(parts) ??
    participation(parts) ??
    wouldBeyondLimit(parts) ??
    ladderMisfit(parts) ??
    instrumentMisfit(parts) ??
    notOffered(parts)
  );
}

function timelessness({ terms: { strategy }, times }: Parts): Rejection | null {
  if (strategy !== 'TWAP' && strategy !== 'VWAP') return null;
  if (times.durationMs !== null || times.endAtMs !== null) return null;
  return wrong(`params.duration_seconds is missing: strategy ${strategy} needs it, or end_time`);
}

function participation({ terms, clip }: Parts): Rejection | null {
  if (terms.strategy !== 'POV' || clip.type !== 'PERCENTAGE') return null;
  if (clip.ppmOfPercent <= PARTICIPATION_PPM_OF_PERCENT_MAX) return null;
  return wrong('clip_size_val is above 50: with strategy POV it is the share of the market volume in percent');
}

function wouldBeyondLimit({ subject: { instrument }, terms: { side, limitPrice }, params }: Parts): Rejection | null {
  const price = params.would?.price ?? null;
  if (price === null || limitPrice === null || !isWorse(side, price, limitPrice)) return null;
  const prices = `${formatTicks(price, instrument)} is worse than limit_price ${formatTicks(limitPrice, instrument)}`;
  return wrong(`params.would.would_price ${prices} of a ${side}`, 'INVALID_WOULD_PRICE');
}

function ladderMisfit({ subject: { instrument }, terms, clip, params: { ladder } }: Parts): Rejection | null {
  const { strategy, side, limitPrice, quantity } = terms;
  if (ladder === null) {
    if (strategy !== 'SCALE') return null;
    return wrong('params.start_ladder_price is missing: strategy SCALE needs it and end_ladder_price');
  }
  if (strategy !== 'SCALE' && strategy !== 'ICEBERG') {
    return wrong(`params.start_ladder_price is for strategies SCALE and ICEBERG, not for ${strategy}`);
  }
  const worst = isWorse(side, ladder.start, ladder.end) ? ladder.start : ladder.end;
  if (limitPrice !== null && isWorse(side, worst, limitPrice)) {
    const limit = formatTicks(limitPrice, instrument);
    return wrong(`params: the ladder's price ${formatTicks(worst, instrument)} is worse than limit_price ${limit}`);
  }
  const rungs = rungCount(clip, quantity);
  if (strategy !== 'SCALE' || rungs === null || (rungs >= LADDER_RUNGS_MIN && rungs <= LADDER_RUNGS_MAX)) return null;
  return wrong(`clip_size_val makes ${rungs} rungs: a ladder has ${LADDER_RUNGS_MIN} to ${LADDER_RUNGS_MAX}`);
}

/** How many children the clip cuts the order into; null when that is left to the strategy. */
function rungCount(clip: Clip, quantity: Lots): number | null {
  switch (clip.type) {
    case 'AUTOMATIC':
      return null;
    case 'ABSOLUTE':
      return Math.ceil(quantity / clip.quantity);
    case 'PERCENTAGE':
      return Math.ceil(WHOLE_PPM_OF_PERCENT / clip.ppmOfPercent);
    case 'ORDER_COUNT':
      return clip.count;
  }
}

/** Parameters that this instrument or venue does not have. */
function instrumentMisfit({ subject, params }: Parts): Rejection | null {
  if (params.reduceOnly && subject.assetCategory !== 'FUTURE') {
    return wrong(`params.reduce_only is for FUTURE only, not for ${subject.assetCategory}`);
  }
  if (params.postOnly && !subject.instrument.filters.isPostOnlyOffered) {
    return wrong(`params.post_only is not supported on ${subject.venue}`);
  }
  return null;
}

/** Right by the contract, and not done by this version: last, so that every other mistake is told first. */
function notOffered({ terms: { strategy }, params }: Parts): Rejection | null {
  if (!STRATEGIES_OFFERED.includes(strategy)) {
    const offered = STRATEGIES_OFFERED.join(', ');
    const message = `strategy ${strategy} is not offered yet; these are: ${offered}`;
    return { code: 'INVALID_TRADE_STRATEGY', message };
  }
  for (const [name, field] of PARAMS_NOT_OFFERED) {
    if (params[name] !== null) return wrong(`params.${field} is not supported yet`);
  }
  return null;
}

/** A buy pays more, a sell gets less. */
function isWorse(side: Side, price: Ticks, other: Ticks): boolean {
  return side === 'BUY' ? price > other : price < other;
}

function wrong(message: string, code: RejectionCode = 'INVALID_PARAM'): Rejection {
  return { code, message };
}
