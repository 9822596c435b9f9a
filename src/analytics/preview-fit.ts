/*
 * The numbers of the cost model that are fitted and not derived, all of them, and what each was fitted to: simulated
 * orders of seeds of their own (`npm run bench -- preview --fit` prints them anew; without the flag, other seeds judge).
 */

import type { TradingStyle } from '../model/order.js';

/** Part of an order that is filled as maker, where a schedule is followed and nothing but its style decides. */
export const MAKER_SHARE_ON_SCHEDULE: { readonly [Style in TradingStyle]: number } = {
  PASSIVE: 0.94,
  HYBRID: 0.84,
  AGGRESSIVE: 0,
};
/** The same of an order that goes along with the volume. */
export const MAKER_SHARE_WITH_VOLUME: { readonly [Style in TradingStyle]: number } = {
  PASSIVE: 0.93,
  HYBRID: 0.82,
  AGGRESSIVE: 0,
};
/** The same of an ICEBERG without a price of its own. */
export const MAKER_SHARE_OF_CLIPS: { readonly [Style in TradingStyle]: number } = {
  PASSIVE: 0.97,
  HYBRID: 0.98,
  AGGRESSIVE: 0,
};

/** Part of what is filled of an ICEBERG at its limit that is filled as maker: the next clip often finds the price beyond. */
export const MAKER_PART_OF_CLIPS_AT_LIMIT = 0.43;

/** What a passive fill loses to whoever filled it, in standard deviations of the price over one second. */
export const ADVERSE_SECONDS_SD = 0.36;
/**
 * What fills at prices of their own earn: so much of what taking this part of a day's volume at once would pay beyond the
 * best price.
 */
export const OVERSHOOT_OF_SWEEP = 0.3;
export const SWEEPERS_SHARE = 1e-4;

/** The square root law's constant: taking a day's volume moves the price by so many of a day's standard deviations. */
export const IMPACT_OF_VOLATILITY = 0.4;
/** Time in which the trace of what was taken falls to 1/e. */
export const IMPACT_MEMORY_MS = 28_900;
/** The same constant of what an order that takes all at once pays beyond the best price. */
export const IMPACT_OF_SWEEP = 0.74;
/**
 * What a sweep is expected to pay there: so much of what the book that is shown comes to, and, because it is another book
 * by the time the order comes, so much of what sweeps pay by the law.
 */
export const SWEEP_OF_WALK = 0.75;
export const SWEEP_OF_LAW = 0.25;

/**
 * One standard deviation of the cost, that is, what two of three orders stay within, as a part of what the volatility makes
 * of the order's exposure.
 */
export const RISK_OF_SCHEDULE = 0.92;
export const RISK_OF_RESTING = 0.85;
/** The same of an order that goes along with the volume: it is done after so much of it, and that is what moves the price. */
export const RISK_WITH_VOLUME = 1.02;
/** The same of several prices: most often all is filled early, and seldom much is left, so that less of it is usual. */
export const RISK_OF_LADDER = 0.7;
/** The same of what an order that takes at once pays, as a part of its spread and impact. */
export const RISK_OF_SWEEP = 0.36;
/** An order at once is exposed for so long: what is told of a market is a moment old, and orders travel. */
export const REACTION_MS = 100;
/** How long a clip at the touch takes to be filled and followed by the next. */
export const CLIP_MS = 2_500;
