/*
 * All fitted parameters of the cost model. `npm run bench -- preview --fit` prints them again. Those of passive fills,
 * of timing and of orders that follow the volume were fitted to the tune half of recordings as well, the others to
 * simulated orders (adr/0024). Without the flag the benchmark checks the model with other seeds.
 */

/** Lots that trade at a touch before a resting child fills, as a multiple of the lots shown. */
export const QUEUE_SCALE = 1.4;
/** Fills by moves of the price through a level, in a second, for each spread that the price moves in that time. */
export const THROUGH_OF_MOVES = 1e-4;

/** Maker share of the fills of an ICEBERG at its limit price. The next clip often finds the market beyond the limit. */
export const MAKER_PART_OF_CLIPS_AT_LIMIT = 0.43;

/** Adverse selection of a passive fill, as a multiple of the value of the option that a resting child gives. */
export const ADVERSE_OF_OPTION = 1.3;
/**
 * Gain of a slice that is taken at a favourable moment of its time, as a part of the price's standard deviation over
 * that time.
 */
export const GAIN_OF_TIMING = 0.09;
/**
 * Loss of a POV that takes after others have traded, as a part of the price's standard deviation over one of its steps:
 * the price has moved with their trades.
 */
export const LOSS_OF_FOLLOWING = 0.1;
/**
 * Gain of a fill at the order's own price, as a part of a sweep's cost beyond the best price. The sweep takes
 * SWEEPERS_SHARE of a day's volume.
 */
export const OVERSHOOT_OF_SWEEP = 0.3;
export const SWEEPERS_SHARE = 1e-4;

/** Constant of the square root law: taking a day's volume moves the price by this many daily standard deviations. */
export const IMPACT_OF_VOLATILITY = 0.4;
/** Time in which the impact of past fills decays to 1/e. */
export const IMPACT_MEMORY_MS = 28_900;
/** Constant of the square root law for an order that takes all at once: its cost beyond the best price. */
export const IMPACT_OF_SWEEP = 0.74;
/**
 * Weights of the two estimates of a sweep's cost beyond the best price: walking the published book, and the square root
 * law. The book may change before the order arrives.
 */
export const SWEEP_OF_WALK = 0.75;
export const SWEEP_OF_LAW = 0.25;

/**
 * Standard deviation of the cost, scaled so that it covers two of three orders, as a fraction of the volatility over
 * the order's exposure.
 */
export const RISK_OF_SCHEDULE = 0.92;
export const RISK_OF_RESTING = 0.85;
/** The same fraction for a POV. Its duration depends on the volume, which also moves the price. */
export const RISK_WITH_VOLUME = 1.08;
/** The same fraction for a ladder. It usually fills early and rarely leaves much, so its usual deviation is smaller. */
export const RISK_OF_LADDER = 0.7;
/** Standard deviation of a sweep's cost, as a fraction of its spread and impact. */
export const RISK_OF_SWEEP = 0.36;
/** Exposure of an order that takes at once: the age of the market data plus the order's latency. */
export const REACTION_MS = 100;
/** Time from the placement of a clip to its fill at the touch while the volume is unknown. */
export const CLIP_MS = 2_500;
