import { describe, expect, it } from 'vitest';
import { latestPlace, legendValues } from '../../src/console/view/chart-data.js';

const FILLS = [
  [1_000, 2_000, 3_000, 4_000],
  [null, 60_000, null, null],
  [59_990, 59_990, 59_990, null],
];

describe('the values of a legend', () => {
  it('are those at the latest place with a value while the pointer is elsewhere', () => {
    const [, ...series] = FILLS;
    expect(latestPlace(series)).toBe(2);
    expect(latestPlace([series[0] ?? []])).toBe(1);
    expect(legendValues(FILLS, 2)).toEqual({ at: 3_000, values: [60_000, 59_990] });
  });

  it('in a gap are those before it, and before the first value that value', () => {
    expect(legendValues(FILLS, 3)).toEqual({ at: 4_000, values: [60_000, 59_990] });
    expect(legendValues(FILLS, 0)).toEqual({ at: 1_000, values: [60_000, 59_990] });
  });

  it('are absent where no series has any', () => {
    expect(latestPlace([])).toBe(-1);
    expect(legendValues([[1_000, 2_000]], -1)).toEqual({ at: null, values: [] });
  });
});
