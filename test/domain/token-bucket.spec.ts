import fc from 'fast-check';
import { expect, it } from 'vitest';
import { TokenBucket } from '../../src/domain/token-bucket.js';

/** Two tokens, one returns every 10 time units. */
const small = (): TokenBucket => new TokenBucket(10, 20);

it('passes its capacity at once, then one token in each token time', () => {
  const bucket = small();
  expect([bucket.take(1, 0), bucket.take(1, 0), bucket.take(1, 9), bucket.take(1, 10)]).toEqual([
    true,
    true,
    false,
    true,
  ]);
});

it('leaves the reserve to callers that may use it', () => {
  const bucket = small();
  expect([bucket.take(1, 0, 10), bucket.take(1, 0, 10), bucket.take(1, 0)]).toEqual([true, false, true]);
});

it('passes a count above its capacity when full, and lets later calls wait for the debt', () => {
  const bucket = small();
  expect([bucket.take(5, 0), bucket.owed(0), bucket.take(1, 39), bucket.take(1, 40)]).toEqual([true, 50, false, true]);
});

it('charges a count that does not fit', () => {
  const bucket = small();
  bucket.charge(4, 0);
  expect([bucket.owed(0), bucket.missing(1, 0), bucket.readyAt()]).toEqual([40, 30, 30]);
});

it('succeeds at the announced time and not before', () => {
  const draw = fc.tuple(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 20 }), fc.nat(1_000));
  fc.assert(
    fc.property(draw, ([tokenTime, tokens, now]) => {
      const bucket = new TokenBucket(tokenTime, tokens * tokenTime);
      while (bucket.take(1, now));
      const readyAt = bucket.readyAt();
      expect([bucket.take(1, readyAt - 1), bucket.take(1, readyAt)]).toEqual([false, true]);
    }),
  );
});
