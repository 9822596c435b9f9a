/** Bounds of threads, memory, storage and start. The unit is the last word of each name. */

// Rings: bytes of payload space, a power of two
export const COMMAND_RING_BYTES = 4 * 1024 * 1024;
export const EVENT_RING_BYTES = 16 * 1024 * 1024;
export const VENUE_REQUEST_RING_BYTES = 4 * 1024 * 1024;
export const VENUE_REPORT_RING_BYTES = 4 * 1024 * 1024;
/**
 * Turns of a producer that wait for the disk, and the places of its durable turns. A turn has more bytes than its
 * place.
 */
export const APPEND_RING_BYTES = 4 * 1024 * 1024;
export const PLACE_RING_BYTES = 4 * 1024 * 1024;
export const RING_MESSAGE_BYTES_MAX = 256 * 1024;
export const RING_BYTES_MIN = 64;
export const RING_BYTES_MAX = 1024 * 1024 * 1024;

// Last-value cache
export const CACHED_INSTRUMENTS_MAX = 32 * 1024;
export const CACHE_READERS_MAX = 256;

// Journal
export const SEGMENT_BYTES = 64 * 1024 * 1024;
export const ENTRY_BYTES_MAX = 64 * 1024;
/** Bytes of the turns that one write takes; at least one turn. */
export const JOURNAL_WRITE_BYTES_MAX = 4 * 1024 * 1024;
/** Turns that the journal thread takes from one producer before it takes turns from the next one. */
export const TURNS_PER_PRODUCER_MAX = 1_024;
/** Turns of a shard that may wait for the disk. The shard takes no new commands at this bound. */
export const TURNS_WAITING_MAX = 64;
/**
 * A thread writes its own turns to the journal while at most so many of them wait, with so many bytes in its ring.
 * With more of them the journal thread writes, and the thread goes on.
 */
export const LEAD_TURNS_MAX = 2;
export const LEAD_BYTES_MAX = 64 * 1024;
/**
 * It does so only while the median of the latest writes with their syncs is at most this time. Meanwhile it does
 * nothing else: its other clients or orders wait. To hand the write over instead costs two changes of threads, some
 * hundred microseconds on an idle machine. A solid-state disk syncs in 20 to 700 µs; one of 5 ms never qualifies.
 */
export const LEAD_SYNC_US_MAX = 1_000;
export const LEAD_SYNCS_JUDGED = 9;
/** Numbers of the latest frames of all accounts in shared memory: about three million accounts. */
export const FEED_HEADS_BYTES_MAX = 1024 * 1024 * 1024;
/** How long a thread waits for the journal thread at its start, or for room in its ring. Then the process ends. */
export const JOURNAL_WAIT_MS_MAX = 60_000;
/** How long a reader waits until LMDB contains the durable events. It usually takes a millisecond. */
export const COMMIT_WAIT_MS_MAX = 1_000;
/** How much of that wait blocks the main thread. After it, the read waits in a queue and other requests go on. */
export const COMMIT_WAIT_BLOCKING_MS = 2;
/** How often the queue looks for the commit, and how many reads it holds. */
export const COMMIT_LOOK_MS = 1;
export const COMMIT_READS_WAITING_MAX = 10_000;
/** Ids of open orders that a reader of all of them takes from LMDB at once. */
export const OPEN_ORDER_KEYS = 1_000;
/**
 * A turn without an answer, a request or an event for the main thread waits this long for the next write of the
 * journal. A write for this turn alone would delay the next create by one sync, and wake two threads.
 */
export const QUIET_TURN_MS = 20;
/** Children of unknown state that the metrics count at most. */
export const UNKNOWN_CHILDREN_COUNTED_MAX = 10_000;
/** Bytes that the projector reads from the journal at once. */
export const TAIL_READ_BYTES = 256 * 1024;
/**
 * How long the projector waits for more events before it commits. A waiting reader ends the wait, and so do many
 * events.
 */
export const PROJECTION_DELAY_MS = 50;
/** With so many events to put the projector does not wait for more. */
export const PROJECTION_EVENTS_MIN = 500;
/** Attempts of one transaction of the projector that LMDB refuses. After the last the process ends. */
export const PROJECTION_ATTEMPTS_MAX = 3;
/** Durable events that LMDB may lack. With more, no new command is taken. A start replays them in about a second. */
export const PROJECTION_LAG_EVENTS_MAX = 100_000;
/**
 * Interval of sync points of the state, when at least the first number of events came since the last one. With the
 * second number of events the next one is made at once. The state file grows by what changes in two intervals. Few
 * events keep each sync short, because the journal's sync waits for the disk meanwhile.
 */
export const SYNC_POINT_INTERVAL_MS = 10_000;
export const SYNC_POINT_EVENTS_MIN = 1_000;
export const SYNC_POINT_EVENTS_MAX = 10_000;
/** Interval of checkpoints in service time, when at least this many events came since the last one. */
export const CHECKPOINT_INTERVAL_MS = 24 * 3600 * 1000;
export const CHECKPOINT_EVENTS_MIN = 10_000;
export const CHECKPOINTS_KEPT_COUNT = 2;
/** Pause after each part of a new checkpoint whose checksum was computed. It bounds the share of the processor. */
export const CHECKPOINT_PART_BYTES = 1024 * 1024;
export const CHECKPOINT_PAUSE_MS = 4;
/** Consecutive starts that may die while they build the state from one source. */
export const BUILD_ATTEMPTS_COUNT_MAX = 3;
/** Interval at which the keeper checks whether the next segment, a sync point, a checkpoint or retention is due. */
export const KEEPER_ROUND_MS = 1_000;
/** Events of one LMDB transaction of a replay; at least one turn. */
export const REPLAY_BATCH_EVENTS = 4_096;
/**
 * States of the latest open orders that a replay keeps in memory, at most twice this number. Few, because each one that
 * lives longer than a moment costs the collector more than a read of LMDB.
 */
export const REPLAY_STATES_KEPT = 256;
/** Feeds whose latest frames a replay keeps in memory. With more, it reads them again. */
export const FEEDS_NUMBERED_MAX = 1_024;
/** Interval at which retention removes old data. */
export const RETENTION_INTERVAL_MS = 60_000;
/**
 * Rows that retention removes in one LMDB transaction, and the pause before the next one. A waiting projector goes
 * first.
 */
export const RETENTION_BATCH_ROWS = 500;
export const RETENTION_PAUSE_MS = 2;
/** Orders that retention checks in one page, and remaining orders that one round checks. */
export const RETENTION_PAGE_ORDERS = 256;
export const RETENTION_KEPT_ORDERS_MAX = 10_000;
/** Journal entries that retention reads before it writes those that it carries. */
export const RETENTION_ENTRIES_READ = 2_000;
/** Address space reserved for LMDB's map. At this size LMDB needs a new map; it is no error. */
export const STATE_MAP_BYTES = 64 * 1024 * 1024 * 1024;
/** Rows that an upgrade of a store copies in one LMDB transaction. */
export const UPGRADE_BATCH_ROWS = 4_096;
/** Named tables of a store that an upgrade can open. */
export const STORE_TABLES_COUNT_MAX = 32;
/** Journal segments a reader keeps open. */
export const SEGMENT_FILES_OPEN_MAX = 16;
/** Findings that a check of the journal lists before it stops. */
export const PROBLEMS_COUNT_MAX = 100;

// Process
/** Heap growth of a thread between two collections. A larger value costs memory per parked order and saves CPU time. */
const HEAP_GROWTH_PERCENT_MAX = 100;
/**
 * Flags of V8 for all threads, set before any thread starts. By default a heap may grow to four times its size between
 * collections, and several threads join each collection of young objects. Few of these survive here, so waking the
 * threads costs more CPU time than they save.
 */
export const HEAP_FLAGS: readonly string[] = [
  `--heap-growing-percent=${HEAP_GROWTH_PERCENT_MAX}`,
  '--no-parallel-scavenge',
];

/**
 * Log lines of one thread that wait for the log writer: bytes, a power of two. Further lines are dropped and counted.
 */
export const LOG_RING_BYTES = 256 * 1024;
/** How long a fatal line, and the exit of the process, wait for the log writer. */
export const LOG_FLUSH_MS_MAX = 1_000;

// Clocks
/** Largest difference between the wall clock and its expected value at a start. */
export const CLOCK_GAP_MS_MAX = 300_000;
/**
 * Longest stop of the service that a start accepts after a reboot. Well below IDEMPOTENCY_MS: client order ids outlive
 * a wrong clock.
 */
export const CLOCK_STOP_MS_MAX = 24 * 3600 * 1000;
/** Largest difference between the operator's confirmation and the wall clock. */
export const CLOCK_CONFIRM_MS_MAX = 3_600_000;
/** A smaller difference between wall clock and monotonic clock between two checks is no step. */
export const CLOCK_STEP_MS_MIN = 500;
/**
 * Service time is slewed when it differs from the wall clock by more than the first bound, until it differs by less
 * than the second.
 */
export const CLOCK_ERROR_MS_MIN = 1_000;
export const CLOCK_AGREES_MS_MAX = 500;
/** How much slower service time runs while it is ahead, and how much faster while it is late; in units of 10^-6. */
export const CLOCK_SLEW_AHEAD_PPM = 500_000;
export const CLOCK_SLEW_BEHIND_PPM = 250_000;
/** Interval at which the clocks are stored. */
export const CLOCK_RECORD_MS = 10_000;

// Disk: defaults; they can be configured
/** Less free space than the first bound raises an alarm. With less than the second no order is placed. */
export const DISK_WARNING_MEGABYTES = 2_000;
export const DISK_HALT_MEGABYTES = 500;
export const DISK_MEGABYTES_MAX = 1_000_000_000;
/** A bound counts as exceeded until the free space is this multiple of it. */
export const DISK_LIFT_RATIO = 1.1;
/** Reserved for a start and for cancels on a full disk. */
export const DISK_RESERVE_BYTES = 32 * 1024 * 1024;

// Supervision
export const WORKER_DEATHS_MAX = 3;
export const WORKER_DEATHS_WINDOW_MS = 60_000;
/**
 * The bounds of silence below hold for the default of SLUICE_HANG_S, which is THREAD_SILENCE_MS_MAX. Another value
 * changes all of them in proportion (runtime/silence-bounds).
 */
export const HANG_SECONDS_MIN = 5;
export const HANG_SECONDS_MAX = 600;
/** A shard without a turn for this time is terminated and started again. */
export const SHARD_SILENCE_MS_MAX = 15_000;
/**
 * The venue thread and the watchdog are terminated and started again after this silence. The journal thread and the
 * projector end the process.
 */
export const THREAD_SILENCE_MS_MAX = 20_000;
/**
 * The same for the keeper, and when its silence is logged. It writes whole segments at once, which a busy disk delays.
 */
export const KEEPER_SILENCE_MS_MAX = 60_000;
export const KEEPER_SILENCE_MS_WARNING = 20_000;
/** The watchdog ends the process when the main thread makes no turn for this time. */
export const MAIN_SILENCE_MS_MAX = 30_000;
/** A thread that is silent for this time is logged, and the service is not ready. */
export const THREAD_SILENCE_MS_WARNING = 5_000;
/** The least value of it: a thread at work may look silent for two checks. */
export const THREAD_SILENCE_MS_WARNING_MIN = 3_000;
/** A terminated thread must end, and a new one must be up, within these times. Otherwise the process ends. */
export const TERMINATION_MS_MAX = 10_000;
export const THREAD_START_MS_MAX = 120_000;
/** A thread beats at least this often. At most the second bound counts as silence between two checks of a beat. */
export const BEAT_MS_MAX = 1_000;
export const SILENCE_PER_CHECK_MS_MAX = 2_000;
/**
 * How long an end by a failure waits for the transactions of each thread that writes to a database. A sync of a loaded
 * disk can take a second.
 */
export const WRITER_END_MS_MAX = 3_000;
export const SHUTDOWN_MS_MAX = 9_000;
/** Time that pending commands get for their answers before the shards are asked to end. */
export const SHUTDOWN_DRAIN_MS_MAX = 2_000;
/** Interval at which a shutdown checks for its next step. */
export const SHUTDOWN_POLL_MS = 10;
/** How long a start waits for the end of the previous process, which may have been killed a moment ago. */
export const CLAIM_WAIT_MS_MAX = 2_000;
/** Interval of that check. */
export const CLAIM_CHECK_MS = 20;
/** The same while a command of the operator holds the claim: it may copy a store. */
export const COMMAND_CLAIM_WAIT_MS_MAX = 60_000;

// Admin socket
/** Bytes of the address of a Unix socket without its final zero, on Linux. */
export const SOCKET_PATH_BYTES_MAX = 107;
export const ADMIN_CONNECTIONS_MAX = 16;
export const ADMIN_REQUEST_BYTES_MAX = 256 * 1024;
/** A list of all keys is the largest answer. */
export const ADMIN_ANSWER_BYTES_MAX = 256 * 1024 * 1024;
/** Characters of a name or of a reason in a request. */
export const ADMIN_TEXT_CHARACTERS_MAX = 4_096;
/** How long a connection may take for its first request. */
export const ADMIN_REQUEST_MS_MAX = 10_000;
/** How long a connection may stay after a reply. The command copies a store meanwhile. */
export const ADMIN_IDLE_MS_MAX = 3_600_000;
/** How long a shutdown waits for operations in progress. */
export const ADMIN_END_MS_MAX = 1_000;
/** How long a command waits for a service that is starting or stopping, and the interval of its attempts. */
export const ADMIN_WAIT_MS_MAX = 10_000;
export const ADMIN_RETRY_MS = 50;
/** How long a command waits for an answer, and for the copy of a store. */
export const ADMIN_ANSWER_MS_MAX = 30_000;
export const ADMIN_COPY_MS_MAX = 3_600_000;

// Identity
export const ACCOUNT_CHARACTERS_MAX = 64;
/** Length of a generated API key: 128 random bits in hexadecimal. */
export const API_KEY_CHARACTERS = 32;
export const API_SECRET_BYTES = 32;
export const RSA_MODULUS_BITS_MIN = 2048;
/** Verification time grows with the modulus. The requests of a larger key would delay all other clients. */
export const RSA_MODULUS_BITS_MAX = 8192;
export const API_KEYS_CACHED_MAX = 10_000;
/** Addresses and networks that one API key may be bound to. */
export const ALLOWED_NETWORKS_MAX = 64;
/** Keys of exchanges in one data directory. A read port keeps their sealed bytes in memory. */
export const VENUE_KEYS_MAX = 10_000;
export const VENUE_API_KEY_CHARACTERS_MAX = 256;
/** A secret as it is entered. The PEM of the largest RSA key has about 6,500 bytes. */
export const VENUE_SECRET_BYTES_MAX = 16 * 1024;
export const VENUE_PASSPHRASE_BYTES_MAX = 256;
export const VENUE_KEY_LABEL_CHARACTERS_MAX = 64;
/** Largest block of order ids. A crash skips the rest of a block. */
export const ORDER_ID_BLOCK_IDS_MAX = 1_048_576;

// Routing
/** Order ids reserved at once, with one synced write. */
export const ORDER_ID_BLOCK_COUNT = 65_536;
/** Commands that may wait for their answer at once. */
export const PENDING_COMMANDS_MAX = 100_000;
export const VENUE_QUERIES_PENDING_MAX = 10_000;
/**
 * How long a request waits for the price of a market that was asleep, in real time: the opening of a stream at a
 * distant exchange takes five round trips. Then the interval of the check, and the largest number of waiting requests.
 */
export const PRICE_WAIT_MS = 3_000;
export const PRICE_CHECK_MS = 5;
export const PRICE_WAITERS_MAX = 10_000;
/** Requests that may wait for the volume history of one instrument. */
export const VOLUME_WAITERS_MAX = 1_000;

// Codec
/** Characters of a text from an exchange: an order id, a currency, the message of a rejection. */
export const EXCHANGE_TEXT_CHARACTERS_MAX = 1_000;
/** Characters of the decimal text of a sum in a message. A notional or an amount stays far below. */
export const INTEGER_TEXT_CHARACTERS_MAX = 64;

// Audit log
/** A fuller file gets a name of its own. */
export const AUDIT_FILE_BYTES_MAX = 8 * 1024 * 1024;
/** Files including the current one. The oldest is removed. */
export const AUDIT_FILES_MAX = 16;
export const AUDIT_LINE_BYTES_MAX = 16 * 1024;
/** Of SUDO_USER, which any user can set. */
export const AUDIT_USER_CHARACTERS_MAX = 64;
