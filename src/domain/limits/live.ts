/* Bounds of the sessions at real exchanges, each with its unit. */

/** Order look-ups of one account under way at once. */
export const LOOK_UPS_IN_FLIGHT_MAX = 8;
/** Wait before a child is looked up again whose answer could not be relied on: doubles from the first to the last. */
export const LOOK_UP_AGAIN_MS_MIN = 200;
export const LOOK_UP_AGAIN_MS_MAX = 5_000;
/** How long an ended child is remembered for late updates, and how many of one account. */
export const ENDED_CHILD_KEPT_MS = 600_000;
export const ENDED_CHILDREN_MAX = 10_000;
/** Wait before the list of open orders is requested again after a failure. */
export const OPEN_LIST_AGAIN_MS = 500;

/** Instruments that all real exchanges together may list, for the life of a data directory. */
export const ADDED_INSTRUMENTS_MAX = 12_288;
