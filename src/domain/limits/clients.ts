/** Bounds of requests and answers. The unit is the last word of each name. */

// HTTP
/** The default; it can be configured. */
export const BODY_BYTES_MAX = 1024 * 1024;
export const BATCH_ORDERS_MAX = 500;
export const QUERY_CHARACTERS_MAX = 16 * 1024;
export const QUERY_IDS_MAX = 500;
export const FIND_ORDERS_DEFAULT = 100;
export const FIND_ORDERS_MAX = 1000;
export const FIND_HORIZON_MS = 3 * 24 * 3600 * 1000;
/** Milliseconds of the largest instant a Date can hold. */
export const INSTANT_MS_MAX = 8_640_000_000_000_000;
/** A larger body than allowed is still read up to this size, so that the client can read the 413. */
export const BODY_BYTES_DISCARDED_MAX = 16 * 1024 * 1024;
/** Bytes of incomplete bodies of all connections together. One address may use half of them. */
export const HELD_BODY_BYTES_MAX = 64 * 1024 * 1024;
/** A connection is closed when its body is incomplete this long after the first part. */
export const BODY_WAIT_MS_MAX = 30_000;
/** Interval of the check for incomplete bodies. */
export const BODY_CHECK_MS = 1_000;
/** Sockets open at once, if the operating system allows this many. */
export const CONNECTIONS_MAX = 200_000;
/** One address may have one of so many parts of them: a quarter. This machine may have all, for a proxy on it. */
export const CONNECTIONS_ADDRESS_PARTS = 4;
/** The operating system is asked for the open connections of each address at most once in this time. */
export const CONNECTION_COUNT_MS = 1_000;
/** File descriptors reserved for journal, stores and threads. */
export const DESCRIPTORS_KEPT_COUNT = 128;
/** The start logs a warning when fewer descriptors than this are available. */
export const DESCRIPTORS_COUNT_MIN = 4_096;
/** The part of an answer beyond this size is sent as the socket drains. */
export const ANSWER_BYTES_AT_ONCE_MAX = 64 * 1024;
/**
 * The main thread reads an answer of at most this many rows (orders, trades, events) at once. The reader thread reads a
 * larger one in pages.
 */
export const READ_ROWS_AT_ONCE_MAX = 40;
/** A page of an answer ends at the first of the two bounds that it reaches. */
export const READ_PAGE_ROWS = 100;
export const READ_PAGE_CHARACTERS_MAX = 64 * 1024;
/** Index keys that are read for one row of a page. */
export const READ_INDEX_KEYS = 100;
/** Pages requested from the reader thread at once: it reads one page while the page before is sent. */
export const READ_PAGES_ASKED_MAX = 2;
/** Larger answers of one account that are read at once, and that may wait. */
export const READS_ACTIVE_PER_ACCOUNT_MAX = 2;
export const READS_PER_ACCOUNT_MAX = 64;
/** The same for all accounts together. */
export const READS_ACTIVE_MAX = 32;
export const READS_MAX = 1_024;
/** A client that does not take a page within this time is disconnected. */
export const READ_DRAIN_MS_MAX = 30_000;
/** A page that is not read within this time ends its thread, and another thread starts. */
export const READ_PAGE_MS_MAX = 30_000;
/** Each group of this many rows of an answer takes one request from the read budget. */
export const READ_ROWS_PER_REQUEST = 100;
/** Niceness of the reader thread: steps of the operating system's priority below all others. */
export const READ_NICENESS = 5;
/** Characters of a client's value that a message quotes. */
export const QUOTED_CHARACTERS_MAX = 64;
/** How long close() waits for requests that wait for a shard or a venue. */
export const HTTP_DRAIN_MS_MAX = 3_000;
/** Retry-After header of SYSTEM_BUSY. */
export const RETRY_AFTER_S = 1;
/** Requests with one client_order_id that may wait for the first of them. */
export const IDEMPOTENCY_WAITERS_MAX = 1_000;
/**
 * Client order ids answered since the last review, which forgets those whose orders a new read of the store shows. A
 * review does not wait.
 */
export const SETTLED_REVIEW_COUNT = 64;
/**
 * Client order ids answered that the last read of the store may lack. At this number a create waits until the store
 * shows all of them.
 */
export const SETTLED_CREATES_MAX = 10_000;
/** Client order ids with a create that was sent and never answered. Beyond this number the oldest one is dropped. */
export const UNRESOLVED_CREATES_MAX = 10_000;
/** Cancel commands of all cancelAll requests that wait for their shards at once, and those of one account. */
export const CANCELS_IN_FLIGHT_MAX = 512;
export const CANCELS_IN_FLIGHT_PER_ACCOUNT_MAX = 64;
/** Cancels that are sent in one turn of the event loop when their outcomes arrive at once. */
export const CANCELS_PER_TURN_MAX = 256;
/** Ids of open orders that a cancelAll reads in one turn of the event loop. */
export const CANCEL_INDEX_KEYS = 1_000;
/** Orders that it reads in one turn to find those of a session. */
export const CANCEL_ORDERS_READ_PER_TURN_MAX = 100;
/** Members of a batch that start in one turn of the event loop. */
export const BATCH_MEMBERS_PER_TURN_MAX = 50;
/** Open orders that a kill switch checks in one turn of the event loop. */
export const KILL_ORDERS_PER_TURN_MAX = 50;
/** Network addresses with a budget. Beyond this number the oldest one is dropped. */
export const ADDRESS_BUDGETS_MAX = 65_536;
/** Open orders of an account that has no max_open_orders of its own. Each writes to the journal while it works. */
export const ACCOUNT_OPEN_ORDERS_MAX = 2000;
/** Default budget of requests per second of one address, checked before the key; it can be configured. */
export const ADDRESS_REQUESTS_PER_SECOND = 5_000;
/** Beyond this many API keys the budgets of idle keys are dropped. */
export const BUDGET_KEYS_MAX = 10_000;
/**
 * Burst of a budget in seconds of its rate. A batch larger than the burst is accepted when the budget is full; the
 * budget then owes the rest.
 */
export const BURST_SECONDS = 2;
/**
 * A request whose shard does not answer within this time gets SYSTEM_BUSY; the message says that the outcome is
 * unknown.
 */
export const ANSWER_WAIT_MS = 10_000;
/** A change waits this long for the ids of the account's earlier creates. Then it gets SYSTEM_BUSY. */
export const EARLIER_CREATES_WAIT_MS = 2_000;
/** A venue that does not answer a balance query within this time is not available. */
export const VENUE_ANSWER_WAIT_MS = 2_000;

// Authentication
export const RECV_WINDOW_MS_DEFAULT = 5000;
export const RECV_WINDOW_MS_MAX = 60_000;
export const TIMESTAMP_AHEAD_MS_MAX = 1000;
/**
 * A listen key whose issue time is further ahead of now than this is refused: the wall clock was ahead when it was
 * issued.
 */
export const LISTEN_KEY_AHEAD_MS_MAX = 60_000;
/** Length of the nonce of signature version 2. */
export const NONCE_CHARACTERS_MIN = 16;
export const NONCE_CHARACTERS_MAX = 64;
/** Used signatures of all accounts in memory: 33 bytes each. One account may use half of them. */
export const SIGNATURES_REMEMBERED_MAX = 4_194_304;
/** A used signature is kept for this long after it expires: the clock may step back by as much. */
export const SIGNATURE_MARGIN_MS = 2_000;
/** Time spans in the past whose used signatures are known to be lost. */
export const FORGOTTEN_SPANS_MAX = 16;
/** A file of used signatures ends after this time, or at this size, and the next one starts. */
export const SIGNATURE_FILE_MS = 60_000;
export const SIGNATURE_FILE_BYTES = 64 * 1024 * 1024;

// WebSocket: defaults of the bounds on client messages and connections; they can be configured
export const WS_FRAME_BYTES_MAX = 16 * 1024;
/** A private stream with a larger backlog than this is closed with 1013. The client resumes with resume_from. */
export const WS_PRIVATE_BACKLOG_BYTES_MAX = 1024 * 1024;
/** The same bound for a slow stream that reads the journal at its own pace: frames that it is late. */
export const WS_PRIVATE_LAG_FRAMES_MAX = 4_096;
/** Beyond this backlog, market data waits for the socket to drain, and the latest value replaces the earlier ones. */
export const WS_MARKET_BACKLOG_BYTES_MAX = 64 * 1024;
/** Closed candles of one subscription that may wait for a slow socket. Beyond this the socket is closed with 1013. */
export const WS_CLOSED_CANDLES_WAITING_MAX = 100;
export const WS_CONNECTIONS_MAX = 20_000;
export const WS_CONNECTIONS_PER_ACCOUNT_MAX = 100;
/** Interval of the check of the API keys of all connections; real time. */
export const KEY_CHECK_MS = 250;
/** Time that the socket of a revoked key gets to drain before it is terminated. */
export const WS_REVOKED_WAIT_MS_MAX = 250;
export const WS_MARKET_SUBSCRIPTIONS_MAX = 20;
/**
 * Client messages of a connection per second, and the burst in seconds of that rate. Beyond it the socket is closed
 * with 1008.
 */
export const WS_MESSAGES_PER_SECOND = 100;
export const WS_MESSAGES_BURST_SECONDS = 10;
/** Requests of an account that may wait until the store shows the latest frames. Beyond it: 1013. */
export const WS_REQUESTS_WAITING_PER_ACCOUNT_MAX = 1_000;
/** Interval at which a subscriber of position_risk gets positions at a new mark price; real time. */
export const POSITION_RISK_MS = 1_000;
/**
 * Such requests of all accounts that may wait for their venues at once. Beyond this, each subscriber gets fewer
 * updates.
 */
export const POSITION_RISK_REQUESTS_MAX = 256;
/** Frames of one turn of the event loop are sent together. A longer run is sent when it reaches this size. */
export const WS_FLUSH_BYTES = 64 * 1024;
/** A turn of the event loop sends waiting frames of streams to no further socket after this time. */
export const WS_FLUSH_TURN_MS_MAX = 2;
/** Time that a closing socket gets to drain before it is terminated. */
export const WS_CLOSE_WAIT_MS_MAX = 60_000;
/** Time after the close frame in which the library ends the socket of a client that does not close it; real time. */
export const WS_END_MS = 20_000;
/** Frames of a feed that wait for an earlier frame from another shard, and the longest wait. */
export const FEED_REORDER_FRAMES_MAX = 256;
export const FEED_GAP_WAIT_MS = 5;
/** Cached constant parts of streamed orders. */
export const STREAMED_ORDERS_CACHED_MAX = 10_000;
/** Cached earlier terms of amended orders: frames from before the amendment show them when they are sent again. */
export const FORMER_TERMS_CACHED_MAX = 10_000;
/**
 * Journal frames read in one step, and steps in one turn of the main loop. They bound the delay that a resume causes.
 */
export const REPLAY_STEP_FRAMES = 16;
export const REPLAY_STEPS_PER_TURN_MAX = 8;
/** A turn reads no further frame after this time. */
export const REPLAY_TURN_MS_MAX = 2;
/** Open orders that a snapshot of topic `order` reads in one step, for one page of frames. */
export const SNAPSHOT_PAGE_ORDERS = 64;
/** Ids of open orders that it reads in one step before. */
export const SNAPSHOT_INDEX_KEYS = 1_000;
/** Snapshots of all connections that read their ids at once: each holds a version of the store meanwhile. */
export const SNAPSHOT_READINGS_MAX = 8;
export const FEED_FRAMES_KEPT_MAX = 1_000_000;
export const FEED_KEPT_MS = 3 * 24 * 3600 * 1000;

// Order entry over WebSocket
/** A session that has not authenticated within this time is closed with 1008; real time. */
export const SESSION_AUTH_MS_MAX = 10_000;
/**
 * Sessions of all clients that have not authenticated: beyond this the oldest one is closed with 1013. The library
 * keeps an incomplete frame of at most SESSION_INCOMPLETE_BYTES_MAX for each, so that they hold at most 260 MiB.
 */
export const SESSIONS_UNPROVEN_MAX = 256;
/** Authenticated sessions of one account. */
export const SESSIONS_PER_ACCOUNT_MAX = 64;
/**
 * Sessions of one address that have not authenticated: an account may open all its sessions at once. Also those that
 * their clients have closed in the last WS_END_MS: the library may keep their incomplete frames, at most 65 MiB.
 */
export const SESSIONS_UNPROVEN_PER_ADDRESS_MAX = 64;
/**
 * Such sessions that are closed with a close frame in each WS_END_MS, in which the library keeps them after the frame.
 * The others are terminated at once. At most twice this number is kept: 65 MiB. Flooding sessions with a proven key
 * have the same number.
 */
export const SESSION_FAREWELLS_MAX = 32;
/** Requests of one session without an answer. Beyond this a request is answered SYSTEM_BUSY. */
export const SESSION_REQUESTS_OPEN_MAX = 1_024;
/** Requests that have waited for an earlier one of their session and start in one turn of the event loop. */
export const SESSION_REQUESTS_PER_TURN_MAX = 50;
/** Bytes of one frame, and of one with a batch. A frame beyond the second value closes its session. */
export const SESSION_FRAME_BYTES_MAX = 16 * 1024;
export const SESSION_BATCH_FRAME_BYTES_MAX = 1024 * 1024;
/** Bytes of an incomplete frame. The library ends the connection of a larger one without a close frame. */
export const SESSION_INCOMPLETE_BYTES_MAX = SESSION_BATCH_FRAME_BYTES_MAX + SESSION_FRAME_BYTES_MAX;
/** Bytes of answers that wait for a slow client; beyond this its session is closed with 1013. Also of one answer. */
export const SESSION_BACKLOG_BYTES_MAX = 4 * 1024 * 1024;
/** Frames of one session that name no request, or come before it has authenticated; then it is closed with 1008. */
export const SESSION_FAULTY_FRAMES_MAX = 100;
/**
 * Frames of a session until its authentication is answered. Beyond it the session is closed with 1008. They also bound
 * the answers that such a client leaves unread: 10 answers are shorter than SESSION_FRAME_BYTES_MAX.
 */
export const SESSION_UNPROVEN_FRAMES_MAX = 10;
/**
 * Unpaid frames per second of all sessions of one key, and of one account, with the burst of budgets: pings, pongs,
 * refused requests, and each further SESSION_FRAME_BYTES_MAX of a large frame. No budget of a key counts them. Beyond
 * it the session that sent one is closed with 1008, unless its own share covers the frame.
 */
export const KEY_UNPAID_FRAMES_PER_SECOND = 2_000;
export const ACCOUNT_UNPAID_FRAMES_PER_SECOND = 4_000;
/**
 * Unpaid frames per second that each session has for itself, with a burst of one second. A new session begins with one.
 * So a session that pings is not closed because other sessions of its key flood.
 */
export const SESSION_UNPAID_FRAMES_PER_SECOND = 10;
/** Time that the close frame of a flooding session waits for its client to read; then its socket is terminated. */
export const SESSION_FLOOD_WAIT_MS_MAX = 1_000;
/** Requests of a session that are refused with a status from 400 to 499 in a row; then it is closed with 1008. */
export const SESSION_REFUSALS_IN_A_ROW_MAX = 1_000;
/** Bytes of a ping or a pong. */
export const SESSION_KEEP_ALIVE_BYTES_MAX = 512;
export const SESSION_REQUEST_ID_CHARACTERS_MAX = 64;
/** Real time in which a session that has ended can be resumed; after a start of the service, from readiness. */
export const SESSION_RESUME_MS = 2_000;
export const SESSION_RESUME_AFTER_START_MS = 10_000;
/** Interval of the check for readiness while sessions of an earlier run are stored. */
export const SESSION_READY_CHECK_MS = 100;
/** Interval between two attempts to cancel the orders of sessions while a shard is down or a create has no outcome. */
export const SESSION_CANCEL_RETRY_MS = 1_000;
/**
 * Stored sessions with cancel_on_disconnect of one account, and of all: connected, waiting for a resume, or with
 * cancels under way. Beyond this a session with the wish is refused.
 */
export const SESSION_RECORDS_PER_ACCOUNT_MAX = 256;
export const SESSION_RECORDS_MAX = 10_000;
export const SESSION_ID_CHARACTERS_MAX = 64;

// Execution cost
/** Orders that one report over a window measures. */
export const COST_ORDERS_MAX = 500;
/** Events of an order that are read in one page. */
export const COST_EVENTS_PER_PAGE = 1_000;
/** Market observations in the report of one order. For a longer order the report uses every n-th second. */
export const COST_OBSERVATIONS_MAX = 500_000;
/** Threads that compute costs, requests that may wait for them, and their heap size. */
export const COST_THREADS_MAX = 2;
export const COST_REQUESTS_WAITING_MAX = 64;
/** Waiting requests of one account. The others find room and wait for one of them at most. */
export const COST_REQUESTS_WAITING_PER_ACCOUNT_MAX = 16;
/** A cost report that takes longer is abandoned, and its thread is terminated. */
export const COST_ANSWER_MS_MAX = 120_000;
export const COST_HEAP_MEGABYTES_MAX = 512;
/** A shutdown waits this long for a thread that loads its modules. */
export const COST_LOAD_MS_MAX = 5_000;
/** Niceness of these threads: steps of the operating system's priority below all others. */
export const COST_NICENESS = 5;

// Cancel-all-after: real time
export const CANCEL_AFTER_MS_MIN = 1_000;
export const CANCEL_AFTER_MS_MAX = 86_400_000;
/** Interval between two attempts to cancel the orders of an expired timer while a shard is down. */
export const CANCEL_ALL_AFTER_RETRY_MS = 1_000;

// Timeline of an order: entries in one answer
export const TIMELINE_ENTRIES_DEFAULT = 100;
export const TIMELINE_ENTRIES_MAX = 1_000;
