import type { Amount } from '../model/amount.js';
import type { Fill } from '../model/event.js';
import type { FeeTotal } from '../model/order.js';
import type { FollowerState } from '../model/pair.js';
import type { Lots } from '../model/quantity.js';
import { progressAfter } from './children.js';

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
