import type { ChildNumber, VenueOrderId } from '../../domain/ids.js';
import { FAULT_CHILD_NUMBER_STEP, FAULT_CHILDREN_MAX } from '../../domain/limits/trading.js';
import type { Liquidity } from '../../domain/order.js';
import { type Lots, type Ticks, ZERO_LOTS } from '../../domain/quantity.js';
import type { RejectionCode } from '../../domain/rejection.js';
import type { ChildRef, ChildSubmission } from '../../domain/venue-message.js';
import type { VenueReport } from '../../domain/venue-report.js';
import type { FaultContradiction, Forgery } from './fault-rule.js';
import type { Subject } from './active-faults.js';

export type ChildReport = Extract<VenueReport, ChildRef>;
type FilledReport = Extract<ChildReport, { readonly kind: 'Filled' }>;

const VENUE_ORDER_ID = 'forged' as VenueOrderId;

/**
 * Returns the reports that replace one report. `placed` is the child as it was sent; when null, rules that need it
 * leave the report unchanged.
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
      return {
        kind: 'StatusAnswered',
        ...head,
        answer: { state: 'CANCELLED', venueOrderId, cause },
        filled: ZERO_LOTS,
      };
    case 'rejected':
      return { kind: 'Rejected', ...head, rejection: cause };
    case 'unknown-code':
      return { kind: 'Rejected', ...head, rejection: { ...cause, code: 'NO_SUCH_CODE' as RejectionCode } };
    default:
      return says satisfies never;
  }
}

/** A child order as it was sent. */
interface PlacedChild extends Subject {
  readonly quantity: Lots;
  /** null: a market order. */
  readonly limitPrice: Ticks | null;
}

/**
 * Instruments and sides of sent children, because a report names neither. Keeps between FAULT_CHILDREN_MAX and twice as
 * many children. Rules with an instrument or a side do not match reports of older ones.
 */
export class PlacedChildren {
  #latest = new Map<string, PlacedChild>();
  #earlier: ReadonlyMap<string, PlacedChild> = new Map();

  note({ account, venue, orderId, child, instrument, side, quantity, limitPrice }: ChildSubmission): void {
    if (this.#latest.size >= FAULT_CHILDREN_MAX) {
      this.#earlier = this.#latest;
      this.#latest = new Map();
    }
    this.#latest.set(`${orderId}-${child}`, { account, venue, instrument, side, quantity, limitPrice });
  }

  subjectOf(ref: ChildRef): Subject {
    const { account, venue } = ref;
    return this.find(ref) ?? { account, venue, instrument: null, side: null };
  }

  /** null for a child that was never sent or is no longer kept. */
  find({ orderId, child }: ChildRef): PlacedChild | null {
    const name = `${orderId}-${child}`;
    return this.#latest.get(name) ?? this.#earlier.get(name) ?? null;
  }
}
