import type { Fill } from '../../src/domain/event.js';
import type { ChildNumber, OrderId } from '../../src/domain/ids.js';
import type { ChildRef, ChildSubmission } from '../../src/domain/venue-message.js';
import type { VenueReport } from '../../src/domain/venue-report.js';

/** A fill as its venue made it. */
export interface TrueFill {
  readonly submission: ChildSubmission;
  readonly fill: Fill;
}

type ChildReport = Extract<VenueReport, ChildRef>;
type Filled = Extract<ChildReport, { readonly kind: 'Filled' }>;

/**
 * Records the acts of the venues and their reports. It outlives every process and every restore, so it keeps the fills
 * that a restored journal has lost.
 */
export class VenueTruth {
  /** Every child that was ever sent, by its client id. */
  readonly submissions = new Map<string, ChildSubmission>();
  readonly #fills = new Map<string, Map<number, Fill>>();
  readonly #reported = new Map<string, Set<string>>();
  readonly #forgedOrders = new Set<OrderId>();

  onSubmit(submission: ChildSubmission): void {
    this.submissions.set(nameOf(submission), submission);
  }

  /** Records a report as the venue makes it. */
  onMade(report: VenueReport): void {
    if (report.kind !== 'Filled') return;
    const name = nameOf(report);
    const fills = this.#fills.get(name) ?? new Map<number, Fill>();
    this.#fills.set(name, fills);
    fills.set(report.fill.tradeId, report.fill);
  }

  /** Records a report as it is sent to the service, forged or not. */
  onTold(report: VenueReport): void {
    if (!('child' in report)) return;
    if (report.kind === 'Filled') this.#onFillTold(report);
    else if (this.#isForgery(report)) this.#forgedOrders.add(report.orderId);
  }

  /** True when a report on the order contradicts the acts of its venue. */
  isForged(orderId: OrderId): boolean {
    return this.#forgedOrders.has(orderId);
  }

  /** True when a venue has reported exactly this fill to the service. */
  wasTold(orderId: OrderId, child: ChildNumber, fill: Fill): boolean {
    return this.#reported.get(tradeKey(nameOf({ orderId, child }), fill))?.has(textOf(fill)) ?? false;
  }

  /** Fills of one child by its client id. */
  fillsOf(name: string): ReadonlyMap<number, Fill> {
    return this.#fills.get(name) ?? NO_FILLS;
  }

  *fills(): Iterable<TrueFill> {
    for (const [name, fills] of this.#fills) {
      const submission = this.submissions.get(name);
      if (submission === undefined) throw new Error(`child ${name} trades but was never sent`);
      for (const fill of fills.values()) yield { submission, fill };
    }
  }

  /** For reports other than fills. True when the child was never sent, or the order id or the cause is forged. */
  #isForgery(report: ChildReport): boolean {
    if (!this.submissions.has(nameOf(report))) return true;
    if (report.kind === 'Accepted') return report.venueOrderId === FORGED_ORDER_ID;
    return report.kind === 'Cancelled' && report.cause?.message === FORGED_CAUSE;
  }

  #onFillTold({ orderId, child, fill, side }: Filled): void {
    const name = nameOf({ orderId, child });
    const made = this.#fills.get(name)?.get(fill.tradeId);
    const isOwnSide = side === undefined || side === this.submissions.get(name)?.side;
    if (made === undefined || textOf(made) !== textOf(fill) || !isOwnSide) this.#forgedOrders.add(orderId);
    const key = tradeKey(name, fill);
    const versions = this.#reported.get(key) ?? new Set<string>();
    this.#reported.set(key, versions);
    versions.add(textOf(fill));
  }
}

const NO_FILLS: ReadonlyMap<number, Fill> = new Map();

export function nameOf({ orderId, child }: Pick<ChildRef, 'orderId' | 'child'>): string {
  return `${orderId}-${child}`;
}

/** The members of a fill that count, as text. */
export function textOf({ tradeId, quantity, price, fee }: Fill): string {
  return `${tradeId}: ${quantity} at ${price}, fee ${fee}`;
}

function tradeKey(name: string, { tradeId }: Fill): string {
  return `${name}/${tradeId}`;
}

/** Values that the forger writes. */
const FORGED_ORDER_ID = 'forged';
const FORGED_CAUSE = 'the exchange contradicts itself';
