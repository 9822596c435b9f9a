import type { Suspension } from '../exchange.js';
import type { HttpAnswer } from '../http-server.js';
import type { ProtocolFault } from '../request-service.js';
import type { Category } from './instruments.js';

/** An error answer. Handlers throw it; REST and the sockets write it in their own form. */
export class ApiError extends Error {
  readonly code: number;
  readonly status: number;

  constructor(code: number, text: string, { status = 200 } = {}) {
    super(text);
    this.code = code;
    this.status = status;
  }
}

export const parameterError = (text: string): ApiError => new ApiError(10001, text);
export const BAD_KEY = (): ApiError => new ApiError(10003, 'API key is invalid.');
export const NO_PERMISSION = (): ApiError => {
  return new ApiError(10005, 'Permission denied, please check your API key permissions.');
};
export const TOO_MANY_VISITS = (): ApiError => new ApiError(10006, 'Too many visits. Exceeded the API Rate Limit.');
export const BAD_ADDRESS = (): ApiError => {
  return new ApiError(10010, "Unmatched IP, please check your API key's bound IP addresses.");
};

export function lateRequest(requestMs: number, serverMs: number, windowMs: number): ApiError {
  return new ApiError(
    10002,
    `invalid request, please check your server timestamp or recv_window param. req_timestamp[${requestMs}],server_timestamp[${serverMs}],recv_window[${windowMs}]`,
  );
}

export function badSignature(payload: string): ApiError {
  return new ApiError(10004, `error sign! origin_string[${payload}]`);
}

export function badSymbol(category: Category): ApiError {
  return category === 'spot' ? new ApiError(170121, 'Invalid symbol.') : parameterError('params error: symbol invalid');
}

/**
 * The market takes no new orders. The codes and their texts are those of the published list, which does not say which
 * one belongs to which status of the market: that rests on memory.
 */
export function suspended(category: Category, suspension: Suspension, symbol: string): ApiError {
  if (category === 'spot') {
    return suspension === 'DELISTED' ? badSymbol('spot') : new ApiError(170151, 'The trading pair is not open yet.');
  }
  switch (suspension) {
    case 'HALTED':
      return new ApiError(110063, `Settlement in progress! ${symbol} not available for trading.`);
    case 'DELIVERING':
      return new ApiError(110066, 'Trading is currently not allowed.');
    case 'PRELAUNCH':
    case 'DELISTED':
      return new ApiError(110074, 'This contract is not live');
    default:
      suspension satisfies never;
      throw new RangeError('no such suspension');
  }
}

/** The order does not exist, or has ended. */
export function noSuchOrder(category: Category): ApiError {
  return category === 'spot'
    ? new ApiError(170213, 'Order does not exist.')
    : new ApiError(110001, 'order not exists or too late to cancel');
}

/** The answer of the exchange for a fault of the script; null: a page that is no JSON. */
export function faultError(fault: ProtocolFault): ApiError | null {
  if (fault.kind === 'maintenance') return null;
  if (fault.kind === 'limit') return fault.status === 429 ? TOO_MANY_VISITS() : null;
  switch (fault.failure) {
    case 'unknown':
      return new ApiError(10016, 'Server error.');
    case 'unexpected':
      return new ApiError(10016, 'Internal System Error.', { status: 500 });
    case 'timeout':
      return new ApiError(10000, 'Server Timeout');
    case 'overloaded':
      return new ApiError(429, 'The trading service is experiencing a high server load. Please retry.');
    default:
      fault.failure satisfies never;
      throw new RangeError('no such failure');
  }
}

/** A page of the load balancer: maintenance, or a banned address. */
export function pageOf(fault: ProtocolFault): HttpAnswer {
  const [status, title] =
    fault.kind === 'maintenance' ? [fault.status, 'Bad Gateway'] : [403, '403, access too frequent'];
  const body = `<html>\r\n<head><title>${title}</title></head>\r\n<body><h1>${title}</h1></body>\r\n</html>\r\n`;
  return { status, headers: { 'content-type': 'text/html' }, body };
}
