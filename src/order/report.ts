import type { ChildNumber, VenueOrderId } from '../domain/ids.js';
import { EXCHANGE_CLOCK_GAP_MS_MAX, QUERY_AGAIN_MS } from '../domain/limits/trading.js';
import { type LiveChild, liveChildren, type ParentState } from '../domain/order-state.js';
import type { GivenReason } from '../domain/order.js';
import { legAt } from '../domain/pair.js';
import type { Lots } from '../domain/quantity.js';
import { assert, isPassing, type Rejection } from '../domain/rejection.js';
import type { EpochMs } from '../domain/time.js';
import {
  type ExecutionReport,
  type OrderStatusAnswer,
  shrunkenOrder,
  withReadableReason,
} from '../domain/venue-report.js';
import { findChild, isAnswerDue, isBeingCancelled, nextChildNumber, venueOrderIdOf } from './children.js';
import type { DecideContext, Draft, OrderInput } from './decision.js';
import {
  contradictionOf,
  isChildNumber,
  isEnding,
  legOfFill,
  noteContradiction,
  quantityText,
  quarantine,
  settledPartOf,
} from './quarantine.js';
import { settle } from './settlement.js';

type Filled = Extract<ExecutionReport, { kind: 'Filled' }>;
type StatusAnswered = Extract<ExecutionReport, { kind: 'StatusAnswered' }>;
type Denial = Extract<OrderStatusAnswer, { state: 'DENIED' }>;

const STILL_WANTED: GivenReason = {
  code: 'CANCEL_AGAIN',
  detail: 'the child is open at the venue after its cancel was requested',
};

/**
 * Requests the status of a child that the venue is silent about. A resting child stays OPEN; any other child becomes
 * UNKNOWN until the answer.
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
 * Applies one report. A report may be repeated, late or out of order: one that no longer fits the child is ignored,
 * because the state is as new or newer. A fill is never ignored. A contradictory report is recorded and does not throw.
 */
export function takeReport(draft: Draft, sent: ExecutionReport, nowMs: EpochMs): void {
  const report = withReadableReason(sent);
  if (isBeforeAdoption(draft.state, report)) return;
  const found = contradictionOf(draft.state, report);
  if (found !== null) noteContradiction(draft, report, found);
  if (report.kind === 'Unreadable' || found?.isUnusable === true) return;
  const child = findChild(draft.state, report.child);
  if (report.kind === 'Filled') return takeFill(draft, child, report);
  if (child === null) return takeAfterEnd(draft, report, nowMs);
  if (report.kind === 'StatusAnswered') return takeAnswer(draft, child, report, nowMs);
  if (report.kind === 'Accepted' && venueOrderIdOf(child) !== null) return;
  // Fills may be missing since the venue was lost. The answer to the order status request repeats them first.
  if (child.state === 'UNKNOWN')
    return report.kind === 'Accepted' ? noteAcknowledged(draft, child, report.venueOrderId) : undefined;
  switch (report.kind) {
    case 'Accepted':
      return draft.add({ kind: 'ChildAccepted', child: report.child, venueOrderId: report.venueOrderId });
    case 'Rejected':
      return takeRefusal(draft, child, report.rejection);
    case 'Cancelled':
      // A fill is late or lost, or the report is wrong. The answer to an order status request repeats all fills.
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

/**
 * True for a report on a child that a backup does not know and that is not adopted yet. An exchange reports such a
 * child as soon as it is connected. Nothing is lost: the adoption requests its status, and the answer repeats all its
 * fills.
 */
function isBeforeAdoption(state: ParentState, { child }: ExecutionReport): boolean {
  return state.isReconciling && isChildNumber(child) && child >= nextChildNumber(state);
}

/**
 * Cancels an order of a child that has ended: it was settled as absent and exists after all. Its fills count; its rest
 * must not trade. A cancel that could not be sent is followed by a status request.
 */
function takeAfterEnd(draft: Draft, report: ExecutionReport, nowMs: EpochMs): void {
  if (!isChildNumber(report.child) || report.child >= nextChildNumber(draft.state)) return;
  if (report.kind === 'Accepted') return draft.cancelEnded(report, report.venueOrderId);
  if (report.kind === 'StatusAnswered' && report.answer.state === 'OPEN') {
    return draft.cancelEnded(report, report.answer.venueOrderId);
  }
  if (report.kind === 'CancelRejected' && isPassing(report.rejection)) {
    draft.queryEnded(report, againAt(nowMs, report.rejection));
  }
}

function takeFill(draft: Draft, live: LiveChild | null, report: Filled): void {
  const { child, fill } = report;
  const leg = legOfFill(draft.state, live, report);
  assert(leg !== null, `the leg of child ${child} is known`);
  const settled = settledPartOf(draft.state, live, report);
  if (settled === 0) return draft.add({ kind: 'ChildFilled', child, leg, fill, isLate: live === null });
  const uncounted = { ...fill, quantity: (fill.quantity - settled) as Lots };
  draft.add({ kind: 'ChildFilled', child, leg, fill: uncounted, isLate: true, settled });
}

/** Records the exchange's id of an unknown child, so that the child is never taken for absent. It stays unknown. */
function noteAcknowledged(draft: Draft, live: LiveChild, venueOrderId: VenueOrderId): void {
  const { child } = live.order;
  draft.add({ kind: 'ChildAccepted', child, venueOrderId });
  draft.add({ kind: 'ChildUnknown', child });
  const unknown = findChild(draft.state, child);
  if (unknown !== null && isBeingCancelled(live)) draft.cancel(unknown, STILL_WANTED);
}

/** Records a rejection. A child with fills is recorded as cancelled with leaves. */
function takeRefusal(draft: Draft, { order: { child }, progress }: LiveChild, rejection: Rejection): void {
  if (progress.filled > 0) draft.add({ kind: 'ChildCancelled', child, cause: rejection });
  else draft.add({ kind: 'ChildRejected', child, rejection });
}

/** Applies the answer to an order status request. All known fills came before it. */
function takeAnswer(draft: Draft, asked: LiveChild, report: StatusAnswered, nowMs: EpochMs): void {
  // A request that was sent later gets its own answer.
  if (asked.state !== 'UNKNOWN' && asked.state !== 'OPEN') return;
  const { child } = asked.order;
  const { answer } = report;
  if (isEnding(draft.state) && answer.state === 'FILLED') return endAsFilled(draft, asked, report);
  // Fills are missing: the child stays live until they are reported.
  const isMissing = answer.state === 'FILLED' ? !isWhole(asked, report) : isMissingFills(asked, report);
  if (isMissing && !isEnding(draft.state)) return askAgain(draft, child, nowMs);
  switch (answer.state) {
    case 'FILLED':
      return draft.add({ kind: 'ChildCancelled', child, cause: shrunkenOrder() });
    case 'OPEN':
      return asked.state === 'UNKNOWN' ? takePresence(draft, asked, answer.venueOrderId) : undefined;
    case 'CANCELLED':
      return draft.add({ kind: 'ChildCancelled', child, cause: answer.cause });
    case 'REJECTED':
      return takeRefusal(draft, asked, answer.rejection);
    case 'UNKNOWN':
      return takeAbsence(draft, asked, answer.knownSinceMs);
    case 'DENIED':
      return takeDenial(draft, asked, answer);
    default:
      return answer satisfies never;
  }
}

/** Repeats the order status request later. For a quarantined order the ackTimeout watchdog repeats it. */
function askAgain(draft: Draft, child: ChildNumber, nowMs: EpochMs): void {
  if (draft.state.quarantine === null) draft.query(child, againAt(nowMs));
}

/** Ends a child of a quarantined order with the fills that are known, although the exchange reports more. */
function endAsFilled(draft: Draft, { order: { child, leg }, progress }: LiveChild, { filled }: StatusAnswered): void {
  const traded = legAt(draft.state.order.legs, leg);
  const [reported, known] = [quantityText(filled, traded), quantityText(progress.filled, traded)];
  const message = `the exchange reports that ${reported} of child ${child} have filled; its fills add up to ${known}`;
  draft.add({ kind: 'ChildCancelled', child, cause: { code: 'EXCHANGE_ERROR', message } });
}

function takePresence(draft: Draft, unknown: LiveChild, venueOrderId: VenueOrderId): void {
  const { child } = unknown.order;
  draft.add({ kind: 'ChildAccepted', child, venueOrderId });
  const open = findChild(draft.state, child);
  if (open !== null && isBeingCancelled(unknown)) draft.cancel(open, STILL_WANTED);
}

/**
 * Ends a child that the venue does not know. It was never placed, or the venue has lost it. The venue forgets ended
 * orders: a child from before its history may have traded.
 */
function takeAbsence(draft: Draft, asked: LiveChild, knownSinceMs: EpochMs): void {
  const { child, submittedAtMs } = asked.order;
  if (submittedAtMs - EXCHANGE_CLOCK_GAP_MS_MAX < knownSinceMs) return takeForgotten(draft, asked, knownSinceMs);
  if (venueOrderIdOf(asked) === null) return draft.add({ kind: 'ChildNeverPlaced', child });
  const message = `the venue does not know child order ${draft.state.order.orderId}-${child}, which it accepted before`;
  draft.add({ kind: 'ChildCancelled', child, cause: { code: 'EXCHANGE_ERROR', message } });
}

/**
 * Quarantines the order of a child that may have traded without a report. Its quantity is not free for another child.
 * The child ends with the known fills after a release or a cancel of the order.
 */
function takeForgotten(draft: Draft, asked: LiveChild, knownSinceMs: EpochMs): void {
  const { child, submittedAtMs } = asked.order;
  const [since, submitted] = [knownSinceMs, submittedAtMs].map((atMs) => new Date(atMs).toISOString());
  const message =
    `the exchange does not know child ${child}, submitted at ${submitted}; its order history begins at ${since}, ` +
    'so fills of the child may be missing';
  quarantine(draft, 'FORGOTTEN_CHILD', message);
  if (isEnding(draft.state)) draft.add({ kind: 'ChildCancelled', child, cause: { code: 'EXCHANGE_ERROR', message } });
  else if (asked.state !== 'UNKNOWN') draft.add({ kind: 'ChildUnknown', child });
}

/**
 * Quarantines the order of a child that the exchange has acknowledged and denies now. The child may have traded, so it
 * stays live with its quantity, also after a release or a cancel of the order, until an operator settles it.
 */
function takeDenial(draft: Draft, asked: LiveChild, answer: Denial): void {
  const { child } = asked.order;
  const { venueOrderId, deniedSinceMs } = answer;
  const since = new Date(deniedSinceMs).toISOString();
  const message =
    `the exchange has acknowledged child ${child} as order ${venueOrderId} and denies it since ${since}; ` +
    'what it has filled is not known, and its quantity stays reserved until an operator settles it';
  quarantine(draft, 'DENIED_CHILD', message);
  if (venueOrderIdOf(asked) === null) noteAcknowledged(draft, asked, venueOrderId);
  else if (asked.state !== 'UNKNOWN') draft.add({ kind: 'ChildUnknown', child });
}

/**
 * True when the fills add up to the total of a filled order. The child is still live: its order was made smaller. A
 * filled order without a fill is no such order.
 */
function isWhole({ progress }: LiveChild, { filled }: StatusAnswered): boolean {
  return filled > 0 && progress.filled === filled;
}

function isMissingFills({ progress }: LiveChild, { filled }: { readonly filled: Lots }): boolean {
  return progress.filled < filled;
}

/** Time of the next order status request; not before the retry time of the venue. */
function againAt(nowMs: EpochMs, refusal: Rejection | null = null): EpochMs {
  return (nowMs + Math.max(QUERY_AGAIN_MS, refusal?.retryAfterMs ?? 0)) as EpochMs;
}

/**
 * Adopts children that an exchange lists. With the last of them it requests the status of every child and ends the
 * reconciliation. An order with such a child was accepted after the backup, so it is accepted here.
 */
export function reconcile(
  draft: Draft,
  { children, childRoom }: Extract<OrderInput, { kind: 'Reconcile' }>,
  { nowMs }: DecideContext,
): void {
  if (!draft.state.isReconciling) return;
  for (const { order, venueOrderId } of children) {
    const { state } = draft;
    if (order.child < nextChildNumber(state)) continue;
    if (state.status === 'PENDING_NEW') draft.add({ kind: 'ParentAccepted' });
    draft.add({ kind: 'ChildAdopted', order, venueOrderId });
  }
  if (childRoom === null) return;
  draft.add({ kind: 'ParentReconciled', childRoom });
  for (const child of liveChildren(draft.state)) {
    if (child.state !== 'UNKNOWN') draft.add({ kind: 'ChildUnknown', child: child.order.child });
  }
  for (const { order } of liveChildren(draft.state)) draft.query(order.child, nowMs);
  settle(draft, nowMs);
}
