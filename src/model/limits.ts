/** Every bound of the service, in one place; the unit is the last word of the name. */

// HTTP
export const BODY_BYTES_MAX = 1024 * 1024;
export const BATCH_ORDERS_MAX = 500;
export const QUERY_CHARACTERS_MAX = 16 * 1024;
export const QUERY_IDS_MAX = 500;
export const FIND_ORDERS_DEFAULT = 100;
export const FIND_ORDERS_MAX = 1000;
export const FIND_HORIZON_MS = 3 * 24 * 3600 * 1000;
/** A request whose shard has not answered by then gets SYSTEM_BUSY with an unknown outcome said. */
export const ANSWER_WAIT_MS = 10_000;
/** A venue that has not answered a balance query by then is not available. */
export const VENUE_ANSWER_WAIT_MS = 2_000;

// Authentication
export const RECV_WINDOW_MS_DEFAULT = 5000;
export const RECV_WINDOW_MS_MAX = 60_000;
export const TIMESTAMP_AHEAD_MS_MAX = 1000;

// Orders
export const CLIENT_ORDER_ID_CHARACTERS_MAX = 128;
export const DURATION_SECONDS_MAX = 2_592_000;
export const START_AHEAD_MS_MAX = 30 * 24 * 3600 * 1000;
export const START_BEHIND_MS_MAX = 60_000;
/** client_order_id is remembered so long after the order's end. */
export const IDEMPOTENCY_MS = 3 * 24 * 3600 * 1000;

// WebSocket
export const WS_FRAME_BYTES_MAX = 16 * 1024;
/** A private stream that lies further behind than this is closed with 1013 and resumes by resume_from. */
export const WS_PRIVATE_BACKLOG_BYTES_MAX = 1024 * 1024;
/** Market data waits for the socket to drain beyond this; the latest wins. */
export const WS_MARKET_BACKLOG_BYTES_MAX = 64 * 1024;
export const WS_CONNECTIONS_MAX = 20_000;
export const WS_CONNECTIONS_PER_ACCOUNT_MAX = 5_000;
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

// Journal
export const SEGMENT_BYTES = 64 * 1024 * 1024;
export const ENTRY_BYTES_MAX = 64 * 1024;

// Supervision
export const WORKER_DEATHS_MAX = 3;
export const WORKER_DEATHS_WINDOW_MS = 60_000;
export const SHUTDOWN_MS_MAX = 9_000;
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
/** Order ids reserved at once; a crash skips what is left of a block. */
export const ORDER_ID_BLOCK_IDS_MAX = 1_048_576;

// Routing
/** Order ids reserved at once: one synced write each. */
export const ORDER_ID_BLOCK_COUNT = 65_536;
/** Commands that may wait for their answer at once. */
export const PENDING_COMMANDS_MAX = 100_000;
export const BALANCE_QUERIES_PENDING_MAX = 10_000;
