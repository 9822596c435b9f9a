import type { Fill } from '../model/event.js';
import type { ChildNumber, VenueOrderId } from '../model/ids.js';
import type { LiveChild, ParentState } from '../model/order.js';
import { isFollowers, nextChildNumber, tradedBy } from '../model/pair.js';
import type { Contradiction } from '../model/quarantine.js';
import { unreadableDetail, unreadableMember } from '../model/report-text.js';
import type { ExecutionReport } from '../model/venue-message.js';
import { findChild, venueOrderIdOf } from './children.js';

/** A report that contradicts what is known of its order. */
export interface Contradicted {
  readonly contradiction: Contradiction;
  readonly detail: string;
  /** Quantity or money is in doubt: the order is quarantined. */
  readonly isGrave: boolean;
  /** The report is no fact about the order and is not applied. */
  readonly isUnusable: boolean;
}

type Reported<Kind extends ExecutionReport['kind']> = Extract<ExecutionReport, { readonly kind: Kind }>;

/** Child numbers are stored in 32 bits. */
const CHILD_NUMBER_MAX = 2 ** 32 - 1;

/** How the report contradicts what is known of the order; null when it does not. Of several contradictions the worst. */
export function contradictionOf(state: ParentState, report: ExecutionReport): Contradicted | null {
  if (!isChildNumber(report.child)) return unusable(`child number ${String(report.child)}`);
  const unreadable = unreadableMember(report);
  if (unreadable !== null) return unusable(unreadableDetail(report, unreadable));
  const child = findChild(state.children, report.child);
  switch (report.kind) {
    case 'Filled':
      return ofFill(state, child, report);
    case 'Accepted':
      return ofUnknownChild(state, report, true) ?? ofVenueOrderId(child, report.venueOrderId);
    case 'Rejected':
      return ofUnknownChild(state, report, false) ?? ofRefusal(child);
    case 'Cancelled':
      return ofTotal(state, child, report, true) ?? ofVenueOrderId(child, report.venueOrderId);
    case 'CancelRejected':
      return ofUnknownChild(state, report, false);
    case 'QueryAnswered':
      return ofAnswer(state, child, report);
    case 'Unreadable':
      return unusable(report.detail);
    default:
      return report satisfies never;
  }
}

/** True when the fill can be looked up and counted: whole positive lots and ticks, and a whole trade id. */
export function isUsableFill({ tradeId, quantity, price, fee }: Fill): boolean {
  return isPositive(quantity) && isPositive(price) && isCount(tradeId) && typeof fee === 'bigint';
}

export function isChildNumber(child: ChildNumber): boolean {
  return Number.isInteger(child) && child > 0 && child <= CHILD_NUMBER_MAX;
}

function ofFill(state: ParentState, child: LiveChild | null, report: Reported<'Filled'>): Contradicted | null {
  const { fill, side } = report;
  const { order, progress, follower } = state;
  const traded = tradedBy(order, report.child);
  const filled = isFollowers(order, report.child) ? (follower?.progress.filled ?? 0) : progress.filled;
  const said = `fill ${String(fill.tradeId)} of ${String(fill.quantity)} lots at ${String(fill.price)}`;
  if (!isUsableFill(fill) || !isCount(filled + fill.quantity)) return unusable(said);
  if (side !== undefined && side !== traded.side) {
    return { ...grave('WRONG_SIDE', `${said} is a ${side}, the order is a ${traded.side}`), isUnusable: true };
  }
  const unknown = ofUnknownChild(state, report, true);
  if (unknown !== null) return { ...unknown, detail: `${unknown.detail}: ${said}` };
  if (child === null) {
    if (filled + fill.quantity <= traded.quantity) return null;
    const total = `${filled + fill.quantity} of ${traded.quantity} lots`;
    return warning('ORDER_OVERFILL', `late ${said} of child ${report.child} makes ${total}`);
  }
  const { quantity, limitPrice } = child.order;
  const total = child.progress.filled + fill.quantity;
  if (total > quantity)
    return grave('CHILD_OVERFILL', `${said} makes ${total} of ${quantity} lots of ${nameOf(child)}`);
  const isWorse = limitPrice !== null && (traded.side === 'BUY' ? fill.price > limitPrice : fill.price < limitPrice);
  if (isWorse) return grave('PRICE_OUTSIDE_LIMIT', `${said} is worse than the limit ${limitPrice} of ${nameOf(child)}`);
  return ofVenueOrderId(child, fill.venueOrderId);
}

function ofUnknownChild(state: ParentState, { kind, child }: ExecutionReport, isGrave: boolean): Contradicted | null {
  if (child < nextChildNumber(state, isFollowers(state.order, child))) return null;
  return { ...warning('UNKNOWN_CHILD', `${kind} of child ${child}, which was never placed`), isGrave };
}

function ofVenueOrderId(child: LiveChild | null, reported: VenueOrderId): Contradicted | null {
  const known = child === null ? null : venueOrderIdOf(child);
  if (child === null || known === null || known === reported) return null;
  const ids = `order id ${JSON.stringify(reported)}, before ${JSON.stringify(known)}`;
  return grave('OTHER_EXCHANGE_ORDER_ID', `the exchange gives ${nameOf(child)} ${ids}`);
}

function ofRefusal(child: LiveChild | null): Contradicted | null {
  if (child === null || child.progress.filled === 0) return null;
  return warning('REJECTED_AFTER_FILL', `${nameOf(child)} is refused with ${child.progress.filled} lots filled`);
}

/** What the exchange says was filled in all. `isFinal`: the child has ended, so no fill is on its way. */
function ofTotal(
  state: ParentState,
  child: LiveChild | null,
  report: Reported<'Cancelled' | 'QueryAnswered'>,
  isFinal: boolean,
): Contradicted | null {
  const { filled } = report;
  if (!isCount(filled)) return unusable(`${report.kind} with ${String(filled)} lots filled`);
  const unknown = ofUnknownChild(state, report, filled > 0);
  if (unknown !== null || child === null) return unknown;
  const { quantity } = child.order;
  const said = `the exchange says ${filled} lots of ${nameOf(child)} are filled`;
  if (filled > quantity) return grave('FILLED_OVER_QUANTITY', `${said}, its quantity is ${quantity}`);
  if (filled >= child.progress.filled) return null;
  const detail = `${said}, its fills add up to ${child.progress.filled}`;
  return { ...warning('FILLED_UNDER_KNOWN', detail), isGrave: isFinal };
}

/** An exchange may forget a child that has ended: then it knows of no fill either. */
function ofAnswer(state: ParentState, child: LiveChild | null, report: Reported<'QueryAnswered'>): Contradicted | null {
  const { answer } = report;
  if (answer.state === 'UNKNOWN') return isCount(report.filled) ? null : unusable('QueryAnswered without a total');
  const isOpen = answer.state === 'OPEN';
  if (isOpen) {
    const unknown = ofUnknownChild(state, report, true);
    if (unknown !== null) return unknown;
  }
  const total = ofTotal(state, child, report, !isOpen);
  if (total !== null) return total;
  // A total that agrees with the fills explains the refusal: the rest was refused.
  return answer.state === 'REJECTED' ? null : ofVenueOrderId(child, answer.venueOrderId);
}

function unusable(detail: string): Contradicted {
  return { ...grave('UNUSABLE_REPORT', `${detail} cannot be`), isUnusable: true };
}

function grave(contradiction: Contradiction, detail: string): Contradicted {
  return { contradiction, detail, isGrave: true, isUnusable: false };
}

function warning(contradiction: Contradiction, detail: string): Contradicted {
  return { contradiction, detail, isGrave: false, isUnusable: false };
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
