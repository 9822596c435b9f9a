import { draftOf } from '../../src/api/order/order-parser.js';
import { parseOrderRequest } from '../../src/api/order/order-parser.js';
import type { AccountId, OrderId } from '../../src/domain/ids.js';
import type { Instrument, InstrumentCatalogue } from '../../src/domain/instrument.js';
import type { ParentOrder, Side } from '../../src/domain/order.js';
import { formatLots, type Lots } from '../../src/domain/quantity.js';
import { isRejected } from '../../src/domain/rejection.js';
import type { DurationMs, EpochMs } from '../../src/domain/time.js';
import type { Policy } from './policy.js';

/** An order to compare. */
export interface Task {
  readonly side: Side;
  readonly quantity: Lots;
  readonly durationMs: DurationMs;
  /** Lots that others are expected to trade in that time. */
  readonly expectedVolume: number;
  /** Number of its window. Orders of one window have the same random numbers. */
  readonly window: number;
}

/** Factor on the POV share that would suffice, because the volume is not known in advance. */
const POV_MARGIN = 1.5;
const POV_PERCENT_MIN = 0.01;
const POV_PERCENT_MAX = 50;
const PERCENT_DIGITS = 4;
const ACCOUNT = 'desk' as AccountId;

/** Builds the order as the service does from a client's request. */
export function orderOfTask(
  policy: Policy,
  task: Task,
  { instrument, catalogue }: { readonly instrument: Instrument; readonly catalogue: InstrumentCatalogue },
  nowMs: EpochMs,
): ParentOrder {
  const request = parseOrderRequest(requestOf(policy, task, instrument), catalogue);
  if (isRejected(request)) throw new Error(`${policy.name}: ${request.rejection.message}`);
  return { ...draftOf(request, '', ACCOUNT, nowMs), orderId: (task.window + 1) as OrderId };
}

function requestOf(policy: Policy, task: Task, instrument: Instrument): object {
  const { venue, symbol, assetCategory } = instrument;
  return {
    exchange: venue,
    symbol,
    asset_category: assetCategory,
    side: task.side,
    quantity: formatLots(task.quantity, instrument),
    strategy: policy.strategy,
    ...(policy.strategy === 'POV' && { clip_size_type: 'PERCENTAGE', clip_size_val: rateOf(task) }),
    params: {
      duration_seconds: String(task.durationMs / 1_000),
      trading_style: policy.style,
      ...(policy.hasImbalanceGate && { ob_imbalance_cancel: true }),
    },
  };
}

/** Percent of all volume. */
function rateOf({ quantity, expectedVolume }: Task): string {
  const percent = (100 * POV_MARGIN * quantity) / (quantity + expectedVolume);
  return Math.max(POV_PERCENT_MIN, Math.min(POV_PERCENT_MAX, percent)).toFixed(PERCENT_DIGITS);
}
