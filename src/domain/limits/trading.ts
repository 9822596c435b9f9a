/** Bounds of orders, strategies, shards and exchanges. The unit is the last word of each name. */

// Orders
export const CLIENT_ORDER_ID_CHARACTERS_MAX = 128;
export const SUBACCOUNT_CHARACTERS_MAX = 64;
export const CLIP_COUNT_MAX = 10_000;
/** Share of the market's volume of a POV order, largest and default, in units of 10^-6 percent. */
export const PARTICIPATION_PPM_OF_PERCENT_MAX = 50_000_000;
export const PARTICIPATION_PPM_OF_PERCENT_DEFAULT = 10_000_000;
/** Rungs of a ladder. */
export const LADDER_RUNGS_MIN = 2;
export const LADDER_RUNGS_MAX = 200;
export const LADDER_RUNGS_DEFAULT = 10;
/** Size at the end of a ladder ÷ size at its start, in units of 10^-6. */
export const SIZE_SKEW_PPM_MIN = 10_000;
export const SIZE_SKEW_PPM_MAX = 100_000_000;
/** Share of one side of the book's best level from which the book counts as imbalanced, in units of 10^-6. */
export const IMBALANCE_PPM_MIN = 500_000;
export const IMBALANCE_PPM_MAX = 990_000;
export const IMBALANCE_PPM_DEFAULT = 750_000;
export const PRICE_LOCK_BPS_MAX = 100;
/** How long the legs of a pair may be out of step, and how far a hedge may cross, before the hedge is widened. */
export const MAX_UNHEDGED_SECONDS_DEFAULT = 30;
export const MAX_UNHEDGED_SECONDS_MAX = 3_600;
export const HEDGE_SLIPPAGE_BPS_DEFAULT = 50;
export const HEDGE_SLIPPAGE_BPS_MAX = 1_000;
export const DURATION_SECONDS_MAX = 2_592_000;
export const START_AHEAD_MS_MAX = 30 * 24 * 3600 * 1000;
/** Latest end_time after the start. */
export const END_AFTER_START_MS_MAX = 30 * 24 * 3600 * 1000;
export const START_BEHIND_MS_MAX = 60_000;
/** How long a client_order_id is remembered after the end of its order. */
export const IDEMPOTENCY_MS = 3 * 24 * 3600 * 1000;

// Shard
/** Largest age of the market row of an arrival price (service time). Older rows count when they came after the wake. */
export const ARRIVAL_AGE_MS_MAX = 250;
/**
 * A market row older than this (service time) is not used for trading: the shard first asks the venue to wake the
 * market.
 */
export const MARKET_STALE_MS = 5_000;
export const MESSAGES_PER_TURN_MAX = 512;
export const TIMERS_PER_TURN_MAX = 512;
/** Outgoing requests that a shard may hold back while the venue's ring is full. Beyond this it takes no new work. */
export const VENUE_BACKLOG_MESSAGES_MAX = 4096;
export const OPEN_PARENTS_PER_SHARD_MAX = 1_000_000;
/** Live children of one parent. */
export const LIVE_CHILDREN_MAX = 200;
/** Consecutive refusals by the venue after which the parent ends. */
export const REFUSALS_MAX = 5;
/** The same for transient failures (rate limit, network) of an order without an end time, which has no other bound. */
export const PASSING_REFUSALS_MAX = 60;
/** Shortest wait before a child that its venue ended is placed again: the cause of the end needs time to pass. */
export const ENDED_AGAIN_MS = 1_000;
/**
 * The same at a real exchange, also after a refused post-only child that would have crossed: with the growing wait of
 * refusals, at most three children in 10 s.
 */
export const EXCHANGE_END_AGAIN_MS = 4_000;
/** Wait before a venue is asked again when its answer was incomplete. */
export const QUERY_AGAIN_MS = 1_000;
/** Silence after which the shard requests the status of a child whose answer is due. */
export const ANSWER_SILENCE_MS_MAX = 5_000;
/** How long after a cut a new order waits for its connection to come back. Later it is rejected. */
export const RECONNECT_WAIT_MS = 2_000;
/** Interval of status requests for a resting child, regardless of its reports: a fill may have been lost. */
export const RESTING_SILENCE_MS_MAX = 60_000;
/** Initial margin of a futures order, in units of 10^-6 of its notional. */
export const INITIAL_MARGIN_PPM = 100_000;

// Quote history: observations of the markets that orders trade in
/** At most one observation of an instrument in this service time, when its orders have events. */
export const QUOTE_BUCKET_MS = 100;
/** Interval of observations without such events; a whole number of buckets. */
export const QUOTE_INTERVAL_MS = 1_000;
/** How long an observation is valid when no other one follows. */
export const QUOTE_HOLD_MS = 5_000;
/** How long a market is observed after its latest fill, for the markouts. */
export const QUOTE_AFTERMATH_MS = 62_000;

// Strategies
export const SLOT_INTERVAL_MS = 30_000;
export const SLOT_INTERVAL_MS_MIN = 1_000;
/** Slots of a schedule that is too short for the usual interval. */
export const SLOTS_COUNT_SHORT = 10;
/** Children that a strategy may place in one decision. */
export const PLACEMENTS_COUNT_MAX = 20;
/** Largest late slice, in planned slices. */
export const CATCH_UP_SLICES_MAX = 3;
/** Every style crosses in the last part of its time: the larger of the two values. */
export const DEADLINE_MS_MIN = 2_000;
export const DEADLINE_PPM = 20_000;
/** How far beyond the far touch a child may reach in that last part, in units of 10^-6 of the price. */
export const DEADLINE_REACH_PPM = 1_000;
/**
 * Fall of the price, in units of 10^-6, after which the small child of a waiting order still is no less than the
 * minimum.
 */
export const TIP_FALL_PPM = 100_000;
/** Shortest and longest time between two attempts to cross. */
export const CROSSING_MS_MIN = 100;
export const CROSSING_MS_MAX = 1_000;
/** Shortest time that a passive child keeps its price; half a slot when that is shorter. */
export const DWELL_MS_MAX = 10_000;
/** A resting child cannot avoid a move of the price sooner than this. */
export const REACTION_MS = 1_000;
/** A resting child stays while the book leans for a shorter time: most leans are brief, and its place is worth more. */
export const IMBALANCE_LEAN_MS_MIN = 500;
/** Shortest and longest time in which an imbalanced book keeps an order from resting. */
export const IMBALANCE_PAUSE_MS_MIN = 200;
export const IMBALANCE_PAUSE_MS_MAX = 30_000;
/** How long a HYBRID would rests before it takes. */
export const WOULD_REST_MS = 10_000;
/** Wait after a refusal: it doubles from the first value to the second. */
export const BACK_OFF_MS_MIN = 250;
export const BACK_OFF_MS_MAX = 10_000;
/**
 * Wait before a simulated exchange gets a post-only child again that would have crossed: at most five times a second.
 */
export const POST_ONLY_RETRY_MS = 200;
/** How long a market order that found too little liquidity waits for the book to refill. */
export const BOOK_REFILL_MS = 250;
/** Longest wait after attempts in a row that took nothing. From the third on it doubles. */
export const MISSED_TAKE_MS_MAX = 2_000;
/** How far beyond the far touch a market order reaches at once, in units of 10^-6 of the price. */
export const MARKET_REACH_PPM = 5_000;
/** Largest distance of a market order's price from its arrival price, in units of 10^-6. */
export const MARKET_COLLAR_PPM = 50_000;
/** Delay of a randomised refill after the clip before. */
export const REFILL_MS_MIN = 100;
export const REFILL_MS_MAX = 1_000;
/** Interval at which a POV order reads the volume. */
export const PARTICIPATION_STEP_MS = 1_000;
/** Wait before a resting order that the venue ended is placed again. */
export const REPOST_MS = 1_000;
/** Full days of history in a volume profile. */
export const PROFILE_DAYS_MAX = 20;
/** The last hours: their pace is an input of an order that starts. A whole number of 5 minutes. */
export const PROFILE_RECENT_MS = 4 * 3600 * 1000;
/** Volume curves that a shard evaluates in one turn while it builds a profile: well below a millisecond. */
export const PROFILE_STEP_COURSES_MAX = 8;
/** How long an order waits for the volume profile before it starts without it, in service time. */
export const PROFILE_WAIT_MS = 2_000;
/** Wait before candles that did not arrive are requested again: old candles are slow to gather. */
export const PROFILE_SILENCE_MS_MAX = 30_000;
/** Volume profiles that a shard keeps: 2.4 kB each. */
export const VOLUME_PROFILES_MAX = 512;
/**
 * Wait before a hedge that did not fill is tried again, with twice the tolerance. After refusals the wait grows up to
 * the second value.
 */
export const HEDGE_RETRY_MS = 250;
export const HEDGE_RETRY_MS_MAX = 2_000;
/** The first try reaches beyond the far touch by this part of the largest reach. */
export const HEDGE_FIRST_REACH = 1 / 8;
/** After its time is over, a hedge may reach this many times further, for this long; then it ends. */
export const HEDGE_LAST_REACH = 4;
export const HEDGE_LAST_STAND_MS = 5_000;
/** While one leg of a pair rests in its market, the market of the other leg is read at this interval. */
export const HEDGE_WATCH_MS = 1_000;
/** Hedges of one order that may be open at once. */
export const HEDGES_COUNT_MAX = 20;
/** Clip of a leading leg with an automatic clip: this part of its quantity. */
export const PAIR_CLIP_SHARE = 1 / 10;
/** Largest lead of a leg when neither leg leads: the larger of a clip and this, in units of 10^-6 of the whole. */
export const PAIR_LEAD_PPM_MAX = 20_000;
/** Slices in the outline of an order. */
export const OUTLINE_POINTS_MAX = 500;

// Order history of exchanges
/**
 * How long a simulated exchange knows an ended order and its fills, in days of service time. Longer than every promise
 * that depends on it: ended orders, client order ids and frames are kept for 3 days. It bounds the age of a backup. A
 * longer value needs another format of the exchanges' store, because removed orders do not return.
 */
export const ORDER_HISTORY_DAYS = 14;
export const ORDER_HISTORY_MS = ORDER_HISTORY_DAYS * 24 * 3600 * 1000;
/** Rows that an exchange removes with one commit, and the service time until the next removal. */
export const FORGET_BATCH_ROWS = 100;
export const FORGET_PAUSE_MS = 10;
/** How far the clock of an exchange and service time may differ. */
export const EXCHANGE_CLOCK_GAP_MS_MAX = 300_000;

// Simulated venues
/** Step of the awake markets, in service time. */
export const VENUE_STEP_MS = 100;
/** A market that is later than this skips most of its sleep and simulates only its last steps. */
export const VENUE_CATCH_UP_STEPS_MAX = 600;
export const VENUE_WARM_UP_STEPS = 50;
/** Resting orders of an account in one instrument of a venue. */
export const VENUE_OPEN_ORDERS_MAX = 200;
/** Interval at which the mid and the volume of an awake market are stored, also without trades. */
export const VENUE_MEMORY_MS = 5_000;

// Market feeds
/** Price levels of each side in the depth cache. */
export const DEPTH_LEVELS_COUNT = 20;
/** Ring venue → main: bytes, a power of two. A message that does not fit is sent later, with the value of that time. */
export const MARKET_RING_BYTES = 1024 * 1024;
/** Market messages that the main thread takes in one turn of its loop. */
export const MARKET_MESSAGES_PER_DRAIN_MAX = 4_096;
/** Shortest interval of the updates of a running candle, in real time. */
export const RUNNING_CANDLE_MS = 250;
/** Interval of the updates of the mark price, and of open interest, in real time. */
export const MARK_UPDATE_MS = 1_000;
export const OPEN_INTEREST_UPDATE_MS = 3_000;
/** Candles in one query. */
export const CANDLES_PER_QUERY_MAX = 1_000;
/** Age of the oldest candles. */
export const CANDLE_HISTORY_MS = 60 * 24 * 3600 * 1000;
/** How long traded minutes are kept, in hours. Older candles come from the expected volume. */
export const CANDLE_HOURS_KEPT_COUNT = 7 * 24;
/** Cached hours of candles, of all instruments together: 2.4 kB each. */
export const CANDLE_HOURS_CACHED_MAX = 4_096;
/** Minutes that a running candle gathers in one turn after its first subscription. */
export const CANDLE_MINUTES_PER_TURN_MAX = 240;
/** Closed candles sent in one turn to one late subscriber. */
export const CLOSED_CANDLES_PER_TURN_MAX = 16;
/**
 * Steps of 10 µs that a venue spends on market history queries in one turn, and the number of queries that may wait.
 */
export const QUERY_STEPS_PER_TURN_MAX = 240;
export const MARKET_QUERIES_WAITING_MAX = 1_000;
/** Funding rates in one query. */
export const FUNDING_RATES_PER_QUERY_MAX = 100;
export const FUNDING_RATES_CACHED_MAX = 10_000;
/** Past funding rates in a REST answer: 30 days. */
export const FUNDING_HISTORY_RATES_COUNT = 90;
/**
 * Shortest interval of requests to a venue for the next funding rate of a future, in real time, for all clients
 * together.
 */
export const FUNDING_QUERY_MS_MIN = 1_000;
/** Requests that may wait for one answer about the funding of one future. */
export const FUNDING_WAITERS_MAX = 1_000;
/** Largest funding rate in either direction, in units of 10^-6 of the notional for one funding period. */
export const FUNDING_RATE_PPM_MAX = 3_000;

// Request budgets of venues
/** Default budget of one account at one venue: enough for the account, and the venue thread has time for the others. */
export const VENUE_REQUESTS_COUNT = 20_000;
export const VENUE_REQUESTS_MS = 1_000;
/** Largest values of the configuration. */
export const VENUE_REQUESTS_COUNT_MAX = 1_000_000;
export const VENUE_REQUESTS_SECONDS_MAX = 3_600;
/**
 * Part of a budget that may be used at once, and the part of it that is reserved for cancels and hedges; in units of
 * 10^-6.
 */
export const REQUEST_BURST_PPM = 200_000;
export const REQUEST_RESERVE_PPM = 250_000;
/** Requests of one account that may wait for one venue. */
export const WAITING_REQUESTS_MAX = 10_000;
/**
 * A placement that waited this long is refused: its price is out of date. All values are below ANSWER_SILENCE_MS_MAX.
 */
export const RESTING_WAIT_MS_MAX = 2_000;
export const TAKING_WAIT_MS_MAX = 4_000;
/** Interval of the reports that a cancel is still throttled; at least twice in ANSWER_SILENCE_MS_MAX. */
export const THROTTLED_NOTICE_MS = 2_000;
/** Longest time until the queue looks at the counts of an exchange again: the exchange may have raised its limits. */
export const EXCHANGE_LIMIT_LOOK_MS_MAX = 1_000;
/** Beyond this number, budgets that are full again are dropped. */
export const VENUE_THROTTLES_MAX = 10_000;

// Latency and faults of venues
/** Longest latency of one message: 10 s. */
export const LATENCY_US_MAX = 10_000_000;
/** Messages in transit in each direction. Beyond this the earliest ones arrive early. */
export const LATENT_MESSAGES_MAX = 65_536;
/** Books of one instrument in transit. */
export const LATENT_BOOKS_MAX = 128;
/** Rules of a fault script, and their longest time: a day. */
export const FAULT_RULES_MAX = 1_000;
export const FAULT_MS_MAX = 24 * 3600 * 1000;
/** Children whose instrument and side are kept for the faults of their reports. */
export const FAULT_CHILDREN_MAX = 10_000;
/** A worker that died this often while it worked on one order quarantines that order at its next start. */
export const SUSPECT_DEATHS_MIN = 2;
/** Reports on quarantined orders that one run of a shard logs in full. */
export const REPORTS_LOST_LOGGED_MAX = 1_000;
/** Characters of the reason of a quarantine; the rest is cut off. */
export const QUARANTINE_DETAIL_CHARACTERS_MAX = 500;
/** Contradictory reports of one order in the journal. Fills among the later ones are still recorded as fills. */
export const CONTRADICTIONS_PER_ORDER_MAX = 100;
/** Added to the number of a child for a forged report. Even: the forged child belongs to the same leg of a pair. */
export const FAULT_CHILD_NUMBER_STEP = 1_000;
/** Reports that wait for an unreachable venue. Beyond this the oldest ones are lost. */
export const FAULT_WITHHELD_MAX = 65_536;
/** A report that the next one should overtake comes after this time even when no other one follows. */
export const REORDERED_REPORT_MS = 1_000;
/** Leverage of all futures accounts at simulated venues. */
export const LEVERAGE_DEFAULT = 10;
/** Funding is paid at 00:00, 08:00 and 16:00 UTC of service time. */
export const FUNDING_INTERVAL_MS = 8 * 3600 * 1000;
/** Funding times that a venue pays late after it was down. Older ones are not paid. */
export const FUNDINGS_LATE_COUNT_MAX = 90;
/** Interval of the liquidation checks, and the number of checks that a late venue makes up for. */
export const LIQUIDATION_CHECK_MS = 1_000;
export const LIQUIDATION_CHECKS_LATE_COUNT_MAX = 5;
/** Fee of a liquidation to the insurance fund, in units of 10^-6 of its notional. */
export const LIQUIDATION_FEE_PPM = 12_500;
/** A venue that starts reports again the positions that closed within this service time before. */
export const CLOSING_KEPT_MS = 60_000;
/** Highest margin ratio in reports; also that of a position without collateral. */
export const MARGIN_RATIO_MAX = 1_000;

// Recorded markets of a backtest
/** Rows of depth that may wait for the snapshot that precedes them. */
export const BACKTEST_ROWS_BEFORE_SNAPSHOT_MAX = 1_000_000;
/** Rounds of requests and reports between an order and its venue at one recorded instant. */
export const BACKTEST_ROUNDS_MAX = 10_000;
/** How long the backtest reads on after the end of the order, for the markouts of the last fills. */
export const BACKTEST_AFTERMATH_MS = 60_000;

// Risk limits
/** Largest USD amount of a risk limit. */
export const RISK_LIMIT_USD_MAX = 1_000_000_000_000;
export const RISK_LIMIT_OPEN_ORDERS_MAX = 1_000_000;
/** Exchanges or symbols in one list of a risk limit. */
export const RISK_LIMIT_NAMES_MAX = 1_000;
export const PRICE_COLLAR_BPS_MAX = 100_000;
/**
 * Interval at which the service looks for changed kill switches; real time. A command of the operator is applied at
 * once.
 */
export const RISK_LIMIT_READ_MS = 100;
/** Age at which the worth of positions is read again when a check of an order needs it; real time. */
export const POSITION_WORTH_MS = 1_000;
/** Stored orders that the count of an account's open orders reads in one turn of the event loop. */
export const RISK_LIMIT_ORDERS_PER_TURN_MAX = 50;
/** Orders that may wait until the open orders of their account are counted. */
export const RISK_LIMIT_WAITERS_MAX = 10_000;
/** Amendments of one order that its account's exposure may count at once until they are in effect or refused. */
export const RISK_LIMIT_AMENDMENTS_PER_ORDER_MAX = 16;
/**
 * Interval of the checks for open orders of accounts with an engaged kill switch. It doubles while no order needs a
 * cancel; real time.
 */
export const KILL_SWEEP_MS_MIN = 100;
export const KILL_SWEEP_MS_MAX = 5_000;
/** Longest delay before a thread applies changes that another thread made of keys, risk limits and kill switches. */
export const IDENTITY_READ_MS = 1;

// Restore and reconciliation
/** Rows that an exchange reads for one page of an account's orders. */
export const LISTED_ROWS_MAX = 500;
/** Children that one command adopts for an order. */
export const ADOPTED_PER_COMMAND_MAX = 64;
/**
 * Child numbers that a restore skips: the first value for each second since its backup, plus the second. More than any
 * order uses.
 */
export const CHILD_NUMBERS_PER_SECOND = 64;
export const CHILD_NUMBERS_BURST_COUNT = 1_024;
/** Interval of the reconciliation's checks, and the wait before a list of orders is requested again. */
export const RECONCILE_CHECK_MS = 250;
export const RECONCILE_AGAIN_MS = 1_000;
/** Order lists that are requested at once, and orders that one check covers. */
export const RECONCILE_LISTS_MAX = 8;
export const RECONCILE_ORDERS_PER_CHECK_MAX = 500;
/** Orphans listed in a report. */
export const ORPHANS_SHOWN_MAX = 1_000;
