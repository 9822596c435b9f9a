import type { Fill } from '../model/event.js';
import type { ChildNumber } from '../model/ids.js';
import { QUERY_AGAIN_MS } from '../model/limits.js';
import type { LiveChild, Reason } from '../model/order.js';
import type { Rejection } from '../model/rejection.js';
import type { EpochMs } from '../model/time.js';
import type { ExecutionReport, QueriedState } from '../model/venue-message.js';
import { findChild, isBeingCancelled, venueOrderIdOf } from './children.js';
import type { Draft } from './draft.js';

const STILL_WANTED: Reason = { code: 'CANCEL_AGAIN', detail: 'the venue has it open, and its end was asked for' };

/**
 * Takes in one report. A venue may report twice, late or in another order than it acted in: what no longer fits the
 * child is passed over, for the state already holds what it says or something newer. Only a fill is never passed over.
 */
export function takeReport(draft: Draft, report: ExecutionReport, nowMs: EpochMs): void {
  const child = findChild(draft.state.children, report.child);
  if (report.kind === 'Filled') return takeFill(draft, report.child, report.fill, child === null);
  if (child === null) return;
  if (report.kind === 'QueryAnswered') {
    return child.state === 'UNKNOWN' ? takeAnswer(draft, child, report.answer, nowMs) : undefined;
  }
  // Fills told before the venue was lost may be missing: an end is believed when they have been told again.
  if (child.state === 'UNKNOWN') return;
  switch (report.kind) {
    case 'Accepted':
      if (venueOrderIdOf(child) !== null) return;
      return draft.add({ kind: 'ChildAccepted', child: report.child, venueOrderId: report.venueOrderId });
    case 'Rejected':
      return takeRefusal(draft, child, report.rejection);
    case 'Cancelled':
      return draft.add({ kind: 'ChildCancelled', child: report.child, cause: report.cause });
    case 'CancelRejected':
      if (child.state !== 'CANCEL_IN_FLIGHT') return;
      draft.add({ kind: 'ChildCancelRefused', child: report.child, rejection: report.rejection });
      return draft.query(report.child, againAt(nowMs));
    default:
      return report satisfies never;
  }
}

function takeFill(draft: Draft, child: ChildNumber, fill: Fill, isLate: boolean): void {
  draft.add({ kind: 'ChildFilled', child, fill, isLate });
}

/** A child with fills was not refused as a whole: it has ended with quantity left. */
function takeRefusal(draft: Draft, { order: { child }, progress }: LiveChild, rejection: Rejection): void {
  if (progress.filled > 0) draft.add({ kind: 'ChildCancelled', child, cause: rejection });
  else draft.add({ kind: 'ChildRejected', child, rejection });
}

/** The venue has told every fill it knows of; this says where the child stands. */
function takeAnswer(draft: Draft, unknown: LiveChild, answer: QueriedState, nowMs: EpochMs): void {
  const { child } = unknown.order;
  switch (answer.state) {
    case 'OPEN': {
      draft.add({ kind: 'ChildAccepted', child, venueOrderId: answer.venueOrderId });
      const open = findChild(draft.state.children, child);
      if (open !== null && isBeingCancelled(unknown)) draft.cancel(open, STILL_WANTED);
      return;
    }
    case 'FILLED':
      // It was filled, yet not all fills have been told: its quantity stays out until they have.
      return draft.query(child, againAt(nowMs));
    case 'CANCELLED':
      return draft.add({ kind: 'ChildCancelled', child, cause: answer.cause });
    case 'REJECTED':
      return takeRefusal(draft, unknown, answer.rejection);
    case 'UNKNOWN':
      return takeAbsence(draft, unknown);
    default:
      return answer satisfies never;
  }
}

/** Whether the venue has never had the child, or has had it and forgotten it. */
function takeAbsence(draft: Draft, unknown: LiveChild): void {
  const { child } = unknown.order;
  if (venueOrderIdOf(unknown) === null) return draft.add({ kind: 'ChildNeverPlaced', child });
  const message = `the venue no longer knows child order ${draft.state.order.orderId}-${child}, which it had taken`;
  draft.add({ kind: 'ChildCancelled', child, cause: { code: 'EXCHANGE_ERROR', message } });
}

function againAt(nowMs: EpochMs): EpochMs {
  return (nowMs + QUERY_AGAIN_MS) as EpochMs;
}
