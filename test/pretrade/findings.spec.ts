import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CreateParentOrderRequest } from '../../src/api/order/order-schema.js';
import { checkOrderRequest, parseOrderRequest } from '../../src/api/order/order-parser.js';
import { isRejected } from '../../src/domain/rejection.js';
import { valueNear } from '../contract/request-value.js';
import { CATALOGUE, createBody } from '../http/orders.js';

const codesOf = (fields: Record<string, unknown>): string[] =>
  checkOrderRequest(createBody(fields), CATALOGUE).violations.map(({ code }) => code);

describe('findingsOf', () => {
  it('starts with the error of a create, and is empty exactly when a create accepts the request', () => {
    const fields = fc.record(
      Object.fromEntries(
        Object.entries(CreateParentOrderRequest.properties).map(([name, part]) => [name, valueNear(part)]),
      ),
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(fields.map(createBody), fc.jsonValue({ maxDepth: 1 })), (body) => {
        const { request, violations } = checkOrderRequest(body, CATALOGUE);
        const read = parseOrderRequest(body, CATALOGUE);
        if (isRejected(read)) expect([request, violations[0]]).toEqual([null, read.rejection]);
        else expect([request, violations]).toEqual([read, []]);
        expect(new Set(violations.map(({ message }) => message)).size).toBe(violations.length);
      }),
      { numRuns: 2_000 },
    );
  });

  it('reports every invalid field', () => {
    const params = { duration_seconds: '0', urgency: 'NOW', post_only: 'yes' };
    expect(
      codesOf({ client_order_id: 'a,b', side: 'UP', quantity: '0', limit_price: '-', end_time: 'soon', params }),
    ).toEqual([
      'INVALID_PARAM',
      'INVALID_PARAM',
      'INVALID_QUANTITY',
      'INVALID_LIMIT_PRICE',
      'INVALID_END_TIME',
      'INVALID_PARAM',
      'INVALID_PARAM',
      'INVALID_PARAM',
    ]);
  });

  it('includes an end over 30 days after the start', () => {
    const times = { start_time: '2026-11-21T12:00:00Z', end_time: '2026-12-21T12:00:00.001Z' };
    expect(codesOf({ ...times, quantity: '0' })).toEqual(['INVALID_QUANTITY', 'INVALID_END_TIME']);
  });

  it('reports an unknown exchange, and the checks that do not need one', () => {
    expect(codesOf({ exchange: 'NYSE', subaccount: 'a,b', quantity: '0', start_time: 'soon' })).toEqual([
      'INVALID_EXCHANGE',
      'INVALID_PARAM',
      'INVALID_TRADE_TIME',
    ]);
  });

  it('reports every violated rule between fields', () => {
    const params = { reduce_only: true, start_ladder_price: '59000', end_ladder_price: '58000' };
    expect(codesOf({ params })).toEqual(['INVALID_PARAM', 'INVALID_PARAM', 'INVALID_PARAM']);
  });
});
