import type { ChildStanding, ParentStanding } from '../../model/event.js';
import { EXCHANGE_IDS, type Venue } from '../../model/exchange.js';
import type { Side } from '../../model/order.js';
import { averagePrice, formatLots, formatSteps, type Grid, type Lots } from '../../model/quantity.js';
import type { EpochMs } from '../../model/time.js';
import { optionalQuoted, quoted } from './json-text.js';

/** What the status of a parent and that of a child have in common. */
export interface StatusSubject {
  readonly orderId: string;
  readonly clientOrderId: string | null;
  readonly venue: Venue;
  readonly side: Side;
  readonly quantity: Lots;
  readonly grid: Grid;
  readonly standing: Pick<ParentStanding & ChildStanding, 'status' | 'filled' | 'notional' | 'outcome'>;
  /** When the order reached this status. */
  readonly atMs: EpochMs;
  /** Something to be told of an order that goes on; absent: nothing. */
  readonly note?: string;
}

/** The object `order_status` of a frame. */
export function orderStatusJson(subject: StatusSubject): string {
  const { standing, grid, quantity } = subject;
  const { outcome } = standing;
  const leaves = Math.max(0, quantity - standing.filled) as Lots;
  return (
    `{"source":"SLUICE","order_id":"${subject.orderId}"${optionalQuoted('client_order_id', subject.clientOrderId)}` +
    `,"exchange_id":${EXCHANGE_IDS[subject.venue]},"status":"${standing.status}","created_at":${subject.atMs}` +
    `,"filled_quantity":${formatLots(standing.filled, grid)},"leaves_quantity":${formatLots(leaves, grid)}` +
    `,"side":"${subject.side}","average_price":${averagePrice(standing.notional, standing.filled, grid)}` +
    (outcome === null
      ? optionalQuoted('message', subject.note ?? null)
      : `,"message":${quoted(outcome.message)},"error_code":"${outcome.code}"`) +
    '}'
  );
}

const PROGRESS_DIGITS = 6;

/** filled ÷ quantity as a decimal in 0..1, rounded down, so that 1 means done; also 1 when more is filled than asked. */
export function progressOf(filled: Lots, quantity: Lots): string {
  const counted = Math.min(filled, quantity);
  return formatSteps((BigInt(counted) * 10n ** BigInt(PROGRESS_DIGITS)) / BigInt(quantity), PROGRESS_DIGITS);
}
