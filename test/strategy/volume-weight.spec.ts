import { describe, expect, test } from 'vitest';
import { BINS_PER_DAY } from '../../src/strategy/volume-shape.js';
import { volumeProfileOf } from '../../src/strategy/volume-profile.js';
import { Chance } from '../sim/chance.js';

const DAYS = 20;

/** Days of volumes, bin by bin. */
function weightOf(days: number, volumeOf: (bin: number, day: number) => number): number | undefined {
  const volumes = Float64Array.from({ length: days * BINS_PER_DAY }, (_, at) =>
    volumeOf(at % BINS_PER_DAY, Math.floor(at / BINS_PER_DAY)),
  );
  return volumeProfileOf(volumes)?.shapeWeight;
}

/** Three times as much in the afternoon as in the morning. */
function shapeAt(bin: number): number {
  return bin < BINS_PER_DAY / 2 ? 100 : 300;
}

describe('the weight of the shape', () => {
  test('is high when days differ by how busy they are alone: what has come says nothing of its course', () => {
    const chance = new Chance(1);
    const levels = Array.from({ length: DAYS }, () => chance.skewed(10, 1_000));
    expect(weightOf(DAYS, (bin, day) => shapeAt(bin) * levels[day]!)).toBeGreaterThanOrEqual(0.8);
  });

  test('is low when days differ by their bins alone: what has come is known, what will come is the average', () => {
    const chance = new Chance(2);
    expect(weightOf(DAYS, (bin) => Math.round(shapeAt(bin) * chance.skewed(1, 1_000)))).toBeLessThanOrEqual(0.2);
  });

  test('is not known of fewer than three days, and does not mind one without trades', () => {
    expect(weightOf(2, shapeAt)).toBeUndefined();
    const weight = weightOf(4, (bin, day) => (day === 1 ? 0 : shapeAt(bin) + (bin % 7)));
    expect(weight).toBeGreaterThanOrEqual(0);
    expect(weight).toBeLessThanOrEqual(1);
  });
});
