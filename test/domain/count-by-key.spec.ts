import { expect, it } from 'vitest';
import { CountByKey } from '../../src/domain/count-by-key.js';

it('counts each key by itself, and takes a key again that has come to 0', () => {
  const counts = new CountByKey<string>();
  expect([counts.add('a'), counts.add('a'), counts.add('b', 5)]).toEqual([1, 2, 5]);
  expect([counts.add('a', -2), counts.of('a'), counts.of('b'), counts.of('c')]).toEqual([0, 0, 5, 0]);
  expect(counts.add('a')).toBe(1);
});
