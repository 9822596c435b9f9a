import { describe, expect, it } from 'vitest';
import { causeOfEnd, isAbsence, type OkxError, refusalOfError } from '../../../../src/venue/live/dialect/okx-errors.js';
import { okxErrorOf } from '../../../../src/venue/live/okx/okx-rest.js';

function error(code: number | null, message: string, status = 200): OkxError {
  return { status, code, message };
}

/** The error in the text of an answer. */
function errorIn(text: string, status = 200): OkxError | null {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = undefined;
  }
  return okxErrorOf({ status, text, body });
}

/** An answer about one order. */
function answer(sCode: string): string {
  const order = { clOrdId: '1x1', ordId: '', sCode, sMsg: 'why' };
  return JSON.stringify({ code: '1', msg: 'All operations failed', data: [order] });
}

describe('an error of OKX', () => {
  it.each([
    [
      50011,
      'Rate limit reached. Please refer to API documentation and throttle requests accordingly.',
      'RATE_LIMIT_EXCEEDED',
    ],
    [50036, "The expTime can't be earlier than the current system time.", 'INVALID_TIMESTAMP'],
    [50102, 'Timestamp request expired.', 'INVALID_TIMESTAMP'],
    [50111, 'Invalid OK-ACCESS-KEY.', 'INVALID_API_KEY'],
    [50113, 'Invalid signature.', 'INVALID_SIGNATURE'],
    [51000, 'Parameter posSide error', 'INVALID_PARAM'],
    [51000, 'Parameter px error', 'INVALID_LIMIT_PRICE'],
    [51000, 'Parameter sz error', 'INVALID_QUANTITY'],
    [51021, 'Contract to be listed.', 'EXCHANGE_NOT_AVAILABLE'],
    [51022, 'Contract suspended.', 'EXCHANGE_NOT_AVAILABLE'],
    [51027, 'Contract expired.', 'INVALID_SYMBOL'],
    [51028, 'Contract under delivery.', 'INVALID_SYMBOL'],
    [51030, 'Funding fee is being settled.', 'EXCHANGE_NOT_AVAILABLE'],
    [51087, 'Listing canceled for this crypto', 'INVALID_SYMBOL'],
    [51001, "Instrument ID, Instrument ID code or Spread ID doesn't exist.", 'INVALID_SYMBOL'],
    [51008, 'Order failed. Insufficient USDT balance in account.', 'INSUFFICIENT_FUNDS'],
    [51020, 'Your order should meet or exceed the minimum order amount.', 'INVALID_QUANTITY'],
    [51137, 'The highest price limit for buy orders is 52500.', 'INVALID_LIMIT_PRICE'],
    [51400, 'Order cancellation failed as the order has been filled, canceled or does not exist.', 'INVALID_ORDER'],
  ] as const)('%i %s is a definite refusal', (code, message, own) => {
    expect(refusalOfError(error(code, message))).toEqual({ code: own, message: `OKX ${code}: ${message}` });
  });

  it.each([
    [50001, 'Service temporarily unavailable. Please try again later.', 503],
    [50004, 'API endpoint request timeout.', 400],
    [50013, 'Systems are busy. Please try again later.', 429],
    [50026, 'System error. Try again later', 500],
    [50042, 'Repeated request', 200],
    [50071, 'clOrdId already exists', 200],
    [51016, 'Client order ID already exists.', 200],
    [51054, 'Request timed out. Please try again.', 500],
    [51149, 'Order timed out. Please try again later.', 200],
    [51000, 'Parameter sz error', 502],
    [51603, 'Order does not exist.', 200],
    [1, 'All operations failed', 200],
    [59_999, 'a code that this release does not know', 200],
    [null, '<html>502 Bad Gateway</html>', 502],
    [null, '<html>404 Not Found</html>', 404],
  ] as const)('%s %s says nothing about the order', (code, message, status) => {
    expect(refusalOfError(error(code, message, status))).toBeNull();
  });

  it('with the status 429 is a refusal of the gateway also without a code', () => {
    expect(refusalOfError(error(null, 'slow down', 429))).toEqual({
      code: 'RATE_LIMIT_EXCEEDED',
      message: 'slow down',
    });
  });

  it('51603 to a look-up is an absence, unless the server itself failed', () => {
    expect(isAbsence(error(51603, 'Order does not exist.'))).toBe(true);
    expect(isAbsence(error(51603, 'Order does not exist.', 500))).toBe(false);
    expect(isAbsence(error(51001, "Instrument ID doesn't exist."))).toBe(false);
  });
});

describe('an answer of OKX', () => {
  it('has the code of its order, without a sub-code, before its own', () => {
    expect(errorIn(answer('51008'))).toMatchObject({ status: 200, code: 51008, message: 'why' });
    expect(errorIn(answer('51008_1000'))).toMatchObject({ code: 51008 });
    expect(errorIn(answer('many'))).toMatchObject({ code: 1, message: 'All operations failed' });
  });

  it('has its own code when it has no order', () => {
    expect(errorIn('{"code":"50113","msg":"Invalid signature.","data":[]}', 401)).toMatchObject({ code: 50113 });
  });

  it('is no error with the code 0 alone, and an open outcome when it is not one of the exchange', () => {
    expect(errorIn('{"code":"0","msg":"","data":[]}')).toBeNull();
    for (const text of ['<html></html>', '', '[]', '{"code":0}', '{"code":"0"', '{"message":"hi"}']) {
      const found = errorIn(text);
      expect(found, text).toMatchObject({ code: null });
      expect(refusalOfError(found!), text).toBeNull();
    }
  });
});

describe('the end of an order of OKX', () => {
  it('has no cause when it was asked for or follows from the type of the order', () => {
    for (const reason of [null, '1', '1: Order canceled by user', '13', '14: IOC order']) {
      expect(causeOfEnd(reason), String(reason)).toBeNull();
    }
  });

  it('has the source of the exchange as its cause otherwise', () => {
    expect(causeOfEnd('31: The post-only order will take liquidity in maker orders')).toMatchObject({
      code: 'INVALID_ORDER',
      message: 'POST_ONLY: OKX cancelSource 31: The post-only order will take liquidity in maker orders',
    });
    expect(causeOfEnd('33')).toMatchObject({ code: 'EXCHANGE_ERROR', message: 'OKX cancelSource 33' });
    expect(causeOfEnd('a text without a number')).toMatchObject({ code: 'EXCHANGE_ERROR' });
  });
});
