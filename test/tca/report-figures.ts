import { expect } from 'vitest';
import type { OrderCostLeg } from '../../src/client/index.js';
import type { Figures } from './textbook.js';

/** Returns a report's figure by its path, such as `cost.markouts.0.bps`; null below a null. */
export function figureAt(leg: OrderCostLeg, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, name) => (value === null ? null : (value as Record<string, unknown>)[name]), leg);
}

/** Expects every textbook figure in the report. The tolerance of numbers is 1e-9, relative above 1. */
export function expectTextbook(leg: OrderCostLeg, figures: Figures, label: string): void {
  const wrong = Object.entries(figures).flatMap(([path, wanted]) => {
    const found = figureAt(leg, path);
    const isSame =
      typeof wanted === 'number' && typeof found === 'number'
        ? Math.abs(found - wanted) <= 1e-9 * Math.max(1, Math.abs(wanted))
        : found === wanted;
    return isSame ? [] : [`${label} ${path}: report ${String(found)}, textbook ${String(wanted)}`];
  });
  expect(wrong).toEqual([]);
}
