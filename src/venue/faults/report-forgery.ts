import type { ChildNumber, VenueOrderId } from '../../model/ids.js';
import { FAULT_CHILD_NUMBER_STEP } from '../../model/limits.js';
import type { Liquidity } from '../../model/order.js';
import { ZERO_LOTS, type Lots, type Ticks } from '../../model/quantity.js';
import type { RejectionCode } from '../../model/rejection.js';
import type { ChildRef, VenueReport } from '../../model/venue-message.js';
import type { FaultContradiction, Forgery } from './fault-rule.js';
import type { PlacedChild } from './placed-children.js';

export type ChildReport = Extract<VenueReport, ChildRef>;
type FilledReport = Extract<ChildReport, { readonly kind: 'Filled' }>;

const VENUE_ORDER_ID = 'forged' as VenueOrderId;

/**
 * The reports that come in place of one. `placed` is the child as it was sent; null: unknown, and what needs it passes
 * unchanged.
 */
export function forged(rule: Forgery, report: ChildReport, placed: PlacedChild | null): readonly ChildReport[] {
  switch (rule.fault) {
    case 'overfill':
      return report.kind === 'Filled' && placed !== null ? [overfilled(report, placed)] : [report];
    case 'wrong-price':
      return report.kind === 'Filled' && placed !== null ? [mispriced(report, placed)] : [report];
    case 'wrong-side':
      if (report.kind !== 'Filled' || placed === null) return [report];
      return [{ ...report, side: placed.side === 'BUY' ? 'SELL' : 'BUY' }];
    case 'garbled':
      return report.kind === 'Filled' ? [garbled(report)] : [report];
    case 'unknown-child':
      return [report, { ...report, child: (report.child + FAULT_CHILD_NUMBER_STEP) as ChildNumber }];
    case 'contradict':
      return [report, contradiction(rule.says, report, placed)];
    default:
      return rule satisfies never;
  }
}

function overfilled(report: FilledReport, { quantity }: PlacedChild): ChildReport {
  return { ...report, fill: { ...report.fill, quantity: (report.fill.quantity + quantity) as Lots } };
}

function mispriced(report: FilledReport, { limitPrice, side }: PlacedChild): ChildReport {
  if (limitPrice === null) return report;
  const step = Math.max(1, Math.floor(limitPrice / 100));
  const price = Math.max(1, side === 'BUY' ? limitPrice + step : limitPrice - step) as Ticks;
  return { ...report, fill: { ...report.fill, price } };
}

function garbled(report: FilledReport): ChildReport {
  return { ...report, fill: { ...report.fill, liquidity: 'NO_SUCH_LIQUIDITY' as Liquidity } };
}

function contradiction(says: FaultContradiction, report: ChildReport, placed: PlacedChild | null): ChildReport {
  const { account, venue, orderId, child, atMs } = report;
  const head = { account, venue, orderId, child, atMs };
  const cause = { code: 'EXCHANGE_ERROR', message: 'the exchange contradicts itself' } as const;
  const venueOrderId = VENUE_ORDER_ID;
  switch (says) {
    case 'other-id':
      return { kind: 'Accepted', ...head, venueOrderId };
    case 'cancelled-over':
      return { kind: 'Cancelled', ...head, venueOrderId, cause, filled: (2 * (placed?.quantity ?? 1)) as Lots };
    case 'answered-less':
      return { kind: 'QueryAnswered', ...head, answer: { state: 'CANCELLED', venueOrderId, cause }, filled: ZERO_LOTS };
    case 'rejected':
      return { kind: 'Rejected', ...head, rejection: cause };
    case 'unknown-code':
      return { kind: 'Rejected', ...head, rejection: { ...cause, code: 'NO_SUCH_CODE' as RejectionCode } };
    default:
      return says satisfies never;
  }
}
