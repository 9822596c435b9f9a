import { describe, expect, it } from 'vitest';
import { type BybitError, refusalOfError } from '../../../../src/venue/live/dialect/bybit-errors.js';

function error(code: number | null, message: string, status = 200, retryAfterMs: number | null = null): BybitError {
  return { status, code, message, retryAfterMs };
}

describe('an error of Bybit', () => {
  it.each([
    [10001, 'params error: Side invalid', 'INVALID_PARAM'],
    [10001, 'params error: Price invalid', 'INVALID_LIMIT_PRICE'],
    [10001, 'Qty invalid', 'INVALID_QUANTITY'],
    [10001, 'The number of contracts is below the minimum limit allowed', 'INVALID_QUANTITY'],
    [10001, 'The number of contracts exceeds maximum limit allowed: too large', 'QUANTITY_EXCEED'],
    [10001, 'params error: symbol invalid XYZUSDT', 'INVALID_SYMBOL'],
    [10002, 'invalid request, please check your server timestamp or recv_window param.', 'INVALID_TIMESTAMP'],
    [10003, 'API key is invalid.', 'INVALID_API_KEY'],
    [10004, 'error sign! origin_string[1]', 'INVALID_SIGNATURE'],
    [10005, 'Permission denied, please check your API key permissions.', 'INVALID_API_KEY'],
    [10010, "Unmatched IP, please check your API key's bound IP addresses.", 'INVALID_API_KEY'],
    [110001, 'order not exists or too late to cancel', 'INVALID_ORDER'],
    [110007, 'ab not enough for new order', 'INSUFFICIENT_FUNDS'],
    [110017, 'current position is zero, cannot fix reduce-only order qty', 'INVALID_ORDER'],
    [110023, 'Currently you can only reduce your position on this contract.', 'EXCHANGE_NOT_AVAILABLE'],
    [110063, 'Settlement in progress! BTCUSDT not available for trading.', 'EXCHANGE_NOT_AVAILABLE'],
    [110066, 'Trading is currently not allowed.', 'EXCHANGE_NOT_AVAILABLE'],
    [110074, 'This contract is not live', 'EXCHANGE_NOT_AVAILABLE'],
    [110094, 'Order does not meet minimum order value 5USDT', 'INVALID_QUANTITY'],
    [170131, 'Insufficient balance.', 'INSUFFICIENT_FUNDS'],
    [170134, 'Order price has too many decimals.', 'INVALID_LIMIT_PRICE'],
    [170140, 'Order value exceeded lower limit.', 'INVALID_QUANTITY'],
    [170121, 'Invalid symbol.', 'INVALID_SYMBOL'],
    [170151, 'The trading pair is not open yet.', 'EXCHANGE_NOT_AVAILABLE'],
    [170213, 'Order does not exist.', 'INVALID_ORDER'],
    [10019, 'ws trade service is restarting', 'EXCHANGE_NOT_AVAILABLE'],
  ] as const)('%i %s is a definite refusal', (code, message, own) => {
    expect(refusalOfError(error(code, message))).toEqual({ code: own, message: `Bybit ${code}: ${message}` });
  });

  it.each([
    [10000, 'Server Timeout', 200],
    [10014, 'Invalid duplicate request.', 200],
    [10016, 'Server error.', 200],
    [10016, 'Internal System Error.', 500],
    [429, 'The trading service is experiencing a high server load. Please retry.', 200],
    [-1, 'request expired: o@0, now[] diff[]', 200],
    [110072, 'OrderLinkedID is duplicate', 200],
    [170141, 'Duplicate clientOrderId.', 200],
    [10001, 'params error: duplicate OrderLinkId', 200],
    [170007, 'Timeout waiting for response from backend server.', 200],
    [170146, 'Order creation timeout', 200],
    [170149, 'Create order failed', 200],
    [110007, 'ab not enough for new order', 503],
    [null, '<html>502 Bad Gateway</html>', 502],
    [null, '', 429],
    [999_999, 'a code that this release does not know', 200],
  ] as const)('%s %s says nothing about the order', (code, message, status) => {
    expect(refusalOfError(error(code, message, status))).toBeNull();
  });

  it('about a limit is a refusal that names the wait', () => {
    expect(refusalOfError(error(10006, 'Too many visits. Exceeded the API Rate Limit.', 200, 300))).toEqual({
      code: 'RATE_LIMIT_EXCEEDED',
      message: 'Bybit 10006: Too many visits. Exceeded the API Rate Limit.',
      retryAfterMs: 300,
    });
    expect(refusalOfError(error(null, '403, access too frequent', 403))).toEqual({
      code: 'RATE_LIMIT_EXCEEDED',
      message: 'Bybit 403: 403, access too frequent',
    });
  });
});
