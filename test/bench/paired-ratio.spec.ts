import { describe, expect, it } from 'vitest';
import { compared, ratioOf } from '../../bench/compare/paired-ratio.js';

describe('the ratio of pairs', () => {
  it('is the geometric mean with the interval of Student t', () => {
    const { ratio, low, high } = ratioOf([1, 1, 1, 1], [1.1, 1.2, 1.1, 1.2]);
    expect(ratio).toBeCloseTo(Math.sqrt(1.1 * 1.2), 10);
    // The logarithms have mean 0.13882 and standard deviation 0.05024; t(3) is 3.1824.
    expect(Math.log(high ?? 0) - Math.log(ratio)).toBeCloseTo((3.1824 * 0.05024) / 2, 4);
    expect(Math.log(ratio) - Math.log(low ?? 0)).toBeCloseTo((3.1824 * 0.05024) / 2, 4);
  });

  it('has no interval for one pair and skips values that are not above 0', () => {
    const figure = { case: 'c', metric: 'm', unit: 's' };
    const pair = { a: [{ ...figure, value: 2 }], b: [{ ...figure, value: 1 }] };
    const failed = { a: [{ ...figure, value: 0 }], b: [{ ...figure, value: 1 }] };
    expect(compared([pair, failed])).toEqual([{ ...figure, a: 2, b: 1, ratio: 0.5, low: null, high: null, n: 1 }]);
  });
});
