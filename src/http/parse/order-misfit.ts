import { childCountOf } from '../../model/clip.js';
import { LADDER_RUNGS_MAX, LADDER_RUNGS_MIN, PARTICIPATION_PPM_OF_PERCENT_MAX } from '../../model/limits.js';
import type { Side } from '../../model/order.js';
import { formatSteps, formatTicks, type Lots, type Ticks } from '../../model/quantity.js';
import type { Rejection, RejectionCode } from '../../model/rejection.js';
import { clipValue, PERCENT_PRECISION } from './clip.js';
import type { OrderRequest } from './order-request.js';

/** Of an order, or of a leg, whose quantity may not be known before its price is. */
type Parts = Omit<OrderRequest, 'clientOrderId' | 'terms'> & {
  readonly terms: Omit<OrderRequest['terms'], 'quantity'> & { readonly quantity: Lots | null };
};

/**
 * What the parts of a request that are right by themselves mean for each other: the first rule that is broken, in the
 * order of the fields that are blamed.
 */
export function misfitOf(parts: Parts): Rejection | null {
  for (const rule of RULES) {
    const misfit = rule(parts);
    if (misfit !== null) return misfit;
  }
  return null;
}

/** All rules that are broken, in the same order. */
export function misfitsOf(parts: Parts): Rejection[] {
  return RULES.flatMap((rule) => rule(parts) ?? []);
}

const RULES: readonly ((parts: Parts) => Rejection | null)[] = [
  participation,
  rungs,
  timelessness,
  wouldBeyondLimit,
  reducing,
  ladderMisfit,
  postOnly,
];

function participation({ terms: { strategy }, clip }: Parts): Rejection | null {
  if (strategy !== 'POV' || clip.type !== 'PERCENTAGE') return null;
  if (clip.ppmOfPercent <= PARTICIPATION_PPM_OF_PERCENT_MAX) return null;
  const [share, most] = [clip.ppmOfPercent, PARTICIPATION_PPM_OF_PERCENT_MAX].map((ppmOfPercent) =>
    formatSteps(ppmOfPercent, PERCENT_PRECISION),
  );
  return wrong(`clip_size_val ${share} is above ${most}: with strategy POV it is percent of the market's volume`);
}

function rungs({ subject: { instrument }, terms: { strategy, quantity }, clip }: Parts): Rejection | null {
  const count = strategy === 'SCALE' && quantity !== null ? childCountOf(clip, quantity) : null;
  if (count === null || clip.type === 'AUTOMATIC') return null;
  if (count >= LADDER_RUNGS_MIN && count <= LADDER_RUNGS_MAX) return null;
  const cut = `clip_size_val ${clipValue(clip, instrument)} of clip_size_type ${clip.type} makes ${count} rungs`;
  return wrong(`${cut}: the ladder of strategy SCALE has ${LADDER_RUNGS_MIN} to ${LADDER_RUNGS_MAX}`);
}

function timelessness({ terms: { strategy }, times }: Parts): Rejection | null {
  if (strategy !== 'TWAP' && strategy !== 'VWAP') return null;
  if (times.durationMs !== null || times.endAtMs !== null) return null;
  return wrong(`params.duration_seconds is missing: strategy ${strategy} needs it, or end_time`);
}

function wouldBeyondLimit({ subject: { instrument }, terms: { side, limitPrice }, params }: Parts): Rejection | null {
  const price = params.would?.price ?? null;
  if (price === null || limitPrice === null || !isWorse(side, price, limitPrice)) return null;
  const prices = `${formatTicks(price, instrument)} is worse than limit_price ${formatTicks(limitPrice, instrument)}`;
  return wrong(`params.would.would_price ${prices} of a ${side}`, 'INVALID_WOULD_PRICE');
}

function reducing({ subject: { assetCategory }, params }: Parts): Rejection | null {
  if (!params.reduceOnly || assetCategory === 'FUTURE') return null;
  return wrong(`params.reduce_only true is for FUTURE only, not for ${assetCategory}`);
}

function ladderMisfit({ subject: { instrument }, terms, params: { ladder } }: Parts): Rejection | null {
  const { strategy, side, limitPrice } = terms;
  if (ladder === null) {
    if (strategy !== 'SCALE') return null;
    return wrong('params.start_ladder_price is missing: strategy SCALE needs it and end_ladder_price');
  }
  const start = formatTicks(ladder.start, instrument);
  if (strategy !== 'SCALE' && strategy !== 'ICEBERG') {
    return wrong(`params.start_ladder_price ${start} is for strategies SCALE and ICEBERG, not for ${strategy}`);
  }
  if (limitPrice === null) return null;
  const limit = `limit_price ${formatTicks(limitPrice, instrument)} of a ${side}`;
  if (isWorse(side, ladder.start, limitPrice))
    return wrong(`params.start_ladder_price ${start} is worse than ${limit}`);
  if (!isWorse(side, ladder.end, limitPrice)) return null;
  return wrong(`params.end_ladder_price ${formatTicks(ladder.end, instrument)} is worse than ${limit}`);
}

function postOnly({ subject: { instrument, venue }, params }: Parts): Rejection | null {
  if (!params.postOnly || instrument.filters.isPostOnlyOffered) return null;
  return wrong(`params.post_only true is not supported on ${venue}`);
}

/** A buy pays more, a sell gets less. */
function isWorse(side: Side, price: Ticks, other: Ticks): boolean {
  return side === 'BUY' ? price > other : price < other;
}

function wrong(message: string, code: RejectionCode = 'INVALID_PARAM'): Rejection {
  return { code, message };
}
