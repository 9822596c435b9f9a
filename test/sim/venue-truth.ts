import type { Fill } from '../../src/model/event.js';
import type { ChildNumber, OrderId } from '../../src/model/ids.js';
import type { ChildRef, ChildSubmission, VenueReport } from '../../src/model/venue-message.js';

/** A fill as its venue made it. */
export interface TrueFill {
  readonly submission: ChildSubmission;
  readonly fill: Fill;
}

type ChildReport = Extract<VenueReport, ChildRef>;
type Filled = Extract<ChildReport, { readonly kind: 'Filled' }>;

/**
 * Records what the venues did and which reports they sent. It outlives every process and every restore, so it keeps the
 * fills that a restored journal has lost.
 */
export class VenueTruth {
  /** Every child that was ever sent, by its client id. */
  readonly submissions = new Map<string, ChildSubmission>();
  readonly #fills = new Map<string, Map<number, Fill>>();
  readonly #told = new Map<string, Set<string>>();
  readonly #forgedOrders = new Set<OrderId>();

  onSubmit(submission: ChildSubmission): void {
    this.submissions.set(nameOf(submission), submission);
  }

  /** A report as the venue makes it. */
  onMade(report: VenueReport): void {
    if (report.kind !== 'Filled') return;
    const name = nameOf(report);
    const fills = this.#fills.get(name) ?? new Map<number, Fill>();
    this.#fills.set(name, fills);
    fills.set(report.fill.tradeId, report.fill);
  }

  /** A report as it leaves for the service, forged or not. */
  onTold(report: VenueReport): void {
    if (!('child' in report)) return;
    if (report.kind === 'Filled') this.#onFillTold(report);
    else if (this.#isForgery(report)) this.#forgedOrders.add(report.orderId);
  }

  /** True when a report on the order contradicts what its venue did. */
  isForged(orderId: OrderId): boolean {
    return this.#forgedOrders.has(orderId);
  }

  /** True when a venue has reported exactly this fill to the service. */
  wasTold(orderId: OrderId, child: ChildNumber, fill: Fill): boolean {
    return this.#told.get(tradeKey(nameOf({ orderId, child }), fill))?.has(textOf(fill)) ?? false;
  }

  /** Fills of one child by its client id. */
  fillsOf(name: string): ReadonlyMap<number, Fill> {
    return this.#fills.get(name) ?? NO_FILLS;
  }

  *fills(): Iterable<TrueFill> {
    for (const [name, fills] of this.#fills) {
      const submission = this.submissions.get(name);
      if (submission === undefined) throw new Error(`child ${name} trades and was never sent`);
      for (const fill of fills.values()) yield { submission, fill };
    }
  }

  /** Of reports that are no fills: one names a child that was never sent, or has an order id or a cause of the forger. */
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
    const versions = this.#told.get(key) ?? new Set<string>();
    this.#told.set(key, versions);
    versions.add(textOf(fill));
  }
}

const NO_FILLS: ReadonlyMap<number, Fill> = new Map();

export function nameOf({ orderId, child }: Pick<ChildRef, 'orderId' | 'child'>): string {
  return `${orderId}-${child}`;
}

/** All of a fill that counts. */
export function textOf({ tradeId, quantity, price, fee }: Fill): string {
  return `${tradeId}: ${quantity} at ${price}, fee ${fee}`;
}

function tradeKey(name: string, { tradeId }: Fill): string {
  return `${name}/${tradeId}`;
}

/** As the forger writes them. */
const FORGED_ORDER_ID = 'forged';
const FORGED_CAUSE = 'the exchange contradicts itself';
