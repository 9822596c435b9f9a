import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/api/field/json-value.js';
import { digestOf, echoOf } from '../../src/api/order/order-parser.js';
import { BITCOIN, clipOf, type OrderParams, paramsOf, requestWith } from './order-requests.js';
import { nearParams, orderParams } from './order-params-arbitrary.js';
import { ParamsSpelling } from './params-spelling.js';
import { runs } from '../runs.js';

/** The parameters as JSON text, parsed again. */
function sent(value: unknown): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}

function reread(params: OrderParams, choose: fc.GeneratorValue): unknown {
  return paramsOf(sent(new ParamsSpelling(choose).of(params)));
}

const isSame = (one: OrderParams, other: OrderParams): boolean => JSON.stringify(one) === JSON.stringify(other);

describe('order parameters', () => {
  it('parses every spelling of parameters to the same value', () => {
    fc.assert(
      fc.property(orderParams, fc.gen(), (params, choose) => {
        expect(reread(params, choose)).toEqual(params);
      }),
      { numRuns: runs(200, 1_000) },
    );
  });

  it('gives two orders the same digest exactly when their parameters mean the same', () => {
    fc.assert(
      fc.property(nearParams, ([params, others]) => {
        const [digest, other] = [params, others].map((one) => digestOf(requestWith(one)));
        expect(digest === other).toBe(isSame(params, others));
      }),
      { numRuns: runs(400, 2_000) },
    );
  });

  it('echoes parameters as a request that parses to the same value', () => {
    fc.assert(
      fc.property(orderParams, (params) => {
        const echo = echoOf(requestWith({ ...params }).values, BITCOIN);
        const { params: echoed } = (echo === '' ? {} : JSON.parse(echo)) as { params?: unknown };
        expect(paramsOf(echoed)).toEqual(params);
      }),
      { numRuns: runs(200, 1_000) },
    );
  });

  it.each([
    ['ABSOLUTE', '0.0001', 0.0001],
    ['PERCENTAGE', '33.333333', 33.333333],
    ['ORDER_COUNT', '10000', 10_000],
  ] as const)('echoes parameters beside a clip of %s', (clip_size_type, text, clip_size_val) => {
    const clip = clipOf(clip_size_type, text);
    const echo = JSON.parse(echoOf(requestWith({ clip }).values, BITCOIN)) as Record<string, unknown>;
    expect(echo).toMatchObject({ clip_size_type, clip_size_val });
    expect(clipOf(echo['clip_size_type'], echo['clip_size_val'])).toEqual(clip);
  });
});
