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
  /** The account that asks. */
  readonly account: AccountId;
  readonly orderId: OrderId;
  /** Now, service time. */
  readonly asOfMs: EpochMs;
}

/** A window of orders by the time of their creation (empty when it ends before it begins), and what is asked of it. */
export interface CostWindow {
  readonly fromMs: EpochMs;
  readonly toMs: EpochMs;
  /** What they are told apart by, each once. */
  readonly by: readonly CostDimension[];
  /** Which of them; null filters leave nothing out. */
  readonly venue: Venue | null;
  /** As the orders have it, in upper case. */
  readonly symbol: string | null;
  readonly strategy: StrategyName | null;
}

/** What the account's orders of a window cost. */
export interface WindowCostQuestion extends CostWindow {
  readonly kind: 'window';
  readonly account: AccountId;
  /** Now, service time. */
  readonly asOfMs: EpochMs;
}

export type CostQuestion = OrderCostQuestion | WindowCostQuestion;
