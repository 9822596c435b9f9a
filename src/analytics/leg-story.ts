import type { Amount } from '../model/amount.js';
import type { Fill } from '../model/event.js';
import type { ChildNumber } from '../model/ids.js';
import type { ChildOrder, FeeTotal } from '../model/order.js';
import type { Traded } from '../model/pair.js';
import { ZERO_LOTS, type Lots } from '../model/quantity.js';
import type { EpochMs } from '../model/time.js';
import type { ExecutedFill } from './execution.js';
import { feeInQuote } from './fee-value.js';
import type { ChildCounts, WorkedLeg } from './worked-leg.js';

type Changing<Record> = { -readonly [Key in keyof Record]: Record[Key] };

/** The children of one leg, their fills and fees, as an order's journal tells them. */
export class LegStory {
  #filled = 0;
  #areFeesValued = true;
  readonly #fills: ExecutedFill[] = [];
  readonly #fees: Changing<FeeTotal>[] = [];
  readonly #filledChildren = new Set<ChildNumber>();
  readonly #children: Changing<Omit<ChildCounts, 'filled'>> = {
    sent: 0,
    sentQuantity: ZERO_LOTS,
    rejected: 0,
    cancelled: 0,
    cancelRequests: 0,
  };

  get filled(): Lots {
    return this.#filled as Lots;
  }

  /** What it has so far. */
  get work(): Pick<WorkedLeg, 'fills' | 'fees' | 'areFeesValued' | 'children'> {
    return {
      // Reports of two children may come in another order than their fills.
      fills: this.#fills.toSorted((one, other) => one.atMs - other.atMs),
      fees: this.#fees,
      areFeesValued: this.#areFeesValued,
      children: { ...this.#children, filled: this.#filledChildren.size },
    };
  }

  submitted({ quantity }: ChildOrder): void {
    this.#children.sent += 1;
    this.#children.sentQuantity = (this.#children.sentQuantity + quantity) as Lots;
  }

  count(what: 'rejected' | 'cancelled' | 'cancelRequests'): void {
    this.#children[what] += 1;
  }

  fill(child: ChildNumber, fill: Fill, traded: Traded, atMs: EpochMs): void {
    const { quantity, price, liquidity, feeCurrency } = fill;
    this.#filled += quantity;
    this.#filledChildren.add(child);
    const fee = feeInQuote(fill, traded);
    if (fee === null) this.#areFeesValued = false;
    this.#fills.push({ atMs, quantity, price, liquidity, fee: fee ?? (0n as Amount) });
    const total = this.#fees.find(({ currency }) => currency === feeCurrency);
    if (total === undefined) this.#fees.push({ currency: feeCurrency, amount: fill.fee });
    else total.amount = (total.amount + fill.fee) as Amount;
  }
}
