import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseClip } from '../../src/http/parse/clip.js';
import type { JsonObject } from '../../src/http/parse/json-field.js';
import { parseParams, type OrderParams } from '../../src/http/parse/order-params.js';
import { digestOf } from '../../src/http/parse/request-digest.js';
import { echoOf } from '../../src/http/parse/request-echo.js';
import { BITCOIN, requestWith } from './order-requests.js';
import { nearParams, orderParams } from './order-params-arbitrary.js';
import { ParamsSpelling } from './params-spelling.js';

/** As they come over the wire. */
function sent(value: unknown): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}

function reread(params: OrderParams, choose: fc.GeneratorValue): unknown {
  return parseParams(sent(new ParamsSpelling(choose).of(params)), BITCOIN);
}

const isSame = (one: OrderParams, other: OrderParams): boolean => JSON.stringify(one) === JSON.stringify(other);

describe('order parameters', () => {
  it('mean the same however they are spelled', () => {
    fc.assert(
      fc.property(orderParams, fc.gen(), (params, choose) => {
        expect(reread(params, choose)).toEqual(params);
      }),
      { numRuns: 1_000 },
    );
  });

  it('have the same digest when, and only when, they mean the same', () => {
    fc.assert(
      fc.property(nearParams, ([params, others]) => {
        const [digest, other] = [params, others].map((one) => digestOf(requestWith({ params: one })));
        expect(digest === other).toBe(isSame(params, others));
      }),
      { numRuns: 2_000 },
    );
  });

  it('are echoed as a request for the same', () => {
    fc.assert(
      fc.property(orderParams, (params) => {
        const echo = echoOf(requestWith({ params }));
        const { params: echoed } = (echo === '' ? {} : JSON.parse(echo)) as { params?: unknown };
        expect(parseParams(echoed, BITCOIN)).toEqual(params);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ['ABSOLUTE', '0.0001', 0.0001],
    ['PERCENTAGE', '33.333333', 33.333333],
    ['ORDER_COUNT', '10000', 10_000],
  ] as const)('are echoed beside a clip of %s', (clip_size_type, text, clip_size_val) => {
    const clip = parseClip(clip_size_type, text, BITCOIN);
    if ('rejection' in clip) throw new Error(clip.rejection.message);
    const echo = JSON.parse(echoOf(requestWith({ clip }))) as Record<string, unknown>;
    expect(echo).toMatchObject({ clip_size_type, clip_size_val });
    expect(parseClip(echo['clip_size_type'], echo['clip_size_val'], BITCOIN)).toEqual(clip);
  });
});
