import { EXCHANGE_END_AGAIN_MS } from '../../../domain/limits/trading.js';
import type { Rejection, RejectionCode } from '../../../domain/rejection.js';
import type { DurationMs } from '../../../domain/time.js';
import { type EndCause, rejectionOfEnd } from '../end-cause.js';

/** An error answer of Binance: the HTTP status, and the body's code and text where it has them. */
export interface BinanceError {
  readonly status: number;
  readonly code: number | null;
  readonly message: string;
  /** From the header Retry-After, in milliseconds; null: none. */
  readonly retryAfterMs: number | null;
}

/** The order is refused by the matching engine of spot; the text says why. */
const REJECTED = -2010;
/** A post-only order of futures would have traded at once. */
const NOT_A_MAKER = -5022;

/**
 * Definite refusals: the exchange has not carried the request out. Every other error says nothing about the order.
 * -1006 (unexpected response) and -1007 (timeout) are missing on purpose, and so is every 5xx.
 */
const REFUSALS: ReadonlyMap<number, RejectionCode> = new Map<number, RejectionCode>([
  [-1002, 'AUTHENTICATION_ERROR'],
  [-1003, 'RATE_LIMIT_EXCEEDED'],
  [-1013, 'INVALID_ORDER'],
  [-1014, 'INVALID_ORDER'],
  [-1015, 'RATE_LIMIT_EXCEEDED'],
  [-1020, 'INVALID_ORDER'],
  [-1021, 'INVALID_TIMESTAMP'],
  [-1022, 'INVALID_SIGNATURE'],
  [-1100, 'INVALID_PARAM'],
  [-1101, 'INVALID_PARAM'],
  [-1102, 'INVALID_PARAM'],
  [-1103, 'INVALID_PARAM'],
  [-1104, 'INVALID_PARAM'],
  [-1105, 'INVALID_PARAM'],
  [-1106, 'INVALID_PARAM'],
  [-1111, 'INVALID_PARAM'],
  [-1115, 'INVALID_PARAM'],
  [-1116, 'INVALID_PARAM'],
  [-1117, 'INVALID_PARAM'],
  [-1121, 'INVALID_SYMBOL'],
  // The market is in a state that takes no orders.
  [-1122, 'EXCHANGE_NOT_AVAILABLE'],
  [-1131, 'INVALID_PARAM'],
  [REJECTED, 'INVALID_ORDER'],
  [-2011, 'INVALID_ORDER'],
  [-2014, 'INVALID_API_KEY'],
  [-2015, 'INVALID_API_KEY'],
  [-2018, 'INSUFFICIENT_FUNDS'],
  [-2019, 'INSUFFICIENT_FUNDS'],
  [-2020, 'INVALID_ORDER'],
  [-2022, 'INVALID_ORDER'],
  // Too many open orders.
  [-2025, 'INVALID_ORDER'],
  [-2027, 'QUANTITY_EXCEED'],
  [-2028, 'INSUFFICIENT_FUNDS'],
  [-4003, 'INVALID_QUANTITY'],
  [-4004, 'INVALID_QUANTITY'],
  [-4005, 'QUANTITY_EXCEED'],
  [-4014, 'INVALID_LIMIT_PRICE'],
  [-4016, 'INVALID_LIMIT_PRICE'],
  [-4023, 'INVALID_QUANTITY'],
  [-4024, 'INVALID_LIMIT_PRICE'],
  // The position side does not fit the mode of the account: it is not in one-way mode.
  [-4061, 'INVALID_ORDER'],
  [-4131, 'INVALID_LIMIT_PRICE'],
  // The contract is in a state that opens no position; it is closed.
  [-4140, 'EXCHANGE_NOT_AVAILABLE'],
  [-4141, 'INVALID_SYMBOL'],
  [-4164, 'INVALID_QUANTITY'],
  [NOT_A_MAKER, 'INVALID_ORDER'],
]);

/** The order with this client id may exist: the refused request may be a repetition of one that was carried out. */
const DUPLICATE = /duplicate/i;
const FUNDS = /insufficient (?:balance|margin)/i;
/** A post-only order of spot would have traded at once. */
const CROSSING = /immediately match/i;
/** The market is halted: the order may be placed later. */
const CLOSED = /market is closed/i;
/** Filters that say what is wrong with the order. They differ from ours when the exchange has changed them. */
const FILTER = /^filter failure: (\w+)/i;
const FILTER_CODES: ReadonlyMap<string, RejectionCode> = new Map<string, RejectionCode>([
  ['PRICE_FILTER', 'INVALID_LIMIT_PRICE'],
  ['LOT_SIZE', 'INVALID_QUANTITY'],
  ['MARKET_LOT_SIZE', 'INVALID_QUANTITY'],
  ['NOTIONAL', 'INVALID_QUANTITY'],
  ['MIN_NOTIONAL', 'INVALID_QUANTITY'],
]);
const UNKNOWN_ORDER = -2013;

/**
 * The refusal that an error answer states; null: the outcome is unknown. The code comes from the exchange's number,
 * never from a library's class of error. The message has the number and the exchange's own text.
 */
export function refusalOfError({ status, code, message, retryAfterMs }: BinanceError): Rejection | null {
  if (status === 429 || status === 418) {
    return { code: 'RATE_LIMIT_EXCEEDED', message: textOf(code, message), ...retry(retryAfterMs) };
  }
  if (status >= 500 || code === null) return null;
  const own = REFUSALS.get(code);
  if (own === undefined || DUPLICATE.test(message)) return null;
  if (CLOSED.test(message)) return { code: 'EXCHANGE_NOT_AVAILABLE', message: textOf(code, message) };
  const byFilter = code === -1013 ? FILTER_CODES.get(FILTER.exec(message)?.[1]?.toUpperCase() ?? '') : undefined;
  if (byFilter !== undefined) return { code: byFilter, message: textOf(code, message) };
  // A retry of a post-only order is possible, because the price may have moved. Other exchanges take it and end it at
  // once.
  if (isCrossing(code, message)) return { code: own, message: textOf(code, message), ...retry(EXCHANGE_END_AGAIN_MS) };
  const isFunds = code === REJECTED && FUNDS.test(message);
  const wait = own === 'RATE_LIMIT_EXCEEDED' ? retry(retryAfterMs) : {};
  return { code: isFunds ? 'INSUFFICIENT_FUNDS' : own, message: textOf(code, message), ...wait };
}

function isCrossing(code: number, message: string): boolean {
  return code === NOT_A_MAKER || (code === REJECTED && CROSSING.test(message));
}

/**
 * Reasons of an end: those of spot by name (`eR` and `expiryReason`: binance-spot-api-docs, enums), those of USD-M by
 * number (`er`), and states that are a reason of their own. Others are decisions of the exchange.
 */
const END_CAUSES: ReadonlyMap<string, EndCause> = new Map<string, EndCause>([
  ['UNFILLED_IOC_QUANTITY_EXPIRED', 'NO_LIQUIDITY'],
  ['UNFILLED_FOK_ORDER_EXPIRED', 'NO_LIQUIDITY'],
  ['INSUFFICIENT_LIQUIDITY', 'NO_LIQUIDITY'],
  ['EXPIRED_IN_MATCH', 'SELF_TRADE'],
  ['EXPIRED', 'EXPIRED'],
  ['GTX', 'POST_ONLY'],
  ['1', 'SELF_TRADE'],
  ['2', 'NO_LIQUIDITY'],
  ['3', 'SELF_TRADE'],
  ['4', 'REDUCE_ONLY'],
  ['9', 'NO_LIQUIDITY'],
]);

/** Why the exchange ended an order; null: the end was wanted. */
export function causeOfEnd(reason: string): Rejection | null {
  return rejectionOfEnd(END_CAUSES.get(reason) ?? 'EXCHANGE', `Binance: ${reason}`);
}

/** True when a look-up found no order. */
export function isAbsence({ status, code }: BinanceError): boolean {
  return status < 500 && code === UNKNOWN_ORDER;
}

function retry(retryAfterMs: number | null): { retryAfterMs?: DurationMs } {
  return retryAfterMs === null ? {} : { retryAfterMs: retryAfterMs as DurationMs };
}

function textOf(code: number | null, message: string): string {
  return code === null ? message : `Binance ${code}: ${message}`;
}
