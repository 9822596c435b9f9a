import { OPERATOR_CAUSE } from '../domain/cancel-cause.js';
import type { Fill } from '../domain/event.js';
import type { ChildNumber, VenueOrderId } from '../domain/ids.js';
import { CONTRADICTIONS_PER_ORDER_MAX } from '../domain/limits/trading.js';
import { type LiveChild, liveChildren, type ParentState } from '../domain/order-state.js';
import { isTerminal, type GivenReason } from '../domain/order.js';
import { legAt, type LegIndex } from '../domain/pair.js';
import { legTrading, type Traded } from '../domain/order-legs.js';
import {
  type Contradiction,
  quarantineDetail,
  type QuarantineReason,
  quarantineRejection,
} from '../domain/quarantine.js';
import { formatLots, formatTicks, type Grid, type Lots, type Ticks, ZERO_LOTS } from '../domain/quantity.js';
import { type OrRejection, reject } from '../domain/rejection.js';
import type { EpochMs } from '../domain/time.js';
import { type ExecutionReport, unreadableDetail, unreadableMember } from '../domain/venue-report.js';
import { findChild, hasNoChild, nextChildNumber, venueOrderIdOf } from './children.js';
import { type Decision, Draft, type DecideContext, NOTHING } from './decision.js';

const WITHDRAWN: GivenReason = { code: 'QUARANTINE_END', detail: 'the quarantined order is being ended' };

/** Quarantines the order. Does nothing when it is quarantined or has ended. */
export function quarantine(draft: Draft, reason: QuarantineReason, detail: string): void {
  if (draft.state.quarantine !== null || isTerminal(draft.state.status)) return;
  draft.add({ kind: 'ParentQuarantined', code: reason, detail: quarantineDetail(detail) });
}

/**
 * Records a contradiction, at most CONTRADICTIONS_PER_ORDER_MAX for an order. A grave contradiction quarantines the
 * order before the reported fact is folded, so that the fact cannot end the order.
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
 * Releases a quarantined order: requests the status of each live child and cancels the children that still rest. The
 * order ends when no child is live. A second release changes nothing.
 */
export function decideRelease(state: ParentState, context: DecideContext): OrRejection<Decision> {
  const { order, status } = state;
  if (isTerminal(status) || state.quarantine?.isReleased === true) return NOTHING;
  if (state.quarantine === null) return reject('INVALID_ORDER', `order_id ${order.orderId} is not quarantined`);
  const draft = new Draft(state, context);
  release(draft, context.nowMs);
  return draft.decision;
}

/** Ends the quarantine of an order that is not released yet. */
export function release(draft: Draft, nowMs: EpochMs): void {
  draft.add({ kind: 'ParentReleased', cancelCause: OPERATOR_CAUSE });
  for (const child of liveChildren(draft.state)) {
    if (child.state !== 'UNKNOWN') draft.add({ kind: 'ChildUnknown', child: child.order.child });
    draft.query(child.order.child, nowMs);
  }
  settleQuarantined(draft);
}

/**
 * Ends a quarantined order after a cancel or a release, when no child is live. After a restore it waits for its
 * reconciliation, because its exchanges may have more children.
 */
export function settleQuarantined(draft: Draft): void {
  const { status, quarantine: since, isReconciling } = draft.state;
  if (since === null || isReconciling || status !== 'PENDING_CANCEL') return;
  draft.cancelAll(WITHDRAWN);
  const cause = quarantineRejection(since);
  if (hasNoChild(draft.state)) draft.add({ kind: 'ParentCancelled', cause, cancelCause: null });
}

/** True when a reported end of a child counts although fills are missing. */
export function isEnding({ quarantine: since, status }: ParentState): boolean {
  return since !== null && status === 'PENDING_CANCEL';
}

/** A contradiction between a report and the state of its order. */
interface Contradicted {
  readonly contradiction: Contradiction;
  readonly detail: string;
  /** True when quantity or money is in doubt. The order is quarantined. */
  readonly isGrave: boolean;
  /** True when the report is not possible. It is not applied. */
  readonly isUnusable: boolean;
}

type Reported<Kind extends ExecutionReport['kind']> = Extract<ExecutionReport, { readonly kind: Kind }>;

/** Child numbers are stored in 32 bits. */
const CHILD_NUMBER_MAX = 2 ** 32 - 1;

/** Returns the worst contradiction between the report and the state, or null. */
export function contradictionOf(state: ParentState, report: ExecutionReport): Contradicted | null {
  if (!isChildNumber(report.child)) return unusable(`child number ${String(report.child)}`);
  const unreadable = unreadableMember(report);
  if (unreadable !== null) return unusable(unreadableDetail(report, unreadable));
  const child = findChild(state, report.child);
  switch (report.kind) {
    case 'Filled':
      return ofFill(state, child, report);
    case 'Accepted':
      return ofUnknownChild(state, report, true) ?? ofVenueOrderId(child, report.venueOrderId);
    case 'Rejected':
      return ofUnknownChild(state, report, false) ?? ofRefusal(state, child);
    case 'Cancelled':
      return ofTotal(state, child, report, true) ?? ofVenueOrderId(child, report.venueOrderId);
    case 'CancelRejected':
      return ofUnknownChild(state, report, false);
    case 'StatusAnswered':
      return ofAnswer(state, child, report);
    case 'Unreadable':
      return unusable(report.detail);
    default:
      return report satisfies never;
  }
}

/**
 * Returns the leg of a fill. A live child names its leg. The state forgets a child that has ended: then the instrument
 * of the report gives the leg. null: the report names no instrument of a leg.
 */
export function legOfFill(
  { order }: ParentState,
  child: LiveChild | null,
  { instrument, side }: Reported<'Filled'>,
): LegIndex | null {
  if (child !== null) return child.order.leg;
  if (order.pair === null) return 0;
  return instrument === undefined ? null : legTrading(order, instrument, side);
}

/** True for whole positive lots and ticks and a whole trade id. */
export function isUsableFill({ tradeId, quantity, price, fee }: Fill): boolean {
  return isPositive(quantity) && isPositive(price) && isCount(tradeId) && typeof fee === 'bigint';
}

export function isChildNumber(child: ChildNumber): boolean {
  return Number.isInteger(child) && child > 0 && child <= CHILD_NUMBER_MAX;
}

function ofFill(state: ParentState, child: LiveChild | null, report: Reported<'Filled'>): Contradicted | null {
  const { fill, side, instrument } = report;
  const leg = legOfFill(state, child, report);
  if (leg === null)
    return unusable(`late fill ${String(fill.tradeId)} of child ${report.child} in instrument ${String(instrument)}`);
  const traded = legAt(state.order.legs, leg);
  const { filled } = legAt(state.legs, leg).progress;
  if (!isUsableFill(fill) || !isCount(filled + fill.quantity)) return unusable(fillText(fill, traded));
  if (side !== undefined && side !== traded.side) {
    return {
      ...grave('WRONG_SIDE', `${fillText(fill, traded)} is a ${side}, the order is a ${traded.side}`),
      isUnusable: true,
    };
  }
  if (instrument !== undefined && instrument !== traded.instrument) {
    return unusable(`${fillText(fill, traded)} in instrument ${instrument} instead of ${traded.instrument}`);
  }
  const unknown = ofUnknownChild(state, report, true);
  if (unknown !== null) return { ...unknown, detail: `${unknown.detail}: ${fillText(fill, traded)}` };
  const counted = filled + fill.quantity - settledPartOf(state, child, report);
  const overfill = counted > traded.quantity ? overfillOf(report, child, counted as Lots, traded) : null;
  if (child === null) return overfill;
  const { quantity, limitPrice } = child.order;
  const total = child.progress.filled + fill.quantity;
  if (total > quantity) {
    const totals = `${quantityText(total, traded)} of ${quantityText(quantity, traded)}`;
    return grave('CHILD_OVERFILL', `${fillText(fill, traded)} makes ${totals} of ${nameOf(child)}`);
  }
  const isWorse = limitPrice !== null && (traded.side === 'BUY' ? fill.price > limitPrice : fill.price < limitPrice);
  if (isWorse) {
    const limit = `the limit ${priceText(limitPrice, traded)} of ${nameOf(child)}`;
    return grave('PRICE_OUTSIDE_LIMIT', `${fillText(fill, traded)} is worse than ${limit}`);
  }
  return ofVenueOrderId(child, fill.venueOrderId) ?? overfill;
}

/** The order has more fills than its quantity: a child that counted as absent was executed after all. */
function overfillOf(
  { child: number, fill }: Reported<'Filled'>,
  child: LiveChild | null,
  counted: Lots,
  traded: Traded,
): Contradicted {
  const total = `${quantityText(counted, traded)} of ${quantityText(traded.quantity, traded)}`;
  const late = child === null ? 'late ' : '';
  return warning('ORDER_OVERFILL', `${late}${fillText(fill, traded)} of child ${number} makes ${total}`);
}

/** The part of a late fill that an operator's settlement of its child has counted before. */
export function settledPartOf(
  { settled }: ParentState,
  child: LiveChild | null,
  { child: number, fill }: Reported<'Filled'>,
): Lots {
  if (child !== null || settled.length === 0) return ZERO_LOTS;
  const unseen = settled.find((one) => one.child === number)?.unseen ?? ZERO_LOTS;
  return Math.min(unseen, fill.quantity) as Lots;
}

function ofUnknownChild(state: ParentState, { kind, child }: ExecutionReport, isGrave: boolean): Contradicted | null {
  if (child < nextChildNumber(state)) return null;
  return { ...warning('UNKNOWN_CHILD', `${kind} of child ${child}, which was never placed`), isGrave };
}

function ofVenueOrderId(child: LiveChild | null, reported: VenueOrderId): Contradicted | null {
  const known = child === null ? null : venueOrderIdOf(child);
  if (child === null || known === null || known === reported) return null;
  const ids = `order id ${JSON.stringify(reported)}, earlier ${JSON.stringify(known)}`;
  return grave('OTHER_EXCHANGE_ORDER_ID', `the exchange reports ${nameOf(child)} with ${ids}`);
}

function ofRefusal({ order }: ParentState, child: LiveChild | null): Contradicted | null {
  if (child === null || child.progress.filled === 0) return null;
  const filled = quantityText(child.progress.filled, legAt(order.legs, child.order.leg));
  return warning('REJECTED_AFTER_FILL', `${nameOf(child)} is refused after ${filled} of it have filled`);
}

/** Checks the reported total of fills. `isFinal`: the child has ended, so no more fills follow. */
function ofTotal(
  state: ParentState,
  child: LiveChild | null,
  report: Reported<'Cancelled' | 'StatusAnswered'>,
  isFinal: boolean,
): Contradicted | null {
  const { filled } = report;
  if (!isCount(filled)) return unusable(`${report.kind} with a filled quantity of ${String(filled)} lots`);
  const unknown = ofUnknownChild(state, report, filled > 0);
  if (unknown !== null || child === null) return unknown;
  const { quantity } = child.order;
  if (filled >= child.progress.filled && filled <= quantity) return null;
  const traded = legAt(state.order.legs, child.order.leg);
  const said = `the exchange reports that ${quantityText(filled, traded)} of ${nameOf(child)} have filled`;
  if (filled > quantity) {
    return grave('FILLED_OVER_QUANTITY', `${said}, its quantity is ${quantityText(quantity, traded)}`);
  }
  const detail = `${said}, its fills add up to ${quantityText(child.progress.filled, traded)}`;
  return { ...warning('FILLED_UNDER_KNOWN', detail), isGrave: isFinal };
}

/** Checks the answer to an order status request. An exchange may forget an ended child and its fills. */
function ofAnswer(
  state: ParentState,
  child: LiveChild | null,
  report: Reported<'StatusAnswered'>,
): Contradicted | null {
  const { answer } = report;
  if (answer.state === 'UNKNOWN') {
    if (!isCount(report.filled)) return unusable('StatusAnswered without a total');
    const { knownSinceMs } = answer;
    const isInstant = isCount(knownSinceMs) && knownSinceMs <= report.atMs;
    return isInstant ? null : unusable(`an order history since ${String(knownSinceMs)}`);
  }
  if (answer.state === 'DENIED') {
    if (!isCount(report.filled)) return unusable('StatusAnswered without a total');
    const { deniedSinceMs, venueOrderId } = answer;
    const isInstant = isCount(deniedSinceMs) && deniedSinceMs <= report.atMs;
    return isInstant ? ofVenueOrderId(child, venueOrderId) : unusable(`a denial since ${String(deniedSinceMs)}`);
  }
  const isOpen = answer.state === 'OPEN';
  if (isOpen) {
    const unknown = ofUnknownChild(state, report, true);
    if (unknown !== null) return unknown;
  }
  const total = ofTotal(state, child, report, !isOpen);
  if (total !== null) return total;
  // When the total agrees with the fills, the exchange has rejected the rest.
  return answer.state === 'REJECTED' ? null : ofVenueOrderId(child, answer.venueOrderId);
}

function unusable(detail: string): Contradicted {
  return { ...grave('UNUSABLE_REPORT', `${detail} is not possible`), isUnusable: true };
}

function grave(contradiction: Contradiction, detail: string): Contradicted {
  return { contradiction, detail, isGrave: true, isUnusable: false };
}

function warning(contradiction: Contradiction, detail: string): Contradicted {
  return { contradiction, detail, isGrave: false, isUnusable: false };
}

function fillText({ tradeId, quantity, price }: Fill, grid: Grid): string {
  return `fill ${String(tradeId)} of ${quantityText(quantity, grid)} at ${priceText(price, grid)}`;
}

/** A quantity as a client reads it. A report may have any number: one that is no count of lots is shown as it is. */
export function quantityText(lots: number, grid: Grid): string {
  return isCount(lots) ? formatLots(lots as Lots, grid) : `${String(lots)} lots`;
}

function priceText(ticks: number, grid: Grid): string {
  return isCount(ticks) ? formatTicks(ticks as Ticks, grid) : `${String(ticks)} ticks`;
}

function nameOf({ order: { child } }: LiveChild): string {
  return `child ${child}`;
}

function isPositive(value: number): boolean {
  return Number.isSafeInteger(value) && value > 0;
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}
