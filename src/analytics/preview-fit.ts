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

/** What a passive fill loses to whoever filled it, in standard deviations of the price over one second. */
export const ADVERSE_SECONDS_SD = 0.33;

/** The square root law's constant: taking a day's volume moves the price by so many of a day's standard deviations. */
export const IMPACT_OF_VOLATILITY = 0.4;
/** Time in which the trace of what was taken falls to 1/e. */
export const IMPACT_MEMORY_MS = 28_900;
/**
 * What a sweep pays beyond the best price: this part of what the book that is shown comes to, for it is thicker further
 * away; and because it is another book by the time the order comes, so many standard deviations of the price over a second.
 */
export const SWEEP_OF_WALK = 0.84;
export const SWEEP_SECONDS_SD = 0.107;

/** Standard deviation of the cost, as a part of what the volatility makes of the order's exposure. */
export const RISK_OF_SCHEDULE = 0.95;
export const RISK_OF_RESTING = 0.95;
/** The same of several prices: most often all is filled early, and seldom much is left, so that less of it is usual. */
export const RISK_OF_LADDER = 0.78;
/** Standard deviation of what an order that takes at once pays, as a part of its spread and impact. */
export const RISK_OF_SWEEP = 0.4;
/** An order at once is exposed for so long: what is told of a market is a moment old, and orders travel. */
export const REACTION_MS = 100;
/** How long a clip at the touch takes to be filled and followed by the next. */
export const CLIP_MS = 2_500;
