import type { Rejection, RejectionCode } from '../../../domain/rejection.js';
import { type EndCause, rejectionOfEnd } from '../end-cause.js';

/** An error answer of OKX: the HTTP status, and the code and text of the order in it, else those of the request. */
export interface OkxError {
  readonly status: number;
  /** null: the answer is not one of the exchange. */
  readonly code: number | null;
  readonly message: string;
}

/**
 * Definite refusals: the exchange has not carried the request out. They are those of the published list of error codes.
 * Every other code says nothing about the order. Missing on purpose: 50001, 50004, 50013, 50026, 51054 and 51149 (the
 * outcome is open), 50042, 50071, 51011 and 51016 (an order with this id exists: it may be the one of the first
 * sending).
 */
const REFUSALS: ReadonlyMap<number, RejectionCode> = new Map<number, RejectionCode>([
  [50002, 'INVALID_REQUEST'],
  [50006, 'INVALID_REQUEST'],
  [50007, 'AUTHENTICATION_ERROR'],
  [50008, 'AUTHENTICATION_ERROR'],
  [50011, 'RATE_LIMIT_EXCEEDED'],
  [50014, 'INVALID_PARAM'],
  [50015, 'INVALID_PARAM'],
  [50016, 'INVALID_PARAM'],
  [50024, 'INVALID_PARAM'],
  [50027, 'AUTHENTICATION_ERROR'],
  [50030, 'AUTHENTICATION_ERROR'],
  [50033, 'INVALID_SYMBOL'],
  [50035, 'AUTHENTICATION_ERROR'],
  [50036, 'INVALID_TIMESTAMP'],
  [50061, 'RATE_LIMIT_EXCEEDED'],
  [50100, 'AUTHENTICATION_ERROR'],
  [50101, 'AUTHENTICATION_ERROR'],
  [50102, 'INVALID_TIMESTAMP'],
  [50103, 'INVALID_API_KEY'],
  [50104, 'INVALID_API_KEY'],
  [50105, 'INVALID_API_KEY'],
  [50106, 'INVALID_SIGNATURE'],
  [50107, 'INVALID_TIMESTAMP'],
  [50110, 'AUTHENTICATION_ERROR'],
  [50111, 'INVALID_API_KEY'],
  [50112, 'INVALID_TIMESTAMP'],
  [50113, 'INVALID_SIGNATURE'],
  [50114, 'AUTHENTICATION_ERROR'],
  [50115, 'INVALID_REQUEST'],
  [50119, 'INVALID_API_KEY'],
  [50120, 'AUTHENTICATION_ERROR'],
  [51000, 'INVALID_PARAM'],
  [51001, 'INVALID_SYMBOL'],
  [51002, 'INVALID_SYMBOL'],
  [51003, 'INVALID_PARAM'],
  [51004, 'QUANTITY_EXCEED'],
  [51005, 'QUANTITY_EXCEED'],
  [51006, 'INVALID_LIMIT_PRICE'],
  [51007, 'INVALID_QUANTITY'],
  [51008, 'INSUFFICIENT_FUNDS'],
  [51009, 'INVALID_ORDER'],
  [51010, 'INVALID_ORDER'],
  [51015, 'INVALID_SYMBOL'],
  [51020, 'INVALID_QUANTITY'],
  // Not listed yet, suspended, in settlement: the order may be placed later.
  [51021, 'EXCHANGE_NOT_AVAILABLE'],
  [51022, 'EXCHANGE_NOT_AVAILABLE'],
  [51023, 'INVALID_ORDER'],
  [51024, 'AUTHENTICATION_ERROR'],
  [51025, 'INVALID_ORDER'],
  [51027, 'INVALID_SYMBOL'],
  [51028, 'INVALID_SYMBOL'],
  [51029, 'EXCHANGE_NOT_AVAILABLE'],
  [51030, 'EXCHANGE_NOT_AVAILABLE'],
  [51031, 'INVALID_LIMIT_PRICE'],
  [51033, 'QUANTITY_EXCEED'],
  [51037, 'INVALID_ORDER'],
  [51041, 'INVALID_ORDER'],
  [51087, 'INVALID_SYMBOL'],
  [51101, 'QUANTITY_EXCEED'],
  [51102, 'INVALID_ORDER'],
  [51103, 'INVALID_ORDER'],
  [51104, 'QUANTITY_EXCEED'],
  [51105, 'QUANTITY_EXCEED'],
  [51106, 'QUANTITY_EXCEED'],
  [51107, 'QUANTITY_EXCEED'],
  [51109, 'INVALID_ORDER'],
  // The call auction has not begun: the order may be placed later.
  [51110, 'EXCHANGE_NOT_AVAILABLE'],
  [51112, 'INVALID_QUANTITY'],
  [51116, 'INVALID_LIMIT_PRICE'],
  [51120, 'INVALID_QUANTITY'],
  [51121, 'INVALID_QUANTITY'],
  [51122, 'INVALID_LIMIT_PRICE'],
  [51124, 'INVALID_ORDER'],
  [51127, 'INSUFFICIENT_FUNDS'],
  [51129, 'QUANTITY_EXCEED'],
  [51131, 'INSUFFICIENT_FUNDS'],
  [51135, 'INVALID_LIMIT_PRICE'],
  [51136, 'INVALID_LIMIT_PRICE'],
  [51137, 'INVALID_LIMIT_PRICE'],
  [51138, 'INVALID_LIMIT_PRICE'],
  [51139, 'INVALID_ORDER'],
  [51148, 'INVALID_ORDER'],
  [51150, 'INVALID_PARAM'],
  [51169, 'INVALID_ORDER'],
  [51197, 'EXCHANGE_NOT_AVAILABLE'],
  [51201, 'QUANTITY_EXCEED'],
  [51202, 'QUANTITY_EXCEED'],
  [51203, 'QUANTITY_EXCEED'],
  [51204, 'INVALID_LIMIT_PRICE'],
  [51205, 'INVALID_ORDER'],
  [51400, 'INVALID_ORDER'],
  [51401, 'INVALID_ORDER'],
  [51402, 'INVALID_ORDER'],
  [51403, 'INVALID_ORDER'],
  [51404, 'INVALID_ORDER'],
  [51405, 'INVALID_ORDER'],
  [51410, 'INVALID_ORDER'],
]);

/**
 * The code of every wrong parameter. Its text names the one that the rules of the market refuse: `Parameter px error`.
 */
const WRONG_PARAMETER = 51000;
const PARAMETER = /^Parameter (\w+)/i;
const PARAMETER_CODES: ReadonlyMap<string, RejectionCode> = new Map<string, RejectionCode>([
  ['px', 'INVALID_LIMIT_PRICE'],
  ['sz', 'INVALID_QUANTITY'],
  ['instId', 'INVALID_SYMBOL'],
  ['instIdCode', 'INVALID_SYMBOL'],
]);

const ORDER_DOES_NOT_EXIST = 51603;
const TOO_MANY_REQUESTS = 429;
const SERVER_ERROR = 500;

/**
 * The refusal that an error answer states; null: the outcome is unknown. The code comes from the exchange's number,
 * never from a library's class of error; the text divides the number of wrong parameters. The message has the number
 * and the exchange's own text.
 */
export function refusalOfError({ status, code, message }: OkxError): Rejection | null {
  if (status >= SERVER_ERROR) return null;
  // A gateway in front of the exchange refuses without a code.
  if (status === TOO_MANY_REQUESTS && code === null) return { code: 'RATE_LIMIT_EXCEEDED', message };
  const own = code === null ? undefined : REFUSALS.get(code);
  if (own === undefined) return null;
  const byText = code === WRONG_PARAMETER ? PARAMETER_CODES.get(PARAMETER.exec(message)?.[1] ?? '') : undefined;
  return { code: byText ?? own, message: `OKX ${code}: ${message}` };
}

/** True when a look-up found no order. */
export function isAbsence({ status, code }: OkxError): boolean {
  return status < SERVER_ERROR && code === ORDER_DOES_NOT_EXIST;
}

/** By `cancelSource`. Others are decisions of the exchange. */
const END_CAUSES: ReadonlyMap<string, EndCause> = new Map<string, EndCause>([
  ['1', 'REQUESTED'],
  // A FOK order and an IOC order that were not filled completely at once.
  ['13', 'NO_LIQUIDITY'],
  ['14', 'NO_LIQUIDITY'],
  ['22', 'REDUCE_ONLY'],
  ['23', 'REDUCE_ONLY'],
  ['31', 'POST_ONLY'],
  ['32', 'SELF_TRADE'],
]);

/**
 * Why the exchange ended an order, from `cancelSource` with or without its text; null: it was asked to, or as its type
 * says.
 */
export function causeOfEnd(reason: string | null): Rejection | null {
  const source = reason === null ? '' : (/^\d*/.exec(reason)?.[0] ?? '');
  if (reason === null) return null;
  return rejectionOfEnd(END_CAUSES.get(source) ?? 'EXCHANGE', `OKX cancelSource ${reason}`);
}
