import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CreateParentOrderRequest } from '../../src/contract/order-request.js';
import { findingsOf } from '../../src/http/parse/order-findings.js';
import { parseOrderRequest } from '../../src/http/parse/order-request.js';
import { isRejected } from '../../src/model/rejection.js';
import { valueNear } from '../contract/request-value.js';
import { CATALOGUE, createBody } from '../http/orders.js';

const codesOf = (fields: Record<string, unknown>): string[] =>
  findingsOf(createBody(fields), CATALOGUE).rejections.map(({ code }) => code);

describe('what is wrong with a request', () => {
  it('begins with what a create would answer, and is nothing exactly when a create reads it', () => {
    const fields = fc.record(
      Object.fromEntries(
        Object.entries(CreateParentOrderRequest.properties).map(([name, part]) => [name, valueNear(part)]),
      ),
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(fields.map(createBody), fc.jsonValue({ maxDepth: 1 })), (body) => {
        const { request, rejections } = findingsOf(body, CATALOGUE);
        const read = parseOrderRequest(body, CATALOGUE);
        if (isRejected(read)) expect([request, rejections[0]]).toEqual([null, read.rejection]);
        else expect([request, rejections]).toEqual([read, []]);
        expect(new Set(rejections.map(({ message }) => message)).size).toBe(rejections.length);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is told of every field', () => {
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

  it('is told of an unknown exchange, and of what can be judged without one', () => {
    expect(codesOf({ exchange: 'NYSE', subaccount: 'a,b', quantity: '0', start_time: 'soon' })).toEqual([
      'INVALID_EXCHANGE',
      'INVALID_PARAM',
      'INVALID_TRADE_TIME',
    ]);
  });

  it('is told of every rule between fields', () => {
    const params = { reduce_only: true, start_ladder_price: '59000', end_ladder_price: '58000' };
    expect(codesOf({ params })).toEqual(['INVALID_PARAM', 'INVALID_PARAM', 'INVALID_PARAM']);
  });
});
