/** Every bound of the service, in one place; the unit is the last word of the name. */

// HTTP
/** Unless it is configured. */
export const BODY_BYTES_MAX = 1024 * 1024;
export const BATCH_ORDERS_MAX = 500;
export const QUERY_CHARACTERS_MAX = 16 * 1024;
export const QUERY_IDS_MAX = 500;
export const FIND_ORDERS_DEFAULT = 100;
export const FIND_ORDERS_MAX = 1000;
export const FIND_HORIZON_MS = 3 * 24 * 3600 * 1000;
/** Milliseconds of the largest instant a Date can hold. */
export const INSTANT_MS_MAX = 8_640_000_000_000_000;
/** A larger body than allowed is still read up to here, so that its sender gets to read the 413. */
export const BODY_BYTES_DISCARDED_MAX = 16 * 1024 * 1024;
/** Bytes of bodies that have come in part, of all connections together. One address may hold half of them. */
export const HELD_BODY_BYTES_MAX = 64 * 1024 * 1024;
/** A body that has not come as a whole this long after its first part loses its connection. */
export const BODY_WAIT_MS_MAX = 30_000;
/** How often bodies are looked at for that. */
export const BODY_LOOK_MS = 1_000;
/** Sockets open at once, if the operating system allows as many. */
export const CONNECTIONS_MAX = 200_000;
/** Descriptors that connections leave to journal, stores and threads. */
export const DESCRIPTORS_KEPT_COUNT = 128;
/** Fewer descriptors than this are reported at start. */
export const DESCRIPTORS_COUNT_MIN = 4_096;
/** Answers beyond this are handed to the socket as it drains instead of at once. */
export const ANSWER_BYTES_AT_ONCE_MAX = 64 * 1024;
/** An answer of so many rows (orders, trades, events) is read at once by the main thread; a larger one elsewhere, in pages. */
export const READ_ROWS_AT_ONCE_MAX = 40;
/** A page of an answer: it ends with the first of the two that is reached. */
export const READ_PAGE_ROWS = 100;
export const READ_PAGE_CHARACTERS_MAX = 64 * 1024;
/** Keys of an index that are read for one row of a page. */
export const READ_INDEX_KEYS = 100;
/** Pages that the reading thread is asked for at once: one is read while the one before it is sent. */
export const READ_PAGES_ASKED_MAX = 2;
/** Larger answers of one account that are read at once, and that may wait for it. */
export const READS_ACTIVE_PER_ACCOUNT_MAX = 2;
export const READS_PER_ACCOUNT_MAX = 64;
/** The same of all accounts. */
export const READS_ACTIVE_MAX = 32;
export const READS_MAX = 1_024;
/** A client that does not take a page within this is cut off. */
export const READ_DRAIN_MS_MAX = 30_000;
/** A page that is not read within this ends its thread, and another one begins. */
export const READ_PAGE_MS_MAX = 30_000;
/** Each so many rows of an answer take one request from the budget of reads. */
export const READ_ROWS_PER_REQUEST = 100;
/** How much the reading thread gives way to all others: steps of the operating system's priority. */
export const READ_NICENESS = 5;
/** Characters of a client's value that a message quotes. */
export const QUOTED_CHARACTERS_MAX = 64;
/** How long close() lets requests that wait for a shard or a venue finish. */
export const HTTP_DRAIN_MS_MAX = 3_000;
/** What a client is told to wait after SYSTEM_BUSY. */
export const RETRY_AFTER_S = 1;
/** Requests with one client_order_id that may wait for the first of them. */
export const IDEMPOTENCY_WAITERS_MAX = 1_000;
/** Client order ids answered since the store was last read anew: at so many it is, once for all of them. */
export const SETTLED_CREATES_MAX = 10_000;
/** Client order ids whose create was sent and never answered; the oldest leaves. */
export const UNRESOLVED_CREATES_MAX = 10_000;
/** Commands of all cancelAlls that wait for their shards at once, and those of one account. */
export const CANCELS_IN_FLIGHT_MAX = 512;
export const CANCELS_IN_FLIGHT_PER_ACCOUNT_MAX = 64;
/** Cancels that are sent in one turn of the loop when their outcomes come at once. */
export const CANCELS_PER_TURN_MAX = 256;
/** Ids of open orders that a cancelAll reads in one turn of the loop. */
export const CANCEL_INDEX_KEYS = 1_000;
/** Members of a batch that are begun in one turn of the loop. */
export const BATCH_MEMBERS_PER_TURN_MAX = 50;
/** Open orders that a kill switch looks at in one turn of the loop. */
export const KILL_LOOK_ORDERS = 50;
/** Network addresses whose budgets are kept: of more the oldest is forgotten. */
export const ADDRESS_BUDGETS_MAX = 65_536;
/** Requests a second from one address before its key is looked at, unless it is configured. */
export const ADDRESS_REQUESTS_PER_SECOND = 5_000;
/** Beyond so many API keys the budgets of idle ones are forgotten. */
export const BUDGET_KEYS_MAX = 10_000;
/** A batch may ask for more than the budgets' burst of requests: it is let in by a full budget, which it then owes. */
export const BURST_SECONDS = 2;
/** A request whose shard has not answered by then gets SYSTEM_BUSY with an unknown outcome said. */
export const ANSWER_WAIT_MS = 10_000;
/** A venue that has not answered a balance query by then is not available. */
export const VENUE_ANSWER_WAIT_MS = 2_000;

// Authentication
export const RECV_WINDOW_MS_DEFAULT = 5000;
export const RECV_WINDOW_MS_MAX = 60_000;
export const TIMESTAMP_AHEAD_MS_MAX = 1000;
/** A listen key issued later than this after now is refused: the wall clock was ahead then. */
export const LISTEN_KEY_AHEAD_MS_MAX = 60_000;
/** Of a nonce of the second way to sign. */
export const NONCE_CHARACTERS_MIN = 16;
export const NONCE_CHARACTERS_MAX = 64;
/** Signatures of all accounts that are remembered at once: 33 bytes each. One account alone may hold half of them. */
export const SIGNATURES_REMEMBERED_MAX = 4_194_304;
/** A signature is remembered for so long after it ceases to be good: the clock may be set back by as much. */
export const SIGNATURE_MARGIN_MS = 2_000;
/** Spans of time set back into, of which it is known that their signatures are forgotten. */
export const FORGOTTEN_SPANS_MAX = 16;
/** A file of used signatures is followed by the next one after this, or when it holds so much. */
export const SIGNATURE_FILE_MS = 60_000;
export const SIGNATURE_FILE_BYTES = 64 * 1024 * 1024;

// Orders
export const CLIENT_ORDER_ID_CHARACTERS_MAX = 128;
export const SUBACCOUNT_CHARACTERS_MAX = 64;
export const CLIP_COUNT_MAX = 10_000;
/** Share of the market's volume that a POV order may want, and wants by default, in units of 10^-6 percent. */
export const PARTICIPATION_PPM_OF_PERCENT_MAX = 50_000_000;
export const PARTICIPATION_PPM_OF_PERCENT_DEFAULT = 10_000_000;
/** Rungs of a ladder. */
export const LADDER_RUNGS_MIN = 2;
export const LADDER_RUNGS_MAX = 200;
export const LADDER_RUNGS_DEFAULT = 10;
/** Size at the end of a ladder ÷ size at its start, in units of 10^-6. */
export const SIZE_SKEW_PPM_MIN = 10_000;
export const SIZE_SKEW_PPM_MAX = 100_000_000;
/** Share of the book's best level that counts as leaning, in units of 10^-6. */
export const IMBALANCE_PPM_MIN = 500_000;
export const IMBALANCE_PPM_MAX = 990_000;
export const IMBALANCE_PPM_DEFAULT = 750_000;
export const PRICE_LOCK_BPS_MAX = 100;
/** How long the legs of a pair may be out of step, and how far a hedge may cross, before it is widened. */
export const MAX_UNHEDGED_SECONDS_DEFAULT = 30;
export const MAX_UNHEDGED_SECONDS_MAX = 3_600;
export const HEDGE_SLIPPAGE_BPS_DEFAULT = 50;
export const HEDGE_SLIPPAGE_BPS_MAX = 1_000;
export const DURATION_SECONDS_MAX = 2_592_000;
export const START_AHEAD_MS_MAX = 30 * 24 * 3600 * 1000;
/** end_time lies at most so far after the start. */
export const END_AFTER_START_MS_MAX = 30 * 24 * 3600 * 1000;
export const START_BEHIND_MS_MAX = 60_000;
/** client_order_id is remembered so long after the order's end. */
export const IDEMPOTENCY_MS = 3 * 24 * 3600 * 1000;

// WebSocket; what a client sends and how often it connects is so limited unless it is configured
export const WS_FRAME_BYTES_MAX = 16 * 1024;
/** A private stream that lies further behind than this is closed with 1013 and resumes by resume_from. */
export const WS_PRIVATE_BACKLOG_BYTES_MAX = 1024 * 1024;
/** Market data waits for the socket to drain beyond this; the latest wins. */
export const WS_MARKET_BACKLOG_BYTES_MAX = 64 * 1024;
/** Closed candles of one subscription that may wait for a slow socket; beyond it is closed with 1013. */
export const WS_CLOSED_CANDLES_WAITING_MAX = 100;
export const WS_CONNECTIONS_MAX = 20_000;
export const WS_CONNECTIONS_PER_ACCOUNT_MAX = 5_000;
/** How often the API keys of all connections are looked at; real time. */
export const KEY_LOOK_MS = 250;
/** How long the socket of a revoked key may take to drain before it is cut. */
export const WS_REVOKED_WAIT_MS_MAX = 250;
export const WS_MARKET_SUBSCRIPTIONS_MAX = 20;
/** Client messages a connection may send a second, and how many seconds of them at once; beyond it is closed with 1008. */
export const WS_MESSAGES_PER_SECOND = 100;
export const WS_MESSAGES_BURST_SECONDS = 10;
/** How often a follower of position_risk is told what another mark price makes of a position; real time. */
export const POSITION_RISK_MS = 1_000;
/** Such questions of all accounts that may wait for their venues at once; beyond it each is told less often. */
export const POSITION_RISK_QUESTIONS_MAX = 256;
/** Frames of one loop turn are sent together; a longer run is sent when it reaches this. */
export const WS_FLUSH_BYTES = 64 * 1024;
/** How long a socket that is being closed may take to drain before it is cut. */
export const WS_CLOSE_WAIT_MS_MAX = 60_000;
/** Frames of a feed held back while one before them is awaited from another shard, and how long. */
export const FEED_REORDER_FRAMES_MAX = 256;
export const FEED_GAP_WAIT_MS = 5;
/** Constant parts of streamed orders kept in memory. */
export const STREAMED_ORDERS_CACHED_MAX = 10_000;
/** Terms kept in memory that an amendment has replaced: frames from before it show them when they are sent again. */
export const FORMER_TERMS_CACHED_MAX = 10_000;
/** Journal frames read in one step, and steps in one turn of the main loop: how much a replay may delay other work. */
export const REPLAY_STEP_FRAMES = 16;
export const REPLAY_STEPS_PER_TURN_MAX = 8;
/** A turn takes no further frame once it has lasted this long. */
export const REPLAY_TURN_MS_MAX = 2;
export const FEED_FRAMES_KEPT_MAX = 1_000_000;
export const FEED_KEPT_MS = 3 * 24 * 3600 * 1000;

// Rings: bytes of payload space, a power of two
export const COMMAND_RING_BYTES = 4 * 1024 * 1024;
export const EVENT_RING_BYTES = 16 * 1024 * 1024;
export const VENUE_REQUEST_RING_BYTES = 4 * 1024 * 1024;
export const VENUE_REPORT_RING_BYTES = 4 * 1024 * 1024;
export const RING_MESSAGE_BYTES_MAX = 256 * 1024;
export const RING_BYTES_MIN = 64;
export const RING_BYTES_MAX = 1024 * 1024 * 1024;

// Market slate
export const SLATE_INSTRUMENTS_MAX = 16 * 1024;
export const SLATE_READERS_MAX = 256;

// Shard
export const MESSAGES_PER_TURN_MAX = 512;
export const TIMERS_PER_TURN_MAX = 512;
/** Bytes of outgoing child orders a shard may hold back while the venue's ring is full, before it takes no new work. */
export const VENUE_BACKLOG_MESSAGES_MAX = 4096;
export const OPEN_PARENTS_PER_SHARD_MAX = 1_000_000;
/** Children of one parent that may live at once. */
export const LIVE_CHILDREN_MAX = 200;
/** Children the venue may refuse in a row before the parent ends. */
export const REFUSALS_MAX = 5;
/** The same for passing failures (rate limit, network) of an order without an end time, which nothing else would stop. */
export const PASSING_REFUSALS_MAX = 60;
/** What a venue has ended by itself is placed again after this at the earliest: what stood in its way needs time to go. */
export const ENDED_AGAIN_MS = 1_000;
/** A venue that could not answer a query in full is asked again after this. */
export const QUERY_AGAIN_MS = 1_000;
/** A venue that has said nothing for so long to what it must answer is asked. */
export const ANSWER_SILENCE_MS_MAX = 5_000;
/** A child that rests in the book is asked for so often, whatever is told of it: a fill may have been lost. */
export const RESTING_SILENCE_MS_MAX = 60_000;
/** Initial margin of a futures order, in units of 10^-6 of its notional. */
export const INITIAL_MARGIN_PPM = 100_000;

// Tape: observations of the markets that orders are worked in
/** At most one observation of an instrument in so much service time, when something happens to its orders. */
export const TAPE_BUCKET_MS = 100;
/** And one in this while nothing does; whole buckets. */
export const TAPE_INTERVAL_MS = 1_000;
/** An observation that is not followed by another one says nothing of the market after this. */
export const TAPE_HOLD_MS = 5_000;
/** A market is observed so long after the latest fill in it, for the markouts. */
export const TAPE_AFTERMATH_MS = 62_000;

// Execution cost
/** Orders that one report over a window measures. */
export const COST_ORDERS_MAX = 500;
/** Events of an order read in one piece. */
export const COST_EVENTS_PER_PAGE = 1_000;
/** Observations that one report of an order keeps: of a longer order every n-th second is looked at. */
export const COST_OBSERVATIONS_MAX = 500_000;
/** Threads that reckon costs, requests that may wait for them, and their memory. */
export const COST_THREADS_MAX = 2;
export const COST_REQUESTS_WAITING_MAX = 64;
/** Of these, so many of one account: the others find room and wait for one of them at most. */
export const COST_REQUESTS_WAITING_PER_ACCOUNT_MAX = 16;
/** A report of execution cost that takes longer is given up, and its thread is terminated. */
export const COST_ANSWER_MS_MAX = 120_000;
export const COST_HEAP_MEGABYTES_MAX = 512;
/** How much these threads give way to all others: steps of the operating system's priority. */
export const COST_NICENESS = 5;

// Strategies
export const SLOT_INTERVAL_MS = 30_000;
export const SLOT_INTERVAL_MS_MIN = 1_000;
/** A schedule too short for the usual interval still has about so many slots. */
export const SLOTS_COUNT_SHORT = 10;
/** Children one look of a strategy at the market may place. */
export const PLACEMENTS_COUNT_MAX = 20;
/** A late slice is at most so many times the planned one. */
export const CATCH_UP_SLICES_MAX = 3;
/** Every style crosses in the last part of its time: the larger of the two. */
export const DEADLINE_MS_MIN = 2_000;
export const DEADLINE_PPM = 20_000;
/** How far beyond the far touch a child may reach in that last part, in units of 10^-6 of the price. */
export const DEADLINE_REACH_PPM = 1_000;
/** Bounds between two attempts to cross. */
export const CROSSING_MS_MIN = 100;
export const CROSSING_MS_MAX = 1_000;
/** A passive child stays where it is at least so long, or half a slot when that is shorter. */
export const DWELL_MS_MAX = 10_000;
/** A resting child cannot be out of the way of a move of the price sooner than this. */
export const REACTION_MS = 1_000;
/** How long a book that leans against an order keeps it from resting, at least and at most. */
export const LEAN_PAUSE_MS_MIN = 200;
export const LEAN_PAUSE_MS_MAX = 30_000;
/** A HYBRID would rests so long before it takes. */
export const WOULD_REST_MS = 10_000;
/** Wait after a refusal: doubles from the first to the second. */
export const BACK_OFF_MS_MIN = 250;
export const BACK_OFF_MS_MAX = 10_000;
/** A post-only child that would have crossed may be placed again after this: at most five times a second. */
export const POST_ONLY_RETRY_MS = 200;
/** A market order that found too little waits so long for the book to fill again. */
export const BOOK_REFILL_MS = 250;
/** How far beyond the far touch a market order reaches at once, in units of 10^-6 of the price. */
export const MARKET_REACH_PPM = 5_000;
/** A market order does not trade further from its arrival price than this, in units of 10^-6 of it. */
export const MARKET_COLLAR_PPM = 50_000;
/** A randomised refill comes so long after the clip before it. */
export const REFILL_MS_MIN = 100;
export const REFILL_MS_MAX = 1_000;
/** A POV order looks at the volume anew after this. */
export const PARTICIPATION_STEP_MS = 1_000;
/** A resting order that the venue ended is placed again after this. */
export const REPOST_MS = 1_000;
/** Full days of history that a volume profile is learnt from. */
export const PROFILE_DAYS_MAX = 20;
/** The last hours, whose pace an order that begins is told; a whole number of 5 minutes. */
export const PROFILE_RECENT_MS = 4 * 3600 * 1000;
/** An order waits so long for the volume profile it needs before it goes on without, in service time. */
export const PROFILE_WAIT_MS = 2_000;
/** Candles that were asked for and did not come are asked for again after this: what is far back is slow to gather. */
export const PROFILE_SILENCE_MS_MAX = 30_000;
/** Instruments of which a shard keeps the volume profile: 2.4 kB each. */
export const VOLUME_PROFILES_MAX = 512;

/** A hedge that did not fill is tried again after this, with twice the tolerance; after a refusal ever later, up to the second. */
export const HEDGE_RETRY_MS = 250;
export const HEDGE_RETRY_MS_MAX = 2_000;
/** The first try reaches beyond the far touch by this part of what it may at most. */
export const HEDGE_FIRST_REACH = 1 / 8;
/** Once the time for a hedge is over it may reach so many times further, for so long; then it is given up. */
export const HEDGE_LAST_REACH = 4;
export const HEDGE_LAST_STAND_MS = 5_000;
/** While a leg of a pair rests in its market, that of the other is looked at so often. */
export const HEDGE_WATCH_MS = 1_000;
/** Hedges of one order under way at once. */
export const HEDGES_COUNT_MAX = 20;
/** What the clip of a leading leg is taken for that leaves it to its strategy: this part of its quantity. */
export const PAIR_CLIP_SHARE = 1 / 10;
/** How far one of two legs of which neither leads may be ahead: the larger of a clip and this, in units of 10^-6 of the whole. */
export const PAIR_LEAD_PPM_MAX = 20_000;
/** Slices that the outline of an order is told in. */
export const OUTLINE_POINTS_MAX = 500;

// Journal
export const SEGMENT_BYTES = 64 * 1024 * 1024;
export const ENTRY_BYTES_MAX = 64 * 1024;
/** How long a reader waits for the commit of a turn that was released already. It takes well below a millisecond. */
export const COMMIT_WAIT_MS_MAX = 1_000;
/** A checkpoint is made this often, when at least so many events came since the last one. */
export const CHECKPOINT_INTERVAL_MS = 60_000;
export const CHECKPOINT_EVENTS_MIN = 10_000;
export const CHECKPOINTS_KEPT_COUNT = 2;
/** Starts that may die one after the other while they build the state from one source. */
export const BUILD_ATTEMPTS_COUNT_MAX = 3;
/** How often the keeper looks whether the next segment, a checkpoint or retention is due. */
export const KEEPER_ROUND_MS = 1_000;
/** Events that replay puts into one LMDB transaction, at least one turn. */
export const REPLAY_BATCH_EVENTS = 4_096;
/** Rows that retention removes in one LMDB transaction: shards wait for it, and go first before the next one. */
export const RETENTION_BATCH_ROWS = 500;
export const RETENTION_PAUSE_MS = 2;
/** Orders that retention looks at in one piece. */
export const RETENTION_PAGE_ORDERS = 256;
/** Address space reserved for LMDB's map: reaching it costs a new map, not an error. */
export const STATE_MAP_BYTES = 64 * 1024 * 1024 * 1024;
/** Journal segments a reader keeps open. */
export const SEGMENT_FILES_OPEN_MAX = 16;
/** Findings a check of the journal lists before it stops comparing. */
export const PROBLEMS_COUNT_MAX = 100;

// Process
/** How much a thread's heap may grow between two collections: memory a parked order costs against processor time. */
export const HEAP_GROWTH_PERCENT_MAX = 100;

// Clocks
/** The wall clock may differ by so much from what a start expects of it. */
export const CLOCK_GAP_MS_MAX = 300_000;
/** After a reboot a stop of the service is believed up to this. Well below IDEMPOTENCY_MS: names outlive a wrong clock. */
export const CLOCK_STOP_MS_MAX = 24 * 3600 * 1000;
/** The operator's confirmation and the wall clock may differ by this. */
export const CLOCK_CONFIRM_MS_MAX = 3_600_000;
/** A smaller difference between wall clock and monotonic clock in one look is no step. */
export const CLOCK_STEP_MS_MIN = 500;
/** Service time is slewed when it differs more than the first from the wall clock, until it differs less than the second. */
export const CLOCK_ERROR_MS_MIN = 1_000;
export const CLOCK_AGREES_MS_MAX = 500;
/** How much slower service time runs while it is ahead, and how much faster while it is behind; in units of 10^-6. */
export const CLOCK_SLEW_AHEAD_PPM = 500_000;
export const CLOCK_SLEW_BEHIND_PPM = 250_000;
/** How often the last known clocks are stored. */
export const CLOCK_RECORD_MS = 10_000;

// Disk, unless it is configured
/** Less free space than this raises an alarm; less than the second places no order. */
export const DISK_WARNING_MEGABYTES = 2_000;
export const DISK_HALT_MEGABYTES = 500;
export const DISK_MEGABYTES_MAX = 1_000_000_000;
/** A bound is left when there is so many times as much room. */
export const DISK_LIFT_RATIO = 1.1;
/** Kept for a start and for cancels on a full disk. */
export const DISK_RESERVE_BYTES = 32 * 1024 * 1024;

// Supervision
export const WORKER_DEATHS_MAX = 3;
export const WORKER_DEATHS_WINDOW_MS = 60_000;
/** A shard that makes no turn for so long is stuck (a thread lost within a transaction): the process ends. */
export const SHARD_SILENCE_MS_MAX = 15_000;
/** The venue thread and the watchdog are terminated and started again after so long. */
export const THREAD_SILENCE_MS_MAX = 20_000;
/** The same of the keeper, and when its silence is logged: it writes whole segments at once, which a busy disk delays. */
export const KEEPER_SILENCE_MS_MAX = 60_000;
export const KEEPER_SILENCE_MS_WARNING = 20_000;
/** The watchdog ends the process when the main thread does not move for so long. */
export const MAIN_SILENCE_MS_MAX = 30_000;
/** A thread that is silent for so long is logged, and the service is not ready. */
export const THREAD_SILENCE_MS_WARNING = 5_000;
/** A terminated thread must have ended by then, and one that starts must be up; otherwise the process ends. */
export const TERMINATION_MS_MAX = 10_000;
export const THREAD_START_MS_MAX = 120_000;
/** Threads wake at least so often to beat; between two looks at a beat no more than the second counts as silence. */
export const BEAT_MS_MAX = 1_000;
export const SILENCE_LOOK_MS_MAX = 2_000;
export const SHUTDOWN_MS_MAX = 9_000;
/** Commands under way get so long for their answers before the shards are asked to end. */
export const SHUTDOWN_DRAIN_MS_MAX = 2_000;
/** How often a shutdown looks whether it can take its next step. */
export const SHUTDOWN_POLL_MS = 10;
/** A start waits so long for the process before it to be gone, which may have been killed a moment ago. */
export const CLAIM_WAIT_MS_MAX = 2_000;
/** How often it looks meanwhile. */
export const CLAIM_LOOK_MS = 20;
/** A market row older than this (service time) is not traded on: the venue is asked to wake it first. */
export const MARKET_STALE_MS = 5_000;

// Identity
export const ACCOUNT_CHARACTERS_MAX = 64;
/** Of a generated API key: 128 random bits in hexadecimal. */
export const API_KEY_CHARACTERS = 32;
export const API_SECRET_BYTES = 32;
export const RSA_MODULUS_BITS_MIN = 2048;
/** Verifying grows with the modulus; a larger key would let its owner slow down everyone. */
export const RSA_MODULUS_BITS_MAX = 8192;
export const API_KEYS_CACHED_MAX = 10_000;
/** Addresses and networks one API key may be bound to. */
export const ALLOWED_NETWORKS_MAX = 64;
/** Order ids reserved at once; a crash skips what is left of a block. */
export const ORDER_ID_BLOCK_IDS_MAX = 1_048_576;

// Routing
/** Order ids reserved at once: one synced write each. */
export const ORDER_ID_BLOCK_COUNT = 65_536;
/** Commands that may wait for their answer at once. */
export const PENDING_COMMANDS_MAX = 100_000;
export const VENUE_QUESTIONS_PENDING_MAX = 10_000;
/** A market that slept must tell a price within so much real time; how often it is looked at, and how many wait for all. */
export const PRICE_WAIT_MS = 1_000;
export const PRICE_LOOK_MS = 5;
export const PRICE_ASKERS_MAX = 10_000;
/** Requests that may wait for what is learnt of the volume of one instrument. */
export const VOLUME_ASKERS_MAX = 1_000;

// Codec
/** Characters of a text that an exchange sends: an order id, a currency, the message of a rejection. */
export const EXCHANGE_TEXT_CHARACTERS_MAX = 1_000;
/** Decimal text of a sum in a message: a notional or an amount stays far below. */
export const INTEGER_TEXT_CHARACTERS_MAX = 64;

// Simulated venues
/** Markets that are awake are looked at every so much service time. */
export const VENUE_STEP_MS = 100;
/** A market further behind than this leaps over its sleep, and lives through its last steps only. */
export const VENUE_CATCH_UP_STEPS_MAX = 600;
export const VENUE_WARM_UP_STEPS = 50;
/** Orders an account may have resting in one instrument of a venue. */
export const VENUE_OPEN_ORDERS_MAX = 200;
/** The mid and volume of a market that lives are stored so often even when nobody traded in it. */
export const VENUE_MEMORY_MS = 5_000;

// Market feeds
/** Price levels of each side that the depth slate shows. */
export const DEPTH_LEVELS_COUNT = 20;
/** Venue → main: a power of two. What does not fit is told later, and then what holds by then. */
export const MARKET_RING_BYTES = 1024 * 1024;
/** Market messages the main thread takes in one turn of its loop. */
export const MARKET_MESSAGES_PER_DRAIN_MAX = 4_096;
/** A running candle is told at most so often, in real time. */
export const RUNNING_CANDLE_MS = 250;
/** The mark price is told so often, and open interest, in real time. */
export const MARK_UPDATE_MS = 1_000;
export const OPEN_INTEREST_UPDATE_MS = 3_000;
/** Candles one query may ask for. */
export const CANDLES_PER_QUERY_MAX = 1_000;
/** How far back candles go. */
export const CANDLE_HISTORY_MS = 60 * 24 * 3600 * 1000;
/** Minutes that were traded are kept so long; older ones are told as they were expected to be. */
export const CANDLE_HOURS_KEPT_COUNT = 7 * 24;
/** Hours of candles in memory, for all instruments together: 2.4 kB each. */
export const CANDLE_HOURS_CACHED_MAX = 4_096;
/** Minutes that a running candle gathers in one turn when it is first followed. */
export const CANDLE_MINUTES_PER_TURN_MAX = 240;
/** Candles that are over and told in one turn to one follower who lies behind. */
export const CLOSED_CANDLES_PER_TURN_MAX = 16;
/** Questions about the past of markets that may wait at a venue, and the steps of 10 µs it takes before it serves orders again. */
export const QUESTION_STEPS_PER_TURN_MAX = 240;
export const MARKET_QUESTIONS_WAITING_MAX = 1_000;
/** Funding rates one query may ask for. */
export const FUNDING_RATES_PER_QUERY_MAX = 100;
export const FUNDING_RATES_CACHED_MAX = 10_000;
/** Past funding rates that REST answers: 30 days of them. */
export const FUNDING_HISTORY_RATES_COUNT = 90;
/** What a future pays next is asked of its venue at most so often, in real time, however many want to know. */
export const FUNDING_LOOK_MS = 1_000;
/** Requests that may wait for one answer about the funding of one future. */
export const FUNDING_ASKERS_MAX = 1_000;
/** A funding rate never leaves this, either way; in units of 10^-6 of the notional for one funding period. */
export const FUNDING_RATE_PPM_MAX = 3_000;

// Budgets of requests to venues
/** What one account may ask of one venue unless it is configured: enough for it, and the venues' thread keeps time for others. */
export const VENUE_REQUESTS_COUNT = 20_000;
export const VENUE_REQUESTS_MS = 1_000;
/** What may be configured. */
export const VENUE_REQUESTS_COUNT_MAX = 1_000_000;
export const VENUE_REQUESTS_SECONDS_MAX = 3_600;
/** Part of a budget that may go at once, and part of that which is kept for cancels and hedges; in units of 10^-6. */
export const REQUEST_BURST_PPM = 200_000;
export const REQUEST_RESERVE_PPM = 250_000;
/** Requests of one account that may wait for one venue. */
export const WAITING_REQUESTS_MAX = 10_000;
/** A placement that has waited so long is refused: its price is of another moment. All lie below ANSWER_SILENCE_MS_MAX. */
export const RESTING_WAIT_MS_MAX = 2_000;
export const TAKING_WAIT_MS_MAX = 4_000;
/** How often whoever waits for a cancel is told that it is still held back; at least twice in ANSWER_SILENCE_MS_MAX. */
export const HELD_NOTICE_MS = 2_000;
/** Budgets that are full again are forgotten when there are so many. */
export const VENUE_BUDGETS_MAX = 10_000;

// Latency and faults of venues
/** Longest time of one message on its way: 10 s. */
export const LATENCY_US_MAX = 10_000_000;
/** Messages under way, each way; of more the earliest arrive before their time. */
export const LATENT_MESSAGES_MAX = 65_536;
/** Books of one instrument under way. */
export const LATENT_BOOKS_MAX = 128;
/** Rules of a fault script, and their longest time: a day. */
export const FAULT_RULES_MAX = 1_000;
export const FAULT_MS_MAX = 24 * 3600 * 1000;
/** Children whose instrument and side are remembered for the faults of their reports. */
export const FAULT_CHILDREN_MAX = 10_000;
/** A worker that died so often while it worked on the same order quarantines that order at its next start. */
export const SUSPECT_DEATHS_MIN = 2;
/** Reports on orders that are set aside: so many are logged in full by one life of a shard. */
export const REPORTS_LOST_LOGGED_MAX = 1_000;
/** Characters of the text that says why an order is quarantined; the rest is cut off. */
export const QUARANTINE_DETAIL_CHARACTERS_MAX = 500;
/** Contradictory reports that are journalled of one order; the fills among later ones are still recorded as fills. */
export const CONTRADICTIONS_PER_ORDER_MAX = 100;
/** Added to the number of a child for a forged report. Even: the forged child belongs to the same leg of a pair. */
export const FAULT_CHILD_NUMBER_STEP = 1_000;
/** Reports that wait for a venue that cannot be reached; the oldest are lost. */
export const FAULT_WITHHELD_MAX = 65_536;
/** A report that was to be overtaken by the next one comes after this even when there is none. */
export const REORDERED_REPORT_MS = 1_000;

/** Leverage of a future for which nobody has set another. */
export const LEVERAGE_DEFAULT = 10;
/** Funding is paid at 00:00, 08:00 and 16:00 UTC of service time. */
export const FUNDING_INTERVAL_MS = 8 * 3600 * 1000;
/** Funding times that a venue pays late after it was down; older ones are forgiven. */
export const FUNDINGS_LATE_COUNT_MAX = 90;
/** How often positions are looked at for liquidation, and how many looks a late venue makes up for. */
export const RISK_LOOK_MS = 1_000;
export const RISK_LOOKS_LATE_COUNT_MAX = 5;
/** Fee of a liquidation to the insurance fund, in units of 10^-6 of its notional. */
export const LIQUIDATION_FEE_PPM = 12_500;
export const TRANSFER_ID_CHARACTERS_MAX = 64;
/** A venue that starts tells the positions again that were closed so long before, in service time. */
export const CLOSING_KEPT_MS = 60_000;
/** The highest margin ratio that is told, and what a position with nothing behind it is told to have. */
export const MARGIN_RATIO_MAX = 1_000;

// Replayed recordings
/** Rows of depth that may wait for the snapshot they belong behind. */
export const REPLAY_ROWS_BEFORE_SNAPSHOT_MAX = 1_000_000;
/** Rounds of requests and reports between an order and its venue at one recorded instant. */
export const REPLAY_ROUNDS_MAX = 10_000;
/** How long the recording is read on after the order's end, for the markouts of its last fills. */
export const REPLAY_AFTERMATH_MS = 60_000;

// Dead man's switch: real time.
export const CANCEL_AFTER_MS_MIN = 1_000;
export const CANCEL_AFTER_MS_MAX = 86_400_000;
/** Between two tries to cancel the orders of a switch that has taken effect while a shard was down. */
export const CANCEL_SWITCH_RETRY_MS = 1_000;

// Timeline of an order: entries of one answer.
export const TIMELINE_ENTRIES_DEFAULT = 100;
export const TIMELINE_ENTRIES_MAX = 1_000;

// Guardrails
/** USD that a guardrail may name at most: beyond it would be no limit. */
export const GUARDRAIL_USD_MAX = 1_000_000_000_000;
export const GUARDRAIL_OPEN_ORDERS_MAX = 1_000_000;
/** Exchanges or symbols that one list of a guardrail may hold. */
export const GUARDRAIL_NAMES_MAX = 1_000;
export const PRICE_COLLAR_BPS_MAX = 100_000;
/** How often a running service looks for guardrails and kill switches that another process has set; real time. */
export const GUARDRAIL_LOOK_MS = 100;
/** What positions are worth is asked anew after this, when an order must be judged by it; real time. */
export const POSITION_WORTH_MS = 1_000;
/** Stored orders that the count of an account's open ones reads in one turn of the loop. */
export const GUARDRAIL_LOOK_ORDERS = 50;
/** Orders that wait until the open orders of their account are counted. */
export const GUARDRAIL_WAITERS_MAX = 10_000;
/** How often the orders of who is halted are looked at: the wait doubles while there is nothing left to cancel; real time. */
export const KILL_SWEEP_MS_MIN = 100;
export const KILL_SWEEP_MS_MAX = 5_000;
/** A running service takes up what was changed of keys, guardrails and kill switches after so long at most. */
export const IDENTITY_LOOK_MS = 1;

// Restore and reconciliation.
/** Rows that an exchange looks at for one page of an account's orders. */
export const LISTED_ROWS_MAX = 500;
/** Children that one command hands over to an order. */
export const ADOPTED_PER_COMMAND_MAX = 64;
/** Child numbers that a restore leaves out for each second since its backup, and besides: more than any order uses. */
export const CHILD_NUMBERS_PER_SECOND = 64;
export const CHILD_NUMBERS_BURST_COUNT = 1_024;
/** A backup that is older than this would leave out more child numbers than there are. */
export const BACKUP_AGE_DAYS_MAX = 365;
/** How far before the backup exchanges are asked for orders: their clocks and ours differ. */
export const RECONCILE_MARGIN_MS = 300_000;
/** How often the reconciliation looks at what it waits for, and how often a list of orders is asked for again. */
export const RECONCILE_LOOK_MS = 250;
export const RECONCILE_AGAIN_MS = 1_000;
/** Lists of orders that are asked for at once, and orders that are looked at in one look. */
export const RECONCILE_QUESTIONS_MAX = 8;
export const RECONCILE_ORDERS_PER_LOOK_MAX = 500;
/** Orders of unknown parents that a report names. */
export const ORPHANS_SHOWN_MAX = 1_000;
