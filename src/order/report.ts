import type { Fill } from '../model/event.js';
import type { ChildNumber, VenueOrderId } from '../model/ids.js';
import { QUERY_AGAIN_MS } from '../model/limits.js';
import type { LiveChild, Reason } from '../model/order.js';
import { withReadableReason } from '../model/report-text.js';
import type { Lots } from '../model/quantity.js';
import type { Rejection } from '../model/rejection.js';
import type { EpochMs } from '../model/time.js';
import type { ExecutionReport } from '../model/venue-message.js';
import { findChild, isAnswerDue, isBeingCancelled, venueOrderIdOf } from './children.js';
import { contradictionOf } from './contradiction.js';
import type { Draft } from './draft.js';
import { isEnding, noteContradiction } from './quarantine.js';

type QueryAnswered = Extract<ExecutionReport, { kind: 'QueryAnswered' }>;

const STILL_WANTED: Reason = { code: 'CANCEL_AGAIN', detail: 'the venue has it open, and its end was asked for' };

/**
 * The venue has said nothing of a child for long and is asked. One that rests stays open meanwhile, for nothing speaks
 * against it; of any other nobody knows until the answer comes.
 */
export function askForSilent(draft: Draft, child: LiveChild, nowMs: EpochMs): void {
  if (child.state === 'UNKNOWN' || !isAnswerDue(child)) draft.query(child.order.child, nowMs);
  else askBlindly(draft, child, nowMs);
}

function askBlindly(draft: Draft, { order: { child } }: LiveChild, nowMs: EpochMs): void {
  draft.add({ kind: 'ChildUnknown', child });
  draft.query(child, nowMs);
}

/**
 * Takes in one report. A venue may report twice, late or in another order than it acted in: what no longer fits the
 * child is passed over, for the state already holds what it says or something newer. Only a fill is never passed over.
 * A report that contradicts what is known is recorded as such, and never asserted.
 */
export function takeReport(draft: Draft, sent: ExecutionReport, nowMs: EpochMs): void {
  const report = withReadableReason(sent);
  const found = contradictionOf(draft.state, report);
  if (found !== null) noteContradiction(draft, report, found);
  if (report.kind === 'Unreadable' || found?.isUnusable === true) return;
  const child = findChild(draft.state.children, report.child);
  if (report.kind === 'Filled') return takeFill(draft, report.child, report.fill, child === null);
  if (child === null) return;
  if (report.kind === 'QueryAnswered') return takeAnswer(draft, child, report, nowMs);
  // Fills told before the venue was lost may be missing: an end is believed when they have been told again.
  if (child.state === 'UNKNOWN') return;
  switch (report.kind) {
    case 'Accepted':
      if (venueOrderIdOf(child) !== null) return;
      return draft.add({ kind: 'ChildAccepted', child: report.child, venueOrderId: report.venueOrderId });
    case 'Rejected':
      return takeRefusal(draft, child, report.rejection);
    case 'Cancelled':
      // The end has overtaken a fill, a fill was lost, or the report is wrong: the venue is asked, and tells all fills again.
      if (isMissingFills(child, report)) return askBlindly(draft, child, nowMs);
      return draft.add({ kind: 'ChildCancelled', child: report.child, cause: report.cause });
    case 'CancelRejected':
      if (child.state !== 'CANCEL_IN_FLIGHT') return;
      draft.add({ kind: 'ChildCancelRefused', child: report.child, rejection: report.rejection });
      return draft.query(report.child, againAt(nowMs, report.rejection));
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
function takeAnswer(draft: Draft, asked: LiveChild, report: QueryAnswered, nowMs: EpochMs): void {
  // What has been sent since it was asked will be answered by itself.
  if (asked.state !== 'UNKNOWN' && asked.state !== 'OPEN') return;
  const { child } = asked.order;
  const { answer } = report;
  if (isEnding(draft.state) && answer.state === 'FILLED') return endAsFilled(draft, asked, report);
  // Not all that was filled has been told: its quantity stays out until it has.
  const isMissing = answer.state === 'FILLED' || isMissingFills(asked, report);
  if (isMissing && !isEnding(draft.state)) return askAgain(draft, child, nowMs);
  switch (answer.state) {
    case 'FILLED':
      return undefined;
    case 'OPEN':
      return asked.state === 'UNKNOWN' ? takePresence(draft, asked, answer.venueOrderId) : undefined;
    case 'CANCELLED':
      return draft.add({ kind: 'ChildCancelled', child, cause: answer.cause });
    case 'REJECTED':
      return takeRefusal(draft, asked, answer.rejection);
    case 'UNKNOWN':
      return takeAbsence(draft, asked);
    default:
      return answer satisfies never;
  }
}

/** Of a quarantined order that rests, the next review of its silent children is soon enough. */
function askAgain(draft: Draft, child: ChildNumber, nowMs: EpochMs): void {
  if (draft.state.quarantine === null) draft.query(child, againAt(nowMs));
}

/** The exchange has told all that it will: the child has ended with the fills that came. */
function endAsFilled(draft: Draft, { order: { child }, progress }: LiveChild, { filled }: QueryAnswered): void {
  const message = `the exchange says that ${filled} lots of child ${child} are filled; its fills add up to ${progress.filled}`;
  draft.add({ kind: 'ChildCancelled', child, cause: { code: 'EXCHANGE_ERROR', message } });
}

function takePresence(draft: Draft, unknown: LiveChild, venueOrderId: VenueOrderId): void {
  const { child } = unknown.order;
  draft.add({ kind: 'ChildAccepted', child, venueOrderId });
  const open = findChild(draft.state.children, child);
  if (open !== null && isBeingCancelled(unknown)) draft.cancel(open, STILL_WANTED);
}

/** Whether the venue has never had the child, or has had it and forgotten it. */
function takeAbsence(draft: Draft, asked: LiveChild): void {
  const { child } = asked.order;
  if (venueOrderIdOf(asked) === null) return draft.add({ kind: 'ChildNeverPlaced', child });
  const message = `the venue no longer knows child order ${draft.state.order.orderId}-${child}, which it had taken`;
  draft.add({ kind: 'ChildCancelled', child, cause: { code: 'EXCHANGE_ERROR', message } });
}

function isMissingFills({ progress }: LiveChild, { filled }: { readonly filled: Lots }): boolean {
  return progress.filled < filled;
}

/** Not before the venue will listen, when it said so. */
function againAt(nowMs: EpochMs, refusal: Rejection | null = null): EpochMs {
  return (nowMs + Math.max(QUERY_AGAIN_MS, refusal?.retryAfterMs ?? 0)) as EpochMs;
}
