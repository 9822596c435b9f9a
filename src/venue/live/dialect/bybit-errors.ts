import type { Rejection, RejectionCode } from '../../../domain/rejection.js';
import type { DurationMs } from '../../../domain/time.js';
import { type EndCause, rejectionOfEnd } from '../end-cause.js';

/** An error answer of Bybit: the HTTP status, and `retCode` and `retMsg` where the body has them. */
export interface BybitError {
  readonly status: number;
  readonly code: number | null;
  readonly message: string;
  /** Until the limit of the endpoint is reset, in milliseconds; null: the answer does not say. */
  readonly retryAfterMs: number | null;
}

/**
 * Definite refusals: the exchange has not carried the request out. Every other error says nothing about the order.
 * Missing on purpose: 10000 and 170007 (timeouts), 10014 and 20006 (a duplicate request), 10016, 170001 and 170234
 * (internal errors), 429 and 10429 (high load), 110072 and 170141 (duplicate client ids), 170146 and 170147 (timeouts
 * of an order), 170149 (failed).
 */
const REFUSALS: ReadonlyMap<number, RejectionCode> = new Map<number, RejectionCode>([
  [10001, 'INVALID_PARAM'],
  [10002, 'INVALID_TIMESTAMP'],
  [10003, 'INVALID_API_KEY'],
  [10004, 'INVALID_SIGNATURE'],
  [10005, 'INVALID_API_KEY'],
  [10006, 'RATE_LIMIT_EXCEEDED'],
  [10007, 'AUTHENTICATION_ERROR'],
  [10008, 'AUTHENTICATION_ERROR'],
  [10009, 'AUTHENTICATION_ERROR'],
  [10010, 'INVALID_API_KEY'],
  [10017, 'INVALID_PARAM'],
  [10018, 'RATE_LIMIT_EXCEEDED'],
  // Of the socket for orders: the service restarts and takes no new request.
  [10019, 'EXCHANGE_NOT_AVAILABLE'],
  [10024, 'AUTHENTICATION_ERROR'],
  [10027, 'AUTHENTICATION_ERROR'],
  [10028, 'AUTHENTICATION_ERROR'],
  [10029, 'INVALID_SYMBOL'],
  [10404, 'INVALID_REQUEST'],
  [20003, 'RATE_LIMIT_EXCEEDED'],
  [33004, 'INVALID_API_KEY'],
  // Perpetuals.
  [110001, 'INVALID_ORDER'],
  [110003, 'INVALID_LIMIT_PRICE'],
  [110004, 'INSUFFICIENT_FUNDS'],
  [110006, 'INSUFFICIENT_FUNDS'],
  [110007, 'INSUFFICIENT_FUNDS'],
  [110008, 'INVALID_ORDER'],
  [110010, 'INVALID_ORDER'],
  [110012, 'INSUFFICIENT_FUNDS'],
  [110016, 'QUANTITY_EXCEED'],
  [110017, 'INVALID_ORDER'],
  [110020, 'INVALID_ORDER'],
  [110021, 'QUANTITY_EXCEED'],
  // The contract only reduces positions, is in settlement, does not trade now, or is not open yet: as for a closed pair
  // below.
  [110023, 'EXCHANGE_NOT_AVAILABLE'],
  [110032, 'INVALID_ORDER'],
  [110040, 'INVALID_ORDER'],
  [110044, 'INSUFFICIENT_FUNDS'],
  [110045, 'INSUFFICIENT_FUNDS'],
  [110051, 'INSUFFICIENT_FUNDS'],
  [110052, 'INSUFFICIENT_FUNDS'],
  [110053, 'INSUFFICIENT_FUNDS'],
  [110063, 'EXCHANGE_NOT_AVAILABLE'],
  [110066, 'EXCHANGE_NOT_AVAILABLE'],
  [110074, 'EXCHANGE_NOT_AVAILABLE'],
  [110094, 'INVALID_QUANTITY'],
  [110095, 'EXCHANGE_NOT_AVAILABLE'],
  [110120, 'INVALID_LIMIT_PRICE'],
  [110121, 'INVALID_LIMIT_PRICE'],
  // Spot.
  [170033, 'INSUFFICIENT_FUNDS'],
  [170105, 'INVALID_PARAM'],
  [170115, 'INVALID_PARAM'],
  [170116, 'INVALID_PARAM'],
  [170117, 'INVALID_PARAM'],
  [170121, 'INVALID_SYMBOL'],
  [170124, 'QUANTITY_EXCEED'],
  [170130, 'INVALID_PARAM'],
  [170131, 'INSUFFICIENT_FUNDS'],
  [170132, 'INVALID_LIMIT_PRICE'],
  [170133, 'INVALID_LIMIT_PRICE'],
  [170134, 'INVALID_LIMIT_PRICE'],
  [170135, 'QUANTITY_EXCEED'],
  [170136, 'INVALID_QUANTITY'],
  [170137, 'INVALID_QUANTITY'],
  [170139, 'INVALID_ORDER'],
  [170140, 'INVALID_QUANTITY'],
  [170142, 'INVALID_ORDER'],
  [170143, 'INVALID_ORDER'],
  [170148, 'INVALID_QUANTITY'],
  // The pair is not open: the order may be placed later.
  [170151, 'EXCHANGE_NOT_AVAILABLE'],
  [170157, 'INVALID_SYMBOL'],
  [170190, 'INVALID_ORDER'],
  [170192, 'INVALID_LIMIT_PRICE'],
  [170193, 'INVALID_LIMIT_PRICE'],
  [170194, 'INVALID_LIMIT_PRICE'],
  [170201, 'AUTHENTICATION_ERROR'],
  [170210, 'INVALID_ORDER'],
  [170213, 'INVALID_ORDER'],
  [170217, 'INVALID_ORDER'],
  [170218, 'INVALID_ORDER'],
  [170222, 'RATE_LIMIT_EXCEEDED'],
  [170371, 'INVALID_LIMIT_PRICE'],
  [170372, 'INVALID_LIMIT_PRICE'],
  [170810, 'INVALID_ORDER'],
]);

/** The order with this client id may exist: the refused request may be a repetition of one that was carried out. */
const DUPLICATE = /duplicate/i;
/** Perpetuals have one code for every wrong parameter. Its text names the one that the rules of the market refuse. */
const PARAMETER = 10001;
const PARAMETER_CODES: readonly (readonly [RegExp, RejectionCode])[] = [
  [/symbol/i, 'INVALID_SYMBOL'],
  [/exceeds maximum/i, 'QUANTITY_EXCEED'],
  [/\bqty\b|number of contracts/i, 'INVALID_QUANTITY'],
  [/\bprice\b/i, 'INVALID_LIMIT_PRICE'],
];
/** A banned address. The gate in front of the exchange answers with it, so nothing was carried out. */
const FORBIDDEN = 403;

/**
 * The refusal that an error answer states; null: the outcome is unknown. The code comes from the exchange's number. The
 * message has the number and the exchange's own text.
 */
export function refusalOfError({ status, code, message, retryAfterMs }: BybitError): Rejection | null {
  if (status === FORBIDDEN) {
    return { code: 'RATE_LIMIT_EXCEEDED', message: textOf(code ?? status, message), ...retry(retryAfterMs) };
  }
  if (status >= 500 || code === null) return null;
  const own = REFUSALS.get(code);
  if (own === undefined || DUPLICATE.test(message)) return null;
  const wait = own === 'RATE_LIMIT_EXCEEDED' ? retry(retryAfterMs) : {};
  const byText = code === PARAMETER ? PARAMETER_CODES.find(([text]) => text.test(message))?.[1] : undefined;
  return { code: byText ?? own, message: textOf(code, message), ...wait };
}

function retry(retryAfterMs: number | null): { retryAfterMs?: DurationMs } {
  return retryAfterMs === null ? {} : { retryAfterMs: retryAfterMs as DurationMs };
}

function textOf(code: number, message: string): string {
  return `Bybit ${code}: ${message}`;
}

/** By `rejectReason` and `cancelType` (docs/v5/enum). Others are decisions of the exchange. */
const END_CAUSES: ReadonlyMap<string, EndCause> = new Map<string, EndCause>([
  ['EC_PerCancelRequest', 'REQUESTED'],
  ['CancelByUser', 'REQUESTED'],
  ['EC_NoImmediateQtyToFill', 'NO_LIQUIDITY'],
  ['EC_NoEnoughQtyToFill', 'NO_LIQUIDITY'],
  ['EC_CancelForNoFullFill', 'NO_LIQUIDITY'],
  ['CancelBySmp', 'SELF_TRADE'],
  ['CancelByCrossSelfMuch', 'SELF_TRADE'],
  ['EC_BySelfMatch', 'SELF_TRADE'],
  ['EC_StopBySelfMatch', 'SELF_TRADE'],
  ['EC_PostOnlyWillTakeLiquidity', 'POST_ONLY'],
  ['CancelByReduceOnly', 'REDUCE_ONLY'],
]);

/** Why the exchange ended an order; null: the end was wanted. */
export function causeOfEnd(reason: string): Rejection | null {
  return rejectionOfEnd(END_CAUSES.get(reason) ?? 'EXCHANGE', `Bybit: ${reason}`);
}
