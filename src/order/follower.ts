import type { Amount } from '../model/amount.js';
import type { Fill } from '../model/event.js';
import type { FeeTotal, ParentOrder, Progress, StrategyMemory } from '../model/order.js';
import type { FollowerState } from '../model/pair.js';
import { ZERO_LOTS, ZERO_NOTIONAL, type Lots, type Ticks } from '../model/quantity.js';
import { progressAfter } from './children.js';

// Shared by every state, for most of 100,000 sleeping orders have none of these.
export const NO_PROGRESS: Progress = { filled: ZERO_LOTS, notional: ZERO_NOTIONAL };
export const NO_FEES: readonly FeeTotal[] = [];
export const NO_MEMORY: StrategyMemory = [];

const UNTRADED: FollowerState = {
  progress: NO_PROGRESS,
  makerFilled: ZERO_LOTS,
  lastQuantity: ZERO_LOTS,
  lastPrice: 0 as Ticks,
  fees: NO_FEES,
  childCount: 0,
  refusals: 0,
  lastRefusal: null,
  memory: NO_MEMORY,
};

/** The other leg of a new order; null when it has none. */
export function newFollower({ pair }: ParentOrder): FollowerState | null {
  return pair === null ? null : UNTRADED;
}

/** What a fill changes, in an order and in the other leg of one alike. */
type Filling = Pick<FollowerState, 'progress' | 'makerFilled' | 'lastQuantity' | 'lastPrice' | 'fees'>;

export function filled<State extends Filling>(state: State, fill: Fill): State {
  const { quantity, price, liquidity, fee, feeCurrency } = fill;
  return {
    ...state,
    progress: progressAfter(state.progress, fill),
    makerFilled: (state.makerFilled + (liquidity === 'MAKER' ? quantity : 0)) as Lots,
    lastQuantity: quantity,
    lastPrice: price,
    fees: addFee(state.fees, feeCurrency, fee),
  };
}

function addFee(fees: readonly FeeTotal[], currency: string, amount: Amount): readonly FeeTotal[] {
  if (!fees.some((fee) => fee.currency === currency)) return fees.concat({ currency, amount });
  return fees.map((fee) => (fee.currency === currency ? { currency, amount: (fee.amount + amount) as Amount } : fee));
}
