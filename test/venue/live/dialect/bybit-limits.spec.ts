import { describe, expect, it } from 'vitest';
import { statedLimit } from '../../../../src/venue/live/dialect/bybit-limits.js';

describe('the limit that an answer of Bybit states', () => {
  it.each([
    [
      { 'X-Bapi-Limit': '20', 'X-Bapi-Limit-Status': '17' },
      { max: 20, used: 3 },
    ],
    [
      { 'x-bapi-limit': '20', 'x-bapi-limit-status': '0' },
      { max: 20, used: 20 },
    ],
    [
      { 'X-BAPI-LIMIT': '200', 'X-Bapi-Limit-Status': '200', Timenow: '1' },
      { max: 200, used: 0 },
    ],
  ])('is read from %j', (headers, stated) => {
    expect(statedLimit(headers)).toEqual(stated);
  });

  it.each([
    [undefined],
    [null],
    ['X-Bapi-Limit: 20'],
    [{}],
    [{ 'X-Bapi-Limit': '20' }],
    [{ 'X-Bapi-Limit-Status': '20' }],
    [{ 'X-Bapi-Limit': '0', 'X-Bapi-Limit-Status': '0' }],
    [{ 'X-Bapi-Limit': '10', 'X-Bapi-Limit-Status': '11' }],
    [{ 'X-Bapi-Limit': '-10', 'X-Bapi-Limit-Status': '1' }],
    [{ 'X-Bapi-Limit': '1e3', 'X-Bapi-Limit-Status': '1' }],
    [{ 'X-Bapi-Limit': '10000000000', 'X-Bapi-Limit-Status': '1' }],
    [{ 'X-Bapi-Limit': 20, 'X-Bapi-Limit-Status': 1 }],
  ])('is not read from %j', (headers) => {
    expect(statedLimit(headers)).toBeNull();
  });
});
