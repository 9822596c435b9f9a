import type { Rejection, RejectionCode } from '../../../domain/rejection.js';
import type { DurationMs } from '../../../domain/time.js';

/** An error answer of Binance: the HTTP status, and the body's code and text where it has them. */
export interface BinanceError {
  readonly status: number;
  readonly code: number | null;
  readonly message: string;
  /** From the header Retry-After, in milliseconds; null: none. */
  readonly retryAfterMs: number | null;
}

/**
 * Definite refusals: the exchange has not carried the request out. Every other error says nothing about the order. -1006
 * (unexpected response) and -1007 (timeout) are missing on purpose, and so is every 5xx.
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
  [-1131, 'INVALID_PARAM'],
  [-2010, 'INVALID_ORDER'],
  [-2011, 'INVALID_ORDER'],
  [-2014, 'INVALID_API_KEY'],
  [-2015, 'INVALID_API_KEY'],
  [-2018, 'INSUFFICIENT_FUNDS'],
  [-2019, 'INSUFFICIENT_FUNDS'],
  [-2020, 'INVALID_ORDER'],
  [-2022, 'INVALID_ORDER'],
  [-2027, 'QUANTITY_EXCEED'],
  [-2028, 'INSUFFICIENT_FUNDS'],
  [-4003, 'INVALID_QUANTITY'],
  [-4004, 'INVALID_QUANTITY'],
  [-4005, 'QUANTITY_EXCEED'],
  [-4014, 'INVALID_LIMIT_PRICE'],
  [-4016, 'INVALID_LIMIT_PRICE'],
  [-4023, 'INVALID_QUANTITY'],
  [-4024, 'INVALID_LIMIT_PRICE'],
  [-4131, 'INVALID_LIMIT_PRICE'],
  [-4140, 'INVALID_SYMBOL'],
  [-4164, 'INVALID_QUANTITY'],
  [-5022, 'INVALID_ORDER'],
]);

/** The order with this client id may exist: the refused request may be a repetition of one that was carried out. */
const DUPLICATE = /duplicate/i;
const FUNDS = /insufficient (?:balance|margin)/i;
const UNKNOWN_ORDER = -2013;

/**
 * The refusal that an error answer states; null: the outcome is unknown. The code comes from the exchange's number, never
 * from a library's class of error. The message has the number and the exchange's own text.
 */
export function refusalOfError({ status, code, message, retryAfterMs }: BinanceError): Rejection | null {
  if (status === 429 || status === 418) {
    return { code: 'RATE_LIMIT_EXCEEDED', message: textOf(code, message), ...retry(retryAfterMs) };
  }
  if (status >= 500 || code === null) return null;
  const own = REFUSALS.get(code);
  if (own === undefined || DUPLICATE.test(message)) return null;
  const isFunds = code === -2010 && FUNDS.test(message);
  const wait = own === 'RATE_LIMIT_EXCEEDED' ? retry(retryAfterMs) : {};
  return { code: isFunds ? 'INSUFFICIENT_FUNDS' : own, message: textOf(code, message), ...wait };
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
