import type { Venue } from '../model/exchange.js';
import type { AccountId, OrderId } from '../model/ids.js';
import type { StrategyName } from '../model/order.js';
import type { EpochMs } from '../model/time.js';

export const COST_DIMENSIONS = ['strategy', 'symbol', 'exchange', 'side'] as const;
/** What the orders of a window are told apart by. */
export type CostDimension = (typeof COST_DIMENSIONS)[number];

/** What one order cost. Whoever asks has seen that it is the account's. */
export interface OrderCostQuestion {
  readonly kind: 'order';
  readonly orderId: OrderId;
  /** Now, service time. */
  readonly asOfMs: EpochMs;
}

/** What the account's orders cost that were created within [fromMs, toMs]; null filters leave nothing out. */
export interface WindowCostQuestion {
  readonly kind: 'window';
  readonly account: AccountId;
  readonly fromMs: EpochMs;
  readonly toMs: EpochMs;
  readonly by: readonly CostDimension[];
  readonly venue: Venue | null;
  /** As the orders have it. */
  readonly symbol: string | null;
  readonly strategy: StrategyName | null;
  readonly asOfMs: EpochMs;
}

export type CostQuestion = OrderCostQuestion | WindowCostQuestion;
