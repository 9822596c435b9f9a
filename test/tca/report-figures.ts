import { expect } from 'vitest';
import type { OrderCostLeg } from '../../src/client/index.js';
import type { Figures } from './textbook.js';

/** A report's figure by its path, such as `cost.markouts.0.bps`; null under a null. */
export function figureAt(leg: OrderCostLeg, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, name) => (value === null ? null : (value as Record<string, unknown>)[name]), leg);
}

/** Every figure of the textbook stands in the report: numbers to 1e-9 of themselves, or of 1 when they are smaller. */
export function expectTextbook(leg: OrderCostLeg, figures: Figures, label: string): void {
  const wrong = Object.entries(figures).flatMap(([path, wanted]) => {
    const found = figureAt(leg, path);
    const isSame =
      typeof wanted === 'number' && typeof found === 'number'
        ? Math.abs(found - wanted) <= 1e-9 * Math.max(1, Math.abs(wanted))
        : found === wanted;
    return isSame ? [] : [`${label} ${path}: the report says ${String(found)}, the textbook ${String(wanted)}`];
  });
  expect(wrong).toEqual([]);
}
