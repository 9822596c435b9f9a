import { describe, expect, it } from 'vitest';
import { EXCHANGE_END_AGAIN_MS } from '../../../../src/domain/limits/trading.js';
import { type BinanceError, isAbsence, refusalOfError } from '../../../../src/venue/live/dialect/binance-errors.js';

function error(code: number | null, message: string, status = 400, retryAfterMs: number | null = null): BinanceError {
  return { status, code, message, retryAfterMs };
}

describe('an error of Binance', () => {
  it.each([
    [-1013, 'Filter failure: LOT_SIZE', 'INVALID_QUANTITY'],
    [-1013, 'Filter failure: NOTIONAL', 'INVALID_QUANTITY'],
    [-1013, 'Filter failure: PRICE_FILTER', 'INVALID_LIMIT_PRICE'],
    [-1013, 'Filter failure: PERCENT_PRICE_BY_SIDE', 'INVALID_ORDER'],
    [-1013, 'Filter failure: MAX_NUM_ORDERS', 'INVALID_ORDER'],
    [-1013, 'Market is closed.', 'EXCHANGE_NOT_AVAILABLE'],
    [-1121, 'Invalid symbol.', 'INVALID_SYMBOL'],
    [-4140, 'Invalid symbol status for opening position.', 'EXCHANGE_NOT_AVAILABLE'],
    [-1021, 'Timestamp for this request is outside of the recvWindow.', 'INVALID_TIMESTAMP'],
    [-2010, 'Account has insufficient balance for requested action.', 'INSUFFICIENT_FUNDS'],
    [-2010, 'This action is disabled on this account.', 'INVALID_ORDER'],
    [-2011, 'Unknown order sent.', 'INVALID_ORDER'],
    [-2015, 'Invalid API-key, IP, or permissions for action.', 'INVALID_API_KEY'],
    [-2019, 'Margin is insufficient.', 'INSUFFICIENT_FUNDS'],
    [-2022, 'ReduceOnly Order is rejected.', 'INVALID_ORDER'],
  ] as const)('%i %s is a definite refusal', (code, message, own) => {
    expect(refusalOfError(error(code, message))).toEqual({ code: own, message: `Binance ${code}: ${message}` });
  });

  it.each([
    [-2010, 'Order would immediately match and take.'],
    [-5022, 'Due to the order could not be executed as maker, the Post Only order will be rejected.'],
  ] as const)('%i %s refuses a post-only order, which may be placed again', (code, message) => {
    const refusal = {
      code: 'INVALID_ORDER',
      message: `Binance ${code}: ${message}`,
      retryAfterMs: EXCHANGE_END_AGAIN_MS,
    };
    expect(refusalOfError(error(code, message))).toEqual(refusal);
  });

  it.each([
    [-1006, 'An unexpected response was received from the message bus. Execution status unknown.', 400],
    [-1007, 'Timeout waiting for response from backend server. Send status unknown; execution status unknown.', 408],
    [-1000, 'An unknown error occurred while processing the request.', 400],
    [-1001, 'Internal error; unable to process your request. Please try again.', 400],
    [-2010, 'Duplicate order sent.', 400],
    [-1013, 'Filter failure: LOT_SIZE', 503],
    [null, '<html>502 Bad Gateway</html>', 502],
    [null, 'Unknown error, please check your request or try again later.', 503],
    [-9999, 'a code that this release does not know', 400],
    [-2013, 'Order does not exist.', 400],
  ] as const)('%s %s says nothing about the order', (code, message, status) => {
    expect(refusalOfError(error(code, message, status))).toBeNull();
  });

  it('with 429 or 418 is a refusal that names the wait', () => {
    for (const status of [429, 418]) {
      expect(refusalOfError(error(-1003, 'Too many requests', status, 3_000))).toEqual({
        code: 'RATE_LIMIT_EXCEEDED',
        message: 'Binance -1003: Too many requests',
        retryAfterMs: 3_000,
      });
    }
    expect(refusalOfError(error(null, 'banned', 418))).toEqual({ code: 'RATE_LIMIT_EXCEEDED', message: 'banned' });
  });

  it('-2013 to a look-up is an absence, unless the server itself failed', () => {
    expect(isAbsence(error(-2013, 'Order does not exist.'))).toBe(true);
    expect(isAbsence(error(-2013, 'Order does not exist.', 500))).toBe(false);
    expect(isAbsence(error(-1121, 'Invalid symbol.'))).toBe(false);
  });
});
