import { CONTRADICTIONS_PER_ORDER_MAX } from '../model/limits.js';
import { isTerminal, type ParentState, type Reason } from '../model/order.js';
import { quarantineDetail, quarantineRejection, type QuarantineReason } from '../model/quarantine.js';
import { reject, type OrRejection } from '../model/rejection.js';
import type { EpochMs } from '../model/time.js';
import type { ExecutionReport } from '../model/venue-message.js';
import { isChildNumber, type Contradicted } from './contradiction.js';
import type { Decision } from './decision.js';
import { Draft } from './draft.js';

const NOTHING: Decision = { events: [], effects: [] };
const WITHDRAWN: Reason = { code: 'QUARANTINE_END', detail: 'the quarantined order is being ended' };

/** Sets the order apart; once, and never after its end. */
export function quarantine(draft: Draft, reason: QuarantineReason, detail: string): void {
  if (draft.state.quarantine !== null || isTerminal(draft.state.status)) return;
  draft.add({ kind: 'ParentQuarantined', code: reason, detail: quarantineDetail(detail) });
}

/**
 * Records the contradiction, up to CONTRADICTIONS_PER_ORDER_MAX of an order. A grave one quarantines the order before
 * the reported fact is folded, so that the fact cannot end the order.
 */
export function noteContradiction(draft: Draft, report: ExecutionReport, found: Contradicted): void {
  const { contradiction, isGrave } = found;
  const detail = quarantineDetail(found.detail);
  if (draft.state.contradictions < CONTRADICTIONS_PER_ORDER_MAX) {
    const child = isChildNumber(report.child) ? report.child : null;
    draft.add({ kind: 'ReportContradicted', child, contradiction, detail });
  }
  if (isGrave) quarantine(draft, 'CONTRADICTORY_REPORT', `${contradiction}: ${detail}`);
}

/**
 * An operator ends the quarantine: each live child is asked for by its client id, and withdrawn where the exchange still
 * has it. The order ends once none lives. A second release changes nothing.
 */
export function decideRelease(state: ParentState, nowMs: EpochMs): OrRejection<Decision> {
  const { order, status } = state;
  if (isTerminal(status) || state.quarantine?.isReleased === true) return NOTHING;
  if (state.quarantine === null) return reject('INVALID_ORDER', `order_id ${order.orderId} is not quarantined`);
  const draft = new Draft(state, nowMs);
  draft.add({ kind: 'ParentReleased' });
  for (const child of state.children) {
    if (child.state !== 'UNKNOWN') draft.add({ kind: 'ChildUnknown', child: child.order.child });
    draft.query(child.order.child, nowMs);
  }
  settleQuarantined(draft);
  return draft.decision;
}

/**
 * A quarantined order ends by a cancel or a release alone, with the facts that it has by then. After a restore it waits
 * for its reconciliation: its exchanges may have children that are not known here.
 */
export function settleQuarantined(draft: Draft): void {
  const { status, quarantine: since, isReconciling } = draft.state;
  if (since === null || isReconciling || status !== 'PENDING_CANCEL') return;
  draft.cancelAll(WITHDRAWN);
  if (draft.state.children.length === 0) draft.add({ kind: 'ParentCancelled', cause: quarantineRejection(since) });
}

/** True when the word of the exchange that a child has ended counts, whatever fills are missing. */
export function isEnding({ quarantine: since, status }: ParentState): boolean {
  return since !== null && status === 'PENDING_CANCEL';
}
