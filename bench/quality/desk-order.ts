import { draftOf } from '../../src/http/parse/order-draft.js';
import { parseOrderRequest } from '../../src/http/parse/order-request.js';
import type { AccountId, OrderId } from '../../src/model/ids.js';
import type { Instrument, InstrumentCatalogue } from '../../src/model/instrument.js';
import type { ParentOrder, Side } from '../../src/model/order.js';
import { formatLots, type Lots } from '../../src/model/quantity.js';
import { isRejected } from '../../src/model/rejection.js';
import type { DurationMs, EpochMs } from '../../src/model/time.js';
import type { Policy } from './policy.js';

/** What a desk wants done. */
export interface Task {
  readonly side: Side;
  readonly quantity: Lots;
  readonly durationMs: DurationMs;
  /** Lots that others are expected to trade in that time. */
  readonly expectedVolume: number;
  /** Number of its window: orders of one window share their luck. */
  readonly window: number;
}

/** POV takes so many times the share that would just do: volume is not known before it comes. */
const POV_MARGIN = 1.5;
const POV_PERCENT_MIN = 0.01;
const POV_PERCENT_MAX = 50;
const PERCENT_DIGITS = 4;
const ACCOUNT = 'desk' as AccountId;

/** The order as the service makes it of a client's request. */
export function deskOrder(
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
      ...(policy.isWary && { ob_imbalance_cancel: true }),
    },
  };
}

/** Percent of all volume. */
function rateOf({ quantity, expectedVolume }: Task): string {
  const percent = (100 * POV_MARGIN * quantity) / (quantity + expectedVolume);
  return Math.max(POV_PERCENT_MIN, Math.min(POV_PERCENT_MAX, percent)).toFixed(PERCENT_DIGITS);
}
