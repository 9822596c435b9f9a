import { TRADING_STYLES, type ParentOrder, type ParentState } from '../../src/model/order.js';
import type { Lots, Ticks } from '../../src/model/quantity.js';
import type { EpochMs } from '../../src/model/time.js';
import type { Chance } from './chance.js';

/** So long an amended order lives on at most. */
const LIFE_MS_MAX = 30_000;

/** New terms of an order that are right by themselves. */
export function amendedAtRandom({ order, progress }: ParentState, chance: Chance, nowMs: EpochMs): ParentOrder {
  const terms = { ...order, revision: order.revision + 1 };
  switch (chance.between(1, 4)) {
    case 1:
      return { ...terms, quantity: Math.max(1, Math.ceil((order.quantity * chance.between(50, 200)) / 100)) as Lots };
    case 2:
      return { ...terms, quantity: Math.max(1, progress.filled + chance.between(0, 3)) as Lots };
    case 3: {
      if (order.limitPrice === null || order.ladder !== null) return terms;
      return { ...terms, limitPrice: Math.ceil((order.limitPrice * chance.between(980, 1020)) / 1000) as Ticks };
    }
    default:
      return {
        ...terms,
        style: chance.pick(TRADING_STYLES),
        endAtMs: order.endAtMs === null ? null : ((nowMs + chance.between(1, LIFE_MS_MAX)) as EpochMs),
      };
  }
}
