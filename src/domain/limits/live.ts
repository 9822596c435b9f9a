/* Bounds of the sessions at real exchanges, each with its unit. */

/** Order look-ups of one account under way at once. */
export const LOOK_UPS_IN_FLIGHT_MAX = 8;
/** Wait before a child is looked up again whose answer could not be relied on: doubles from the first to the last. */
export const LOOK_UP_AGAIN_MS_MIN = 200;
export const LOOK_UP_AGAIN_MS_MAX = 5_000;
/**
 * Look-ups of one child that fail in a row, or deny it, before the account is connected without their answer: about 40
 * s.
 */
export const CATCH_UP_FAILURES_MAX = 12;
/**
 * How long an exchange may deny an order that it has shown. Then its parent is quarantined, and an operator settles it.
 */
export const DENIED_MS_MAX = 300_000;
/** How long an ended child is remembered for late updates, and how many of one account. */
export const ENDED_CHILD_KEPT_MS = 600_000;
export const ENDED_CHILDREN_MAX = 10_000;
/**
 * Wait before the list of open orders is requested again: doubles with each failure from the first to the last. All
 * accounts share the request limits of an exchange, and a list at Binance spot takes more than a hundredth of those of
 * a minute.
 */
export const OPEN_LIST_AGAIN_MS_MIN = 500;
export const OPEN_LIST_AGAIN_MS_MAX = 30_000;

/** Instruments that all real exchanges together may list in one mode, for the life of a data directory. */
export const ADDED_INSTRUMENTS_PER_MODE_MAX = 7_168;
/** The same in all modes together. Two of the four are modes of release 0.1.0. */
export const ADDED_INSTRUMENTS_MAX = 4 * ADDED_INSTRUMENTS_PER_MODE_MAX;

// Threads of real exchanges

/** Heap of one thread, megabytes. A thread that needs more ends and starts again. */
export const LIVE_THREAD_HEAP_MEGABYTES = 512;
/**
 * Wait before a request about the exchange itself, or a check of a key, is repeated after a failure: doubles up to the
 * last.
 */
export const LIVE_AGAIN_MS_MIN = 250;
export const LIVE_AGAIN_MS_MAX = 30_000;
/** Wait before a key that was refused is checked again: doubles from the first to the last. */
export const LIVE_KEY_AGAIN_MS_MIN = 1_000;
export const LIVE_KEY_AGAIN_MS_MAX = 60_000;
/** How long an account waits for a wallet whose private stream is not open. Then it trades in its other wallets. */
export const LIVE_WALLET_WAIT_MS = 30_000;
/** Interval at which keys of exchanges are read. */
export const LIVE_KEYS_READ_MS = 250;
/** Interval of market lists, of measurements of the exchange's clock, and of snapshots of balances. */
export const LIVE_LISTING_MS = 300_000;
export const LIVE_CLOCK_MS = 60_000;
/** Least time between two readings of balances and positions of one wallet after changes that left figures out. */
export const FUNDS_READ_GAP_MS = 5_000;
/** Least time between two readings of the market list after orders that were refused for their market. */
export const LIVE_RELIST_GAP_MS = 30_000;
/** Least time between two measurements of the clock after requests that were refused for their timestamp. */
export const LIVE_CLOCK_GAP_MS = 5_000;
/**
 * Wait before a child is placed again whose placement was refused for its timestamp. The clock is measured meanwhile.
 */
export const REFUSED_TIME_AGAIN_MS = 1_000;
/** A larger difference of the exchange's clock is logged. It is corrected at any size. */
export const LIVE_CLOCK_OFFSET_MS_WARNING = 1_000;
/** Round trip of a measurement of the exchange's clock. A longer one says too little: its error is up to half of it. */
export const CLOCK_ROUND_TRIP_MS_MAX = 1_000;
/**
 * How fast two clocks drift apart between two measurements, in millionths: a clock under correction by NTP runs so
 * wrong.
 */
export const CLOCK_DRIFT_PPM = 500;
/**
 * Largest error of the exchange's clock with which a child is placed. A measurement in time has half of it at most;
 * without one for half an hour nothing is placed.
 */
export const CLOCK_ERROR_MS_MAX = 1_000;
/** Measurements in a row until one is short enough. */
export const CLOCK_TRIES_MAX = 3;
/** Interval at which wanted market data is compared with the subscriptions, beside each ring of the bell. */
export const LIVE_MARKET_ROUND_MS = 250;
/** Distinct findings in messages that one thread logs. */
export const LIVE_FINDINGS_MAX = 500;
/** Streams of one market data socket. Binance takes 1,024; more sockets share the work of a reconnect. */
export const STREAMS_PER_SOCKET_MAX = 200;
/** Names in one subscribe message, and the time between two messages of one socket. Binance takes five in a second. */
export const STREAM_NAMES_PER_MESSAGE_MAX = 100;
export const STREAM_MESSAGE_GAP_MS = 300;
/** Wait for the confirmation of a subscribe message before the socket is opened again. */
export const SUBSCRIBE_WAIT_MS_MAX = 5_000;
/** Wait before a stream is subscribed again that the exchange has refused, as for a market that is delisted. */
export const STREAM_REFUSED_AGAIN_MS = 60_000;
/** Age of a market row after which a proof of a live connection renews it: well below MARKET_STALE_MS. */
export const MARKET_RENEW_MS = 1_500;
/** Time between two pings of a socket. An answer proves that all earlier frames have arrived. */
export const SOCKET_PING_MS = 1_000;
/** Silence after which a socket counts as cut. */
export const SOCKET_SILENCE_MS_MAX = 4_000;
/** Wait for a socket to open. */
export const SOCKET_OPEN_MS_MAX = 10_000;
/** Wait before a socket is opened again: a random part of a bound that doubles from the first to the last. */
export const SOCKET_AGAIN_MS_MIN = 250;
export const SOCKET_AGAIN_MS_MAX = 30_000;
/** Time of a connection that takes back one doubling of the wait. */
export const SOCKET_STABLE_MS = 4_000;
/** Age at which a connection is replaced by another one. Binance ends it after 24 h. */
export const CONNECTION_MS_MAX = 82_800_000;
/**
 * How long a replaced connection still delivers, longer than an answer takes, and how long its balances count: later
 * its last frame could be older than one of the new connection.
 */
export const CONNECTION_OVERLAP_MS = 10_000;
export const REPLACED_BALANCES_MS = 5_000;
/** Largest frame of a market data socket or of an order socket. */
export const SOCKET_FRAME_BYTES_MAX = 4_194_304;
/** Changes of one book that wait for its snapshot, levels of a side that are kept, and levels of a snapshot. */
export const BOOK_CHANGES_WAITING_MAX = 500;
export const BOOK_LEVELS_MAX = 5_000;
export const BOOK_SNAPSHOT_LEVELS = 1_000;
/** Requests for market data of one section under way at once, and the wait before a failed one is sent again. */
export const MARKET_REQUESTS_MAX = 4;
export const MARKET_REQUEST_AGAIN_MS = 1_000;
/** Least time between two open interest requests of one section. */
export const OPEN_INTEREST_GAP_MS = 250;
/** Time between two looks at the streams of a section: what is due, what is silent, what must be delivered again. */
export const STREAM_CHECK_MS = 100;
/**
 * Wait for the answer to a request to an exchange, and for the end of an answer that has begun: a market list has
 * megabytes.
 */
export const EXCHANGE_ANSWER_MS_MAX = 3_000;
export const EXCHANGE_BODY_MS_MAX = 10_000;
/** Largest answer by REST, unpacked, and connections to one host of an exchange. More requests wait for one. */
export const EXCHANGE_ANSWER_BYTES_MAX = 67_108_864;
export const EXCHANGE_CONNECTIONS_MAX = 64;
/**
 * Share of an exchange's limit that a request may use, in percent, in the order of service: cancels may use all of it,
 * then hedges, look-ups of unknown children and what a connection waits for, placements near a deadline, other
 * placements, lists and market data.
 */
export const HEDGE_LIMIT_PERCENT = 95;
export const LOOK_UP_LIMIT_PERCENT = 90;
export const DEADLINE_LIMIT_PERCENT = 85;
export const QUEUED_LIMIT_PERCENT = 80;
export const READ_LIMIT_PERCENT = 70;
/**
 * Part of such a share, in percent, that may be used at once. The rest comes back evenly over the length of the limit.
 */
export const QUEUED_BURST_PERCENT = 20;
/**
 * An exchange may count a request that was sent so shortly before the end of an interval in the next one. At most a
 * quarter of the interval.
 */
export const LATE_COUNT_MS = 500;
/**
 * A refusal of a whole address for its rate that comes within this time after the last one's end doubles the stop, up
 * to the maximum. A longer time that the exchange names is obeyed.
 */
export const ADDRESS_STOP_AGAIN_MS = 60_000;
export const ADDRESS_STOP_MS_MAX = 600_000;
/**
 * Least time between two cancels while all other requests of an address are stopped: its answer may stop cancels too.
 */
export const STOPPED_CANCEL_GAP_MS = 1_000;
/** Symbols that one log line names. */
export const LIVE_SYMBOLS_LOGGED_MAX = 50;
/**
 * Pages of 100 entries that a list of orders or fills of OKX may have. An account has at most 4,000 open orders there.
 */
export const OKX_LIST_PAGES_MAX = 60;
/** Time between two messages `ping` to OKX. It ends connections that are silent for 30 s. */
export const OKX_PING_MS = 10_000;
/** Time between two renewals of the key of a private stream. Binance ends it after 60 minutes. */
export const STREAM_KEY_RENEW_MS = 1_800_000;
/** Closed candles of one feed that wait for room. Beyond it they are requested again. */
export const CLOSED_CANDLES_WAITING_MAX = 16;
/** How long a close may be late on the stream before it is requested. */
export const CANDLE_CLOSE_LATE_MS = 3_000;
/** Requests of one wallet for past candles under way at once: volumes of markets and missed closes. */
export const PAST_CANDLE_REQUESTS_MAX = 4;
/** Time after which the volume of a market is compared with the exchange's again, once after each cut. */
export const TOTALS_CHECK_MS = 45_000;

/** Pages of one list that are read: open orders, or the executions of an order. A longer list counts as unknown. */
export const LIST_PAGES_MAX = 200;
/**
 * Pages of the trades of one order at Binance that one look-up reads. Of USD-M futures most are periods of 7 days: 15
 * of them are longer than the 90 days for which the exchange finds an ended order.
 */
export const BINANCE_TRADE_PAGES_MAX = 16;
/**
 * Pages of each list of a symbol at Binance in which an order is looked for, and orders that are looked up by trades
 * alone.
 */
export const BINANCE_ABSENCE_PAGES_MAX = 16;
export const BINANCE_UNLISTED_ORDERS_MAX = 20;
/**
 * Waits for the limit of requests before one page of a list counts as not read, and the wait when no time is stated.
 */
export const LIST_WAITS_MAX = 120;
export const LIST_WAIT_MS = 1_000;
/** Periods of 7 days in which the executions of one order are looked for: two years, as long as Bybit keeps them. */
export const EXECUTION_PERIODS_MAX = 105;

// The check of an account before it trades

/** Requests that measure the time of an answer. */
export const PROBE_REQUESTS = 7;
/** Time of an answer above which the check warns. */
export const PROBE_LATENCY_MS_WARNING = 500;
/** Wait for the private stream of one wallet. */
export const PROBE_STREAM_MS_MAX = 15_000;
/** Use of a limit of the exchange above which the check warns, in percent. */
export const PROBE_LIMIT_PERCENT_WARNING = 50;
